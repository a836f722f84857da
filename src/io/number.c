/* Numbers as text: as few digits as read back to the same bits, so that files are short, exact and the same wherever
 * they are written. Every double survives 17 significant digits and many need only 15; printf is asked for 15, 16 and 17
 * until the way back gives the same value. */
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A locale may have put a comma, or a few bytes of something else, where JSON, CSV and XML want a point. */
static void force_point(char *text)
{
  size_t begin = strspn(text, "0123456789+-eE");
  if (!text[begin] || text[begin] == '.') return;
  size_t end = begin + strcspn(text + begin, "0123456789");
  text[begin] = '.';
  memmove(text + begin + 1, text + end, strlen(text + end) + 1);
}

const char *vl_number_text(double value, char text[static VL_NUMBER_TEXT])
{
  if (isnan(value)) return strcpy(text, "nan");
  if (isinf(value)) return strcpy(text, value < 0.0 ? "-inf" : "inf");
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, VL_NUMBER_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  force_point(text);
  return text;
}
