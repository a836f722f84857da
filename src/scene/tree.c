/* Scene text into a tree of nodes.
 *
 * libfyaml gives events with marks; the tree is built here so that its size, its depth and the copies that aliases make
 * stay bounded (an alias is written out as a copy, so the result is a true tree and a setting changes one place only),
 * keys are unique, and every node knows its byte in the text. JSON is read by the same way, as the part of YAML it is.
 * In: text of a file or of one --set value. Out: nodes in the tree's arena, or a message with its place. */
#include "scene/tree.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

typedef struct Anchor Anchor;
struct Anchor {
  Anchor *older;
  const char *name;
  vlNode *node;
};

typedef struct Builder {
  vlTree *tree;
  vlStatus *status;
  const char *text; /* what is being parsed */
  int setting;
  vlNode *root;
  vlNode *open[VL_TREE_DEPTH]; /* lists and mappings not yet ended, outermost first */
  int depth;
  const char *key; /* read, its value not yet */
  size_t key_at;
  Anchor *anchors;
  int anchor_count, document_count;
} Builder;

vlNode *vl_tree_node(vlTree *tree, vlNodeKind kind, int setting, size_t at)
{
  if (tree->node_count >= VL_TREE_NODES) return NULL;
  vlNode *node = vl_arena_alloc(tree->arena, sizeof *node);
  if (!node) return NULL;
  tree->node_count++;
  *node = (vlNode){.kind = kind, .setting = setting, .at = at};
  return node;
}

void vl_node_append(vlNode *parent, vlNode *child)
{
  child->parent = parent;
  child->index = parent->count++;
  child->next = NULL;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
}

vlNode *vl_node_find(const vlNode *map, const char *key)
{
  if (!map || map->kind != VL_NODE_MAP) return NULL;
  for (vlNode *child = map->first; child; child = child->next)
    if (strcmp(child->key, key) == 0) return child;
  return NULL;
}

vlNode *vl_node_item(const vlNode *list, int index)
{
  vlNode *child = list->first;
  while (child && child->index < index) child = child->next;
  return child;
}

static vlCode fail_node(Builder *b, size_t at)
{
  if (b->tree->node_count < VL_TREE_NODES) return vl_fail_memory(b->status, sizeof(vlNode), "the scene file");
  return vl_tree_fail_at(b->tree, b->status, b->setting, at,
                         "the scene has more than %d values here, aliases written out; that is the limit", VL_TREE_NODES);
}

