/* Modes of elastic bodies: K u = omega^2 M u over the unknowns that are not held, K about the form at rest, M lumped.
 *
 * Subspace iteration [bathe1973]: a block of m vectors x_i with x_i.M x_j = delta_ij goes
 *   y_i = (K + sigma M)^-1 M x_i,   T_ij = x_i.M y_j = Q diag(theta) Q^T,   x <- M-orthonormal y Q,
 * and theta tends to 1/(omega^2 + sigma), the k-th with the square of (omega_k^2 + sigma)/(omega_m+1^2 + sigma) in a step.
 * sigma keeps the matrix of a free body positive; it is small beside a bar's (c/L)^2, c = sqrt(E/rho). A mode along an axis
 * a has the share (sum m u_a)^2 / (sum m u.u) of the whole mass. In: a body at rest or not. Out: frequencies and shapes. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/status.h"
#include "base/vec.h"
#include "linear/solve.h"
#include "solid/elastic_parts.h"

enum { MORE = 8, TURNS = 400 };
static const double SHIFT = 1e-4, SETTLED = 1e-12, AS_A_WHOLE = 1e-6;

typedef struct Modes {
  vlElastic *body;
  size_t nodes;
  int wanted, count; /* of vectors: m */
  double sigma;      /* 1/s2 */
  vlVec3 *x, *y;     /* [count][nodes] */
  vlVec3 *r;         /* [nodes] */
  double *T, *Q;     /* [count][count] */
  double *theta;     /* s2: largest first [count] */
  int *order;        /* of T's diagonal [count] */
} Modes;

static vlVec3 *vector(const Modes *m, vlVec3 *block, int k) { return block + (size_t)k * m->nodes; }

static double dot_mass(const Modes *m, const vlVec3 *a, const vlVec3 *b)
{
  double sum = 0.0;
  for (size_t i = 0; i < m->nodes; i++) sum += m->body->mass[i] * vl_dot(a[i], b[i]);
  return sum;
}

/* Gram-Schmidt, twice over. */
static void orthonormalise(const Modes *m, vlVec3 *block)
{
  for (int k = 0; k < m->count; k++) {
    vlVec3 *v = vector(m, block, k);
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < k; j++) {
        const vlVec3 *u = vector(m, block, j);
        double along = dot_mass(m, u, v);
        for (size_t i = 0; i < m->nodes; i++) v[i] = vl_axpy(v[i], -along, u[i]);
      }
    double length = sqrt(dot_mass(m, v, v));
    for (size_t i = 0; i < m->nodes; i++) v[i] = vl_scale(v[i], 1.0 / length);
  }
}

static void begin(const Modes *m)
{
  const bool *held = m->body->body.held;
  for (int k = 0; k < m->count; k++)
    for (size_t i = 0; i < 3 * m->nodes; i++)
      vector(m, m->x, k)[i / 3].v[i % 3] = held[i] ? 0.0 : vl_random((uint64_t)k * 3 * m->nodes + i) - 0.5;
  orthonormalise(m, m->x);
}

/* theta and the next x. */
static void turn(Modes *m)
{
  int n = m->count;
  for (int k = 0; k < n; k++) {
    for (size_t i = 0; i < m->nodes; i++) m->r[i] = vl_scale(vector(m, m->x, k)[i], m->body->mass[i]);
    vl_elastic_solve(&m->body->body, m->r, vector(m, m->y, k));
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) m->T[i * n + j] = m->T[j * n + i] = dot_mass(m, vector(m, m->x, j), vector(m, m->y, i));
  vl_dense_eigen(m->T, n, m->Q);
  for (int k = 0; k < n; k++) {
    int at = k;
    for (; at > 0 && m->T[m->order[at - 1] * (n + 1)] < m->T[k * (n + 1)]; at--) m->order[at] = m->order[at - 1];
    m->order[at] = k;
  }
  for (int k = 0; k < n; k++) {
    vlVec3 *to = vector(m, m->x, k);
    for (size_t i = 0; i < m->nodes; i++) to[i] = vl_vec(0, 0, 0);
    for (int j = 0; j < n; j++)
      for (size_t i = 0; i < m->nodes; i++) to[i] = vl_axpy(to[i], m->Q[m->order[k] * n + j], vector(m, m->y, j)[i]);
  }
  orthonormalise(m, m->x);
}

