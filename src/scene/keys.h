/* The one table of scene keys, and the groups they stand in: reading, defaults, ranges, units, checks, copies, help,
 * documentation, schema and starter file come from them. */
#ifndef VL_SCENE_KEYS_H
#define VL_SCENE_KEYS_H

#include "scene/quantity.h"
#include "velella/scene.h"

/* Where a key may stand, in the order of the documentation. */
typedef enum vlKeyGroup {
  VL_GROUP_SCENE,
  VL_GROUP_GRID,
  VL_GROUP_LIQUID,
  VL_GROUP_SOURCE, /* an entry of `liquid.sources`, which is also a shape */
  VL_GROUP_SINK,   /* an entry of `liquid.sinks` */
  VL_GROUP_OUTLET, /* an entry of `liquid.outlets` */
  VL_GROUP_SOLID,  /* an entry of `solids`, which is also a shape */
  VL_GROUP_SHAPE,
  VL_GROUP_BODY,   /* an entry of `bodies` */
  VL_GROUP_PIN,    /* an entry of a body's `pins`, which is also a shape */
  VL_GROUP_MOTION, /* an entry of a body's `motion` */
  VL_GROUP_KEY,    /* an entry of a motion's `keys` */
  VL_GROUP_PUSH,   /* an entry of a body's `pushes` */
  VL_GROUP_MODE,   /* an entry of a body's `modes` */
  VL_GROUP_DRAG,   /* an entry of `drags` */
  VL_GROUP_PATH,   /* an entry of a drag's `path` */
  VL_GROUP_PROBE,  /* an entry of `probes` */
  VL_GROUP_TIME,
  VL_GROUP_PRESSURE,
  VL_GROUP_SOLVER,
  VL_GROUP_OUTPUT,
  VL_GROUP_RENDER,
  VL_GROUP_COUNT
} vlKeyGroup;

typedef enum vlKeyType {                  /* stored in                                   */
                         VL_KEY_SECTION,  /* nothing: a mapping of the keys of `section` */
                         VL_KEY_LIST,     /* pointer to entries of `section`, and their count */
                         VL_KEY_NUMBER,   /* double                                      */
                         VL_KEY_INTEGER,  /* int                                         */
                         VL_KEY_SWITCH,   /* bool, or the first two of an enum           */
                         VL_KEY_WORD,     /* enum, or bool when there are two words      */
                         VL_KEY_WORDS,    /* a bool for each word, at `switches`         */
                         VL_KEY_AXES,     /* unsigned: bit a for axis a                  */
                         VL_KEY_COUNTS,   /* int [3]                                     */
                         VL_KEY_VECTOR,   /* vlVec3; one number for all where `single`   */
                         VL_KEY_ROTATION, /* vlMat3                                      */
                         VL_KEY_TURNS,    /* vlTurns                                     */
                         VL_KEY_TEXT,     /* char *                                      */
                         VL_KEY_NAME,     /* char [64]                                   */
                         VL_KEY_BODY,     /* char [64]: name of one of the bodies        */
                         VL_KEY_FILE      /* vlShape or vlBodyDef: file and data         */
} vlKeyType;

/* The third entry of vectors and counts in a slab. */
typedef enum vlFlat {
  VL_FLAT_NO,   /* is needed */
  VL_FLAT_MAY,  /* may be left out */
  VL_FLAT_ZERO, /* may be left out, or be 0 */
  VL_FLAT_MUST  /* is refused */
} vlFlat;

/* lo <= x <= hi; open: lo < x. Lists: their number of entries. */
typedef struct vlRange {
  double lo, hi;
  bool open;
} vlRange;

