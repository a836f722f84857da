/* The page of a report around its data, generated from report/ by cmake/embed_report.cmake. */
#ifndef VL_IO_REPORT_PAGE_H
#define VL_IO_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vlReportPage {
  const unsigned char *head, *tail; /* what comes before and after the data [head_length], [tail_length] */
  size_t head_length, tail_length;
  bool charts; /* uPlot is inside */
} vlReportPage;

extern const vlReportPage vl_report_page;

#endif
