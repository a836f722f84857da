/* Steps of a reduced body: projective dynamics in the subspace [brandt2018, alg. 1; brandt2019, sec. 4.2].
 *
 * Without liquid it would come, from q with rate v, to the shape that makes least
 *
 *     m_p (1 + a dt)/(2 dt^2) |q - y|_G^2 + lambda/2 sum_j V_j |F_j(q) - R_c(j)|^2 + what holds it
 *     y = q + dt (v + dt g) / (1 + a dt)                 a: damping of momenta, g: gravity and pushes
 *
 * Rotations of clusters and q are found in turns, ten times. With q = y + d
 *
 *     R_c = polar(F_c(y) + B_c d)        A d = lambda sum_c V_c B_c^T (R_c - F_c(y))^T - lambda H y + f
 *     H y = K y - sum_c V_c B_c^T F_c(y)^T          what strains clusters within
 *
 * H is zero for affine motions, which are taken out of y first. So d is zero to rounding where y is a rigid motion of the
 * form at rest. Backward Euler loses spin, about (omega
 * dt)^2 of it in a step. What a free body has lost is given back as a turn as a whole, v += delta x (x - c), delta = I^-1
 * (L before - L after): its shape stays that of the step.
 *
 * As one medium with liquid: grains were to come to P q_el, they came to x_p; the shape nearest to that is
 *
 *     q = q_el + G^-1 P^T (x_p - P q_el)      v = (q - q_before)/dt       [brandt2019, eq. 13]
 *
 * but for what walls do (reduced_stop.c) and what strains too much (reduced_limit.c).
 *
 * With a sharp surface (body.h): rotations are those of the shape without liquid, and then loads f answer
 *
 *     v = U rate_el + U A^-1 U^T f / dt        S^-1 = U A^-1 U^T / dt, w = 0, given = U rate_el
 *
 * Sums over clusters have a fixed number of pieces. In: body, loads or grains. Out: its shape and motion. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "solid/reduced_parts.h"

enum { SERIAL_CLUSTERS = 64 };
/* Of how the last step's push differs from its mean, to be there again in the next: hands and pins must know of all that
 * moves the whole. All of the rest would have bodies at rest strained no more than they must be, but feeds what bounces, for
 * it comes a step late: 0.7 of it still dies away. */
static const double EXPECTED = 0.5;

/* (cof a)_ij; its rows are cross products of those of a. */
static vlMat3 cofactor(const vlMat3 *a)
{
  vlMat3 c;
  for (int i = 0; i < 3; i++) {
    const double *p = a->m[(i + 1) % 3], *q = a->m[(i + 2) % 3];
    c.m[i][0] = p[1] * q[2] - p[2] * q[1];
    c.m[i][1] = p[2] * q[0] - p[0] * q[2];
    c.m[i][2] = p[0] * q[1] - p[1] * q[0];
  }
  return c;
}

/* The rotation nearest to F by Newton's iteration R <- (R + R^-T)/2 [higham1986], which doubles the digits each time; by
 * singular values where F is nearly flat or inside out. */
static vlMat3 nearest_rotation(const vlMat3 *F)
{
  enum { MOST = 12 };
  vlMat3 R = *F, whole = vl_mat_identity();
  double size = vl_mat_norm(R);
  for (int k = 0; k < MOST; k++) {
    vlMat3 c = cofactor(&R);
    double det = R.m[0][0] * c.m[0][0] + R.m[0][1] * c.m[0][1] + R.m[0][2] * c.m[0][2], change = 0.0;
    if (!(det > 0.02 * size * size * size) && k == 0) break;
    for (int i = 0; i < 9; i++) {
      double next = 0.5 * (R.m[i / 3][i % 3] + c.m[i / 3][i % 3] / det), step = next - R.m[i / 3][i % 3];
      change += step * step;
      R.m[i / 3][i % 3] = next;
    }
    if (change < 1e-17) return R; /* the next change would be its square */
  }
  vl_mat_polar(*F, &whole);
  return whole;
}

