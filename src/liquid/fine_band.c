/* Near cells, found anew after the surface has moved.
 *
 * All cells whose nodes may have changed their sides are looked at. Cells with nodes on both sides are crossed; near are
 * these and the cells within VL_FINE_BAND of them. If some of those have not been looked at, they are, until none is left:
 * so the surface may move by any number of cells. Cells that are near no longer keep the side of their nodes. */
#include "base/status.h"
#include "liquid/fine_parts.h"

vlCode vl_fine_room(void *array, size_t *capacity, size_t need, size_t size, vlStatus *status)
{
  return vl_array_reserve(array, capacity, need, size) ? VL_OK : vl_fail_memory(status, need * size, "the surface");
}

static vlCode no_memory(vlStatus *status)
{
  return vl_fail_memory(status, sizeof(vlBlockPosition), "the cells near the surface");
}

static void swap_sets(vlFineSet *a, vlFineSet *b)
{
  vlFineSet other = *a;
  *a = *b;
  *b = other;
}

vlCode vl_fine_see_near(vlFine *f, vlStatus *status)
{
  bool ok = true;
  vlFineSet *seen = &f->work->seen;
  vl_blocks_begin(&seen->blocks);
  for (int b = 0; b < f->band.count && ok; b++)
    ok = vl_fine_set_append(seen, f->band.at[b].bx, f->band.at[b].j, f->band.at[b].k, f->near[b]);
  vl_blocks_end(&seen->blocks);
  return ok ? VL_OK : no_memory(status);
}

/* Nodes that a block's values are written for: of all a slab's planes, and unknown ones around. */
static void mark_pages(vlFine *f, const vlBlocks *nodes)
{
  const vlGrid *g = &f->nodes;
  bool slab = vl_fine_slab(f);
  vl_page_use_begin(&f->work->pages);
  for (int b = 0; b < nodes->count; b++) {
    ptrdiff_t at = vl_blocks_field(g, nodes->at[b]);
    for (int k = slab ? 0 : -1; k <= (slab ? f->refine : 1); k++)
      for (int j = -1; j <= 1; j++) {
        size_t first = (size_t)(at + j * g->stride[1] + k * g->stride[2] - 1);
        vl_page_use_mark(&f->work->pages, first * sizeof(double), (first + VL_BLOCK + 2) * sizeof(double));
      }
  }
}

static void look_at(const vlFine *f, const vlBlocks *nodes, const unsigned short *bits, vlFineLook *look, const void *data)
{
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < nodes->count; b++)
    if (bits[b]) look(f, nodes->at[b], bits[b], data);
}

/* The cells that turned out to be near, too, are to be seen: looks at those of their nodes that are new. */
static bool see_more(vlFine *f, vlFineLook *look, const void *data)
{
  struct vlFineWork *w = f->work;
  if (!vl_fine_set_unite(&w->seen, &w->found, &w->spare)) return false;
  swap_sets(&w->seen, &w->spare);
  if (!vl_fine_set_nodes(&w->seen, f->refine, &w->more)) return false;
  const vlBlocks *blocks = &w->more.blocks;
  if (!vl_array_reserve(&w->which, &w->which_capacity, (size_t)blocks->count, sizeof *w->which)) return false;
  for (int b = 0; b < blocks->count; b++)
    w->which[b] = (unsigned short)(w->more.bits[b] & ~vl_fine_set_bits(&w->looked, blocks->at[b]));
  look_at(f, blocks, w->which, look, data);
  swap_sets(&w->looked, &w->more);
  return true;
}

static bool see_all(vlFine *f, vlFineLook *look, const void *data)
{
  struct vlFineWork *w = f->work;
  if (!vl_fine_set_nodes(&w->seen, f->refine, &w->looked)) return false;
  look_at(f, &w->looked.blocks, w->looked.bits, look, data);
  while (vl_fine_set_crossed(f, &w->seen, w->next, &w->crossed) && vl_fine_set_grow(&w->crossed, VL_FINE_BAND, &w->found)) {
    if (vl_fine_set_covers(&w->seen, &w->found)) return true;
    if (!see_more(f, look, data)) return false;
  }
  return false;
}

static void set_side(vlFine *f, ptrdiff_t at, double side)
{
  if (f->side[at] == side) return;
  f->work->deep += side < 0.0 ? 1 : -1;
  f->side[at] = side;
  vl_page_use_mark(&f->work->side_pages, (size_t)at * sizeof(double), (size_t)(at + 1) * sizeof(double));
}

/* Of all cells seen. */
static void find_sides(vlFine *f)
{
  struct vlFineWork *w = f->work;
  for (int b = 0; b < w->seen.blocks.count; b++) {
    vlBlockPosition p = w->seen.blocks.at[b];
    unsigned near = vl_fine_set_bits(&w->found, p);
    for (int l = 0; l < VL_BLOCK; l++) {
      if (!(w->seen.bits[b] >> l & 1)) continue;
      int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      bool deep = !(near >> l & 1u) && w->next[vl_fine_node(f, cell, 0, 0, 0)] < 0.0;
      set_side(f, vl_grid_at(f->grid, cell[0], cell[1], cell[2]), deep ? -1.0 : 0.0);
    }
  }
}

