/* The liquid's level set from shapes, and how full a cell is.
 *
 * phi is the smallest signed distance over the liquid's shapes. Distances are 1-Lipschitz, so the neighbours of a cell that
 * the surface may cross (|phi| < HALF_DIAGONAL dx) have phi < BAND dx, and a block whose distance at the middle exceeds its
 * half diagonal plus that holds none: such blocks are never touched. */
#include "liquid/level_set.h"

#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"

/* Below y = level: a half-space among the shapes. */
static vlCode add_level(vlLiquidShapes *shapes, double level, vlStatus *status)
{
  vlShape below = {.kind = VL_SHAPE_HALFSPACE,
                   .center = vl_vec(0, level, 0),
                   .normal = vl_vec(0, 1, 0),
                   .rotation = vl_mat_identity(),
                   .scale = {{1, 1, 1}}};
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

/* In cells. A little is added for rounding. */
static const double HALF_DIAGONAL = 0.87, BAND = 1.88;

/* Range of cells along an axis that [lo, hi] touches, grown by two cells. */
static void cell_range(const vlGrid *g, int axis, double lo, double hi, int *first, int *last)
{
  double a = floor((lo - g->origin.v[axis]) / g->dx) - 2.0, b = floor((hi - g->origin.v[axis]) / g->dx) + 3.0;
  *first = a < 0.0 ? 0 : a > g->n[axis] ? g->n[axis] : (int)a;
  *last = b > g->n[axis] ? g->n[axis] : b < 0.0 ? 0 : (int)b;
}

/* Writes phi into one block; false when it is not wet. */
static bool fill_block(const vlLiquidShapes *shapes, const vlGrid *g, int bx, int j, int k, vlSkipBlock *skip,
                       const void *skip_data, double *phi)
{
  vlVec3 middle = vl_grid_center(g, bx * VL_BLOCK, j, k);
  middle.x += 0.5 * (VL_BLOCK - 1) * g->dx;
  double radius = 0.5 * g->dx * sqrt(VL_BLOCK * VL_BLOCK + 2.0);
  if (vl_liquid_shapes_distance(shapes, middle) > radius + BAND * g->dx) return false;
  if (skip && skip(skip_data, middle, radius + g->dx)) return false; /* a cell more: phi is known around all that is open */
  int width = g->n[0] - bx * VL_BLOCK < VL_BLOCK ? g->n[0] - bx * VL_BLOCK : VL_BLOCK;
  double value[VL_BLOCK], nearest = INFINITY;
  for (int l = 0; l < width; l++) {
    value[l] = vl_liquid_shapes_distance(shapes, vl_grid_center(g, bx * VL_BLOCK + l, j, k));
    nearest = fmin(nearest, value[l]);
  }
  if (nearest > BAND * g->dx) return false;
  ptrdiff_t at = vl_grid_at(g, bx * VL_BLOCK, j, k);
  for (int l = 0; l < width; l++) phi[at + l] = value[l];
  return true;
}

vlCode vl_level_set_from_shapes(const vlLiquidDef *liquid, const char *path, const vlGrid *grid, vlSkipBlock *skip,
                                const void *skip_data, double *phi, vlBlocks *wet, vlStatus *status)
{
  vlLiquidShapes shapes;
  vlCode code = vl_liquid_shapes_create(&shapes, liquid, path, status);
  if (code) return code;
  vlBox3 box = vl_liquid_shapes_bounds(&shapes);
  int first[3] = {0}, last[3] = {0};
  for (int a = 0; a < 3 && !vl_box_is_empty(box); a++) cell_range(grid, a, box.lo.v[a], box.hi.v[a], &first[a], &last[a]);
  int bx0 = first[0] / VL_BLOCK, bx1 = (last[0] + VL_BLOCK - 1) / VL_BLOCK, columns = bx1 - bx0, rows = last[1] - first[1];
  unsigned char *keep = malloc((size_t)(columns > 0 ? columns : 1) * (size_t)(rows > 0 ? rows : 1));
  bool ok = keep != NULL;
  vl_blocks_begin(wet);
  for (int k = first[2]; k < last[2] && ok; k++) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int j = first[1]; j < last[1]; j++)
      for (int bx = bx0; bx < bx1; bx++)
        keep[(j - first[1]) * columns + bx - bx0] = fill_block(&shapes, grid, bx, j, k, skip, skip_data, phi);
    for (int j = first[1]; j < last[1]; j++)
      for (int bx = bx0; bx < bx1; bx++)
        if (keep[(j - first[1]) * columns + bx - bx0]) ok = vl_blocks_append(wet, bx, j, k) && ok;
  }
  vl_blocks_end(wet);
  free(keep);
  vl_liquid_shapes_clear(&shapes);
  return ok ? VL_OK : vl_fail_memory(status, sizeof(vlBlockPosition), "the list of wet blocks");
}