/* F += B q of a cluster, as F[4 d + i] = d x_i / d X_d. */
static void add_deformation(const vlReduced *b, int c, const double (*q)[4], double F[restrict 12])
{
  for (int64_t e = b->block_start[c]; e < b->block_start[c + 1]; e++) {
    const double *B = b->block[e], (*row)[4] = q + 4 * b->block_handle[e];
    for (int d = 0; d < 3; d++)
      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) F[4 * d + i] += B[4 * d + j] * row[j][i];
  }
}

static void add_stress(const vlReduced *b, int c, const double P[restrict 12], double (*force)[4])
{
  for (int64_t e = b->block_start[c]; e < b->block_start[c + 1]; e++) {
    const double *B = b->block[e];
    double(*restrict row)[4] = force + 4 * b->block_handle[e];
    for (int j = 0; j < 4; j++) /* each row is fetched once */
      for (int i = 0; i < 4; i++) row[j][i] = row[j][i] + B[j] * P[i] + B[4 + j] * P[4 + i] + B[8 + j] * P[8 + i];
  }
}

static void pull_piece(const vlReduced *b, int piece, const double (*moved)[4], double (*force)[4])
{
  int n = b->cluster_count, first = (int)((int64_t)n * piece / VL_REDUCED_PIECES),
      end = (int)((int64_t)n * (piece + 1) / VL_REDUCED_PIECES);
  memset(force, 0, (size_t)b->size * sizeof *force);
  for (int c = first; c < end; c++) {
    double F[12], P[12] = {0}, stiff = vl_reduced_lambda(b) * b->cluster_volume[c];
    vlMat3 now;
    memcpy(F, b->turned[c], sizeof F);
    add_deformation(b, c, moved, F);
    for (int i = 0; i < 9; i++) now.m[i % 3][i / 3] = F[4 * (i / 3) + i % 3];
    vlMat3 R = nearest_rotation(&now);
    for (int i = 0; i < 9; i++) P[4 * (i / 3) + i % 3] = stiff * (R.m[i % 3][i / 3] - b->turned[c][4 * (i / 3) + i % 3]);
    add_stress(b, c, P, force);
  }
}

/* force = lambda sum V_c B_c^T (R_c - F_c(y))^T with the rotations at y + moved. */
static void pull_clusters(vlReduced *b, const double (*moved)[4], double (*force)[4])
{
  size_t n = (size_t)b->size;
  double(*sum)[4] = (double(*)[4])b->pieces;
#pragma omp parallel for schedule(static) if (b->cluster_count > SERIAL_CLUSTERS)
  for (int piece = 0; piece < VL_REDUCED_PIECES; piece++) pull_piece(b, piece, moved, sum + (size_t)piece * n);
  memcpy(force, sum, n * sizeof *force);
  for (size_t piece = 1; piece < VL_REDUCED_PIECES; piece++)
    for (size_t i = 0; i < n; i++)
      for (int c = 0; c < 4; c++) force[i][c] += sum[piece * n + i][c];
}

static bool is_clamped(const vlReduced *b) { return b->clamps[0] + b->clamps[1] + b->clamps[2] > 0; }

/* w U^T (target - U y) over what is clamped. */
static void add_clamps(const vlReduced *b, const double (*y)[4], double scale, double (*force)[4])
{
  if (!is_clamped(b)) return;
  for (int v = 0; v < b->body.node_count; v++) {
    const bool *clamped = b->clamped + 3 * v;
    if (!clamped[0] && !clamped[1] && !clamped[2]) continue;
    vlVec3 x = vl_reduced_row(b, y, v), f;
    for (int a = 0; a < 3; a++) f.v[a] = clamped[a] ? scale * b->clamp_weight[a] * (b->target[3 * v + a] - x.v[a]) : 0.0;
    vl_reduced_add_row(b, v, f, force);
  }
}

static bool any(const vlVec3 *f, int count)
{
  for (int i = 0; i < count; i++)
    if (f[i].x != 0.0 || f[i].y != 0.0 || f[i].z != 0.0) return true;
  return false;
}

