/* What a reduced body does as a whole, of its few unknowns q and their rate alone:
 *
 *     p = sum over constants of m G v        c = the same of G q / m        L = sum q_i x (m G v)_i - c x p
 *     I = tr(S) - S,  S = m q^T G q - m c c^T
 *
 * which are those of its grains for affine motions (reduced_matrices.c). How far it has turned is the rotation nearest to
 * the mean of F; its energy is summed over tetrahedra. In: shape and motion. Out: mass, momenta, inertia, energy, turn. */
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

/* Mean deformation gradients of the clusters. */
static vlMat3 cluster_mean(const vlReduced *b, int c)
{
  vlMat3 F = {0};
  for (int64_t e = b->block_start[c]; e < b->block_start[c + 1]; e++)
    for (int d = 0; d < 3; d++)
      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++) F.m[i][d] += b->block[e][4 * d + j] * b->q[4 * b->block_handle[e] + j][i];
  return F;
}

double vl_reduced_energy(const vlReduced *b)
{
  enum { PIECES = VL_REDUCED_PIECES };
  double piece[PIECES] = {0}, sum = 0.0;
  vlMat3 *R = malloc((size_t)b->cluster_count * sizeof *R);
  if (!R) return NAN;
  for (int c = 0; c < b->cluster_count; c++) {
    R[c] = vl_mat_identity();
    vl_mat_polar(cluster_mean(b, c), &R[c]);
  }
#pragma omp parallel for schedule(static)
  for (int p = 0; p < PIECES; p++)
    for (int64_t e = (int64_t)b->body.element_count * p / PIECES; e < (int64_t)b->body.element_count * (p + 1) / PIECES;
         e++) {
      vlVec3 g[4];
      vlMat3 F = vl_reduced_deformation(b, (int)e, b->body.x);
      for (int i = 0; i < 9; i++) F.m[i / 3][i % 3] -= R[b->cluster[e]].m[i / 3][i % 3];
      double size = vl_mat_norm(F);
      piece[p] += vl_reduced_gradients(b, (int)e, g) * size * size;
    }
  for (int p = 0; p < PIECES; p++) sum += piece[p];
  free(R);
  return 0.5 * vl_reduced_lambda(b) * sum;
}

vlVec3 vl_reduced_turn(const vlReduced *b)
{
  vlMat3 mean = {0}, R = vl_mat_identity();
  for (int c = 0; c < b->cluster_count; c++) {
    vlMat3 F = cluster_mean(b, c);
    for (int i = 0; i < 9; i++) mean.m[i / 3][i % 3] += b->cluster_volume[c] / b->volume * F.m[i / 3][i % 3];
  }
  vl_mat_polar(mean, &R);
  return vl_rotation_vector(R);
}
