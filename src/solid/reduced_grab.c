/* A user's grip on a reduced body [brandt2019, sec. 5.3]: the mean of a few nodes is drawn to a place by the energy
 *
 *     w/2 |c^T x - t|^2        w = m/4 / dt^2
 *
 * which adds w a a^T to A, a = U^T c, and w a (t - a^T y) to the forces. A^-1 stays as it is; with Z = A^-1 (a_1 ...), one
 * column for each grip, Woodbury's formula [golub2013, sec. 2.1] has the same answer:
 *
 *     (A + sum_g w a_g a_g^T)^-1 b = x - Z (1/w + a^T Z)^-1 a^T x        x = A^-1 b
 *
 * In: nodes, places. Out: forces, corrections. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/solve.h"
#include "solid/reduced_parts.h"

bool vl_reduced_is_grabbed(const vlReduced *b)
{
  for (int g = 0; g < VL_REDUCED_GRABS; g++)
    if (b->grab[g].count > 0) return true;
  return false;
}

double vl_reduced_grab_weight(const vlReduced *b, double dt) { return 0.25 * b->grains.mass * b->grains.count / (dt * dt); }

/* Adds a node to the nearest ones, of which there are at most VL_REDUCED_GRABBED, by insertion. */
static void keep_near(vlReducedGrab *grab, double *distance, int node, double d)
{
  int at = grab->count < VL_REDUCED_GRABBED ? grab->count++ : VL_REDUCED_GRABBED;
  for (; at > 0 && distance[at - 1] > d; at--) {
    if (at == VL_REDUCED_GRABBED) continue;
    distance[at] = distance[at - 1];
    grab->node[at] = grab->node[at - 1];
  }
  if (at == VL_REDUCED_GRABBED) return;
  distance[at] = d;
  grab->node[at] = node;
}

/* a = U^T c. */
static void make_row(const vlReduced *b, vlReducedGrab *grab)
{
  memset(grab->row, 0, (size_t)b->size * sizeof *grab->row);
  for (int i = 0; i < grab->count; i++) {
    int v = grab->node[i];
    vlVec3 X = vl_sub(b->body.rest[v], b->center);
    for (int64_t e = b->start[v]; e < b->start[v + 1]; e++) {
      double w = b->weight[e] / grab->count, *row = grab->row + 4 * b->of[e];
      vlVec3 y = vl_scale(vl_sub(X, b->handle[b->of[e]]), 1.0 / b->radius);
      for (int j = 0; j < 3; j++) row[j] += w * y.v[j];
      row[3] += w;
    }
  }
}

static void answer(const vlReduced *b, vlReducedGrab *grab)
{
  size_t n = (size_t)b->size;
  for (size_t axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < n; i++) {
      double sum = 0.0;
      for (size_t j = 0; j < n; j++) sum += b->inverse[axis][i * n + j] * grab->row[j];
      grab->answer[axis * n + i] = sum;
    }
}

void vl_reduced_grab_answers(vlReduced *b)
{
  for (int g = 0; g < VL_REDUCED_GRABS; g++)
    if (b->grab[g].count > 0) answer(b, &b->grab[g]);
}

int vl_reduced_grab(vlReduced *b, vlVec3 x, double radius)
{
  int g = 0;
  double distance[VL_REDUCED_GRABBED];
  while (g < VL_REDUCED_GRABS && b->grab[g].count > 0) g++;
  if (g == VL_REDUCED_GRABS) return -1;
  vlReducedGrab *grab = &b->grab[g];
  size_t n = (size_t)b->size;
  if (!grab->row) grab->row = malloc(n * sizeof *grab->row);
  if (!grab->answer) grab->answer = malloc(3 * n * sizeof *grab->answer);
  if (!grab->row || !grab->answer) return -1;
  for (int i = 0; i < b->body.node_count; i++) {
    double d = vl_norm(vl_sub(b->body.x[i], x));
    if (d <= radius) keep_near(grab, distance, i, d);
  }
  if (grab->count == 0) return -1;
  make_row(b, grab);
  grab->target = vl_reduced_grabbed(b, g);
  if (b->built_dt > 0.0) answer(b, grab);
  return g;
}

void vl_reduced_move_grab(vlReduced *b, int grab, vlVec3 target) { b->grab[grab].target = target; }

void vl_reduced_release(vlReduced *b, int grab) { b->grab[grab].count = 0; }

static double along(const vlReduced *b, const vlReducedGrab *grab, const double (*y)[4], int axis)
{
  double sum = 0.0;
  for (int i = 0; i < b->size; i++) sum += grab->row[i] * y[i][axis];
  return sum;
}

vlVec3 vl_reduced_grabbed(const vlReduced *b, int g)
{
  const double(*q)[4] = (const double(*)[4])b->q;
  return vl_vec(along(b, &b->grab[g], q, 0), along(b, &b->grab[g], q, 1), along(b, &b->grab[g], q, 2));
}

void vl_reduced_grab_force(const vlReduced *b, const double (*y)[4], double dt, double (*force)[4])
{
  double w = vl_reduced_grab_weight(b, dt);
  for (int g = 0; g < VL_REDUCED_GRABS; g++)
    for (int axis = 0; axis < 3 && b->grab[g].count > 0; axis++) {
      double pull = w * (b->grab[g].target.v[axis] - along(b, &b->grab[g], y, axis));
      for (int i = 0; i < b->size; i++) force[i][axis] += b->grab[g].row[i] * pull;
    }
}

void vl_reduced_grab_correct(const vlReduced *b, double dt, double (*x)[4])
{
  int list[VL_REDUCED_GRABS], m = 0;
  size_t n = (size_t)b->size;
  for (int g = 0; g < VL_REDUCED_GRABS; g++)
    if (b->grab[g].count > 0) list[m++] = g;
  for (int axis = 0; axis < 3; axis++) {
    double inner[VL_REDUCED_GRABS * VL_REDUCED_GRABS], share[VL_REDUCED_GRABS];
    for (int i = 0; i < m; i++) {
      share[i] = along(b, &b->grab[list[i]], (const double(*)[4])x, axis);
      for (int j = 0; j < m; j++) {
        const double *z = b->grab[list[j]].answer + (size_t)axis * n, *a = b->grab[list[i]].row;
        inner[i * m + j] = i == j ? 1.0 / vl_reduced_grab_weight(b, dt) : 0.0;
        for (size_t k = 0; k < n; k++) inner[i * m + j] += a[k] * z[k];
      }
    }
    if (!vl_dense_factor(inner, m)) return;
    vl_dense_solve(inner, m, share);
    for (int j = 0; j < m; j++)
      for (size_t k = 0; k < n; k++) x[k][axis] -= b->grab[list[j]].answer[(size_t)axis * n + k] * share[j];
  }
}
