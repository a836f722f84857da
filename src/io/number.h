/* Numbers as text. */
#ifndef VL_IO_NUMBER_H
#define VL_IO_NUMBER_H

enum { VL_NUMBER_TEXT = 32 }; /* bytes that any number's text needs, with its NUL */

/* The shortest decimal that reads back as the same double (15 to 17 digits), with a point whatever the locale says.
 * Non-finite ones become "nan", "inf" and "-inf". Returns `text`. */
const char *vl_number_text(double value, char text[static VL_NUMBER_TEXT]);

#endif
