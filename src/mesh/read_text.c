/* What the readers of text share: lines, words, numbers, and errors that say where and what was found.
 *
 * Lines end with LF, CR LF or CR. Numbers: up to 19 digits are gathered in an integer m and a power of ten
 * e; when m <= 2^53 and |e| <= 22 both m and 10^|e| are exact doubles, so one product or quotient is the
 * correctly rounded value [clinger1990]. All others go to strtod in the C locale.
 *
 * text, place → words, numbers, the next place. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "mesh/read.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

vlCode vl_reader_fail_line(vlReader *r, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  vl_fail(r->status, VL_ERROR_MESH, "%s", text);
  vl_status_prefix(r->status, "%s:%lld: ", r->path, (long long)r->line);
  return VL_ERROR_MESH;
}

vlCode vl_reader_fail_byte(vlReader *r, const char *where, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  vl_fail(r->status, VL_ERROR_MESH, "%s", text);
  vl_status_prefix(r->status, "%s: byte %lld: ", r->path, (long long)(where - r->text));
  return VL_ERROR_MESH;
}

vlCode vl_reader_expected(vlReader *r, const char *what)
{
  char found[64];
  vl_reader_skip_blanks(r);
  vlReader scout = *r;
  vlWord word = vl_reader_word(&scout);
  if (r->at >= r->end) {
    snprintf(found, sizeof found, "the end of the file");
  } else if (word.length == 0) {
    snprintf(found, sizeof found, "the end of the line");
  } else {
    size_t n = 0, most = 40;
    found[n++] = '\'';
    for (size_t i = 0; i < word.length && i < most; i++)
      found[n++] = isprint((unsigned char)word.begin[i]) ? word.begin[i] : '?';
    snprintf(found + n, sizeof found - n, word.length > most ? "...'" : "'");
  }
  return vl_reader_fail_line(r, "found %s, expected %s", found, what);
}

bool vl_reader_at_line_end(const vlReader *r) { return r->at >= r->end || is_line_end(*r->at); }

static void skip_line_end(vlReader *r)
{
  if (r->at >= r->end) return;
  r->at += *r->at == '\r' && r->at[1] == '\n' ? 2 : 1;
  r->line++;
}

void vl_reader_skip_blanks(vlReader *r)
{
  while (r->at < r->end) {
    if (is_blank(*r->at)) {
      r->at++;
    } else if (r->joins_lines && *r->at == '\\' && is_line_end(r->at[1])) {
      r->at++;
      skip_line_end(r);
    } else {
      return;
    }
  }
}

void vl_reader_next_line(vlReader *r)
{
  while (!vl_reader_at_line_end(r)) r->at++;
  skip_line_end(r);
}

void vl_reader_skip_lines(vlReader *r)
{
  vl_reader_skip_blanks(r);
  while (r->at < r->end && vl_reader_at_line_end(r)) {
    vl_reader_next_line(r);
    vl_reader_skip_blanks(r);
  }
}

vlWord vl_reader_word(vlReader *r)
{
  vl_reader_skip_blanks(r);
  vlWord word = {r->at, 0};
  while (!vl_reader_at_line_end(r) && !is_blank(*r->at)) r->at++;
  word.length = (size_t)(r->at - word.begin);
  return word;
}

bool vl_word_is(vlWord word, const char *text)
{
  return word.length == strlen(text) && memcmp(word.begin, text, word.length) == 0;
}

bool vl_word_is_any_case(vlWord word, const char *text)
{
  return word.length == strlen(text) && strncasecmp(word.begin, text, word.length) == 0;
}

/* Digits gathered so far: value = mantissa 10^exponent, unless digits were left out. */
typedef struct Decimal {
  uint64_t mantissa;
  int digits; /* significant ones in the mantissa */
  int64_t exponent;
  bool rounded; /* a 20th digit and later ones do not fit */
} Decimal;

static const char *scan_digits(const char *p, Decimal *d, int64_t step)
{
  for (; is_digit(*p); p++) {
    if (d->digits == 19) {
      d->rounded = true;
      continue;
    }
    d->mantissa = 10 * d->mantissa + (uint64_t)(*p - '0');
    d->digits += d->mantissa != 0;
    d->exponent += step;
  }
  return p;
}

/* Points behind the exponent's digits when there are any, else stays. */
static const char *scan_exponent(const char *p, Decimal *d)
{
  if (*p != 'e' && *p != 'E') return p;
  const char *q = p + 1;
  bool minus = *q == '-';
  if (*q == '-' || *q == '+') q++;
  if (!is_digit(*q)) return p;
  int64_t e = 0;
  for (; is_digit(*q); q++)
    if (e < 100000000) e = 10 * e + (*q - '0');
  d->exponent += minus ? -e : e;
  return q;
}

