/* The one table of scene keys: parser, defaults, ranges, units, help, documentation, schema and starter file come from it.
 */
#ifndef VL_SCENE_KEYS_H
#define VL_SCENE_KEYS_H

#include "scene/quantity.h"
#include "velella/scene.h"

/* Where a key may stand. */
typedef enum vlKeyGroup {
  VL_GROUP_SCENE,
  VL_GROUP_GRID,
  VL_GROUP_LIQUID,
  VL_GROUP_SOURCE, /* an entry of `liquid.sources`, which is also a shape */
  VL_GROUP_SOLID,  /* an entry of `solids`, which is also a shape */
  VL_GROUP_SHAPE,
  VL_GROUP_BODY,   /* an entry of `bodies` */
  VL_GROUP_PIN,    /* an entry of a body's `pins`, which is also a shape */
  VL_GROUP_MOTION, /* an entry of a body's `motion` */
  VL_GROUP_KEY,    /* an entry of a motion's `keys` */
  VL_GROUP_PUSH,   /* an entry of a body's `pushes` */
  VL_GROUP_PROBE,  /* an entry of `probes` */
  VL_GROUP_TIME,
  VL_GROUP_PRESSURE,
  VL_GROUP_SOLVER,
  VL_GROUP_OUTPUT,
  VL_GROUP_RENDER,
  VL_GROUP_COUNT
} vlKeyGroup;

typedef enum vlKeyType {                  /* stored in                                  */
                         VL_KEY_SECTION,  /* nothing: a mapping of the keys of `section` */
                         VL_KEY_SOLIDS,   /* vlSolidDef * and its count                 */
                         VL_KEY_SOURCES,  /* vlSourceDef * and its count                */
                         VL_KEY_BODIES,   /* vlBodyDef * and its count                  */
                         VL_KEY_PINS,     /* vlPinDef * and its count                   */
                         VL_KEY_MOTIONS,  /* vlMotionDef * and its count                */
                         VL_KEY_KEYS,     /* vlKeyDef * and its count                   */
                         VL_KEY_PUSHES,   /* vlPushDef * and its count                  */
                         VL_KEY_PROBES,   /* vlProbeDef * and its count                 */
                         VL_KEY_SHAPES,   /* vlShape * and its count                    */
                         VL_KEY_NUMBER,   /* double                                     */
                         VL_KEY_INTEGER,  /* int                                        */
                         VL_KEY_SWITCH,   /* bool, or the first two of an enum            */
                         VL_KEY_WORD,     /* enum, or bool when there are two words     */
                         VL_KEY_WORDS,    /* a bool for each word, at `switches`        */
                         VL_KEY_AXES,     /* unsigned: bit a for axis a                 */
                         VL_KEY_COUNTS,   /* int [3]                                    */
                         VL_KEY_VECTOR,   /* vlVec3                                     */
                         VL_KEY_ROTATION, /* vlMat3                                     */
                         VL_KEY_TURNS,    /* vlTurns                                    */
                         VL_KEY_TEXT,     /* char *                                     */
                         VL_KEY_NAME,     /* char [64]                                  */
                         VL_KEY_BODY,     /* char [64]: name of one of the bodies       */
                         VL_KEY_FILE      /* vlShape or vlBodyDef: file and data        */
} vlKeyType;

/* lo <= x <= hi; open: lo < x. Lists: their number of entries. */
typedef struct vlRange {
  double lo, hi;
  bool open;
} vlRange;

typedef struct vlKey {
  const char *name;
  vlKeyGroup group;
  vlKeyType type;
  vlKeyGroup section; /* sections: the group of the keys inside */
  vlDimension dimension;
  vlRange range;
  size_t offset, bytes;     /* of the field in vlScene or in what the group's list holds */
  size_t count;             /* lists: offset of the int that counts */
  size_t given;             /* offset of a bool that tells whether the key is there; 0: none */
  const char *const *words; /* NULL-terminated */
  const size_t *switches;   /* sets of words: offset of each word's bool */
  const char *value;        /* default, written as in a scene; NULL: none */
  double unset;             /* number stored when there is neither value nor default */
  const char *excludes;     /* key that must not be there too */
  bool flat;                /* vectors and counts: two entries in a slab */
  unsigned kinds, required; /* shapes, bodies and probes: sets of 1 << kind that take and that need it */
  const char *about;        /* what it means */
  const char *absent;       /* what happens without it, when there is no default */
  const char *example;      /* a value */
  bool starter;             /* not a comment in the starter file though it has no default */
} vlKey;

extern const vlKey vl_keys[];
extern const int vl_key_count;

const char *vl_group_name(vlKeyGroup group);  /* "grid", "solids", "shape"; empty: the scene itself */
const char *vl_group_about(vlKeyGroup group); /* one line */
bool vl_group_of_entries(vlKeyGroup group);   /* its keys belong to the entries of lists and not to the scene */
/* Shapes, bodies and probes come in kinds, told apart by the key `kind_key`; NULL and 0 for all other groups. */
const char *vl_group_kind_key(vlKeyGroup group); /* "shape", "probe" */
int vl_group_kind_count(vlKeyGroup group);
const char *vl_kind_word(vlKeyGroup group, int kind);
const char *vl_kind_about(vlKeyGroup group, int kind); /* one line */

/* What may stand in one mapping. */
typedef struct vlScope {
  vlKeyGroup group;
  int kind;        /* shapes, bodies and probes: which one */
  vlKeyGroup also; /* shapes: whose keys they have too, as entries of solids, sources or pins; 0: none */
} vlScope;

bool vl_key_in_scope(const vlKey *key, vlScope scope);
const vlKey *vl_key_find(vlScope scope, const char *name); /* NULL: none */
/* "radius, height": names of all keys in scope, or only of the required ones. */
const char *vl_scope_list(vlScope scope, bool required, char *out, size_t size);
const char *vl_scope_nearest(vlScope scope, const char *name);

/* "number in m", "one of box, sphere, ..." */
const char *vl_key_kind_text(const vlKey *key, char *out, size_t size);
/* "more than 0 m", "1 to 4096", "yes or no"; empty: anything. */
const char *vl_key_allowed_text(const vlKey *key, char *out, size_t size);
/* "grid.cells", "solids.name", "shape.radius" */
const char *vl_key_path(const vlKey *key, char *out, size_t size);

/* Bytes of one of the three entries of vectors and counts; 0: the key has no entries. */
size_t vl_key_entry_bytes(const vlKey *key);
/* Scalars as text into the field at `field` (sets of words: into the whole struct, one word at a time); on failure `why`
 * explains. Used for defaults and for files. */
bool vl_key_store(const vlKey *key, const char *text, size_t length, void *field, char why[VL_WHY]);
/* Stores all defaults of a group into the struct its keys live in. */
void vl_group_defaults(vlKeyGroup group, void *base);

#endif
