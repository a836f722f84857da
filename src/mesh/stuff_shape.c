/* From a shape, or the file of a mesh, to tetrahedra.
 *
 * A shape becomes a signed distance, which is filled. What a file holds is told by its ending: of tetrahedra only the
 * surface is taken, as a mesh in memory.
 * In: shape. Out: tetrahedra, and the shape's own volume to compare with. */
#include "mesh/stuff_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"

bool vl_mesh_file_is_surface(const char *path)
{
  static const char *const endings[] = {".obj", ".ply", ".stl"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; i < sizeof endings / sizeof *endings && dot; i++)
    if (strcasecmp(dot, endings[i]) == 0) return true;
  return false;
}

static bool is_tetrahedral_file(const char *path)
{
  static const char *const endings[] = {".msh", ".mesh", ".vtu", ".node", ".ele"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; i < sizeof endings / sizeof *endings && dot; i++)
    if (strcasecmp(dot, endings[i]) == 0) return true;
  return false;
}

/* The surface of the tetrahedra in the shape's file. */
static vlCode read_surface(vlTriMesh **surface, const vlShape *shape, vlStatus *status)
{
  vlTetMesh tets = {0};
  int *node = NULL;
  vlCode code = shape->data ? vl_tetmesh_read_memory(&tets, shape->data, shape->data_length, shape->file, status)
                            : vl_tetmesh_read(&tets, shape->file, status);
  if (!code) code = vl_tetmesh_surface(surface, &node, &tets, status);
  free(node);
  vl_tetmesh_clear(&tets);
  return code;
}

static vlCode measure(double *volume, const vlSdf *sdf, vlStatus *status)
{
  vlTriMesh *surface = NULL;
  vlCode code = vl_sdf_exact_surface(&surface, sdf, status);
  *volume = surface ? vl_trimesh_volume(surface) : NAN;
  vl_trimesh_destroy(&surface);
  return code;
}

static double default_cell(const vlSdf *sdf)
{
  vlBox3 box = vl_sdf_bounds(sdf);
  vlVec3 size = vl_sub(box.hi, box.lo);
  return fmax(size.x, fmax(size.y, size.z)) / 30.0;
}

vlCode vl_stuff_shape(vlTetMesh *mesh, const vlShape *shape, vlStuffOptions *options, vlStuffInfo *info, double *volume,
                      vlStatus *status)
{
  vlTriMesh *surface = NULL;
  vlSdf *sdf = NULL;
  vlShape own = *shape; /* borrows all that it points to */
  vlCode code = VL_OK;
  *mesh = (vlTetMesh){0};
  bool tets = shape->kind == VL_SHAPE_MESH && !shape->vertices && shape->file && is_tetrahedral_file(shape->file);
  if (tets && !(code = read_surface(&surface, shape, status))) {
    own.vertices = surface->x;
    own.triangles = surface->tri;
    own.vertex_count = surface->vertex_count;
    own.triangle_count = surface->triangle_count;
  }
  if (!code) code = vl_sdf_create(&sdf, &own, status);
  if (!code && options->cell == 0.0) options->cell = default_cell(sdf);
  if (!code && volume) code = measure(volume, sdf, status);
  if (!code) code = vl_stuff(mesh, sdf, *options, info, status);
  if (code) vl_tetmesh_clear(mesh);
  vl_sdf_destroy(&sdf);
  vl_trimesh_destroy(&surface);
  return code;
}
