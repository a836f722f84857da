/* JSON writer [RFC 8259]: text that grows in memory and is handed out whole.
 *
 * Strings are escaped where JSON asks for it, and bytes that are no UTF-8 become U+FFFD, so that whatever a scene file
 * holds the result can be parsed. Numbers are the shortest text that reads back to the same bits; JSON has no NaN or
 * infinity, so those are refused with the key's name. */
#include "files/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "files/file.h"

static void put(vlJson *json, const char *bytes, size_t count)
{
  if (json->code != VL_OK) return;
  void *text = json->text;
  if (!vl_array_reserve(&text, &json->capacity, json->length + count + 1, 1)) {
    json->code = VL_ERROR_MEMORY;
    return;
  }
  json->text = text;
  memcpy(json->text + json->length, bytes, count);
  json->length += count;
  json->text[json->length] = '\0';
}

static void put_text(vlJson *json, const char *text) { put(json, text, strlen(text)); }

static void new_line(vlJson *json)
{
  if (!json->lines) return;
  put_text(json, "\n");
  for (int i = 0; i < json->depth; i++) put_text(json, "  ");
}

/* Length of the UTF-8 character at s, 0 when there is none: [RFC 3629, section 4]. */
static size_t utf8_length(const unsigned char *s)
{
  if (s[0] < 0x80) return 1;
  size_t n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  /* overlong forms, surrogates, beyond U+10FFFF */
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return n;
}

static void put_quoted(vlJson *json, const char *text)
{
  static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
  put_text(json, "\"");
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    size_t n = utf8_length(s);
    const char *named = strchr(plain, *s);
    if (n == 0) {
      put_text(json, "\xef\xbf\xbd");
    } else if (named) {
      put(json, (const char[]){'\\', letter[named - plain]}, 2);
    } else if (*s < 0x20 || *s == 0x7f) {
      char code[8];
      snprintf(code, sizeof code, "\\u%04x", (unsigned)*s);
      put_text(json, code);
    } else {
      put(json, (const char *)s, n);
    }
    s += n ? n : 1;
  }
  put_text(json, "\"");
}

/* What comes before a value: comma, new line, key. */
static void lead_in(vlJson *json, const char *key)
{
  if (json->depth == 0) {
    assert(!key);
    return;
  }
  int top = json->depth - 1;
  assert(json->array[top] == !key);
  if (json->filled[top]) put_text(json, json->lines ? "," : ", ");
  json->filled[top] = true;
  new_line(json);
  if (key) {
    put_quoted(json, key);
    put_text(json, ": ");
  }
}

static void open_level(vlJson *json, const char *key, bool array)
{
  lead_in(json, key);
  assert(json->depth < VL_JSON_DEPTH);
  json->array[json->depth] = array;
  json->filled[json->depth++] = false;
  put_text(json, array ? "[" : "{");
}

void vl_json_begin(vlJson *json, bool lines) { *json = (vlJson){.lines = lines}; }
void vl_json_object(vlJson *json, const char *key) { open_level(json, key, false); }
void vl_json_array(vlJson *json, const char *key) { open_level(json, key, true); }

void vl_json_end(vlJson *json)
{
  assert(json->depth > 0);
  int top = --json->depth;
  if (json->filled[top]) new_line(json);
  put_text(json, json->array[top] ? "]" : "}");
}

void vl_json_string(vlJson *json, const char *key, const char *value)
{
  lead_in(json, key);
  if (value)
    put_quoted(json, value);
  else
    put_text(json, "null");
}

void vl_json_number(vlJson *json, const char *key, double value)
{
  char text[VL_NUMBER_TEXT];
  vl_number_text(value, text);
  if (!isfinite(value) && json->code == VL_OK) {
    json->code = VL_ERROR_INTERNAL;
    snprintf(json->bad, sizeof json->bad, "'%s' is %s", key ? key : "an array's element", text);
  }
  lead_in(json, key);
  put_text(json, text);
}

void vl_json_integer(vlJson *json, const char *key, int64_t value)
{
  char text[VL_NUMBER_TEXT];
  snprintf(text, sizeof text, "%lld", (long long)value);
  lead_in(json, key);
  put_text(json, text);
}

void vl_json_bool(vlJson *json, const char *key, bool value)
{
  lead_in(json, key);
  put_text(json, value ? "true" : "false");
}

vlCode vl_json_finish(vlJson *json, vlStatus *status)
{
  assert(json->depth == 0);
  put_text(json, "\n");
  if (json->code == VL_ERROR_MEMORY) return vl_fail_memory(status, json->capacity * 2, "JSON text");
  if (json->code != VL_OK) return vl_fail(status, json->code, "JSON: %s; finite numbers only", json->bad);
  return VL_OK;
}

void vl_json_clear(vlJson *json)
{
  free(json->text);
  *json = (vlJson){0};
}
