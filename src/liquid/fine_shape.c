/* Liquid of a shape that is added to the fine level set, or taken out of it.
 *
 *     phi <- min(phi, d)        phi <- max(phi, -d)        d < 0 in the shape
 *
 * Looked at are the near cells and those that the shape reaches into, with the cells around them; but a cell that is liquid
 * all through has nothing to gain, and one of air nothing to lose. */
#include <math.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

static const double HALF_DIAGONAL = 0.8661; /* cells: a little more, for rounding */

typedef struct Shape {
  vlDistance *distance;
  const void *data;
  bool take;
} Shape;

static void look_at_shape(const vlFine *f, vlBlockPosition p, unsigned bits, const void *data)
{
  const Shape *shape = data;
  const vlGrid *g = &f->nodes;
  ptrdiff_t at = vl_blocks_field(g, p);
  double z = vl_fine_slab(f) ? 0.5 * f->grid->dx : p.k * g->dx; /* a slab's middle */
  double reach = (VL_FINE_BAND + 1.0) * f->grid->dx;
  for (int l = 0; l < VL_BLOCK; l++) {
    if (!(bits >> l & 1)) continue;
    int q[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
    double phi = vl_fine_phi_or_side(f, q, at + l);
    double d = shape->distance(shape->data, vl_add(g->origin, vl_vec(q[0] * g->dx, q[1] * g->dx, z)));
    if (d < reach) phi = shape->take ? fmax(phi, -d) : fmin(phi, d);
    f->work->next[at + l] = phi;
  }
}

/* Bits of the cells of a block in which the shape may change anything. */
static unsigned look_at_cells(const vlFine *f, const Shape *shape, vlBlockPosition p, const int lo[3], const int hi[3])
{
  unsigned bits = 0;
  for (int l = 0; l < VL_BLOCK; l++) {
    int i = p.bx * VL_BLOCK + l;
    if (i < lo[0] || i > hi[0]) continue;
    bool deep = f->side[vl_grid_at(f->grid, i, p.j, p.k)] < 0.0, air = !deep && !vl_fine_is_near(f, i, p.j, p.k);
    if (shape->take ? air : deep) continue;
    if (shape->distance(shape->data, vl_grid_center(f->grid, i, p.j, p.k)) <= HALF_DIAGONAL * f->grid->dx) bits |= 1u << l;
  }
  return bits;
}

/* Those cells -> crossed. */
static bool search(vlFine *f, const Shape *shape, const int lo[3], const int hi[3])
{
  struct vlFineWork *w = f->work;
  int first = lo[0] / VL_BLOCK, columns = hi[0] / VL_BLOCK - first + 1, rows = hi[1] - lo[1] + 1;
  bool ok = vl_array_reserve(&w->edge, &w->edge_capacity, (size_t)columns * (size_t)rows, sizeof *w->edge);
  vl_blocks_begin(&w->crossed.blocks);
  for (int k = lo[2]; k <= hi[2] && ok; k++) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int j = 0; j < rows; j++)
      for (int b = 0; b < columns; b++)
        w->edge[j * columns + b] =
            (unsigned short)look_at_cells(f, shape, (vlBlockPosition){first + b, lo[1] + j, k}, lo, hi);
    for (int at = 0; at < rows * columns; at++)
      if (w->edge[at])
        ok = ok && vl_fine_set_append(&w->crossed, first + at % columns, lo[1] + at / columns, k, w->edge[at]);
  }
  vl_blocks_end(&w->crossed.blocks);
  return ok;
}

static vlCode change(vlFine *f, const Shape *shape, vlBox3 bounds, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  int lo[3], hi[3];
  for (int a = 0; a < 3; a++) {
    bounds.lo.v[a] -= f->grid->dx;
    bounds.hi.v[a] += f->grid->dx;
  }
  if (vl_box_is_empty(bounds) || !vl_grid_cells_in(f->grid, bounds, lo, hi)) return VL_OK;
  bool ok = search(f, shape, lo, hi);
  if (ok && w->crossed.blocks.count == 0) return VL_OK;
  vlFineSet near = vl_fine_near_set(f);
  ok = ok && vl_fine_set_grow(&w->crossed, VL_FINE_BAND, &w->found) && vl_fine_set_unite(&near, &w->found, &w->seen);
  vlCode code = ok ? VL_OK : vl_fail_memory(status, sizeof(vlBlockPosition), "the cells near the surface");
  if (!code) code = vl_fine_renew(f, look_at_shape, shape, status);
  return code ? code : vl_fine_mend(f, status);
}

vlCode vl_fine_unite(vlFine *f, vlDistance *distance, const void *data, vlBox3 bounds, vlStatus *status)
{
  return change(f, &(Shape){distance, data, false}, bounds, status);
}

vlCode vl_fine_take(vlFine *f, vlDistance *distance, const void *data, vlBox3 bounds, vlStatus *status)
{
  return change(f, &(Shape){distance, data, true}, bounds, status);
}