/* Pages without any liquid are given back. */
static void trim_sides(vlFine *f)
{
  vlPageUse *use = &f->work->side_pages;
  size_t first = use->first, last = use->last, per = ((size_t)1 << use->shift) / sizeof(double);
  vl_page_use_begin(use);
  for (size_t page = first; page < last; page++) {
    if (!use->round_of[page]) continue;
    size_t end = (page + 1) * per < f->grid->length ? (page + 1) * per : f->grid->length;
    bool any = false;
    for (size_t at = page * per; at < end; at++) any |= f->side[at] < 0.0;
    if (any) vl_page_use_mark_page(use, page);
  }
  vl_page_use_trim_loose(use, (void *[]){f->side}, 1);
}

void vl_fine_repeat(const vlFine *f, double *phi)
{
  if (!vl_fine_slab(f)) return;
  const vlBlocks *nodes = &f->work->nodes.blocks;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < nodes->count; b++) {
    double *from = phi + vl_blocks_field(&f->nodes, nodes->at[b]);
    for (int k = 1; k <= f->refine; k++)
      for (int l = 0; l < VL_BLOCK; l++) from[k * f->nodes.stride[2] + l] = from[l];
  }
}

/* The nodes before and after a block's row where no listed block has them. After the last node of a row comes a spare one.
 */
static void surround_ends(const vlBlocks *nodes, vlBlockPosition p, double far, double *row)
{
  if (vl_blocks_find(nodes, p.bx - 1, p.j, p.k) < 0) row[-1] = far;
  if ((p.bx + 1) * VL_BLOCK <= nodes->n[0] && vl_blocks_find(nodes, p.bx + 1, p.j, p.k) < 0) row[VL_BLOCK] = far;
}

void vl_fine_surround(const vlFine *f, double *phi)
{
  const vlFineSet *set = &f->work->nodes;
  const vlBlocks *nodes = &set->blocks;
  int deep = vl_fine_slab(f) ? 0 : 1;
  double far = vl_fine_far(f);
  for (int b = 0; b < nodes->count; b++) {
    vlBlockPosition p = nodes->at[b];
    double *own = phi + vl_blocks_field(&f->nodes, p);
    for (int l = 0; l < VL_BLOCK && set->bits[b] != 0xffff; l++)
      if (!(set->bits[b] >> l & 1)) own[l] = far;
    surround_ends(nodes, p, far, own);
    for (int k = -deep; k <= deep; k++)
      for (int j = -1; j <= 1; j++) {
        vlBlockPosition q = {p.bx, p.j + j, p.k + k};
        if (vl_blocks_find(nodes, q.bx, q.j, q.k) >= 0) continue;
        double *row = own + j * f->nodes.stride[1] + k * f->nodes.stride[2];
        for (int l = 0; l < VL_BLOCK; l++) row[l] = far;
        surround_ends(nodes, q, far, row);
      }
  }
}

static vlCode find_beside(vlFine *f, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  const vlBlocks *nodes = &w->nodes.blocks;
  vlCode code = vl_fine_room(&w->beside, &w->beside_capacity, (size_t)nodes->count + 1, sizeof *w->beside, status);
  if (code) return code;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < nodes->count; b++) {
    vlBlockPosition p = nodes->at[b];
    for (int s = 0; s < 6; s++) {
      int step[3] = {0};
      step[s / 2] = s % 2 ? 1 : -1;
      w->beside[b][s] = vl_blocks_find(nodes, p.bx + step[0], p.j + step[1], p.k + step[2]);
    }
  }
  return VL_OK;
}

vlCode vl_fine_settle(vlFine *f, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  vlFineSet near = vl_fine_near_set(f);
  if (!vl_fine_set_nodes(&near, f->refine, &w->nodes)) return no_memory(status);
  vlCode code = find_beside(f, status);
  if (code) return code;
  mark_pages(f, &w->nodes.blocks);
  vl_page_use_trim_loose(&w->pages, (void *[]){f->phi, w->next}, 2);
  trim_sides(f);
  vl_fine_surround(f, f->phi);
  return vl_fine_room(&w->sum, &w->sum_capacity, (size_t)(w->nodes.blocks.count + f->band.count), sizeof *w->sum, status);
}

vlCode vl_fine_renew(vlFine *f, vlFineLook *look, const void *data, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  if (!see_all(f, look, data)) return no_memory(status);
  mark_pages(f, &w->looked.blocks); /* they are written: they count among those that may be given back */
  find_sides(f);
  vlFineSet near = vl_fine_near_set(f);
  f->band = w->found.blocks;
  f->near = w->found.bits;
  f->near_capacity = w->found.capacity;
  w->found = near;
  double *phi = w->next;
  w->next = f->phi;
  f->phi = phi;
  vlCode code = vl_fine_settle(f, status);
  if (!code) code = vl_fine_fill(f, f->phi, status);
  if (!code) vl_fine_repeat(f, f->phi);
  return code;
}
