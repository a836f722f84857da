/* Tetrahedra that fill a shape, or what the file of a mesh holds: isosurface stuffing [labelle2007]. */
#ifndef VL_MESH_STUFF_H
#define VL_MESH_STUFF_H

#include "mesh/sdf.h"
#include "mesh/tetmesh.h"

typedef struct vlStuffOptions {
  double cell;  /* m: longest edge of the lattice at the surface */
  bool uniform; /* the same inside; else tetrahedra grow with depth */
  bool rough;   /* where the cell is to be found: by the number of tetrahedra, for a body to be stepped */
  vlLog log;    /* told how far it is */
} vlStuffOptions;

/* What was met on the way. A shape that is thicker than a cell or two everywhere has zeros but for samples and pieces. */
typedef struct vlStuffInfo {
  int64_t samples;   /* points at which the surface was met */
  int64_t thin;      /* of them: where the shape is thinner than 1.3 cells, so that parts may be missing */
  int64_t narrow;    /* where a gap is narrower than that, so that sides may be joined */
  vlVec3 first_thin; /* m: the first of thin, else of narrow */
  int pieces;        /* bodies that do not hang together */
  int crumbs;        /* smaller ones than a cell, left out */
  int torn;          /* places that hung together by a point or an edge alone, set apart or left out */
  double cell;       /* m: the one that was used, by vl_stuff_shape */
  double missing;    /* share of the shape's volume that the tetrahedra lack, by vl_stuff_shape; 0: not known */
} vlStuffInfo;

/* Is it too coarse in more than one of a hundred samples of the surface, or was something set apart or left out? */
bool vl_stuff_is_coarse(const vlStuffInfo *info);

/* Fills a bounded shape. Nodes of the surface lie on the shape's; sharp edges are cut off within a cell. The mesh passes
 * vl_tetmesh_check, its surface is closed and a manifold, dihedral angles are between 10.7 and 164.8 degrees, and it is the
 * same for any number of threads. info may be NULL. Errors: VL_ERROR_MESH with cell and size. */
vlCode vl_stuff(vlTetMesh *mesh, const vlSdf *sdf, vlStuffOptions options, vlStuffInfo *info, vlStatus *status);

/* Fills a shape. A mesh whose file holds tetrahedra is filled anew, from its surface inwards. *volume (NULL: not wanted) is
 * the shape's own: exact for triangles that need no repair, NaN for those that do, close to it for all others. cell = 0: a
 * thirtieth of the longest side of the shape's bounds, or what makes some ten thousand tetrahedra (rough); the one that was
 * used is in *options. */
vlCode vl_stuff_shape(vlTetMesh *mesh, const vlShape *shape, vlStuffOptions *options, vlStuffInfo *info, double *volume,
                      vlStatus *status);

/* Fills what the plane z = 0 cuts of a shape, which must have an end along x and y, across a slab of that thickness: prisms
 * of three tetrahedra, one across. cell = 0: what makes some five thousand, more where the section is thin; the one that was
 * used is in *cell. Errors: VL_ERROR_SCENE where the plane cuts nothing, VL_ERROR_MESH where the cell is too large. */
vlCode vl_section_fill(vlTetMesh *mesh, const vlShape *shape, double *cell, double thickness, vlStuffInfo *info,
                       vlStatus *status);

#endif