static const char *keep_text(vlTree *tree, const char *text, size_t length)
{
  char *copy = vl_arena_alloc(tree->arena, length + 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

/* Puts a node where the parser stands: root, list item or the value of the pending key. */
static vlCode place(Builder *b, vlNode *node)
{
  if (!b->depth) {
    b->root = node;
    return VL_OK;
  }
  vlNode *parent = b->open[b->depth - 1];
  if (parent->kind == VL_NODE_MAP) {
    vlNode *before = vl_node_find(parent, b->key);
    node->key = b->key;
    node->key_at = b->key_at;
    b->key = NULL;
    if (parent->count >= VL_TREE_KEYS)
      return vl_tree_fail_at(b->tree, b->status, b->setting, node->key_at,
                             "more than %d keys in one place; that is the limit", VL_TREE_KEYS);
    vl_node_append(parent, node);
    if (before && b->setting < 0)
      return vl_tree_fail(b->tree, b->status, node, VL_AT_KEY, "written twice; the first is on line %d",
                          vl_tree_source(b->tree, before).line);
    if (before) return vl_tree_fail(b->tree, b->status, node, VL_AT_KEY, "written twice");
    return VL_OK;
  }
  vl_node_append(parent, node);
  return VL_OK;
}

static bool expects_key(const Builder *b) { return b->depth && b->open[b->depth - 1]->kind == VL_NODE_MAP && !b->key; }

static vlCode remember_anchor(Builder *b, struct fy_token *token, vlNode *node)
{
  if (!token) return VL_OK;
  size_t length;
  const char *text = fy_token_get_text(token, &length);
  if (++b->anchor_count > VL_TREE_ANCHORS)
    return vl_tree_fail_at(b->tree, b->status, b->setting, node->at, "more than %d anchors; that is the limit",
                           VL_TREE_ANCHORS);
  Anchor *anchor = vl_arena_alloc(b->tree->arena, sizeof *anchor);
  const char *name = text ? keep_text(b->tree, text, length) : NULL;
  if (!anchor || !name) return vl_fail_memory(b->status, length, "the scene file");
  *anchor = (Anchor){b->anchors, name, node};
  b->anchors = anchor;
  return VL_OK;
}

static vlCode refuse_tag(Builder *b, struct fy_token *token)
{
  if (!token) return VL_OK;
  return vl_tree_fail_at(b->tree, b->status, b->setting, fy_token_start_mark(token)->input_pos,
                         "scenes have no tags; leave out what starts with '!'");
}

/* Byte where a token starts; marks stand behind an opening quote and behind the '*' of an alias. */
static size_t token_at(const Builder *b, struct fy_token *token, size_t otherwise)
{
  const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
  if (!mark) return otherwise;
  size_t at = mark->input_pos;
  return at && strchr("\"'*", b->text[at - 1]) ? at - 1 : at;
}

static vlCode on_scalar(Builder *b, struct fy_event *event)
{
  size_t length = 0, at = token_at(b, event->scalar.value, b->key ? b->key_at : 0);
  const char *text = event->scalar.value ? fy_token_get_text(event->scalar.value, &length) : "";
  const char *kept = text ? keep_text(b->tree, text, length) : NULL;
  if (!kept) return vl_fail_memory(b->status, length, "the scene file");
  vlCode code = refuse_tag(b, event->scalar.tag);
  if (code != VL_OK) return code;
  if (expects_key(b)) {
    b->key = kept;
    b->key_at = at;
    return VL_OK;
  }
  vlNode *node = vl_tree_node(b->tree, VL_NODE_SCALAR, b->setting, at);
  if (!node) return fail_node(b, at);
  node->text = kept;
  node->length = length;
  node->quoted = event->scalar.value && fy_token_scalar_style(event->scalar.value) != FYSS_PLAIN;
  code = remember_anchor(b, event->scalar.anchor, node);
  return code == VL_OK ? place(b, node) : code;
}

static vlCode on_start(Builder *b, vlNodeKind kind, struct fy_token *start, struct fy_token *anchor, struct fy_token *tag)
{
  size_t at = token_at(b, start, b->key ? b->key_at : 0);
  vlCode code = refuse_tag(b, tag);
  if (code != VL_OK) return code;
  if (expects_key(b))
    return vl_tree_fail_at(b->tree, b->status, b->setting, at, "a key must be a word, not a list or a mapping");
  if (b->depth == VL_TREE_DEPTH)
    return vl_tree_fail_at(b->tree, b->status, b->setting, at,
                           "more than %d lists and mappings in each other; that is the limit", VL_TREE_DEPTH);
  vlNode *node = vl_tree_node(b->tree, kind, b->setting, at);
  if (!node) return fail_node(b, at);
  code = remember_anchor(b, anchor, node);
  if (code == VL_OK) code = place(b, node);
  if (code == VL_OK) b->open[b->depth++] = node;
  return code;
}

static vlNode *copy_node(vlTree *tree, const vlNode *from)
{
  vlNode *node = vl_tree_node(tree, from->kind, from->setting, from->at);
  if (!node) return NULL;
  node->text = from->text;
  node->length = from->length;
  node->quoted = from->quoted;
  for (const vlNode *child = from->first; child; child = child->next) {
    vlNode *copy = copy_node(tree, child);
    if (!copy) return NULL;
    copy->key = child->key;
    copy->key_at = child->key_at;
    vl_node_append(node, copy);
  }
  return node;
}

static int node_depth(const vlNode *node)
{
  int deepest = 0;
  for (const vlNode *child = node->first; child; child = child->next) {
    int depth = node_depth(child);
    if (depth > deepest) deepest = depth;
  }
  return deepest + (node->kind != VL_NODE_SCALAR);
}

static vlCode on_alias(Builder *b, struct fy_event *event)
{
  size_t length, at = token_at(b, event->alias.anchor, 0);
  const char *text = fy_token_get_text(event->alias.anchor, &length);
  const Anchor *anchor = b->anchors;
  while (anchor && text && !(strlen(anchor->name) == length && memcmp(anchor->name, text, length) == 0))
    anchor = anchor->older;
  char name[64];
  vl_shown(text ? text : "", text ? length : 0, 12, name, sizeof name);
  if (expects_key(b))
    return vl_tree_fail_at(b->tree, b->status, b->setting, at, "a key must be a word, not the alias *%s", name);
  if (!anchor) return vl_tree_fail_at(b->tree, b->status, b->setting, at, "*%s: there is no &%s before it", name, name);
  for (int i = 0; i < b->depth; i++)
    if (b->open[i] == anchor->node)
      return vl_tree_fail_at(b->tree, b->status, b->setting, at, "*%s stands inside of &%s and would contain itself", name,
                             name);
  if (b->depth + node_depth(anchor->node) > VL_TREE_DEPTH)
    return vl_tree_fail_at(b->tree, b->status, b->setting, at,
                           "*%s makes more than %d lists and mappings in each other; that is the limit", name,
                           VL_TREE_DEPTH);
  vlNode *node = copy_node(b->tree, anchor->node);
  return node ? place(b, node) : fail_node(b, at);
}

static vlCode on_event(Builder *b, struct fy_event *event)
{
  switch (event->type) {
  case FYET_DOCUMENT_START:
    if (b->document_count++ == 0) return VL_OK;
    return vl_tree_fail_at(b->tree, b->status, b->setting, token_at(b, event->document_start.document_start, 0),
                           "a second document starts here; a scene is one document");
  case FYET_SCALAR:
    return on_scalar(b, event);
  case FYET_ALIAS:
    return on_alias(b, event);
  case FYET_MAPPING_START:
    return on_start(b, VL_NODE_MAP, event->mapping_start.mapping_start, event->mapping_start.anchor,
                    event->mapping_start.tag);
  case FYET_SEQUENCE_START:
    return on_start(b, VL_NODE_LIST, event->sequence_start.sequence_start, event->sequence_start.anchor,
                    event->sequence_start.tag);
  case FYET_MAPPING_END:
  case FYET_SEQUENCE_END:
    b->depth--;
    return VL_OK;
  default:
    return VL_OK;
  }
}

/* Byte of the 1-based line and column that libfyaml names. */
static size_t find_byte(const char *text, size_t length, int line, int column)
{
  size_t at = 0;
  for (int i = 1; i < line && at < length; i++) {
    const char *end = memchr(text + at, '\n', length - at);
    at = end ? (size_t)(end - text) + 1 : length;
  }
  for (int i = 1; i < column && at < length && text[at] != '\n'; i++) {
    size_t n = vl_utf8_length(text + at, length - at);
    at += n ? n : 1;
  }
  return at;
}

static vlCode fail_syntax(Builder *b, struct fy_diag *diag, const char *text, size_t length)
{
  void *cursor = NULL;
  const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &cursor);
  if (!error) return vl_fail_memory(b->status, length, "the scene file");
  size_t at = find_byte(text, length, error->line, error->column);
  /* At the end of the text the interesting place is the bracket that was left open. */
  const vlNode *open = b->depth ? b->open[b->depth - 1] : NULL;
  bool bracket = open && open->at < length && (text[open->at] == '[' || text[open->at] == '{');
  if (at + 1 >= length && bracket)
    return vl_tree_fail_at(b->tree, b->status, b->setting, open->at, "this '%c' is not closed: %s", text[open->at],
                           error->msg);
  char shown[256];
  vl_tree_fail_at(b->tree, b->status, b->setting, at, "%s",
                  vl_shown(error->msg, strlen(error->msg), 60, shown, sizeof shown));
  vl_slip_note_syntax(b->status, text, length, at, error->msg);
  if (bracket && b->setting < 0 && vl_tree_source(b->tree, open).line < error->line)
    vl_tree_note(b->status, "the '%c' on line %d is still open here", text[open->at], vl_tree_source(b->tree, open).line);
  return VL_ERROR_SCENE;
}

vlCode vl_tree_parse(vlTree *tree, const char *text, size_t length, int setting, vlNode **root, vlStatus *status)
{
  Builder b = {.tree = tree, .status = status, .text = text, .setting = setting};
  vlCode code = VL_OK;
  /* Errors are collected: nothing is printed by the library. */
  struct fy_diag_cfg quiet;
  fy_diag_cfg_default(&quiet);
  quiet.fp = NULL;
  quiet.colorize = false;
  struct fy_diag *diag = fy_diag_create(&quiet);
  if (diag) fy_diag_set_collect_errors(diag, true);
  struct fy_parse_cfg config = {.flags = FYPCF_JSON_NONE, .diag = diag};
  struct fy_parser *parser = diag ? fy_parser_create(&config) : NULL;
  if (!parser || fy_parser_set_string(parser, text, length) != 0) {
    code = vl_fail_memory(status, length, "the scene file");
    goto done;
  }
  struct fy_event *event;
  while (code == VL_OK && (event = fy_parser_parse(parser)) != NULL) {
    code = on_event(&b, event);
    fy_parser_event_free(parser, event);
  }
  if (code == VL_OK && fy_parser_get_stream_error(parser)) code = fail_syntax(&b, diag, text, length);
  *root = b.root;
done:
  if (parser) fy_parser_destroy(parser);
  if (diag) fy_diag_destroy(diag); /* unref would leave the collected errors behind */
  return code;
}

static vlCode check_text(const vlTree *tree, vlStatus *status)
{
  const char *text = tree->text;
  size_t length = tree->length, at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  if (length > VL_TREE_BYTES)
    return vl_fail(status, VL_ERROR_SCENE, "%.1000s: larger than %d MiB; no scene file needs that", tree->path,
                   VL_TREE_BYTES >> 20);
  if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
    return vl_fail(status, VL_ERROR_SCENE, "%.1000s: UTF-16 text; a scene file is UTF-8", tree->path);
  const char *zero = length ? memchr(text, 0, length) : NULL;
  if (zero)
    return vl_fail(status, VL_ERROR_SCENE, "%.1000s: a binary file (byte %zu is zero); a scene is YAML or JSON text",
                   tree->path, (size_t)(zero - text) + 1);
  while (at < length) {
    size_t n = vl_utf8_length(text + at, length - at);
    if (!n)
      return vl_tree_fail_at(tree, status, -1, at, "not UTF-8 text (byte 0x%02x); a scene is YAML or JSON text in UTF-8",
                             (unsigned char)text[at]);
    at += n;
  }
  return VL_OK;
}

static vlCode index_lines(vlTree *tree, vlStatus *status)
{
  size_t at = 0;
  do {
    if (!vl_array_reserve(&tree->lines, &tree->line_capacity, tree->line_count + 1, sizeof *tree->lines))
      return vl_fail_memory(status, tree->line_count * sizeof *tree->lines, "the scene file's lines");
    tree->lines[tree->line_count++] = at;
    const char *end = at < tree->length ? memchr(tree->text + at, '\n', tree->length - at) : NULL;
    at = end ? (size_t)(end - tree->text) + 1 : tree->length;
  } while (at < tree->length);
  return VL_OK;
}

vlCode vl_tree_create(vlTree *tree, const char *path, const char *text, size_t length, const vlSetting *settings,
                      int setting_count, vlStatus *status)
{
  *tree = (vlTree){.path = path, .text = text, .length = length, .settings = settings, .setting_count = setting_count};
  tree->arena = vl_arena_create();
  if (!tree->arena) return vl_fail_memory(status, length, "the scene file");
  vlCode code = index_lines(tree, status);
  if (code == VL_OK) code = check_text(tree, status);
  if (code == VL_OK) code = vl_tree_parse(tree, text, length, -1, &tree->root, status);
  if (code != VL_OK) return code;
  bool empty = !tree->root || (tree->root->kind == VL_NODE_SCALAR && !tree->root->length && !tree->root->quoted);
  if (empty)
    return vl_fail(status, VL_ERROR_SCENE, "%.1000s: the file is empty; the smallest scene is 'liquid: {level: 0.5}'", path);
  if (tree->root->kind != VL_NODE_MAP)
    return vl_tree_fail(tree, status, tree->root, VL_AT_VALUE,
                        "a scene is a mapping of keys to values, as in 'grid: {cells: 64}'");
  return vl_tree_apply_settings(tree, status);
}

void vl_tree_destroy(vlTree *tree)
{
  vl_arena_destroy(&tree->arena);
  free(tree->lines);
  *tree = (vlTree){0};
}
