/* Looks single values up in JSON text, for reading a run.json back.
 *
 * A cursor walks over the text; whatever is not on the way to the wanted key is skipped. Every skip and read returns the
 * position behind what it took, or NULL where the text is no JSON, so a cut or damaged file is "not found", never a crash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"

enum { MAX_DEPTH = 64 };

static const char *skip_space(const char *s) { return s + strspn(s, " \t\r\n"); }

/* s is at the opening quote. */
static const char *skip_string(const char *s)
{
  if (*s != '"') return NULL;
  for (s++; *s != '"'; s++) {
    if (*s == '\\') s++;
    if (!*s) return NULL;
  }
  return s + 1;
}

static const char *skip_value(const char *s, int depth)
{
  s = skip_space(s);
  if (*s == '"') return skip_string(s);
  if (*s != '{' && *s != '[') {
    size_t n = strspn(s, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
    return n ? s + n : NULL;
  }
  if (depth == MAX_DEPTH) return NULL;
  char close = *s == '{' ? '}' : ']';
  s = skip_space(s + 1);
  if (*s == close) return s + 1;
  for (;;) {
    if (close == '}') {
      s = skip_string(skip_space(s));
      if (!s) return NULL;
      s = skip_space(s);
      if (*s++ != ':') return NULL;
    }
    s = skip_value(s, depth + 1);
    if (!s) return NULL;
    s = skip_space(s);
    if (*s == close) return s + 1;
    if (*s++ != ',') return NULL;
  }
}

/* The value of `key` (of n bytes) in the object at s; NULL: not there. */
static const char *member(const char *s, const char *key, size_t n)
{
  s = skip_space(s);
  if (*s++ != '{') return NULL;
  for (;;) {
    const char *name = skip_space(s);
    s = skip_string(name);
    if (!s) return NULL;
    bool found = (size_t)(s - name) == n + 2 && memcmp(name + 1, key, n) == 0;
    s = skip_space(s);
    if (*s++ != ':') return NULL;
    s = skip_space(s);
    if (found) return skip_value(s, 0) ? s : NULL;
    s = skip_value(s, 0);
    if (!s) return NULL;
    s = skip_space(s);
    if (*s++ != ',') return NULL;
  }
}

/* Value number `index` of the array at s; NULL: it has fewer. */
static const char *entry(const char *s, long index)
{
  s = skip_space(s + 1);
  if (*s == ']') return NULL;
  while (index-- > 0) {
    s = skip_value(s, 0);
    if (!s) return NULL;
    s = skip_space(s);
    if (*s++ != ',') return NULL;
    s = skip_space(s);
  }
  return skip_value(s, 0) ? s : NULL;
}

static const char *find(const char *text, const char *path)
{
  while (text) {
    size_t n = strcspn(path, ".");
    text = skip_space(text);
    text = *text == '[' ? entry(text, strtol(path, NULL, 10)) : member(text, path, n);
    if (!path[n]) break;
    path += n + 1;
  }
  return text;
}

bool vl_json_find_number(const char *text, const char *path, double *value)
{
  const char *s = find(text, path);
  if (!s || !strchr("-0123456789", *s)) return false;
  char *end;
  *value = strtod(s, &end);
  return end > s;
}

bool vl_json_find_bool(const char *text, const char *path, bool *value)
{
  const char *s = find(text, path);
  if (!s || (strncmp(s, "true", 4) != 0 && strncmp(s, "false", 5) != 0)) return false;
  *value = *s == 't';
  return true;
}

static size_t put_utf8(char *out, unsigned code)
{
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xc0 | code >> 6);
    out[1] = (char)(0x80 | (code & 0x3f));
    return 2;
  }
  out[0] = (char)(0xe0 | code >> 12);
  out[1] = (char)(0x80 | (code >> 6 & 0x3f));
  out[2] = (char)(0x80 | (code & 0x3f));
  return 3;
}

/* The number of four hexadecimal digits; 0: something else stands there. */
static unsigned four_digits(const char *s)
{
  unsigned code = 0;
  if (strspn(s, "0123456789abcdefABCDEF") >= 4) sscanf(s, "%4x", &code);
  return code;
}

/* s is at the backslash; *end is set behind the escape. Escapes are never shorter than what they stand for. */
static size_t unescape(const char *s, const char **end, char *out)
{
  static const char letter[] = "bfnrt", plain[] = "\b\f\n\r\t";
  unsigned code = s[1] == 'u' ? four_digits(s + 2) : 0;
  if (code) {
    *end = s + 6;
    return put_utf8(out, code);
  }
  const char *named = strchr(letter, s[1]);
  *out = named ? plain[named - letter] : s[1];
  *end = s + 2;
  return 1;
}

bool vl_json_find_string(const char *text, const char *path, char **value)
{
  *value = NULL;
  const char *s = find(text, path);
  if (!s || *s != '"') return false;
  const char *close = skip_string(s) - 1;
  char *out = *value = malloc((size_t)(close - s));
  if (!out) return false;
  for (s++; s < close;) {
    if (*s == '\\')
      out += unescape(s, &s, out);
    else
      *out++ = *s++;
  }
  *out = '\0';
  return true;
}