/* Returns the place behind the number, or `begin` where there is none. The 0 byte at the end stops it. */
static const char *scan_number(const char *begin, locale_t c_locale, double *value)
{
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *p = begin;
  bool minus = *p == '-';
  if (*p == '-' || *p == '+') p++;
  Decimal d = {0};
  const char *whole = p;
  p = scan_digits(p, &d, 0);
  bool any = p > whole;
  if (*p == '.') {
    const char *fraction = ++p;
    p = scan_digits(p, &d, -1);
    any = any || p > fraction;
  }
  if (!any) return begin;
  p = scan_exponent(p, &d);
  if (d.rounded || d.mantissa > (uint64_t)1 << 53 || d.exponent > 22 || d.exponent < -22) {
    *value = strtod_l(begin, NULL, c_locale);
    return p;
  }
  double m = (double)d.mantissa;
  m = d.exponent < 0 ? m / power[-d.exponent] : m * power[d.exponent];
  *value = minus ? -m : m;
  return p;
}

vlCode vl_reader_number(vlReader *r, double *value, const char *what)
{
  vl_reader_skip_blanks(r);
  const char *after = r->at < r->end ? scan_number(r->at, r->c_locale, value) : r->at;
  bool whole_word = after == r->end || is_blank(*after) || is_line_end(*after) || (r->joins_lines && *after == '\\');
  if (after == r->at || !whole_word || !isfinite(*value)) {
    char text[128];
    snprintf(text, sizeof text, "a finite number (%s)", what);
    return vl_reader_expected(r, text);
  }
  r->at = after;
  return VL_OK;
}

bool vl_reader_integer(vlReader *r, int64_t *value)
{
  const char *p = r->at;
  bool minus = p < r->end && *p == '-';
  if (p < r->end && (*p == '-' || *p == '+')) p++;
  if (!is_digit(*p)) return false;
  int64_t n = 0;
  for (; is_digit(*p); p++) n = n < INT64_MAX / 10 - 1 ? 10 * n + (*p - '0') : INT64_MAX;
  *value = minus ? -n : n;
  r->at = p;
  return true;
}

bool vl_reader_usable(vlVec3 x)
{
  for (int a = 0; a < 3; a++)
    if (!(fabs(x.v[a]) <= VL_READ_COORDINATE_MAX)) return false;
  return true;
}

/* Numbers in binary files: integers and floats of either byte order, and base64.
 *
 * Base64 writes three bytes as four letters of six bits each. Letters are taken one by one into a register; whenever it
 * holds eight bits or more the upper eight are a byte. Padding ends a part: what is left in the register is dropped, so
 * parts that were encoded one by one and put behind each other are read as one.
 *
 * bytes or text → numbers, bytes. */

int vl_value_bytes(vlValueType type)
{
  static const int bytes[VL_VALUE_TYPES] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
  return bytes[type];
}

uint64_t vl_bytes_integer(const char *bytes, int count, bool big)
{
  uint64_t bits = 0;
  for (int i = 0; i < count; i++) bits |= (uint64_t)(unsigned char)bytes[big ? count - 1 - i : i] << 8 * i;
  return bits;
}

double vl_value_decode(const char *bytes, vlValueType type, bool big)
{
  uint64_t bits = vl_bytes_integer(bytes, vl_value_bytes(type), big);
  uint32_t low = (uint32_t)bits;
  float single;
  double value;
  switch (type) {
  case VL_INT8:
    return (int8_t)bits;
  case VL_INT16:
    return (int16_t)bits;
  case VL_INT32:
    return (int32_t)bits;
  case VL_INT64:
    return (double)(int64_t)bits;
  case VL_FLOAT32:
    memcpy(&single, &low, sizeof single);
    return single;
  case VL_FLOAT64:
    memcpy(&value, &bits, sizeof value);
    return value;
  default:
    return (double)bits;
  }
}

/* The six bits of a letter, or -1. */
static int letter_bits(char c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t vl_base64_decode(const char **at, const char *end, char *bytes, size_t count)
{
  unsigned held = 0; /* bits not yet given out, right-aligned */
  int held_count = 0;
  size_t n = 0;
  for (; *at < end && n < count; ++*at) {
    char c = **at;
    int bits = letter_bits(c);
    if (bits >= 0) {
      held = held << 6 | (unsigned)bits;
      held_count += 6;
    } else if (c == '=') {
      held_count = 0;
    } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      return n;
    }
    if (held_count < 8) continue;
    held_count -= 8;
    bytes[n++] = (char)(held >> held_count);
    held &= (1u << held_count) - 1;
  }
  return n;
}
