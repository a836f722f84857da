/* The fine level set: what it holds, and where it comes from.
 *
 * From a distance d: a cell whose centre is farther from the surface than half its diagonal is not crossed, and so is no
 * cell of a block that is farther away as a whole; the others, and the cells around them, are looked at node by node. */
#include "liquid/fine.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

/* In cells. A little is added for rounding. */
static const double HALF_DIAGONAL = 0.8661;

/* As vl_grid_create lays out a grid of n = r N + 1 cells. */
static vlGrid grid_of_nodes(const vlGrid *grid, int refine)
{
  vlGrid g = {.dx = grid->dx / refine, .origin = grid->origin};
  for (int a = 0; a < 3; a++) g.n[a] = refine * grid->n[a] + 1;
  ptrdiff_t row = ((ptrdiff_t)g.n[0] + 2 + VL_BLOCK - 1) / VL_BLOCK * VL_BLOCK;
  g.blocks_x = (g.n[0] + VL_BLOCK - 1) / VL_BLOCK;
  g.stride[0] = 1;
  g.stride[1] = row;
  g.stride[2] = row * (g.n[1] + 2);
  g.offset = g.stride[2] + g.stride[1] + VL_BLOCK;
  g.length = (size_t)g.offset + (size_t)g.stride[2] * (size_t)(g.n[2] + 1) + (size_t)row * 2;
  return g;
}

static vlCode create_work(vlFine *f, vlStatus *status)
{
  struct vlFineWork *w = f->work = calloc(1, sizeof *f->work);
  if (!w) return vl_fail_memory(status, sizeof *w, "the surface");
  vlFineSet *cells[] = {&w->seen, &w->spare, &w->crossed, &w->found}, *nodes[] = {&w->nodes, &w->looked, &w->more};
  vlCode code = VL_OK;
  for (int s = 0; s < 4 && !code; s++) code = vl_fine_set_create(cells[s], f->grid->n, status);
  for (int s = 0; s < 3 && !code; s++) code = vl_fine_set_create(nodes[s], f->nodes.n, status);
  if (code) return code;
  w->next = vl_field_create(&f->nodes);
  bool ok = w->next && vl_field_pages_create(&w->pages, &f->nodes) && vl_field_pages_create(&w->side_pages, f->grid);
  return ok ? VL_OK : vl_fail_memory(status, f->nodes.length * sizeof(double), "the surface");
}

vlCode vl_fine_create(vlFine *f, const vlGrid *grid, int refine, vlStatus *status)
{
  *f = (vlFine){.grid = grid, .refine = refine, .nodes = grid_of_nodes(grid, refine)};
  vlCode code = vl_blocks_create(&f->band, grid->n, status);
  if (!code) code = create_work(f, status);
  if (!code) {
    vl_blocks_begin(&f->band);
    f->phi = vl_field_create(&f->nodes);
    f->side = vl_field_create(grid);
    if (!f->phi || !f->side) code = vl_fail_memory(status, f->nodes.length * sizeof(double), "the surface");
  }
  if (code) vl_fine_clear(f);
  return code;
}

static void clear_work(vlFine *f)
{
  struct vlFineWork *w = f->work;
  vlFineSet *set[] = {&w->nodes, &w->seen, &w->spare, &w->crossed, &w->found, &w->looked, &w->more};
  for (size_t s = 0; s < sizeof set / sizeof *set; s++) vl_fine_set_clear(set[s]);
  vl_page_use_clear(&w->pages);
  vl_page_use_clear(&w->side_pages);
  vl_field_destroy(&f->nodes, &w->next);
  void *array[] = {w->which, w->edge, w->sum, w->beside, w->air, w->element, w->nearest, w->turn, w};
  for (size_t a = 0; a < sizeof array / sizeof *array; a++) free(array[a]);
}

void vl_fine_clear(vlFine *f)
{
  if (!f->grid) return;
  if (f->work) clear_work(f);
  vl_blocks_clear(&f->band);
  free(f->near);
  vl_field_destroy(&f->nodes, &f->phi);
  vl_field_destroy(f->grid, &f->side);
  *f = (vlFine){.grid = NULL};
}

double vl_fine_bytes(const vlFine *f)
{
  const struct vlFineWork *w = f->work;
  const vlFineSet *set[] = {&w->nodes, &w->seen, &w->spare, &w->crossed, &w->found, &w->looked, &w->more};
  double bytes = vl_blocks_bytes(&f->band) + (double)f->near_capacity * sizeof *f->near;
  for (size_t s = 0; s < sizeof set / sizeof *set; s++) bytes += vl_fine_set_bytes(set[s]);
  bytes += (double)w->which_capacity * sizeof *w->which + (double)w->edge_capacity * sizeof *w->edge;
  bytes += (double)w->sum_capacity * sizeof *w->sum + (double)w->beside_capacity * sizeof *w->beside;
  bytes += (double)w->air_capacity * sizeof *w->air + (double)w->element_capacity * sizeof *w->element;
  bytes += (double)w->nearest_capacity * sizeof *w->nearest + (double)w->turn_capacity;
  return bytes + vl_page_use_bytes(&w->pages, (void *[]){f->phi, w->next}, 2) +
         vl_page_use_bytes(&w->side_pages, (void *[]){f->side}, 1);
}

