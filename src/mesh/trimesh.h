/* Triangle surfaces: data, checks, volume, edges. Triangles are counter-clockwise seen from outside. */
#ifndef VL_MESH_TRIMESH_H
#define VL_MESH_TRIMESH_H

#include "velella/types.h"

typedef struct vlTriMesh {
  vlVec3 *x;     /* m: vertex positions [vertex_count] */
  int (*tri)[3]; /* vertex indices [triangle_count] */
  int vertex_count, triangle_count;
} vlTriMesh;

/* What keeps a mesh from being a closed surface; counts, and the first offender of each kind. */
typedef struct vlTriMeshDefects {
  int open_edges;                  /* used by one triangle only */
  int bad_edges;                   /* used by three or more, or twice in the same direction */
  int flat_triangles;              /* two equal vertices, or no area */
  int unused_vertices;             /* harmless, reported only */
  int first_open[2], first_bad[2]; /* vertices of the first such edge, -1: none */
  bool inside_out;                 /* closed, but with negative volume */
} vlTriMeshDefects;

/* All that is read, by name. */
#define VL_MESH_KINDS                                                                                                       \
  "meshes are read from OBJ, PLY, STL (triangles), Gmsh .msh, MEDIT .mesh, TetGen .node and .ele, VTU (tetrahedra)"
bool vl_mesh_is_named(const char *path); /* by its ending: as one of these */

vlTriMesh *vl_trimesh_create(int vertex_count, int triangle_count); /* zeroed; NULL without memory */
void vl_trimesh_destroy(vlTriMesh **mesh);
void vl_trimesh_flip(vlTriMesh *mesh);
vlBox3 vl_trimesh_bounds(const vlTriMesh *mesh);
double vl_trimesh_bytes(const vlTriMesh *mesh);  /* memory it holds */
double vl_trimesh_volume(const vlTriMesh *mesh); /* m3, signed, by the divergence theorem */
/* Joins vertices closer than `distance` (0: equal ones), drops triangles that collapse. */
vlCode vl_trimesh_weld(vlTriMesh *mesh, double distance, vlStatus *status);
vlCode vl_trimesh_check(const vlTriMesh *mesh, vlTriMeshDefects *defects, vlStatus *status);

/* A hole: open edges that hang together (holes.c). */
typedef struct vlHole {
  int edges;
  vlBox3 box; /* m: around it */
} vlHole;
/* The `most` holes of the most edges, largest first; *count of all. */
vlCode vl_trimesh_holes(const vlTriMesh *mesh, vlHole *holes, int most, int *count, vlStatus *status);
/* Turns pieces over until none is inside out. A piece in the open faces outwards; one inside a solid keeps its sense
 * relative to that solid: opposite to it a cavity, alike an overlap. The mesh must be closed. */
vlCode vl_trimesh_orient_pieces(vlTriMesh *mesh, vlStatus *status);

/* Reads OBJ, PLY (ASCII, binary little- and big-endian) or STL (ASCII, binary), chosen by content where
 * it is clear and by the name's ending otherwise. Polygons become triangles. STL corners are welded.
 * Errors: VL_ERROR_FILE (cannot be read), VL_ERROR_MESH with file, line (or byte) and what was expected. */
vlCode vl_trimesh_read(vlTriMesh **mesh, const char *path, vlStatus *status);
/* Same, from text[length] in memory; `name` stands for the path. */
vlCode vl_trimesh_read_memory(vlTriMesh **mesh, const char *text, size_t length, const char *name, vlStatus *status);
/* A copy of arrays, which must hold finite points and indices of them; `name` is for the message. */
vlCode vl_trimesh_from_arrays(vlTriMesh **mesh, const vlVec3 *vertices, int vertex_count, const int (*triangles)[3],
                              int triangle_count, const char *name, vlStatus *status);

/* The edges of a triangle mesh as sides of triangles, sides of one edge next to each other. */

/* Side `side` of a triangle runs from its corner `side` to the next one; lo < hi are its vertices. */
typedef struct vlSide {
  int lo, hi;
  int triangle, side;
  bool forward; /* runs from lo to hi */
} vlSide;

/* All sides sorted by (lo, hi, triangle); free with free(). Triangles that name a vertex twice have none. */
vlCode vl_sides_sorted(vlSide **sides, size_t *count, const vlTriMesh *mesh, vlStatus *status);
/* One past the last side that lies on the same edge as sides[first]. */
size_t vl_sides_edge_end(const vlSide *sides, size_t count, size_t first);

#endif
