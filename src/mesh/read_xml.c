/* As much XML as mesh files need: tags and their attributes, one after the other.
 *
 * A tag ends at the first '>' outside quotes. Comments <!-- -->, declarations <!...> and <?...?> are passed over. Whether
 * tags are closed in order is not checked.
 *
 * text → tags, attributes. */
#include "mesh/read.h"

#include <ctype.h>

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == ':'; }

/* One past `mark` at or behind at; NULL: there is none. */
static const char *behind(const char *at, const char *end, const char *mark)
{
  const char *found = memmem(at, (size_t)(end - at), mark, strlen(mark));
  return found ? found + strlen(mark) : NULL;
}

/* One past the '>' that ends the tag at `at`; NULL: there is none. */
static const char *tag_end(const char *at, const char *end)
{
  char quote = 0;
  for (; at < end; at++) {
    if (quote) {
      if (*at == quote) quote = 0;
    } else if (*at == '"' || *at == '\'') {
      quote = *at;
    } else if (*at == '>') {
      return at + 1;
    }
  }
  return NULL;
}

bool vl_xml_next(const char **at, const char *end, vlXmlTag *tag)
{
  const char *p = *at;
  while (p && p < end && (p = memchr(p, '<', (size_t)(end - p)))) {
    if (end - p >= 4 && memcmp(p, "<!--", 4) == 0) {
      p = behind(p + 4, end, "-->");
      continue;
    }
    *tag = (vlXmlTag){.begin = p, .end = tag_end(p, end)};
    p = tag->end;
    if (!p || tag->begin[1] == '?' || tag->begin[1] == '!') continue;
    tag->closes = tag->begin[1] == '/';
    tag->empty = tag->end[-2] == '/' && !tag->closes;
    tag->name.begin = tag->begin + 1 + tag->closes;
    while (is_name(tag->name.begin[tag->name.length])) tag->name.length++;
    *at = tag->end;
    return true;
  }
  return false;
}

bool vl_xml_attribute(const vlXmlTag *tag, const char *name, vlWord *value)
{
  const char *p = tag->name.begin + tag->name.length, *end = tag->end - 1;
  while (p < end) {
    while (p < end && is_space(*p)) p++;
    vlWord word = {p, 0};
    while (p < end && is_name(*p)) p++;
    word.length = (size_t)(p - word.begin);
    while (p < end && is_space(*p)) p++;
    if (*p != '=') {
      p += word.length == 0; /* neither name nor value: a stray mark */
      continue;
    }
    for (p++; p < end && is_space(*p);) p++;
    const char quote = *p, *text = p + 1;
    if (quote != '"' && quote != '\'') return false;
    const char *close = text < end ? memchr(text, quote, (size_t)(end - text)) : NULL;
    if (!close) return false;
    *value = (vlWord){text, (size_t)(close - text)};
    if (vl_word_is(word, name)) return true;
    p = close + 1;
  }
  return false;
}

bool vl_xml_attribute_is(const vlXmlTag *tag, const char *name, const char *value)
{
  vlWord word;
  return vl_xml_attribute(tag, name, &word) && vl_word_is(word, value);
}

bool vl_xml_attribute_count(const vlXmlTag *tag, const char *name, int64_t *value)
{
  vlWord word;
  if (!vl_xml_attribute(tag, name, &word) || word.length == 0 || word.length > 18) return false;
  *value = 0;
  for (size_t i = 0; i < word.length; i++) {
    if (word.begin[i] < '0' || word.begin[i] > '9') return false;
    *value = 10 * *value + (word.begin[i] - '0');
  }
  return true;
}