typedef struct Shape {
  vlDistance *distance;
  const void *data;
} Shape;

static void look_at_shape(const vlFine *f, vlBlockPosition p, unsigned bits, const void *data)
{
  const Shape *shape = data;
  const vlGrid *g = &f->nodes;
  double *phi = f->work->next + vl_blocks_field(g, p);
  double z = vl_fine_slab(f) ? 0.5 * f->grid->dx : p.k * g->dx; /* a slab's middle */
  for (int l = 0; l < VL_BLOCK; l++) {
    if (!(bits >> l & 1)) continue;
    vlVec3 x = vl_add(g->origin, vl_vec((p.bx * VL_BLOCK + l) * g->dx, p.j * g->dx, z));
    phi[l] = shape->distance(shape->data, x);
  }
}

/* Bits of the cells of a block that may be crossed; the sides of the others. */
static unsigned look_at_cells(vlFine *f, const Shape *shape, vlBlockPosition p, const int lo[3], const int hi[3])
{
  const vlGrid *g = f->grid;
  double *side = f->side + vl_blocks_field(g, p);
  vlVec3 middle = vl_grid_center(g, p.bx * VL_BLOCK, p.j, p.k);
  middle.x += 0.5 * (VL_BLOCK - 1) * g->dx;
  double d = shape->distance(shape->data, middle), radius = 0.51 * g->dx * sqrt(VL_BLOCK * VL_BLOCK + 2.0);
  bool all = fabs(d) > radius; /* on one side */
  if (all && d > 0.0) return 0;
  unsigned bits = 0;
  for (int l = 0; l < VL_BLOCK; l++) {
    int i = p.bx * VL_BLOCK + l;
    if (i < lo[0] || i > hi[0]) continue;
    if (!all) d = shape->distance(shape->data, vl_grid_center(g, i, p.j, p.k));
    if (!all && fabs(d) <= HALF_DIAGONAL * g->dx)
      bits |= 1u << l;
    else if (d < 0.0)
      side[l] = -1.0;
  }
  return bits;
}

/* Cells that may be crossed -> crossed. */
static vlCode search(vlFine *f, const Shape *shape, const int lo[3], const int hi[3], vlStatus *status)
{
  struct vlFineWork *w = f->work;
  int first = lo[0] / VL_BLOCK, columns = hi[0] / VL_BLOCK - first + 1, rows = hi[1] - lo[1] + 1;
  vlCode code = vl_fine_room(&w->edge, &w->edge_capacity, (size_t)columns * (size_t)rows, sizeof *w->edge, status);
  bool ok = !code;
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
  if (ok && vl_fine_set_grow(&w->crossed, VL_FINE_BAND, &w->seen)) return VL_OK;
  return code ? code : vl_fail_memory(status, sizeof(vlBlockPosition), "the cells near the surface");
}

vlCode vl_fine_from_distance(vlFine *f, vlDistance *distance, const void *data, vlBox3 bounds, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  int lo[3] = {0}, hi[3] = {-1, -1, -1};
  vl_blocks_begin(&f->band);
  vl_blocks_begin(&w->seen.blocks);
  vl_page_use_begin(&w->side_pages);
  vl_page_use_trim(&w->side_pages, (void *[]){f->side}, 1);
  w->deep = 0;
  for (int a = 0; a < 3; a++) {
    bounds.lo.v[a] -= f->grid->dx;
    bounds.hi.v[a] += f->grid->dx;
  }
  Shape shape = {distance, data};
  vlCode code = VL_OK;
  if (!vl_box_is_empty(bounds) && vl_grid_cells_in(f->grid, bounds, lo, hi)) code = search(f, &shape, lo, hi, status);
  for (int k = lo[2]; k <= hi[2]; k++)
    for (int j = lo[1]; j <= hi[1]; j++) {
      ptrdiff_t at = vl_grid_at(f->grid, 0, j, k);
      bool any = false;
      for (int i = lo[0]; i <= hi[0]; i++) {
        any = any || f->side[at + i] < 0.0;
        w->deep += f->side[at + i] < 0.0;
      }
      if (any)
        vl_page_use_mark(&w->side_pages, (size_t)(at + lo[0]) * sizeof(double), (size_t)(at + hi[0] + 1) * sizeof(double));
    }
  return code ? code : vl_fine_renew(f, look_at_shape, &shape, status);
}
