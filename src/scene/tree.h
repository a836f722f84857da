/* A scene file as a tree of scalars, lists and mappings, each with its place in the text, and messages that show it. */
#ifndef VL_SCENE_TREE_H
#define VL_SCENE_TREE_H

#include "base/excerpt.h"
#include "base/memory.h"
#include "base/status.h"
#include "scene/scene.h"

/* Limits that keep hostile input cheap; far beyond what a scene needs. */
enum {
  VL_TREE_BYTES = 16 << 20, /* of a file */
  VL_TREE_NODES = 200000,   /* with every alias written out */
  VL_TREE_DEPTH = 32,       /* lists and mappings in each other */
  VL_TREE_KEYS = 256,       /* in one mapping */
  VL_TREE_ANCHORS = 1000,
  VL_TREE_PATH = 512 /* bytes of a node's path in messages */
};

typedef enum vlNodeKind { VL_NODE_SCALAR, VL_NODE_LIST, VL_NODE_MAP } vlNodeKind;

typedef struct vlNode vlNode;
struct vlNode {
  vlNodeKind kind;
  int setting;      /* the --set it came from; -1: the file */
  size_t at;        /* byte where the value starts, in the file or in the setting's value */
  const char *text; /* scalar, NUL-terminated */
  size_t length;    /* bytes in text */
  bool quoted;      /* "64" rather than 64 */
  const char *key;  /* the key when the parent is a mapping, else NULL */
  size_t key_at;    /* byte where the key starts */
  int index;        /* position in the parent */
  bool mistaken;    /* its value, or what is missing in it, has been told of (mistakes.c) */
  vlNode *parent;
  vlNode *first, *last, *next; /* children in order; next sibling */
  int count;
};

typedef struct vlTree {
  const char *path; /* of the file, for messages */
  const char *text;
  size_t length;
  size_t *lines; /* byte where each line starts, shape [line_count] */
  size_t line_count, line_capacity;
  const vlSetting *settings;
  int setting_count;
  vlArena *arena; /* nodes and their texts */
  size_t node_count;
  vlNode *root;
} vlTree;

/* Checks the text (UTF-8, not empty, not too large), parses it and applies the settings in order. The tree keeps
 * pointers to path, text and settings. After a failure it must still be destroyed. */
vlCode vl_tree_create(vlTree *tree, const char *path, const char *text, size_t length, const vlSetting *settings,
                      int setting_count, vlStatus *status);
void vl_tree_destroy(vlTree *tree);

vlNode *vl_node_find(const vlNode *map, const char *key); /* NULL: not there, or `map` is no mapping */
vlNode *vl_node_item(const vlNode *list, int index);
vlSource vl_tree_source(const vlTree *tree, const vlNode *node);
/* The node of a path like "bodies[2].pins[0].velocity"; where there is none, the nearest one above it. */
const vlNode *vl_tree_find(const vlTree *tree, const char *path, bool *found);
const char *vl_node_path(const vlNode *node, char path[static VL_TREE_PATH]); /* "solids[0].radius"; empty: root */

/* For the parts of the tree's own making. */
vlCode vl_tree_parse(vlTree *tree, const char *text, size_t length, int setting, vlNode **root, vlStatus *status);
vlNode *vl_tree_node(vlTree *tree, vlNodeKind kind, int setting, size_t at); /* NULL: out of memory or too many */
void vl_node_append(vlNode *parent, vlNode *child);
vlCode vl_tree_apply_settings(vlTree *tree, vlStatus *status);

/* Messages: "file:line:column: key: what is wrong", then the line with a caret. Notes are added below, a line each. */
typedef enum vlPlace { VL_AT_VALUE, VL_AT_KEY } vlPlace;
vlCode vl_tree_fail(const vlTree *tree, vlStatus *status, const vlNode *node, vlPlace place, const char *format, ...)
    VL_PRINTF(5, 6);
vlCode vl_tree_fail_at(const vlTree *tree, vlStatus *status, int setting, size_t at, const char *format, ...)
    VL_PRINTF(5, 6);
vlCode vl_tree_note(vlStatus *status, const char *format, ...) VL_PRINTF(2, 3); /* returns the status' code */

/* Slips in YAML (slips.c). Notes what is wrong with a text or key as "level:0.5"; false: nothing is. */
bool vl_slip_note_word(vlStatus *status, const char *text);
void vl_slip_note_syntax(vlStatus *status, const char *text, size_t length, size_t at, const char *why);

/* Mistakes of one scene, told together: the caller's status gets the messages of the first, each on lines of its own, and
 * how many there are. */
enum { VL_MISTAKES_SHOWN = 20 };
typedef struct vlMistakes {
  vlStatus one;  /* of the mistake that is being told */
  vlStatus *all; /* the caller's; NULL: nobody reads it */
  vlCode code;   /* of the first */
  int count, shown;
  int read;  /* of count: before anything was checked */
  bool stop; /* what follows cannot be judged */
} vlMistakes;

/* Takes the mistake that `one` tells; node: where it is, NULL: not known. Returns VL_OK, or the code of what is no mistake
 * of the scene's and ends the reading, as memory that is not there. */
vlCode vl_mistakes_keep(vlMistakes *mistakes, vlNode *node, vlCode code);
vlCode vl_mistakes_finish(vlMistakes *mistakes); /* says how many, and returns the first one's code */
bool vl_node_mistaken(const vlNode *node);       /* it, or anything below it */

/* Nearest of the candidates by letters or by meaning (synonyms.c), NULL when none is near. */
const char *vl_nearest(const char *word, const char *const *candidates, int count);
const char *vl_synonym_note(const char *word, const char *meant); /* a remark for two words of one meaning, NULL: none */

#endif
