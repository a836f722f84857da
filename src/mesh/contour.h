/* The surface of an implicit region as a closed triangle mesh, sharp edges kept [ju2002]. */
#ifndef VL_MESH_CONTOUR_H
#define VL_MESH_CONTOUR_H

#include "mesh/trimesh.h"
#include "velella/types.h"

/* A region of space: distance(x) < 0 inside; gradient points outwards. Must be thread-safe. */
typedef struct vlRegion {
  double (*distance)(const void *data, vlVec3 x);
  vlVec3 (*gradient)(const void *data, vlVec3 x);
  const void *data;
} vlRegion;

/* Contours the part of `region` inside `box` on cubes of side h. Where the region reaches the box's sides
 * the surface is closed by caps there. Same mesh for any number of threads. An empty region gives a mesh of
 * no triangles. Only cubes near the surface are sampled at full resolution. */
vlCode vl_contour(vlTriMesh **mesh, vlRegion region, vlBox3 box, double h, vlStatus *status);

/* The section of the region with the plane z = 0, from z = -thickness/2 to thickness/2, contoured on squares of side h from
 * the box's lower corner on; sides are quads that span the thickness. Where the section reaches the box's sides along x and
 * y it is closed there. A section without area gives a mesh of no triangles. Same mesh for any number of threads. */
vlCode vl_section_prism(vlTriMesh **mesh, vlRegion region, vlBox3 box, double h, double thickness, vlStatus *status);

/* The same section as quads. Every point lies in the square that it is of, and inside the box z is 0. */
typedef struct vlSection {
  vlVec3 *x;      /* m: [point_count] */
  bool *edge;     /* the point lies on the boundary [point_count] */
  int (*quad)[4]; /* points, counter-clockwise [quad_count] */
  int point_count, quad_count;
} vlSection;

vlCode vl_section_quads(vlSection *section, vlRegion region, vlBox3 box, double h, vlStatus *status);
void vl_section_clear(vlSection *section);
/* What the plane z = 0 cuts of it, taken along z without end; its gradient is zero where the plane only touches it. `region`
 * must live as long. */
vlRegion vl_region_flat(const vlRegion *region);

/* The mesh of a surface that is known by the signs at the nodes of a lattice of cubes, whatever holds them.
 *
 * Corner c of a cube has the upper side along axis a where bit a of c is set; `inside` has bit c set where corner c is
 * inside. Edge 4a + s + 2t runs along axis a from the corner with sides s, t along the axes (a+1)%3, (a+2)%3. Side 2a + s is
 * the lower (s = 0) or upper (s = 1) side across axis a; it is ambiguous when its inside corners lie diagonally. */

/* Which of the crossed edges of a cube form a sheet of the surface. */
typedef struct vlCube {
  unsigned char inside;
  unsigned char joined;  /* a bit for each ambiguous side whose inside corners are joined */
  unsigned char count;   /* sheets */
  signed char sheet[12]; /* sheet of every crossed edge, -1: not crossed */
} vlCube;

void vl_cube_build(vlCube *cube, int inside, int joined);
int vl_cube_ambiguous_sides(int inside); /* as bits */
int vl_cube_edge_corner(int edge);       /* the corner where the edge starts */
/* Crossed edges on a side, in pairs by the lines that the surface cuts into it; returns how many pairs, 0..2. Two cubes give
 * the same pairs in the same order for the side they share. */
int vl_cube_side_pairs(const vlCube *cube, int side, int pairs[2][2]);
/* Whether both pairs of the side between two cubes belong to one sheet in each: four faces would meet in the line
 * between the two vertices. */
bool vl_cube_side_pinched(const vlCube *below, const vlCube *above, int axis);

/* Where the signs come from. Cubes lie in pieces, and a view shows one piece with what is around it. A cube is named by its
 * lower node; nodes are counted from the piece's first, and a view knows those from -1 on. */
typedef struct vlContourPass vlContourPass;

typedef struct vlContourSource {
  const char *name;  /* of the surface, for messages */
  int pieces, cubes; /* cubes: of each piece */
  int chunk;         /* pieces that a thread takes at a time */
  const void *data;
  /* Hands a view of the piece to vl_contour_pass; need not where all signs are alike. */
  void (*look)(const void *data, int piece, vlContourPass *pass);
  void (*node)(int cube, int n[3]);                            /* of a cube of a piece */
  int (*inside)(const void *view, const int n[3]);             /* corners of the cube at n that are inside, as bits */
  int (*joined)(const void *view, const int n[3], int inside); /* its ambiguous sides that are joined, as bits */
  ptrdiff_t (*find)(const void *view, const int n[3]);         /* its piece times `cubes` plus its number there */
  void (*place)(void *view, const int n[3], const vlCube *cube, vlVec3 *x);             /* m: its vertices [count] */
  vlVec3 (*middle)(void *view, const int n[3], const vlCube *cube, const int edges[2]); /* m: of two of its crossings */
} vlContourSource;

/* Closed and a manifold for any signs; the same for any number of threads. */
vlCode vl_contour_mesh(vlTriMesh **mesh, const vlContourSource *source, vlStatus *status);
void vl_contour_pass(vlContourPass *pass, int piece, void *view);

/* The point closest to a handful of planes (qef.c): sum of (n_i . x - b_i)^2 in its eigenvectors. */
typedef struct vlQef {
  double matrix[3][3]; /* sum n n^T */
  vlVec3 right;        /* sum b n */
  double value[3];     /* eigenvalues, largest first */
  vlVec3 vector[3];    /* unit eigenvectors */
} vlQef;

void vl_qef_add(vlQef *qef, vlVec3 normal, double offset); /* to a zeroed vlQef */
void vl_qef_factor(vlQef *qef);
/* How many eigenvalues are above `cutoff` times the largest. */
int vl_qef_rank(const vlQef *qef, double cutoff);
/* The smallest x that minimises the sum over the span of the first `rank` eigenvectors. */
vlVec3 vl_qef_solve(const vlQef *qef, int rank);

#endif
