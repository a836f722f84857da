/* Slips of the pen in YAML, explained.
 *
 * A parser says what it met, which is seldom what went wrong: "level:0.5" is a text to it and not a key, and a line that is
 * indented too far goes on with the line before. Here the line itself is looked at, for the few slips that people make: a
 * colon in a text, a tab, no blank behind a colon or a dash, a quote that is not closed, lines that do not stand below each
 * other. In: the place and the parser's words. Out: a note below the message, or none. */
#include <ctype.h>
#include <string.h>

#include "scene/tree.h"

enum { SHOWN = 40, SHOWN_ROOM = 4 * SHOWN + 4 };

typedef struct Line {
  const char *begin, *end;
  size_t number;
} Line;

static Line line_at(const char *text, size_t length, size_t at)
{
  Line line = {text, text + length, 1};
  if (at > length) at = length;
  for (const char *c = text; c < text + at; c++)
    if (*c == '\n') {
      line.begin = c + 1;
      line.number++;
    }
  const char *end = memchr(line.begin, '\n', (size_t)(text + length - line.begin));
  if (end) line.end = end;
  return line;
}

static size_t indentation(Line line)
{
  size_t n = 0;
  while (line.begin + n < line.end && line.begin[n] == ' ') n++;
  return n;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* "level:0.5" or "level = 0.5": the length of the word in front, 0 where it is neither; *value is what follows. */
static size_t unspaced(const char *text, const char *end, const char **value)
{
  const char *c = text;
  while (c < end && is_word(*c)) c++;
  size_t n = (size_t)(c - text);
  while (c < end && *c == ' ') c++;
  bool colon = c == text + n && c + 1 < end && *c == ':' && c[1] != ' ';
  bool equal = c + 1 < end && *c == '=';
  if (n == 0 || !isalpha((unsigned char)*text) || !(colon || equal)) return 0;
  for (c++; c < end && *c == ' ';) c++;
  *value = c;
  return n;
}

bool vl_slip_note_word(vlStatus *status, const char *text)
{
  char shown[SHOWN_ROOM];
  const char *value, *end = text + strlen(text), *brace = strchr(text, '{');
  size_t n = unspaced(text, end, &value);
  if (n > 0) {
    vl_tree_note(status, "write '%.*s: %s', with a colon and a blank behind it", n < SHOWN ? (int)n : SHOWN, text,
                 vl_shown(value, (size_t)(end - value), SHOWN, shown, sizeof shown));
    return true;
  }
  if (brace && brace > text && brace - text < SHOWN) {
    vl_tree_note(status, "a colon is missing before the '{'");
    return true;
  }
  if (text[0] == '-' && isalpha((unsigned char)text[1])) {
    vl_tree_note(status, "an entry of a list begins with '- ': a blank is missing behind the dash");
    return true;
  }
  return false;
}

/* Byte behind "key: " in the part of the line that ends at `at`; NULL: none. */
static const char *value_before(Line line, const char *at)
{
  const char *begin = line.begin;
  for (const char *c = line.begin; c < at; c++)
    if (*c == ',' || *c == '{' || *c == '[') begin = c + 1;
  for (const char *c = begin; c + 1 < at; c++)
    if (c[0] == ':' && c[1] == ' ') return c + 2;
  return NULL;
}

static bool note_colon(vlStatus *status, Line line, const char *at)
{
  char shown[SHOWN_ROOM];
  const char *value = value_before(line, at);
  if (!value || at >= line.end || *at != ':') return false;
  const char *end = at;
  while (end < line.end && !strchr(",}]\r", *end)) end++;
  vl_tree_note(status, "a text with a colon in it stands in quotes: \"%s\"",
               vl_shown(value, (size_t)(end - value), SHOWN, shown, sizeof shown));
  return true;
}

/* A line that the parser takes for a part of the value before it. */
static bool note_next_line(vlStatus *status, const char *text, size_t length, Line line)
{
  const char *value;
  size_t at = (size_t)(line.end - text) + 1, indent = indentation(line);
  size_t n = unspaced(line.begin + indent, line.end, &value);
  if (n > 0) {
    char own[SHOWN + 1] = "";
    size_t whole = (size_t)(line.end - line.begin) - indent;
    if (whole <= SHOWN) memcpy(own, line.begin + indent, whole);
    return *own && vl_slip_note_word(status, own);
  }
  if (at >= length) return false;
  Line next = line_at(text, length, at);
  if (indentation(next) <= indent) return false;
  vl_tree_note(status, "line %zu is indented deeper than line %zu; keys of one mapping begin at the same column",
               next.number, line.number);
  return true;
}

static bool odd_quotes(Line line, char quote)
{
  bool odd = false;
  for (const char *c = line.begin; c < line.end; c++)
    if (*c == quote && !(c > line.begin && c[-1] == '\\')) odd = !odd;
  return odd;
}

/* "-{" or "-[" */
static bool begins_glued(Line line)
{
  const char *c = line.begin + indentation(line);
  return line.end - c > 1 && *c == '-' && (c[1] == '{' || c[1] == '[');
}

void vl_slip_note_syntax(vlStatus *status, const char *text, size_t length, size_t at, const char *why)
{
  Line line = line_at(text, length, at);
  const char *place = text + (at < length ? at : length);
  if (strstr(why, "tab ") || (place < line.end && *place == '\t'))
    vl_tree_note(status, "YAML is indented with blanks: replace the tab by some");
  else if (begins_glued(line))
    vl_tree_note(status, "an entry of a list begins with '- ': a blank is missing behind the dash");
  else if (note_colon(status, line, place))
    return;
  else if (strstr(why, "invalid indentation"))
    vl_tree_note(status, "keys of one mapping begin at the same column, and line %zu begins at another than those before it",
                 line.number);
  else if (strstr(why, "multiline plain key") && note_next_line(status, text, length, line))
    return;
  else if (strstr(why, "quoted") && (odd_quotes(line, '"') || odd_quotes(line, '\'')))
    vl_tree_note(status, "the quote is not closed on line %zu", line.number);
  else if (strstr(why, "cannot start with"))
    vl_tree_note(status, "a text that begins with such a character stands in quotes");
  else if (strstr(why, "block sequence") || strstr(why, "block mapping"))
    vl_tree_note(status, "keys of one mapping begin at the same column, and so do the dashes of one list");
}