/* Velocities after gravity, pushes and damping, without elasticity: rate -> next. */
static void fall(vlReduced *b, double dt, vlVec3 gravity)
{
  vlVec3 center = vl_vec(0, 0, 0), pull = vl_add(gravity, b->push);
  double kept = 1.0 / (1.0 + b->material.mass_damping * dt);
  bool turns = vl_norm(b->turning) > 0.0;
  const double(*q)[4] = (const double(*)[4])b->q;
  if (turns) center = vl_reduced_whole(b, q, (const double(*)[4])b->rate, b->force).center;
  for (int i = 0; i < b->size; i++) {
    bool place = i % 4 == 3;
    vlVec3 a = vl_add(place ? pull : vl_vec(0, 0, 0), vl_vec(b->pushed[i][0], b->pushed[i][1], b->pushed[i][2])),
           r = vl_vec(q[i][0], q[i][1], q[i][2]);
    if (turns) a = vl_add(a, vl_cross(b->turning, place ? vl_sub(r, center) : r));
    for (int c = 0; c < 3; c++) b->next[i][c] = kept * (b->rate[i][c] + dt * a.v[c]);
    b->next[i][3] = 0.0;
  }
}

/* y without its mean deformation and place -> gone. */
static void leave_affine_out(vlReduced *b, const double (*y)[4])
{
  double L[12] = {0}, t[3] = {0};
  for (int c = 0; c < b->cluster_count; c++)
    for (int i = 0; i < 12; i++) L[i] += b->cluster_volume[c] / b->volume * b->turned[c][i];
  memcpy(b->gone, y, (size_t)b->size * sizeof *b->gone);
  for (int g = 0; g < b->handle_count; g++)
    for (int i = 0; i < 3; i++) {
      double(*row)[4] = b->gone + 4 * g;
      for (int d = 0; d < 3; d++) {
        row[d][i] -= b->radius * L[4 * d + i];
        row[3][i] -= b->handle[g].v[d] * L[4 * d + i];
      }
      t[i] += row[3][i] / b->handle_count;
    }
  for (int g = 0; g < b->handle_count; g++)
    for (int i = 0; i < 3; i++) b->gone[4 * g + 3][i] -= t[i];
}

/* - lambda H y, added; `turned` is there. */
static void resist_inside(vlReduced *b, const double (*y)[4], double (*out)[4])
{
  double lambda = vl_reduced_lambda(b);
  leave_affine_out(b, y);
  vl_reduced_product(b->stiffness, b->size, (const double(*)[4])b->gone, b->force);
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 3; c++) out[i][c] -= lambda * b->force[i][c];
  for (int c = 0; c < b->cluster_count; c++) {
    double F[12] = {0};
    add_deformation(b, c, (const double(*)[4])b->gone, F);
    for (int i = 0; i < 12; i++) F[i] *= lambda * b->cluster_volume[c];
    add_stress(b, c, F, out);
  }
}

/* What does not change from iteration to iteration: strain within clusters, clamps, hands and forces at nodes, at y -> out.
 */
static void hold(vlReduced *b, const double (*y)[4], bool pushed, double (*out)[4])
{
  if (pushed)
    vl_reduced_collect(b, b->body.force, out);
  else
    memset(out, 0, (size_t)b->size * sizeof *out);
  resist_inside(b, y, out);
  add_clamps(b, y, 1.0, out);
  if (vl_reduced_is_grabbed(b)) vl_reduced_grabs_pull(b, y, out);
}

