/* What is put back: liquid that the surface has lost, as balls.
 *
 * phi <- min(phi, |x - c| - radius) over all balls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

double vl_fine_phi_or_side(const vlFine *f, const int q[3], ptrdiff_t at)
{
  int cell[3];
  vl_fine_cell_of(f, (double[]){(double)q[0] / f->refine, (double)q[1] / f->refine, (double)q[2] / f->refine}, cell);
  vlBlockPosition p = {q[0] / VL_BLOCK, q[1], q[2]};
  bool known = vl_fine_set_bits(&f->work->nodes, p) >> q[0] % VL_BLOCK & 1u;
  return known ? f->phi[at] : vl_fine_side_of(f, cell) * vl_fine_far(f);
}

/* Balls in order along the last axis that is not a slab's. */
typedef struct Balls {
  vlFineBall *ball; /* [count + 1]; the last one, out of order, has the largest radius */
  int count, axis;
} Balls;

static int by_y(const void *a, const void *b)
{
  double p = ((const vlFineBall *)a)->x[1], q = ((const vlFineBall *)b)->x[1];
  return (p > q) - (p < q);
}
static int by_z(const void *a, const void *b)
{
  double p = ((const vlFineBall *)a)->x[2], q = ((const vlFineBall *)b)->x[2];
  return (p > q) - (p < q);
}

/* Distances to balls matter up to here, m: farther out near cells are those of other parts of the surface. */
static double ball_reach(const vlFine *f) { return (VL_FINE_BAND + 1.0) * f->grid->dx; }

/* phi of a row of nodes united with a ball, as far as that reaches. */
static void unite_ball(const vlFine *f, const vlFineBall *ball, vlBlockPosition p, unsigned bits, double *phi)
{
  double h = f->nodes.dx, dx = f->grid->dx, reach = ball->radius + ball_reach(f);
  double y = p.j * h - ball->x[1] * dx, z = vl_fine_slab(f) ? 0.0 : p.k * h - ball->x[2] * dx;
  double away = y * y + z * z, first = p.bx * VL_BLOCK * h - ball->x[0] * dx;
  if (away > reach * reach || first > reach || first + VL_BLOCK * h < -reach) return;
  for (int l = 0; l < VL_BLOCK; l++) {
    double d = sqrt((first + l * h) * (first + l * h) + away) - ball->radius;
    if (bits >> l & 1 && d < ball_reach(f) && d < phi[l]) phi[l] = d;
  }
}

static double largest(const Balls *balls)
{
  double radius = 0.0;
  for (int i = 0; i < balls->count; i++) radius = fmax(radius, balls->ball[i].radius);
  return radius;
}

static void look_at_balls(const vlFine *f, vlBlockPosition p, unsigned bits, const void *data)
{
  const Balls *balls = data;
  ptrdiff_t at = vl_blocks_field(&f->nodes, p);
  double *phi = f->work->next + at;
  for (int l = 0; l < VL_BLOCK; l++)
    if (bits >> l & 1) phi[l] = vl_fine_phi_or_side(f, (int[]){p.bx * VL_BLOCK + l, p.j, p.k}, at + l);
  /* those that may reach the row: the first ball is not below it by more than the largest one reaches */
  double place = (double)(balls->axis == 1 ? p.j : p.k) / f->refine;
  double reach = (balls->ball[balls->count].radius + ball_reach(f)) / f->grid->dx;
  int lo = 0, hi = balls->count;
  while (lo < hi) {
    int middle = (lo + hi) / 2;
    if (balls->ball[middle].x[balls->axis] < place - reach)
      lo = middle + 1;
    else
      hi = middle;
  }
  for (; lo < balls->count && balls->ball[lo].x[balls->axis] <= place + reach; lo++)
    unite_ball(f, &balls->ball[lo], p, bits, phi);
}

typedef struct Run {
  vlBlockPosition at;
  unsigned bits;
} Run;

static int by_place(const void *a, const void *b)
{
  vlBlockPosition p = ((const Run *)a)->at, q = ((const Run *)b)->at;
  return p.k != q.k ? p.k - q.k : p.j != q.j ? p.j - q.j : p.bx - q.bx;
}

/* The cells that a ball reaches into, as runs of blocks. */
static bool add_runs(const vlFine *f, const vlFineBall *ball, Run **run, size_t *count, size_t *capacity)
{
  int lo[3], hi[3];
  vlVec3 c = vl_grid_place(f->grid, ball->x);
  vlVec3 r = vl_vec(ball->radius, ball->radius, ball->radius);
  if (vl_fine_slab(f)) c.z = f->grid->origin.z + 0.5 * f->grid->dx;
  if (!vl_grid_cells_in(f->grid, (vlBox3){vl_sub(c, r), vl_add(c, r)}, lo, hi)) return true;
  for (int k = lo[2]; k <= hi[2]; k++)
    for (int j = lo[1]; j <= hi[1]; j++)
      for (int i = lo[0]; i <= hi[0]; i++) {
        if (i > lo[0] && i % VL_BLOCK) {
          (*run)[*count - 1].bits |= 1u << i % VL_BLOCK;
          continue;
        }
        if (!vl_array_reserve(run, capacity, *count + 1, sizeof **run)) return false;
        (*run)[(*count)++] = (Run){{i / VL_BLOCK, j, k}, 1u << i % VL_BLOCK};
      }
  return true;
}

/* work->seen: the near cells, and those around the balls. */
static bool see_balls(vlFine *f, const Balls *balls)
{
  struct vlFineWork *w = f->work;
  Run *run = NULL;
  size_t count = 0, capacity = 0;
  bool ok = true;
  for (int i = 0; i < balls->count && ok; i++) ok = add_runs(f, &balls->ball[i], &run, &count, &capacity);
  if (count) qsort(run, count, sizeof *run, by_place);
  vl_blocks_begin(&w->crossed.blocks);
  for (size_t i = 0; i < count && ok;) {
    Run all = run[i];
    while (++i < count && by_place(&run[i], &all) == 0) all.bits |= run[i].bits;
    ok = vl_fine_set_append(&w->crossed, all.at.bx, all.at.j, all.at.k, all.bits);
  }
  vl_blocks_end(&w->crossed.blocks);
  free(run);
  vlFineSet near = vl_fine_near_set(f);
  return ok && vl_fine_set_grow(&w->crossed, VL_FINE_BAND, &w->found) && vl_fine_set_unite(&near, &w->found, &w->seen);
}

vlCode vl_fine_add(vlFine *f, const vlFineBall *ball, int count, vlStatus *status)
{
  if (count == 0) return VL_OK;
  Balls balls = {.ball = malloc(((size_t)count + 1) * sizeof *ball), .count = count, .axis = vl_fine_slab(f) ? 1 : 2};
  if (!balls.ball) return vl_fail_memory(status, (size_t)count * sizeof *ball, "balls of liquid");
  memcpy(balls.ball, ball, (size_t)count * sizeof *ball);
  balls.ball[count] = (vlFineBall){.radius = largest(&balls)};
  qsort(balls.ball, (size_t)count, sizeof *ball, balls.axis == 1 ? by_y : by_z);
  vlCode code = see_balls(f, &balls) ? VL_OK : vl_fail_memory(status, (size_t)count * sizeof *ball, "balls of liquid");
  if (!code) code = vl_fine_renew(f, look_at_balls, &balls, status);
  free(balls.ball);
  return code;
}
