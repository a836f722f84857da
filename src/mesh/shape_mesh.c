/* The mesh that a shape names, and where it goes.
 *
 * A file is of triangles or, by its ending, of tetrahedra, of which the surface is taken. A point x of it goes to
 *     S (x - o),   S = diag(scale), times fit / longest side where there is a fit,
 * o being the origin of the file's coordinates or the middle of the mesh's extents. Turning and moving come after that.
 * A mesh that is much longer than the box it is for is most often in millimetres; that is said here too. In: shape. Out:
 * triangles in the file's coordinates, their place, words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/sdf.h"
#include "mesh/tetmesh.h"

static const double FAR_TOO_LONG = 20.0; /* times the box: then its unit is doubted */

static bool ends_in(const char *path, const char *const endings[])
{
  const char *dot = strrchr(path, '.');
  for (int i = 0; endings[i] && dot; i++)
    if (strcasecmp(dot, endings[i]) == 0) return true;
  return false;
}

bool vl_mesh_file_is_surface(const char *path) { return ends_in(path, (const char *const[]){".obj", ".ply", ".stl", NULL}); }

bool vl_mesh_file_is_tets(const char *path)
{
  return ends_in(path, (const char *const[]){".msh", ".mesh", ".vtu", ".node", ".ele", NULL});
}

const char *vl_mesh_name(const vlShape *shape) { return shape->file ? shape->file : "in memory"; }

static vlCode surface_of_tets(vlTriMesh **surface, const vlShape *shape, vlStatus *status)
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

vlCode vl_shape_mesh(vlTriMesh **mesh, const vlShape *shape, vlStatus *status)
{
  const char *name = vl_mesh_name(shape);
  if (shape->vertices)
    return vl_trimesh_from_arrays(mesh, shape->vertices, shape->vertex_count, (const int(*)[3])shape->triangles,
                                  shape->triangle_count, name, status);
  if (shape->file && vl_mesh_file_is_tets(shape->file)) return surface_of_tets(mesh, shape, status);
  if (shape->data) return vl_trimesh_read_memory(mesh, shape->data, shape->data_length, name, status);
  if (shape->file) return vl_trimesh_read(mesh, shape->file, status);
  return vl_fail(status, VL_ERROR_SCENE, "mesh: file is missing, it must be the path of a mesh");
}

static double longest(vlVec3 size) { return fmax(size.x, fmax(size.y, size.z)); }

vlMeshPlace vl_mesh_place(const vlShape *shape, vlBox3 extents)
{
  vlMeshPlace place = {shape->scale, vl_vec(0, 0, 0)};
  vlVec3 size = vl_sub(extents.hi, extents.lo);
  for (int a = 0; a < 3; a++) size.v[a] *= shape->scale.v[a];
  if (shape->fit > 0.0 && longest(size) > 0.0) place.scale = vl_scale(place.scale, shape->fit / longest(size));
  if (shape->origin == VL_ORIGIN_MIDDLE) place.origin = vl_scale(vl_add(extents.lo, extents.hi), 0.5);
  return place;
}

vlVec3 vl_mesh_placed(vlMeshPlace place, vlVec3 x)
{
  for (int a = 0; a < 3; a++) x.v[a] = (x.v[a] - place.origin.v[a]) * place.scale.v[a];
  return x;
}

bool vl_mesh_doubt(vlVec3 size, vlVec3 box, char *out, size_t room)
{
  double ratio = longest(size) / longest(box);
  out[0] = 0;
  if (!(ratio > FAR_TOO_LONG) || !isfinite(ratio)) return false;
  bool inches = ratio < 100.0;
  double factor = inches ? 0.0254 : 0.001;
  snprintf(out, room,
           "it is %.3g m long and the box %.3g m; is its file in %s? scale: %g makes it %.3g m, fit: %.2g as long "
           "as half the box",
           longest(size), longest(box), inches ? "inches" : "millimetres", factor, factor * longest(size),
           0.5 * longest(box));
  return true;
}
