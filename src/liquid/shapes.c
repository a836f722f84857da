/* The scene's liquid as a union of shapes; "below y = level" is a half-space among them. */
#include "liquid/shapes.h"

#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"

static vlCode add_level(vlLiquidShapes *shapes, double level, vlStatus *status)
{
  vlShape below = {.kind = VL_SHAPE_HALFSPACE,
                   .center = vl_vec(0, level, 0),
                   .normal = vl_vec(0, 1, 0),
                   .rotation = vl_mat_identity(),
                   .scale = 1.0};
  return vl_sdf_create(&shapes->sdf[shapes->count++], &below, status);
}

vlCode vl_liquid_shapes_create(vlLiquidShapes *shapes, const vlLiquidDef *liquid, const char *path, vlStatus *status)
{
  *shapes = (vlLiquidShapes){.sdf = calloc((size_t)liquid->shape_count + 1, sizeof(vlSdf *))};
  if (!shapes->sdf) return vl_fail_memory(status, sizeof(vlSdf *), "the liquid's shapes");
  vlCode code = liquid->has_level ? add_level(shapes, liquid->level, status) : VL_OK;
  for (int i = 0; i < liquid->shape_count && !code; i++) {
    vlSource where = liquid->shapes[i].where;
    code = vl_sdf_create(&shapes->sdf[shapes->count++], &liquid->shapes[i], status);
    if (code && path && where.line > 0)
      vl_status_prefix(status, "%s:%d:%d: liquid.shapes[%d]: ", path, where.line, where.column, i);
  }
  if (code) vl_liquid_shapes_clear(shapes);
  return code;
}

void vl_liquid_shapes_clear(vlLiquidShapes *shapes)
{
  for (int i = 0; i < shapes->count; i++) vl_sdf_destroy(&shapes->sdf[i]);
  free(shapes->sdf);
  *shapes = (vlLiquidShapes){0};
}

double vl_liquid_shapes_distance(const void *data, vlVec3 x)
{
  const vlLiquidShapes *shapes = data;
  double d = INFINITY;
  for (int i = 0; i < shapes->count; i++) d = fmin(d, vl_sdf_distance(shapes->sdf[i], x));
  return d;
}

vlBox3 vl_liquid_shapes_bounds(const vlLiquidShapes *shapes)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < shapes->count; i++) box = vl_box_unite(box, vl_sdf_bounds(shapes->sdf[i]));
  return box;
}