/* Until the wanted thetas stand still. */
static bool iterate(Modes *m)
{
  begin(m);
  for (int t = 0; t < TURNS; t++) {
    double change = 0.0;
    turn(m);
    for (int k = 0; k < m->count; k++) {
      double now = m->T[m->order[k] * (m->count + 1)];
      if (k < m->wanted) change = fmax(change, fabs(now - m->theta[k]) / now);
      m->theta[k] = now;
    }
    if (change < SETTLED) return true;
  }
  return false;
}

/* 1/m: makes the largest displacement of a shape 1, and the largest entry of that positive; of equal ones the first node's
 * counts, whatever rounding makes of them. */
static double scale_of(const Modes *m, const vlVec3 *u)
{
  const double SAME = 1.0 - 1e-6;
  double largest = 0.0;
  size_t at = 0;
  for (size_t i = 0; i < m->nodes; i++) largest = fmax(largest, vl_norm(u[i]));
  while (at + 1 < m->nodes && vl_norm(u[at]) < SAME * largest) at++;
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (fabs(u[at].v[a]) * SAME > fabs(u[at].v[axis])) axis = a;
  return (u[at].v[axis] < 0.0 ? -1.0 : 1.0) / largest;
}

static void tell(const Modes *m, vlBodyMode *mode, vlVec3 *shape)
{
  double whole = 0.0;
  for (size_t i = 0; i < m->nodes; i++) whole += m->body->mass[i];
  for (int k = 0; k < m->wanted; k++) {
    const vlVec3 *u = vector(m, m->x, k);
    double square = 1.0 / m->theta[k] - m->sigma, scale = scale_of(m, u);
    vlVec3 sum = vl_vec(0, 0, 0);
    for (size_t i = 0; i < m->nodes; i++) sum = vl_axpy(sum, m->body->mass[i], u[i]);
    mode[k].frequency = square > AS_A_WHOLE * m->sigma ? sqrt(square) / (2.0 * VL_PI) : 0.0;
    for (int a = 0; a < 3; a++) mode[k].share.v[a] = sum.v[a] * sum.v[a] / whole;
    for (size_t i = 0; i < m->nodes; i++) shape[(size_t)k * m->nodes + i] = vl_scale(u[i], scale);
  }
}

static vlCode make(Modes *m, vlStatus *status)
{
  size_t count = (size_t)m->count;
  m->x = malloc(count * m->nodes * sizeof *m->x);
  m->y = malloc(count * m->nodes * sizeof *m->y);
  m->r = malloc(m->nodes * sizeof *m->r);
  m->T = malloc(count * count * sizeof *m->T);
  m->Q = malloc(count * count * sizeof *m->Q);
  m->theta = calloc(count, sizeof *m->theta);
  m->order = malloc(count * sizeof *m->order);
  bool room = m->x && m->y && m->r && m->T && m->Q && m->theta && m->order;
  return room ? VL_OK : vl_fail_memory(status, 2 * count * m->nodes * sizeof *m->x, "the modes of a body");
}

static void clear(Modes *m)
{
  void *arrays[] = {m->x, m->y, m->r, m->T, m->Q, m->theta, m->order};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

/* K + sigma M about the form at rest, factored. */
static vlCode factor(const Modes *m, vlStatus *status)
{
  vlElastic *b = m->body;
  vl_elastic_linearise(b, b->body.rest);
  vl_elastic_system_stiffness(b->system, b);
  b->mass_share = m->sigma;
  b->carried_share = 0.0;
  b->stiffness_share = 1.0;
  return vl_elastic_system_factor(b->system, b, status);
}

vlCode vl_elastic_modes(vlBody *body, int count, vlBodyMode *mode, vlVec3 *shape, vlStatus *status)
{
  vlElastic *b = (vlElastic *)body;
  int free_unknowns = 0, most;
  for (int i = 0; i < 3 * body->node_count; i++) free_unknowns += !body->held[i];
  if (count < 1 || count > free_unknowns)
    return vl_fail(status, VL_ERROR_SCENE, "%d modes are asked for; the body has %d", count, free_unknowns);
  most = 2 * count + MORE;
  double rate = sqrt(b->material.young / b->material.density) / vl_body_size(body);
  Modes m = {.body = b,
             .nodes = (size_t)body->node_count,
             .wanted = count,
             .count = most < free_unknowns ? most : free_unknowns,
             .sigma = SHIFT * rate * rate};
  vlCode code = make(&m, status);
  if (!code) code = factor(&m, status);
  if (!code && !iterate(&m)) code = vl_fail(status, VL_ERROR_SOLVER, "the modes have not settled after %d turns", TURNS);
  if (!code) tell(&m, mode, shape);
  clear(&m);
  return code;
}
