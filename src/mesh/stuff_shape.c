/* From a shape, or the file of a mesh, to tetrahedra.
 *
 * A shape becomes a signed distance, which is filled. What a file holds is told by its ending: of tetrahedra only the
 * surface is taken, as a mesh in memory.
 * The shape's own volume, to compare with, is that of its triangles where it is made of them. Else it is summed over a tree
 * of boxes: |distance| tells those that are wholly inside or outside, the others are halved down to a quarter of a cell, and
 * there the part 1/2 - distance / edge counts, kept between 0 and 1. For planes that is right on the average over their
 * places. In: shape. Out: tetrahedra, and the shape's own volume. */
#include "mesh/stuff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"

static bool ends_in(const char *path, const char *const endings[])
{
  const char *dot = strrchr(path, '.');
  for (int i = 0; endings[i] && dot; i++)
    if (strcasecmp(dot, endings[i]) == 0) return true;
  return false;
}

bool vl_mesh_file_is_surface(const char *path) { return ends_in(path, (const char *const[]){".obj", ".ply", ".stl", NULL}); }

/* The surface of the tetrahedra in the shape's file; *surface = NULL where the shape is no such mesh. */
static vlCode surface_of_tets(vlTriMesh **surface, const vlShape *shape, vlStatus *status)
{
  vlTetMesh tets = {0};
  int *node = NULL;
  if (shape->kind != VL_SHAPE_MESH || shape->vertices || !shape->file) return VL_OK;
  if (!ends_in(shape->file, (const char *const[]){".msh", ".mesh", ".vtu", ".node", ".ele", NULL})) return VL_OK;
  vlCode code = shape->data ? vl_tetmesh_read_memory(&tets, shape->data, shape->data_length, shape->file, status)
                            : vl_tetmesh_read(&tets, shape->file, status);
  if (!code) code = vl_tetmesh_surface(surface, &node, &tets, status);
  free(node);
  vl_tetmesh_clear(&tets);
  return code;
}

vlCode vl_shape_sdf(vlSdf **sdf, const vlShape *shape, vlStatus *status)
{
  vlTriMesh *surface = NULL;
  vlShape own = *shape; /* borrows all that it points to */
  vlCode code = surface_of_tets(&surface, shape, status);
  if (surface) {
    own.vertices = surface->x;
    own.triangles = surface->tri;
    own.vertex_count = surface->vertex_count;
    own.triangle_count = surface->triangle_count;
  }
  if (!code) code = vl_sdf_create(sdf, &own, status);
  vl_trimesh_destroy(&surface);
  return code;
}

static double sum_boxes(const vlSdf *sdf, vlVec3 center, vlVec3 half, double least)
{
  double d = vl_sdf_distance(sdf, center), volume = 8.0 * half.x * half.y * half.z;
  double edge = 2.0 * fmax(half.x, fmax(half.y, half.z)), sum = 0.0;
  if (fabs(d) >= vl_norm(half)) return d < 0.0 ? volume : 0.0;
  if (edge <= least) return volume * fmax(0.0, fmin(1.0, 0.5 - d / edge));
  half = vl_scale(half, 0.5);
  for (int i = 0; i < 8; i++) {
    vlVec3 side = vl_vec(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    sum += sum_boxes(sdf, vl_add(center, side), half, least);
  }
  return sum;
}

static vlCode measure(double *volume, const vlSdf *sdf, const vlShape *shape, double cell, vlStatus *status)
{
  vlTriMesh *surface = NULL;
  vlBox3 box = vl_sdf_bounds(sdf);
  vlVec3 size = vl_sub(box.hi, box.lo);
  vlCode code = vl_sdf_exact_surface(&surface, sdf, status);
  bool sampled = shape->kind != VL_SHAPE_MESH && isfinite(size.x + size.y + size.z);
  *volume = NAN;
  if (!code && surface)
    *volume = vl_trimesh_volume(surface);
  else if (!code && sampled)
    *volume = sum_boxes(sdf, vl_scale(vl_add(box.lo, box.hi), 0.5), vl_scale(size, 0.5), 0.25 * cell);
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
  vlSdf *sdf = NULL;
  *mesh = (vlTetMesh){0};
  vlCode code = vl_shape_sdf(&sdf, shape, status);
  if (!code && options->cell == 0.0) options->cell = default_cell(sdf);
  double own_volume = NAN;
  if (!code) code = vl_stuff(mesh, sdf, *options, info, status);
  if (!code) code = measure(&own_volume, sdf, shape, options->cell, status);
  if (volume) *volume = own_volume;
  if (!code && info && own_volume > 0.0) info->missing = 1.0 - vl_tetmesh_volume(mesh) / own_volume;
  if (code) vl_tetmesh_clear(mesh);
  vl_sdf_destroy(&sdf);
  return code;
}
