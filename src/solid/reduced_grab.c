/* Hands that hold a reduced body (grab.h) [brandt2019, sec. 5.3]. The force of one, pull - resistance (sum c_i v_i) with
 * v = (x - x_before)/dt, is that of a spring to a place t,
 *
 *     F = w (t - a^T q)        w = resistance/dt     a = U^T c     t = sum c_i x_i,before + pull/w
 *
 * which adds w a a^T to A and w a (t - a^T y) to the forces. A^-1 stays as it is; with Z = A^-1 (a_1 ...), one column for
 * each hand, Woodbury's formula [golub2013, sec. 2.1] has the same answer:
 *
 *     (A + sum_g w_g a_g a_g^T)^-1 b = x - Z (1/w + a^T Z)^-1 a^T x        x = A^-1 b
 *
 * All of it is found anew in each step: it costs as much as one of the step's iterations. In: hands, nodes, A^-1. Out:
 * forces, corrections. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/solve.h"
#include "solid/grab.h"
#include "solid/reduced_parts.h"

bool vl_reduced_is_grabbed(const vlReduced *b) { return b->grabs.count > 0; }

void vl_reduced_grabs_clear(vlReduced *b)
{
  void *own[] = {b->grabs.place, b->grabs.weight, b->grabs.row, b->grabs.answer, b->grabs.inner};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) free(own[i]);
}

double vl_reduced_grabs_bytes(const vlReduced *b)
{
  double m = b->grabs.count;
  return m * (sizeof *b->grabs.place + sizeof(double) * (1.0 + 4.0 * b->size + 3.0 * (m + 1.0)));
}

/* a = U^T c. */
static void make_row(const vlReduced *b, const vlGrabHold *h, double *a)
{
  memset(a, 0, (size_t)b->size * sizeof *a);
  for (int64_t i = 0; i < h->count; i++) {
    int64_t v = h->node[i];
    vlVec3 X = vl_sub(b->body.rest[v], b->center);
    for (int64_t e = b->start[v]; e < b->start[v + 1]; e++) {
      double w = b->weight[e] * h->share[i], *row = a + 4 * b->of[e];
      vlVec3 y = vl_scale(vl_sub(X, b->handle[b->of[e]]), 1.0 / b->radius);
      for (int j = 0; j < 3; j++) row[j] += w * y.v[j];
      row[3] += w;
    }
  }
}

static double dot(const double *a, const double *b, size_t n)
{
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Z of an axis, and 1/w + a^T Z factored. */
static bool answer(vlReduced *b, int axis)
{
  vlReducedGrabs *g = &b->grabs;
  size_t n = (size_t)b->size, m = (size_t)g->count;
  double *Z = g->answer + (size_t)axis * m * n, *inner = g->inner + (size_t)axis * m * m;
  for (size_t c = 0; c < m; c++)
    for (size_t i = 0; i < n; i++) Z[c * n + i] = dot(b->inverse[axis] + i * n, g->row + c * n, n);
  for (size_t r = 0; r < m; r++)
    for (size_t c = 0; c < m; c++)
      inner[r * m + c] = dot(g->row + r * n, Z + c * n, n) + (r == c ? 1.0 / g->weight[c] : 0.0);
  return vl_dense_factor(inner, g->count);
}

static vlCode reserve(vlReducedGrabs *g, size_t m, size_t n, vlStatus *status)
{
  if (m <= g->room) return VL_OK;
  struct {
    void **array;
    size_t bytes;
  } list[] = {{(void **)&g->place, m * sizeof *g->place},
              {(void **)&g->weight, m * sizeof *g->weight},
              {(void **)&g->row, m * n * sizeof *g->row},
              {(void **)&g->answer, 3 * m * n * sizeof *g->answer},
              {(void **)&g->inner, 3 * (m + 1) * m * sizeof *g->inner}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    void *grown = realloc(*list[i].array, list[i].bytes);
    if (!grown) return vl_fail_memory(status, list[i].bytes, "the hold on a reduced body");
    *list[i].array = grown;
  }
  g->room = m;
  return VL_OK;
}

vlCode vl_reduced_grabs_begin(vlReduced *b, double dt, vlStatus *status)
{
  vlBody *body = &b->body;
  vlReducedGrabs *g = &b->grabs;
  g->count = 0;
  if (body->control.grab_count == 0) return VL_OK;
  size_t n = (size_t)b->size;
  vlCode code = reserve(g, (size_t)body->control.grab_count, n, status);
  if (code) return code;
  vl_grabs_begin(body, b->grains.mass * b->grains.count, body->x, dt);
  g->count = body->control.grab_count;
  for (int i = 0; i < g->count; i++) {
    const vlGrab *grab = &body->control.grab[i];
    g->weight[i] = grab->resistance / dt;
    g->place[i] = vl_axpy(vl_grab_mean(grab, body->x), 1.0 / g->weight[i], grab->pull);
    make_row(b, &grab->hold, g->row + (size_t)i * n);
  }
  for (int axis = 0; axis < 3; axis++)
    if (!answer(b, axis)) return vl_fail(status, VL_ERROR_SOLVER, "the hands that hold a reduced body lock each other");
  return VL_OK;
}

static double along(const vlReduced *b, int grab, const double (*y)[4], int axis)
{
  const double *a = b->grabs.row + (size_t)grab * (size_t)b->size;
  double sum = 0.0;
  for (int i = 0; i < b->size; i++) sum += a[i] * y[i][axis];
  return sum;
}

void vl_reduced_grabs_pull(const vlReduced *b, const double (*y)[4], double (*force)[4])
{
  for (int g = 0; g < b->grabs.count; g++)
    for (int axis = 0; axis < 3; axis++) {
      const double *a = b->grabs.row + (size_t)g * (size_t)b->size;
      double pull = b->grabs.weight[g] * (b->grabs.place[g].v[axis] - along(b, g, y, axis));
      for (int i = 0; i < b->size; i++) force[i][axis] += a[i] * pull;
    }
}

void vl_reduced_grabs_correct(const vlReduced *b, double (*x)[4])
{
  size_t n = (size_t)b->size, m = (size_t)b->grabs.count;
  double *share = b->grabs.inner + 3 * m * m;
  for (int axis = 0; axis < 3; axis++) {
    for (int c = 0; c < b->grabs.count; c++) share[c] = along(b, c, (const double(*)[4])x, axis);
    vl_dense_solve(b->grabs.inner + (size_t)axis * m * m, b->grabs.count, share);
    for (size_t c = 0; c < m; c++) {
      const double *Z = b->grabs.answer + ((size_t)axis * m + c) * n;
      for (size_t i = 0; i < n; i++) x[i][axis] -= Z[i] * share[c];
    }
  }
}

void vl_reduced_grabs_finish(vlReduced *b, const double (*rate)[4])
{
  for (int g = 0; g < b->grabs.count; g++)
    vl_grab_finish(&b->body.control.grab[g], vl_vec(along(b, g, rate, 0), along(b, g, rate, 1), along(b, g, rate, 2)));
}
