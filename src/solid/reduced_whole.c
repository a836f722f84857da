/* What a reduced body does as a whole, of its few unknowns q and their rate alone:
 *
 *     p = sum over constants of m G v        c = the same of G q / m        L = sum q_i x (m G v)_i - c x p
 *     I = tr(S) - S,  S = m q^T G q - m c c^T
 *
 * which are those of its grains for affine motions (reduced_matrices.c). How far it has turned is the rotation nearest to
 * the mean of F; its energy follows from K and the clusters. In: shape and motion. Out: mass, momenta, inertia, energy,
 * turn. */
#include <math.h>
#include <stdlib.h>

#include "solid/reduced_parts.h"

static vlVec3 as_vector(const double row[4]) { return vl_vec(row[0], row[1], row[2]); }

vlReducedWhole vl_reduced_whole(const vlReduced *b, const double (*q)[4], const double (*rate)[4], double (*scratch)[4])
{
  vlReducedWhole w = {.mass = b->grains.mass * b->grains.count};
  double m = b->grains.mass, second[3][3] = {{0}}, trace = 0.0;
  vl_reduced_product(b->gram, b->size, q, scratch);
  for (int i = 0; i < b->size; i++) {
    if (i % 4 == 3) w.center = vl_axpy(w.center, m / w.mass, as_vector(scratch[i]));
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) second[r][c] += m * q[i][r] * scratch[i][c];
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) second[r][c] -= w.mass * w.center.v[r] * w.center.v[c];
  trace = second[0][0] + second[1][1] + second[2][2];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) w.inertia.m[r][c] = (r == c ? trace : 0.0) - 0.5 * (second[r][c] + second[c][r]);
  vl_reduced_product(b->gram, b->size, rate, scratch);
  for (int i = 0; i < b->size; i++) {
    vlVec3 p = vl_scale(as_vector(scratch[i]), m), arm = as_vector(q[i]);
    if (i % 4 == 3) {
      w.momentum = vl_add(w.momentum, p);
      arm = vl_sub(arm, w.center);
    }
    w.spin = vl_add(w.spin, vl_cross(arm, p));
    w.kinetic += 0.5 * vl_dot(p, as_vector(rate[i]));
  }
  return w;
}

/* Mean deformation gradient of a cluster, at the shape q. */
static vlMat3 cluster_mean(const vlReduced *b, const double (*q)[4], int c)
{
  vlMat3 F = {0};
  for (int64_t e = b->block_start[c]; e < b->block_start[c + 1]; e++)
    for (int d = 0; d < 3; d++)
      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++) F.m[i][d] += b->block[e][4 * d + j] * q[4 * b->block_handle[e] + j][i];
  return F;
}

/* The rotation nearest to the mean of F. */
static vlMat3 mean_rotation(const vlReduced *b)
{
  vlMat3 mean = {0}, R = vl_mat_identity();
  for (int c = 0; c < b->cluster_count; c++) {
    vlMat3 F = cluster_mean(b, (const double(*)[4])b->q, c);
    for (int i = 0; i < 9; i++) mean.m[i / 3][i % 3] += b->cluster_volume[c] / b->volume * F.m[i / 3][i % 3];
  }
  vl_mat_polar(mean, &R);
  return R;
}

/* delta = q less the form at rest, turned by R and put to its first handle: stretch and bend. */
static void take_turn_out(const vlReduced *b, vlMat3 R, double (*delta)[4])
{
  vlVec3 place = vl_sub(as_vector(b->q[3]), vl_mat_apply(R, b->handle[0]));
  for (int i = 0; i < b->size; i++) {
    vlVec3 at = vl_add(vl_mat_apply(R, b->handle[i / 4]), place);
    for (int c = 0; c < 3; c++) delta[i][c] = b->q[i][c] - (i % 4 < 3 ? b->radius * R.m[c][i % 4] : at.v[c]);
    delta[i][3] = 0.0;
  }
}

/* sum_j V_j |F_j - R_c|^2 = sum_c V_c |F_c - R_c|^2 + sum_j V_j |F_j - F_c|^2, of which the last is tr(q^T K q) - sum_c V_c
 * |F_c|^2, for delta as for q. */
double vl_reduced_energy(const vlReduced *b)
{
  size_t n = (size_t)b->size;
  double(*delta)[4] = malloc(2 * n * sizeof *delta), sum = 0.0;
  if (!delta) return NAN;
  take_turn_out(b, mean_rotation(b), delta);
  const double(*d)[4] = (const double(*)[4])delta;
  vl_reduced_product(b->stiffness, b->size, d, delta + n);
  for (size_t i = 0; i < n; i++) sum += vl_dot(as_vector(delta[i]), as_vector(delta[n + i]));
  for (int c = 0; c < b->cluster_count; c++) {
    vlMat3 F = cluster_mean(b, (const double(*)[4])b->q, c), bend = cluster_mean(b, d, c), R = vl_mat_identity();
    vl_mat_polar(F, &R);
    double strained = 0.0;
    for (int i = 0; i < 9; i++) {
      double strain = F.m[i / 3][i % 3] - R.m[i / 3][i % 3];
      strained += strain * strain - bend.m[i / 3][i % 3] * bend.m[i / 3][i % 3];
    }
    sum += b->cluster_volume[c] * strained;
  }
  free(delta);
  return 0.5 * vl_reduced_lambda(b) * fmax(sum, 0.0);
}

vlVec3 vl_reduced_turn(const vlReduced *b) { return vl_rotation_vector(mean_rotation(b)); }
