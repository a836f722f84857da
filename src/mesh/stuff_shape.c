/* From a shape, or the file of a mesh, to tetrahedra.
 *
 * A shape becomes a signed distance, which is filled.
 * The shape's own volume, to compare with, is that of its triangles where it is made of them. Else it is summed over a tree
 * of boxes: |distance| tells those that are wholly inside or outside, the others are halved down to a quarter of a cell, and
 * there the part 1/2 - distance / edge counts, kept between 0 and 1. For planes that is right on the average over their
 * places. In: shape. Out: tetrahedra, and the shape's own volume. */
#include "mesh/stuff.h"

#include <math.h>

#include "base/vec.h"

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

/* A thirtieth of the longest side. A body of a scene is stepped with its tetrahedra: it gets some ten thousand, about twelve
 * for a cube of the cell's edge, or more where it is thin as a whole. */
static vlCode find_cell(double *cell, const vlSdf *sdf, const vlShape *shape, bool rough, vlStatus *status)
{
  vlBox3 box = vl_sdf_bounds(sdf);
  vlVec3 size = vl_sub(box.hi, box.lo);
  double longest = fmax(size.x, fmax(size.y, size.z)), shortest = fmin(size.x, fmin(size.y, size.z)), volume = NAN;
  *cell = longest / 30.0;
  if (!rough || !isfinite(longest)) return VL_OK;
  vlCode code = measure(&volume, sdf, shape, longest / 10.0, status);
  if (!code && volume > 0.0) *cell = fmax(fmin(cbrt(volume / 1000.0), shortest / 1.5), longest / 60.0);
  return code;
}

vlCode vl_stuff_shape(vlTetMesh *mesh, const vlShape *shape, vlStuffOptions *options, vlStuffInfo *info, double *volume,
                      vlStatus *status)
{
  vlSdf *sdf = NULL;
  *mesh = (vlTetMesh){0};
  vlCode code = vl_sdf_create(&sdf, shape, status);
  if (!code && options->cell == 0.0) code = find_cell(&options->cell, sdf, shape, options->rough, status);
  double own_volume = NAN;
  if (!code) code = vl_stuff(mesh, sdf, *options, info, status);
  if (!code) code = measure(&own_volume, sdf, shape, options->cell, status);
  if (volume) *volume = own_volume;
  if (info) info->cell = options->cell;
  if (!code && info && own_volume > 0.0) info->missing = 1.0 - vl_tetmesh_volume(mesh) / own_volume;
  if (code) vl_tetmesh_clear(mesh);
  vl_sdf_destroy(&sdf);
  return code;
}