/* Gives back the spin that the step has lost, twice, for the arms grow a little by it. */
static void keep_spin(vlReduced *b, double dt, vlVec3 spin)
{
  const double(*q)[4] = (const double(*)[4])b->q;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < b->size; i++)
      for (int c = 0; c < 4; c++) b->moved[i][c] = q[i][c] + dt * b->next[i][c];
    vlReducedWhole now = vl_reduced_whole(b, (const double(*)[4])b->moved, (const double(*)[4])b->next, b->force);
    vlMat3 inverse;
    if (!vl_mat_inverse(now.inertia, &inverse)) return;
    vlVec3 delta = vl_mat_apply(inverse, vl_sub(spin, now.spin));
    for (int i = 0; i < b->size; i++) {
      vlVec3 arm = vl_vec(b->moved[i][0], b->moved[i][1], b->moved[i][2]);
      vlVec3 v = vl_cross(delta, i % 4 == 3 ? vl_sub(arm, now.center) : arm);
      for (int c = 0; c < 3; c++) b->next[i][c] += v.v[c];
    }
  }
}

void vl_reduced_add_gone(vlReduced *b, double scale)
{
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 4; c++) b->next[i][c] += scale * b->gone[i][c];
}

vlVec3 vl_reduced_torque(const vlReduced *b, vlVec3 center, const double (*force)[4])
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < b->size; i++) {
    vlVec3 arm = vl_vec(b->q[i][0], b->q[i][1], b->q[i][2]), f = vl_vec(force[i][0], force[i][1], force[i][2]);
    sum = vl_add(sum, vl_cross(i % 4 == 3 ? vl_sub(arm, center) : arm, f));
  }
  return sum;
}

bool vl_reduced_is_free(const vlReduced *b)
{
  return !any(b->body.force, b->body.node_count) && !is_clamped(b) && b->body.control.grab_count == 0;
}

void vl_reduced_relax(vlReduced *b, double dt, const double (*more)[4])
{
  size_t n = (size_t)b->size;
  bool pushed = any(b->body.force, b->body.node_count);
  bool is_free = vl_reduced_is_free(b);
  vlVec3 spin = vl_vec(0, 0, 0);
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < 4; c++) b->moved[i][c] = b->q[i][c] + dt * b->next[i][c];
  if (is_free) {
    vlReducedWhole w = vl_reduced_whole(b, (const double(*)[4])b->q, (const double(*)[4])b->next, b->force);
    spin = more ? vl_axpy(w.spin, dt, vl_reduced_torque(b, w.center, more)) : w.spin;
  }
#pragma omp parallel for schedule(static) if (b->cluster_count > SERIAL_CLUSTERS)
  for (int c = 0; c < b->cluster_count; c++) {
    memset(b->turned[c], 0, sizeof b->turned[c]);
    add_deformation(b, c, (const double(*)[4])b->moved, b->turned[c]);
  }
  hold(b, (const double(*)[4])b->moved, pushed, b->held_force);
  for (size_t i = 0; i < n && more; i++)
    for (int c = 0; c < 4; c++) b->held_force[i][c] += more[i][c];
  memset(b->gone, 0, n * sizeof *b->gone);
  for (int k = 0; k < b->iterations; k++) {
    pull_clusters(b, (const double(*)[4])b->gone, b->force);
    for (size_t i = 0; i < n; i++)
      for (int c = 0; c < 4; c++) b->force[i][c] += b->held_force[i][c];
    vl_reduced_answer(b, (const double(*)[4])b->force, b->gone);
  }
  vl_reduced_add_gone(b, 1.0 / dt);
  if (is_free) keep_spin(b, dt, spin);
}

/* The motion without liquid -> next. */
static vlCode advance(vlReduced *b, double dt, vlVec3 gravity, vlStatus *status)
{
  vlCode code = vl_reduced_build(b, dt, status);
  if (!code) code = vl_reduced_grabs_begin(b, dt, status);
  if (code) return code;
  fall(b, dt, gravity);
  memcpy(b->fallen, b->next, (size_t)b->size * sizeof *b->fallen);
  vl_reduced_relax(b, dt, NULL);
  return VL_OK;
}

