/* Octants of growing size from a surface inwards. */
#ifndef VL_MESH_STUFF_TREE_H
#define VL_MESH_STUFF_TREE_H

#include "mesh/sdf.h"
#include "mesh/stuff_map.h"

enum { VL_STUFF_LEVELS = 18 }; /* the root is at most 2^18 cells wide */

/* Octant i of level l: a cube of 2^l cells, from i 2^l cells on. Places are in halves of cells. */
typedef struct vlOctant {
  int level;
  int i[3];
} vlOctant;

/* All zero: empty. */
typedef struct vlStuffTree {
  vlVec3 origin;                        /* m: place (0, 0, 0) */
  double h;                             /* m: edge of the smallest octants */
  int levels;                           /* level of the root */
  vlKeyMap fine;                        /* octants of level 0 that must be there */
  vlKeyMap parent[VL_STUFF_LEVELS + 1]; /* octants of each level that have children */
} vlStuffTree;

static inline uint64_t vl_place_key(const int i[3]) { return (uint64_t)i[0] | (uint64_t)i[1] << 21 | (uint64_t)i[2] << 42; }

static inline void vl_place_of_key(uint64_t key, int i[3])
{
  for (int a = 0; a < 3; a++) i[a] = (int)(key >> (21 * a) & 0x1fffff);
}

static inline vlVec3 vl_place_position(const vlStuffTree *tree, const int place[3])
{
  vlVec3 x;
  for (int a = 0; a < 3; a++) x.v[a] = tree->origin.v[a] + 0.5 * tree->h * place[a];
  return x;
}

/* Octants of edge h at the surface of the shape and everywhere within two of them of it; inside as large as neighbours
 * across faces and edges that differ by a factor of two at most allow; uniform: of edge h everywhere inside. */
vlCode vl_stuff_tree_create(vlStuffTree *tree, const vlSdf *sdf, double h, bool uniform, vlStatus *status);
void vl_stuff_tree_clear(vlStuffTree *tree);
/* Splits the octant at x and its neighbours across faces down to level 0. */
vlCode vl_stuff_tree_refine(vlStuffTree *tree, vlVec3 x, vlStatus *status);
/* Brings the rest of the tree in line after all calls of refine. */
vlCode vl_stuff_tree_balance(vlStuffTree *tree, vlStatus *status);

bool vl_octant_inside(const vlStuffTree *tree, vlOctant octant); /* of the root */
bool vl_octant_has_children(const vlStuffTree *tree, vlOctant octant);
bool vl_octant_is_there(const vlStuffTree *tree, vlOctant octant); /* as a leaf or as a parent */
/* All octants without children, in the order of a walk through the tree; free with free(). */
vlCode vl_stuff_tree_leaves(vlOctant **leaves, size_t *count, const vlStuffTree *tree, vlStatus *status);

#endif