/* Volume of the unit cube below the plane m.x = alpha for m > 0, by inclusion and exclusion of the cut-off corners
 * [scardovelli2000]. */
static double corner_volume(const double m[3], double alpha)
{
  double sum = 0.0;
  for (int corner = 0; corner < 8; corner++) {
    double rest = alpha;
    int ones = 0;
    for (int a = 0; a < 3; a++)
      if (corner >> a & 1) {
        rest -= m[a];
        ones++;
      }
    if (rest > 0.0) sum += (ones & 1 ? -1.0 : 1.0) * rest * rest * rest;
  }
  return sum / (6.0 * m[0] * m[1] * m[2]);
}

/* With two or three slopes nearly zero the cubes cancel; the plane is then resolved in fewer dimensions. */
double vl_level_set_fraction(double phi, vlVec3 n, double dx)
{
  double m[3] = {fabs(n.x), fabs(n.y), fabs(n.z)}, total = m[0] + m[1] + m[2];
  if (total <= 0.0) return phi < 0.0 ? 1.0 : 0.0;
  for (int a = 0; a < 3; a++) m[a] /= total;
  double alpha = 0.5 - phi / (dx * total); /* 0: plane through the lowest corner, 1: through the highest */
  if (alpha <= 0.0) return 0.0;
  if (alpha >= 1.0) return 1.0;
  double largest = fmax(m[0], fmax(m[1], m[2])), smallest = fmin(m[0], fmin(m[1], m[2])), middle = 1.0 - largest - smallest;
  if (middle < 1e-4) { /* a plane along an axis, to second order in its tilt */
    double f = (alpha - 0.5 * (1.0 - largest)) / largest;
    return f < 0.0 ? 0.0 : f > 1.0 ? 1.0 : f;
  }
  if (smallest < 1e-4) { /* a prism: the area of a square below a line */
    double a = alpha - 0.5 * smallest, big = largest, small = middle;
    if (a <= 0.0) return 0.0;
    if (a >= big + small) return 1.0;
    double lower = a * a - (a > big ? (a - big) * (a - big) : 0.0) - (a > small ? (a - small) * (a - small) : 0.0);
    return fmin(1.0, lower / (2.0 * big * small));
  }
  return alpha < 0.5 ? corner_volume(m, alpha) : 1.0 - corner_volume(m, 1.0 - alpha);
}

double vl_level_set_cell_fraction(const vlGrid *grid, const double *phi, ptrdiff_t at)
{
  if (fabs(phi[at]) >= HALF_DIAGONAL * grid->dx) return phi[at] < 0.0 ? 1.0 : 0.0;
  ptrdiff_t from = at - grid->offset;
  const ptrdiff_t cell[3] = {from % grid->stride[1], from % grid->stride[2] / grid->stride[1], from / grid->stride[2]};
  vlVec3 n = vl_vec(0, 0, 0);
  for (int a = 0; a < 3; a++) {
    /* one-sided at the domain's sides: phi is not known beyond */
    bool lower = cell[a] > 0, upper = cell[a] < grid->n[a] - 1;
    double rise = phi[upper ? at + grid->stride[a] : at] - phi[lower ? at - grid->stride[a] : at];
    n.v[a] = lower && upper ? 0.5 * rise : rise;
  }
  return vl_level_set_fraction(phi[at], vl_unit(n), grid->dx);
}
