/* Numbers given to keys in the order in which they are first seen. */
#ifndef VL_MESH_STUFF_MAP_H
#define VL_MESH_STUFF_MAP_H

#include "velella/types.h"

/* All zero: empty. */
typedef struct vlKeyMap {
  uint64_t *key; /* in the order of their numbers [count] */
  int *slot;     /* number + 1 of the key at each slot, 0: free [slots] */
  size_t count, capacity, slots;
} vlKeyMap;

void vl_keymap_clear(vlKeyMap *map);
/* The number of a key; -1: it is not there. */
int vl_keymap_find(const vlKeyMap *map, uint64_t key);
/* The same, and puts it in when it is not there; -1: no memory, or 2^31 keys. */
int vl_keymap_add(vlKeyMap *map, uint64_t key);

#endif