double vl_reduced_strains(const vlReduced *b)
{
  double most = 0.0;
#pragma omp parallel for schedule(static) reduction(max : most) if (b->cluster_count > SERIAL_CLUSTERS)
  for (int c = 0; c < b->cluster_count; c++) {
    double F[12] = {0}, D[12] = {0}, sum = 0.0;
    vlMat3 now, change;
    add_deformation(b, c, (const double(*)[4])b->moved, F);
    add_deformation(b, c, (const double(*)[4])b->gone, D);
    for (int i = 0; i < 9; i++) {
      now.m[i % 3][i / 3] = F[4 * (i / 3) + i % 3];
      change.m[i % 3][i / 3] = D[4 * (i / 3) + i % 3];
    }
    change = vl_mat_multiply(vl_mat_transpose(nearest_rotation(&now)), change);
    for (int i = 0; i < 9; i++) {
      double strain = 0.5 * (change.m[i / 3][i % 3] + change.m[i % 3][i / 3]);
      sum += strain * strain;
    }
    most = fmax(most, sqrt(sum));
  }
  return most;
}

/* q += dt next; nodes and grains with it. */
static vlCode take(vlReduced *b, double dt, vlStatus *status)
{
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 3; c++)
      if (!isfinite(b->next[i][c]))
        return vl_fail(status, VL_ERROR_SOLVER, "a reduced body has lost its velocity: not finite");
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 4; c++) {
      b->rate[i][c] = b->next[i][c];
      b->q[i][c] += dt * b->next[i][c];
    }
  vl_reduced_follow(b);
  return VL_OK;
}

/* What clamps push with at the shape y, beside what they do already. */
static void react(vlReduced *b, const double (*y)[4])
{
  for (int v = 0; v < b->body.node_count && is_clamped(b); v++) {
    const bool *clamped = b->clamped + 3 * v;
    if (!clamped[0] && !clamped[1] && !clamped[2]) continue;
    vlVec3 x = vl_reduced_row(b, y, v);
    for (int a = 0; a < 3; a++)
      if (clamped[a]) b->body.reaction[v].v[a] += b->clamp_weight[a] * (b->target[3 * v + a] - x.v[a]);
  }
}

/* What grains are likely to be pushed with, as the subspace has it. */
static void find_push(vlReduced *b)
{
  vlGrains *g = &b->grains;
  vlVec3 mean = vl_vec(0, 0, 0);
  for (int p = 0; p < g->count; p++) mean = vl_axpy(mean, 1.0 / g->count, vl_add(g->push[p], g->touch[p]));
#pragma omp parallel for schedule(static) if (g->count > 4096)
  for (int p = 0; p < g->count; p++) g->wanted[p] = vl_axpy(mean, EXPECTED, vl_sub(vl_add(g->push[p], g->touch[p]), mean));
  vl_reduced_collect_grains(b, g->wanted, b->force);
  vl_reduced_project(b, (const double(*)[4])b->force, b->pushed);
}

vlCode vl_reduced_predict(vlBody *body, double dt, vlVec3 gravity, vlStatus *status)
{
  assert(dt > 0.0);
  vlReduced *b = (vlReduced *)body;
  vlCode code = vl_reduced_build(b, dt, status);
  if (code) return code;
  b->grains.held = is_clamped(b);
  find_push(b);
  code = advance(b, dt, gravity, status);
  if (!code) code = vl_reduced_stop(b, dt, status);
  if (code) return code;
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 4; c++) b->next[i][c] -= dt * b->pushed[i][c];
  vl_reduced_spread_grains(b, (const double(*)[4])b->next, b->grains.wanted);
  return VL_OK;
}

vlCode vl_reduced_settle(vlBody *body, const vlVec3 *grain_x, double dt, vlStatus *status)
{
  assert(dt > 0.0);
  vlReduced *b = (vlReduced *)body;
  vlGrains *g = &b->grains;
#pragma omp parallel for schedule(static) if (g->count > 4096)
  for (int p = 0; p < g->count; p++) g->v[p] = vl_sub(grain_x[p], vl_axpy(g->x[p], dt, g->wanted[p])); /* x_p - P q_el */
  vl_reduced_collect_grains(b, g->v, b->force);
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 4; c++) {
      b->moved[i][c] = b->q[i][c] + dt * b->next[i][c];
      b->gone[i][c] = b->next[i][c] + dt * b->pushed[i][c];
    }
  vl_reduced_grabs_finish(b, (const double(*)[4])b->gone); /* of the elastic step, which knew what would push */
  add_clamps(b, (const double(*)[4])b->moved, 1.0 / vl_reduced_inertia(b, dt), b->force);
  vl_reduced_project(b, (const double(*)[4])b->force, b->gone);
  vlCode code = vl_reduced_limit(b, dt, status);
  if (!code) code = take(b, dt, status);
  if (code) vl_reduced_follow(b); /* as it was */
  if (code) return code;
  memset(body->reaction, 0, (size_t)body->node_count * sizeof *body->reaction);
