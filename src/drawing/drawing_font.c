/* Letters for pictures without a font: strokes on a grid of half units.
 *
 * A letter is a list of strokes with a blank between them; a point is a digit, its place along the line, and a letter, its
 * height: 'a' is the lowest, 'e' the base line, 'o' the height of an x, 's' that of an X. Digits are all equally wide. */
#include <string.h>

#include "drawing/drawing_raster.h"

enum { FIRST = '!', LAST = '~', GAP = 3, DIGIT_WIDTH = 6, BLANK_WIDTH = 3 }; /* widths in half units */
static const double UNIT = 0.0515, WEIGHT = 0.092; /* of the words' size: half a unit, width of a stroke */
static const double WIDE = 1.1;                    /* half units along the line are wider */
static const char *const strange = "0e0s6s6e0e";

static const char *const glyphs[LAST - FIRST + 1] = {
    ['!' - FIRST] = "1s1i 1e1f",
    ['"' - FIRST] = "0s0p 3s3p",
    ['#' - FIRST] = "2e3s 6e7s 0i8i 0n8n",
    ['%' - FIRST] = "0e8s 2s0q2o4q2s 6i4g6e8g6i",
    ['&' - FIRST] = "8e2n2q4s5q5p0i0g2e4e8j",
    ['\'' - FIRST] = "1s1p",
    ['(' - FIRST] = "3s1p1f3c",
    [')' - FIRST] = "0s2p2f0c",
    ['*' - FIRST] = "3o3s 1p5r 5p1r",
    ['+' - FIRST] = "0j6j 3g3m",
    [',' - FIRST] = "1f0c",
    ['-' - FIRST] = "0j4j",
    ['.' - FIRST] = "1e1f",
    ['/' - FIRST] = "0c5s",
    ['0' - FIRST] = "2e4e6h6p4s2s0p0h2e",
    ['1' - FIRST] = "1q3s3e",
    ['2' - FIRST] = "0p0q2s4s6q6n0e6e",
    ['3' - FIRST] = "0r1s4s6q6n4l2l 4l6j6g4e2e0g",
    ['4' - FIRST] = "4e4s0i6i",
    ['5' - FIRST] = "6s1s0l1m4m6k6g4e2e0g",
    ['6' - FIRST] = "5s3s0o0g2e4e6g6j4l2l0j",
    ['7' - FIRST] = "0s6s2e",
    ['8' - FIRST] = "2l0n0q2s4s6q6n4l2l0j0g2e4e6g6j4l",
    ['9' - FIRST] = "1e3e6i6q4s2s0q0n2l4l6n",
    [':' - FIRST] = "1e1f 1m1n",
    [';' - FIRST] = "1f0c 1m1n",
    ['<' - FIRST] = "6n0j6f",
    ['=' - FIRST] = "0h6h 0l6l",
    ['>' - FIRST] = "0n6j0f",
    ['?' - FIRST] = "0p0q2s4s6q6n3k3i 3e3f",
    ['A' - FIRST] = "0e4s8e 1i7i",
    ['B' - FIRST] = "0e0s5s7q7n5l0l 5l7j7g5e0e",
    ['C' - FIRST] = "8p6s2s0p0h2e6e8h",
    ['D' - FIRST] = "0e0s5s8p8h5e0e",
    ['E' - FIRST] = "7e0e0s7s 0l5l",
    ['F' - FIRST] = "0e0s7s 0l5l",
    ['G' - FIRST] = "8p6s2s0p0h2e6e8h8k5k",
    ['H' - FIRST] = "0e0s 8e8s 0l8l",
    ['I' - FIRST] = "1e1s",
    ['J' - FIRST] = "5s5h3e2e0h",
    ['K' - FIRST] = "0e0s 7s0j 2l7e",
    ['L' - FIRST] = "0s0e6e",
    ['M' - FIRST] = "0e0s4j8s8e",
    ['N' - FIRST] = "0e0s8e8s",
    ['O' - FIRST] = "2e6e8h8p6s2s0p0h2e",
    ['P' - FIRST] = "0e0s5s7q7m5k0k",
    ['Q' - FIRST] = "2e6e8h8p6s2s0p0h2e 5h8d",
    ['R' - FIRST] = "0e0s5s7q7m5k0k 4k7e",
    ['S' - FIRST] = "7q5s2s0q0n2l5l7j7g5e2e0g",
    ['T' - FIRST] = "0s8s 4s4e",
    ['U' - FIRST] = "0s0h2e6e8h8s",
    ['V' - FIRST] = "0s4e8s",
    ['W' - FIRST] = "0s2e5p7e9s",
    ['X' - FIRST] = "0s8e 8s0e",
    ['Y' - FIRST] = "0s4l8s 4l4e",
    ['Z' - FIRST] = "0s8s0e8e",
    ['[' - FIRST] = "3s0s0c3c",
    [']' - FIRST] = "0s3s3c0c",
    ['^' - FIRST] = "0o3s6o",
    ['_' - FIRST] = "0d7d",
    ['a' - FIRST] = "7o7e 7m5o2o0m0g2e5e7g",
    ['b' - FIRST] = "0s0e 0m2o5o7m7g5e2e0g",
    ['c' - FIRST] = "6n5o2o0m0g2e5e6f",
    ['d' - FIRST] = "7s7e 7m5o2o0m0g2e5e7g",
    ['e' - FIRST] = "0j7j7m5o2o0m0g2e5e7f",
    ['f' - FIRST] = "5s4s2q2e 0o5o",
    ['g' - FIRST] = "7o7c5a2a0b 7m5o2o0m0g2e5e7g",
    ['h' - FIRST] = "0s0e 0m2o5o7m7e",
    ['i' - FIRST] = "1o1e 1r1s",
    ['j' - FIRST] = "2o2c1a0a 2r2s",
    ['k' - FIRST] = "0s0e 6o0i 2k6e",
    ['l' - FIRST] = "1s1e",
    ['m' - FIRST] = "0o0e 0m2o3o5m5e 5m7o8o9m9e",
    ['n' - FIRST] = "0o0e 0m2o5o7m7e",
    ['o' - FIRST] = "2e5e7g7m5o2o0m0g2e",
    ['p' - FIRST] = "0o0a 0m2o5o7m7g5e2e0g",
    ['q' - FIRST] = "7o7a 7m5o2o0m0g2e5e7g",
    ['r' - FIRST] = "0o0e 0m2o4o",
    ['s' - FIRST] = "6n4o2o0m0l2j4j6h6g4e2e0f",
    ['t' - FIRST] = "2s2g4e5e 0o5o",
    ['u' - FIRST] = "0o0g2e5e7g 7o7e",
    ['v' - FIRST] = "0o3e6o",
    ['w' - FIRST] = "0o2e4o6e8o",
    ['x' - FIRST] = "0o6e 6o0e",
    ['y' - FIRST] = "0o3e 6o2b1a0a",
    ['z' - FIRST] = "0o6o0e6e",
    ['{' - FIRST] = "3s1q1m0k1i1e3c",
    ['|' - FIRST] = "1s1c",
    ['}' - FIRST] = "0s2q2m3k2i2e0c",
    ['~' - FIRST] = "0i2k5i7k",
};

