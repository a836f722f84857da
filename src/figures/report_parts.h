/* Inside a report: what report.c puts on the page. */
#ifndef VL_FIGURES_REPORT_PARTS_H
#define VL_FIGURES_REPORT_PARTS_H

#include "figures/report.h"
#include "files/json.h"
#include "files/look.h"

/* The page of a report around its data, generated from report/ by cmake/embed_report.cmake. */
typedef struct vlReportPage {
  const unsigned char *head, *tail; /* what comes before and after the data [head_length], [tail_length] */
  size_t head_length, tail_length;
  bool charts; /* uPlot is inside */
} vlReportPage;

extern const vlReportPage vl_report_page;

/* The tables of a run read back, and made short enough for a page. */
typedef struct vlReportTable {
  char *header;      /* cut into names */
  const char **name; /* of each column, with its unit: "time [s]" [columns] */
  int columns;
  double *value; /* [rows * columns] */
  size_t rows, capacity;
  bool cut; /* the file ends within a line, which is left out */
} vlReportTable;

/* FOLDER/FILE as files/table.h writes it. On failure the table is still to be cleared. */
vlCode vl_report_table_read(vlReportTable *table, const char *folder, const char *file, vlStatus *status);
void vl_report_table_clear(vlReportTable *table);

/* What becomes of the rows of a table that is too long. */
typedef enum vlReportShort { VL_SHORT_EXTREMES, VL_SHORT_MEANS } vlReportShort;

/* Rows that the JSON of so many rows has. */
size_t vl_report_table_kept(size_t rows);
/* Adds an array of {"name", "unit", "values"}, a member for each column, from the first `rows` rows. */
void vl_report_table_json(vlJson *json, const char *key, const vlReportTable *table, size_t rows, vlReportShort how);

/* Elastic bodies: what run.json says of them, and their tables. */
typedef struct vlReportBody {
  char *file; /* of the table, below the run's folder */
  vlReportTable table;
} vlReportBody;

typedef struct vlReportBodies {
  vlReportBody *body; /* [count] */
  int count;
} vlReportBodies;

/* The tables of all bodies that `run`, the text of run.json, lists. To be cleared, also when it fails. */
vlCode vl_report_bodies_read(vlReportBodies *bodies, const char *folder, const char *run, vlStatus *status);
void vl_report_bodies_clear(vlReportBodies *bodies);
/* Adds "bodies": an array with an object for each, of what it is, its color in pictures, its probes and the first `rows`
 * rows of its table. */
void vl_report_bodies_json(vlJson *json, const vlReportBodies *bodies, const char *run, const vlLook *look, size_t rows);

/* Pictures for pages: small enough to stand inside one. */
typedef struct vlPicture {
  unsigned char *bytes; /* JPEG [length] */
  size_t length;
  int width, height;
} vlPicture;

/* The PNG file at `path` as a JPEG that is at most `width` pixels wide; what it lets through is black. */
vlCode vl_picture_shrink(vlPicture *picture, const char *path, int width, vlStatus *status);
void vl_picture_clear(vlPicture *picture);

/* Base64 [RFC 4648] after `prefix`, in new memory; NULL without memory. */
char *vl_base64(const char *prefix, const void *data, size_t length);

/* The pictures and the video, ready to stand inside a page. From FOLDER/render, or where that has no frame_NNNNN.png from
 * FOLDER/preview, adds pictures           an array of {"frame", "width", "height", "src"}, chosen evenly rendered, preview
 * how many there are to choose from, and whether they are previews video              {"src", "bytes", "inside"} of
 * video.mp4, or null. What is damaged is left out, with a warning that names it. */
vlCode vl_report_media(vlJson *json, const char *folder, vlLog log, vlReport *report, vlStatus *status);

#endif
