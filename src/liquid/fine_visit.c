/* The fine level set shown to a visitor: near cells, deep cells and phi at the nodes of near cells. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

/* The cells of a block, as they stand in files. */
typedef struct Run {
  int bx, j, k;
  unsigned bits;
} Run;

static const char *const NEAR = "fine_near", *const DEEP = "fine_deep", *const PHI = "fine_phi";

static vlCode check_runs(const vlFine *f, const char *name, const Run *run, size_t count, vlStatus *status)
{
  const vlBlocks *b = &f->band;
  for (size_t i = 0; i < count; i++) {
    Run r = run[i];
    bool in = r.bx >= 0 && r.bx < b->columns && r.j >= 0 && r.j < b->n[1] && r.k >= 0 && r.k < b->n[2];
    unsigned lanes = in ? (1u << vl_blocks_width(b, (vlBlockPosition){r.bx, r.j, r.k})) - 1u : 0u;
    bool after = i == 0 || r.k > run[i - 1].k ||
                 (r.k == run[i - 1].k && (r.j > run[i - 1].j || (r.j == run[i - 1].j && r.bx > run[i - 1].bx)));
    if (!in || !after || !r.bits || r.bits & ~lanes)
      return vl_fail(status, VL_ERROR_FILE,
                     "'%s'[%zu]: cells %x of block %d, %d, %d are none of this grid's, or out of order", name, i, r.bits,
                     r.bx, r.j, r.k);
  }
  return VL_OK;
}

/* Reads runs; the memory stays the visitor's. */
static vlCode find_runs(const vlFine *f, vlVisitor *v, const char *name, const Run **run, size_t *count, vlStatus *status)
{
  *run = v->find(v->data, name, sizeof **run, count);
  if (!*run) return vl_fail(status, VL_ERROR_FILE, "'%s' is not there", name);
  return check_runs(f, name, *run, *count, status);
}

static vlCode restore_near(vlFine *f, const Run *run, size_t count, vlStatus *status)
{
  bool ok = true;
  vlFineSet near = vl_fine_near_set(f);
  vl_blocks_begin(&near.blocks);
  for (size_t i = 0; i < count && ok; i++) ok = vl_fine_set_append(&near, run[i].bx, run[i].j, run[i].k, run[i].bits);
  vl_blocks_end(&near.blocks);
  f->band = near.blocks;
  f->near = near.bits;
  f->near_capacity = near.capacity;
  return ok ? VL_OK : vl_fail_memory(status, count * sizeof *run, "the cells near the surface");
}

static void restore_deep(vlFine *f, const Run *run, size_t count)
{
  struct vlFineWork *w = f->work;
  vl_page_use_begin(&w->side_pages);
  vl_page_use_trim(&w->side_pages, (void *[]){f->side}, 1);
  w->deep = 0;
  for (size_t i = 0; i < count; i++) {
    ptrdiff_t at = vl_grid_at(f->grid, run[i].bx * VL_BLOCK, run[i].j, run[i].k);
    for (int l = 0; l < VL_BLOCK; l++)
      if (run[i].bits >> l & 1) f->side[at + l] = -1.0;
    w->deep += __builtin_popcount(run[i].bits);
    vl_page_use_mark(&w->side_pages, (size_t)at * sizeof(double), (size_t)(at + VL_BLOCK) * sizeof(double));
  }
}

static vlCode check_phi(const vlFine *f, vlStatus *status)
{
  const vlFineSet *set = &f->work->nodes;
  double most = 0.4 * vl_fine_far(f);
  for (int b = 0; b < set->blocks.count; b++) {
    vlBlockPosition p = set->blocks.at[b];
    for (int l = 0; l < VL_BLOCK; l++) {
      double phi = f->phi[vl_blocks_field(&f->nodes, p) + l];
      if (set->bits[b] >> l & 1 && !(fabs(phi) <= most))
        return vl_fail(status, VL_ERROR_FILE, "'%s': %g m at node %d, %d, %d is no distance", PHI, phi, p.bx * VL_BLOCK + l,
                       p.j, p.k);
    }
  }
  return VL_OK;
}

static vlCode restore(vlFine *f, vlVisitor *v, vlStatus *status)
{
  const Run *near = NULL, *deep = NULL;
  size_t nears = 0, deeps = 0;
  vlCode code = find_runs(f, v, NEAR, &near, &nears, status);
  if (!code) code = find_runs(f, v, DEEP, &deep, &deeps, status);
  if (!code) code = restore_near(f, near, nears, status);
  if (code) return code;
  restore_deep(f, deep, deeps);
  code = vl_fine_settle(f, status);
  if (!code) code = v->field(v->data, PHI, f->phi, &f->nodes, &f->work->nodes.blocks, status);
  if (!code) code = check_phi(f, status);
  if (code) return code;
  vl_fine_surround(f, f->phi);
  vl_fine_repeat(f, f->phi);
  return VL_OK;
}

static bool append_run(Run **run, size_t *count, size_t *capacity, Run one)
{
  if (!vl_array_reserve(run, capacity, *count + 1, sizeof **run)) return false;
  (*run)[(*count)++] = one;
  return true;
}

static vlCode show_near(const vlFine *f, vlVisitor *v, Run **run, size_t *capacity, vlStatus *status)
{
  bool ok = true;
  size_t count = 0;
  for (int b = 0; b < f->band.count && ok; b++) {
    vlBlockPosition p = f->band.at[b];
    ok = append_run(run, &count, capacity, (Run){p.bx, p.j, p.k, f->near[b]});
  }
  if (!ok) return vl_fail_memory(status, count * sizeof **run, "the cells near the surface");
  return v->array(v->data, NEAR, *run, sizeof **run, count, status);
}

static unsigned deep_bits(const vlFine *f, int bx, int j, int k)
{
  const double *side = f->side + vl_grid_at(f->grid, bx * VL_BLOCK, j, k);
  unsigned bits = 0;
  for (int l = 0; l < vl_blocks_width(&f->band, (vlBlockPosition){bx, j, k}); l++) bits |= (unsigned)(side[l] < 0.0) << l;
  return bits;
}

static vlCode show_deep(const vlFine *f, vlVisitor *v, Run **run, size_t *capacity, vlStatus *status)
{
  bool ok = true;
  size_t count = 0;
  for (int k = 0; k < f->grid->n[2]; k++)
    for (int j = 0; j < f->grid->n[1] && ok; j++)
      for (int bx = 0; bx < f->grid->blocks_x && ok; bx++) {
        unsigned bits = deep_bits(f, bx, j, k);
        if (bits) ok = append_run(run, &count, capacity, (Run){bx, j, k, bits});
      }
  if (!ok) return vl_fail_memory(status, count * sizeof **run, "the cells in the liquid");
  return v->array(v->data, DEEP, *run, sizeof **run, count, status);
}

vlCode vl_fine_visit(vlFine *f, vlVisitor *v, vlStatus *status)
{
  if (v->restoring) return restore(f, v, status);
  Run *run = NULL;
  size_t capacity = 1;
  if (!(run = malloc(sizeof *run))) return vl_fail_memory(status, sizeof *run, "the cells near the surface");
  vlCode code = show_near(f, v, &run, &capacity, status);
  if (!code) code = show_deep(f, v, &run, &capacity, status);
  free(run);
  return code ? code : v->field(v->data, PHI, f->phi, &f->nodes, &f->work->nodes.blocks, status);
}