typedef struct vlKey {
  const char *name;
  vlKeyGroup group;
  vlKeyType type;
  vlKeyGroup section; /* sections and lists: the group of the keys inside */
  vlDimension dimension;
  vlRange range;
  size_t offset, bytes;     /* of the field in vlScene or in what the group's list holds */
  size_t count;             /* lists: offset of the int that counts */
  size_t given;             /* offset of a bool that tells whether the key is there; 0: none */
  const char *const *words; /* NULL-terminated */
  const size_t *switches;   /* sets of words: offset of each word's bool */
  const char *value;        /* default, written as in a scene; NULL: none */
  double unset;             /* number stored when there is neither value nor default; a program may store it too */
  const char *excludes;     /* key that must not be there too */
  vlFlat flat;              /* vectors and counts */
  bool single;              /* vectors: one number stands for three */
  unsigned kinds, required; /* shapes, bodies and probes: sets of 1 << kind that take and that need it */
  unsigned zero;            /* set of 1 << kind for which a program may store 0 too */
  const char *about;        /* what it means */
  const char *absent;       /* what happens without it, when there is no default */
  const char *example;      /* a value */
  bool starter;             /* not a comment in the starter file though it has no default */
} vlKey;

extern const vlKey vl_keys[];
extern const int vl_key_count;

/* A group of keys: a section of the scene, or what an entry of a list is made of. */
typedef struct vlGroup {
  const char *name;  /* "grid", "solids", "shape"; empty: the scene itself */
  const char *about; /* one line */
  /* entries of lists */
  size_t bytes;           /* of an entry; 0: the keys of a section live in vlScene */
  size_t where;           /* offset of its vlSource */
  bool is_shape;          /* an entry has the keys of a shape too */
  size_t shape;           /* offset of that shape */
  const char *one, *many; /* what entries are called: "body", "bodies" */
  const char *example;    /* an entry */
  /* entries that come in kinds, told apart by the key `kind_key`; NULL and 0 for all other groups */
  const char *kind_key, *kind, *kinds; /* "shape", and what a kind is called: "body", "bodies" */
  const char *const *kind_words, *const *kind_abouts;
  int kind_count;
} vlGroup;

extern const vlGroup vl_groups[VL_GROUP_COUNT];

/* What may stand in one mapping. */
typedef struct vlScope {
  vlKeyGroup group;
  int kind;        /* shapes, bodies, motions and probes: which one */
  vlKeyGroup also; /* shapes: whose keys they have too, as entries of solids, sources or pins; 0: none */
} vlScope;

vlScope vl_group_scope(vlKeyGroup group); /* of an entry, or of a section; of the first kind */
/* The struct that the key's offsets count from, in an entry of the group or in the scene. */
void *vl_key_base(const vlKey *key, vlKeyGroup group, void *entry);
bool vl_key_in_scope(const vlKey *key, vlScope scope);
const vlKey *vl_key_find(vlScope scope, const char *name); /* NULL: none */
/* "radius, height": names of all keys in scope, or only of the required ones. */
const char *vl_scope_list(vlScope scope, bool required, char *out, size_t size);
const char *vl_scope_nearest(vlScope scope, const char *name);

bool vl_key_required(const vlKey *key, int kind);
bool vl_key_allows(const vlKey *key, double x); /* is it a number in the key's range? */

/* "number, m", "list of shapes"; expected: "a list of three numbers" */
const char *vl_key_kind_text(const vlKey *key, bool expected, char *out, size_t size);
/* "more than 0 m", "1 to 4096", "yes or no"; empty: anything. */
const char *vl_key_allowed_text(const vlKey *key, char *out, size_t size);
/* "grid.cells", "solids.name", "shape.radius" */
const char *vl_key_path(const vlKey *key, char *out, size_t size);

/* Shapes, bodies or probes that take the key, as "capsule, cylinder, cone". */
const char *vl_key_takers(const vlKey *key, char *out, size_t size);
/* "64", "required", "none: cells decides", "box: made of cells; all others: required" */
const char *vl_key_default_text(const vlKey *key, char *out, size_t size);
const char *vl_key_meaning(const vlKey *key); /* of a section: what it is about */

/* Bytes of one of the three entries of vectors and counts; 0: the key has no entries. */
size_t vl_key_entry_bytes(const vlKey *key);
/* Scalars as text into the field at `field` (sets of words: into the whole struct, one word at a time); on failure `why`
 * explains. Used for defaults and for files. */
bool vl_key_store(const vlKey *key, const char *text, size_t length, void *field, char why[VL_WHY]);
/* Stores all defaults into a struct that is all 0: an entry of the group, or the scene. */
void vl_group_defaults(vlKeyGroup group, void *entry);

#endif