/* The strokes of a byte; NULL for a blank and for all but the first byte of a letter beyond ASCII. */
static const char *strokes(unsigned char byte)
{
  if (byte == ' ' || (byte & 0xc0) == 0x80) return NULL;
  const char *known = byte >= FIRST && byte <= LAST ? glyphs[byte - FIRST] : NULL;
  return known ? known : strange;
}

static int advance(unsigned char byte)
{
  const char *s = strokes(byte);
  if (!s) return byte == ' ' ? BLANK_WIDTH + GAP : 0;
  int width = byte >= '0' && byte <= '9' ? DIGIT_WIDTH : 0;
  for (; *s; s++)
    if (*s >= '0' && *s <= '9' && *s - '0' > width) width = *s - '0';
  return width + GAP;
}

static void put_glyph(vlRaster *raster, const vlDrawingItem *item, const char *s, double at)
{
  double half = UNIT * item->size, before[2] = {0.0, 0.0};
  bool begun = false;
  for (; *s; s++) {
    if (*s == ' ') {
      begun = false;
      continue;
    }
    double along = (at + (*s - '0')) * WIDE * half, up = (s[1] - 'e') * half;
    double x = item->x + (item->upright ? -up : along), y = item->y - (item->upright ? along : up);
    if (begun) vl_raster_stroke(raster, before[0], before[1], x, y, WEIGHT * item->size, true);
    before[0] = x;
    before[1] = y;
    begun = true;
    s++;
  }
}

void vl_raster_words(vlRaster *raster, const vlDrawingItem *item)
{
  double at = 0.0, width = 0.0;
  for (const char *s = item->text; *s; s++) width += advance((unsigned char)*s);
  if (item->anchor != VL_ANCHOR_START) at = (item->anchor == VL_ANCHOR_MIDDLE ? -0.5 : -1.0) * (width - GAP);
  for (const char *s = item->text; *s; s++) {
    const char *lines = strokes((unsigned char)*s);
    if (lines) put_glyph(raster, item, lines, at);
    at += advance((unsigned char)*s);
  }
}
