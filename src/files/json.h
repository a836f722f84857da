/* JSON: a writer that builds text in memory, and a reader that looks single values up. */
#ifndef VL_FILES_JSON_H
#define VL_FILES_JSON_H

#include "velella/types.h"

enum { VL_JSON_DEPTH = 16 }; /* objects and arrays inside each other */

/* Written front to back: begin an object or array, add members, end it. In objects every value has a key, in arrays and
 * at the top the key is NULL; anything else is a caller's bug. The first failure (memory, a number that is not finite)
 * sticks and is returned by vl_json_finish. */
typedef struct vlJson {
  char *text; /* NUL-terminated [length] */
  size_t length, capacity;
  int depth;
  bool array[VL_JSON_DEPTH]; /* what is open at each depth: an array, else an object */
  bool filled[VL_JSON_DEPTH];
  bool lines; /* a line for each member, indented; else everything on one line */
  vlCode code;
  char bad[128]; /* key and value of a refused number */
} vlJson;

void vl_json_begin(vlJson *json, bool lines);
void vl_json_object(vlJson *json, const char *key);
void vl_json_array(vlJson *json, const char *key);
void vl_json_end(vlJson *json);                                        /* the innermost open object or array */
void vl_json_string(vlJson *json, const char *key, const char *value); /* NULL: null */
void vl_json_number(vlJson *json, const char *key, double value);
void vl_json_integer(vlJson *json, const char *key, int64_t value);
void vl_json_bool(vlJson *json, const char *key, bool value);
/* Ends the line; the text is json->text. */
vlCode vl_json_finish(vlJson *json, vlStatus *status);
void vl_json_clear(vlJson *json);

/* Looks up "key", "outer.inner" or "list.2" (counted from 0) in the text of an object. A string comes in new memory with its
 * escapes resolved. False when the key is not there, the value is of another kind, or the text is no JSON as far as it had
 * to be read. */
bool vl_json_find_string(const char *text, const char *path, char **value);
bool vl_json_find_number(const char *text, const char *path, double *value);
bool vl_json_find_bool(const char *text, const char *path, bool *value);

#endif