#pragma omp parallel for schedule(static) if (g->count > 4096)
  for (int p = 0; p < g->count; p++) g->wanted[p] = vl_scale(g->push[p], g->mass);
  vl_reduced_from_grains(b, g->wanted, body->load);
  react(b, (const double(*)[4])b->moved); /* in the elastic step, and in the projection */
  react(b, (const double(*)[4])b->q);
  return VL_OK;
}

/* A^-1 U^T r / dt -> gone */
static void answer_loads(vlReduced *b, const vlVec3 *r)
{
  vl_reduced_collect(b, r, b->force);
  vl_reduced_answer(b, (const double(*)[4])b->force, b->gone);
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 4; c++) b->gone[i][c] /= b->body.dt;
}

/* The weight of the liquid is a load like that of the pressures it belongs to. Its inertia is left out: it would be another
 * matrix in every step, and along each axis another. */
vlCode vl_reduced_carry(vlBody *body, vlLayerPiece *piece, int count, vlLayerPieces *deeper, vlStatus *status)
{
  (void)deeper, (void)status;
  vlReduced *b = (vlReduced *)body;
  memset(b->carried, 0, (size_t)body->node_count * sizeof *b->carried);
  b->carries = count > 0;
  for (int i = 0; i < count; i++) {
    vlLayerPiece *q = &piece[i];
    q->inertia = q->clings = 0.0;
    for (int k = 0; k < q->nodes; k++) b->carried[q->node[k]] = vl_axpy(b->carried[q->node[k]], q->b[k] * q->weight, q->n);
  }
  return VL_OK;
}

vlCode vl_reduced_begin(vlBody *body, double dt, vlVec3 gravity, vlStatus *status)
{
  assert(dt > 0.0 && body->kick == 0.0); /* the scene's check refuses leapfrog */
  vlReduced *b = (vlReduced *)body;
  body->dt = 0.0;
  body->inverted = vl_body_inverted(body);
  vlCode code = advance(b, dt, gravity, status);
  if (code) return code;
  body->dt = dt;
  if (b->carries) {
    answer_loads(b, b->carried);
    vl_reduced_add_gone(b, 1.0);
  }
  vl_reduced_spread(b, (const double(*)[4])b->next, body->given);
  memcpy(body->base, body->x, (size_t)body->node_count * sizeof *body->x);
  memset(body->w, 0, (size_t)body->node_count * sizeof *body->w);
  body->span = dt;
  return VL_OK;
}

void vl_reduced_solve(vlBody *body, const vlVec3 *r, vlVec3 *y)
{
  vlReduced *b = (vlReduced *)body;
  answer_loads(b, r);
  vl_reduced_spread(b, (const double(*)[4])b->gone, y);
}

vlCode vl_reduced_finish(vlBody *body, const vlVec3 *load, vlStatus *status)
{
  assert(body->dt > 0.0);
  vlReduced *b = (vlReduced *)body;
  if (load) {
    answer_loads(b, load);
    vl_reduced_add_gone(b, 1.0);
  }
  vl_reduced_grabs_finish(b, (const double(*)[4])b->next);
  vlCode code = take(b, body->dt, status);
  if (code) return code;
  memset(body->reaction, 0, (size_t)body->node_count * sizeof *body->reaction);
  react(b, (const double(*)[4])b->q);
  body->dt = 0.0;
  return VL_OK;
}
