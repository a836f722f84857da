/* Inside stuffing: the parts that stuff.c puts together, one in each stuff_*.c. */
#ifndef VL_MESH_STUFF_PARTS_H
#define VL_MESH_STUFF_PARTS_H

#include "mesh/stuff.h"

/* Numbers given to keys in the order in which they are first seen. All zero: empty. */
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

enum { VL_STUFF_LEVELS = 18 }; /* the root is at most 2^18 cells wide */

/* Octant i of level l: a cube of 2^l cells, from i 2^l cells on. Places are in halves of cells. */
typedef struct vlOctant {
  int level;
  int i[3];
} vlOctant;

/* Octants of growing size from a surface inwards. All zero: empty. */
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

/* A tetrahedron of positive volume. */
typedef struct vlStuffTet {
  int v[4];
  bool regular; /* of the lattice of edge h: the surface may cut it */
} vlStuffTet;

/* The graded body-centred cubic lattice over an octree. All zero: empty. */
typedef struct vlStuffLattice {
  vlKeyMap place;  /* corners and middles of octants: the lattice's points */
  double *phi;     /* m: distance at each [place.count] */
  vlStuffTet *tet; /* those with a point inside or more [tet_count] */
  size_t tet_count, tet_capacity;
} vlStuffLattice;

vlCode vl_stuff_lattice_create(vlStuffLattice *lattice, const vlStuffTree *tree, const vlSdf *sdf, vlStatus *status);
void vl_stuff_lattice_clear(vlStuffLattice *lattice);

/* Share of an edge within which a cut point moves the edge's end onto itself: edges along an axis, and the shorter diagonal
 * ones. They are our own choice, by a search over stencils, cut points and moves for the largest least angle; the worst that
 * it met are 10.78 and 164.73 degrees. [labelle2007] proves 10.7 and 164.8 for its own stencils and numbers; for these there
 * is the search (tests/test_stuff_stencil.c repeats it), and no proof. */
#define VL_STUFF_ALPHA_LONG 0.2851
#define VL_STUFF_ALPHA_SHORT 0.3988

/* A tetrahedron of positive volume on the lattice. */
typedef struct vlStuffStencil {
  int sign[4];     /* 1 inside, 0 on the surface, -1 outside */
  int place[4][3]; /* of the lattice, in halves of its cubes, before anything was moved */
  int corner[4];   /* node of each corner */
  int cut[4][4];   /* node where the surface cuts the edge between two corners of opposite sign; symmetric */
  const vlVec3 *x; /* of all nodes */
} vlStuffStencil;

/* The part of the tetrahedron that lies inside the surface, as nodes of tetrahedra, of positive volume as long as the points
 * lie as on the lattice; returns how many, 0 to 3. */
int vl_stuff_stencil_fill(const vlStuffStencil *stencil, int tets[3][4]);

/* Where a surface meets the lattice, and the lattice points that move onto it. All zero: empty. */
typedef struct vlWarp {
  vlVec3 *x;         /* m: lattice points, moved where sign is 0, then cut points [points + cut.count] */
  signed char *sign; /* of lattice points: 1 inside, 0 on the surface, -1 outside [points] */
  vlKeyMap cut;      /* edges with ends of opposite sign before the moves: vl_edge_key */
  size_t points;
} vlWarp;

static inline uint64_t vl_edge_key(int a, int b)
{
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

vlCode vl_warp_create(vlWarp *warp, const vlStuffLattice *lattice, const vlStuffTree *tree, const vlSdf *sdf,
                      vlStatus *status);
void vl_warp_clear(vlWarp *warp);

/* Parts of a shape that the lattice is too coarse for: counts info->samples, thin and narrow. */
vlCode vl_stuff_find_thin(vlStuffInfo *info, const vlStuffTree *tree, const vlStuffLattice *lattice, const vlWarp *warp,
                          const vlSdf *sdf, vlStatus *status);

/* Edges and nodes at which a closed surface is no manifold. All zero: none. */
typedef struct vlPinches {
  vlKeyMap edge; /* lower node in the upper half of the key, higher node in the lower: more than two triangles */
  vlKeyMap node; /* more than one fan of triangles around it */
} vlPinches;

/* node[i]: the number of the surface's vertex i in the result. */
vlCode vl_pinches_find(vlPinches *pinches, const vlTriMesh *surface, const int *node, vlStatus *status);
void vl_pinches_clear(vlPinches *pinches);
/* Does a tetrahedron have a pinched edge? Without any pinched edges: has it a pinched node? */
bool vl_pinches_touch(const vlPinches *pinches, const int tet[4]);

/* A stuffed mesh made fit to be a body: sets apart what hangs together by points or edges alone, leaves crumbs out, makes
 * the surface a manifold; counts info->pieces, crumbs and torn. Nodes and tetrahedra keep their order. */
vlCode vl_stuff_tidy(vlTetMesh *mesh, double cell, vlStuffInfo *info, vlStatus *status);

#endif
