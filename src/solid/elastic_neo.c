/* Stable neo-Hookean elasticity at one integration point [smith2018].
 *
 *     Psi = mu/2 (I - 3) - mu (J - 1) + lambda/2 (J - 1)^2          I = |F|^2, J = det F
 *     P   = mu F + s cof F                                          s = lambda (J - 1) - mu
 *
 * a polynomial, without a pole at J = 0: flat and inside out are shapes like others, only dear. (The terms in J are the
 * paper's lambda/2 (J - alpha)^2 with alpha = 1 + mu/lambda, by which P = 0 at F = I.) The paper's further -mu/2 log(I + 1)
 * is left out: it matters to what is crushed towards a point, and would cost the plain formulas below. Small strains are
 * answered by 2 mu eps + (lambda - mu) tr(eps) I, hence with Lame's constants mu = mu_L, lambda = lambda_L + mu_L.
 *
 * Eigenvectors of dP/dF at F = U diag(sigma) V^T, k the axis beside i and j:
 *
 *     twists       U (e_i e_j^T - e_j e_i^T) V^T / sqrt 2      mu + s sigma_k
 *     flips        U (e_i e_j^T + e_j e_i^T) V^T / sqrt 2      mu - s sigma_k
 *     stretches    U diag(q) V^T                               q and value from A, 3x3: the derivatives in sigma alone
 *
 * Some are negative where a point is crushed and would rather buckle. To make the tangent positive, twists become 0: they
 * are local turns, and a body under pressure, as in deep water, must not find it hard to turn. Flips and stretches are taken
 * by their size [chen2024]: were they 0 too, nothing but inertia would hold a step back, and a crushed body would burst.
 *
 * In: F. Out: energy, stress, tangent. */
#include "solid/elastic_neo.h"

#include <float.h>
#include <string.h>

#include "base/vec.h"

vlNeo vl_neo_from_lame(double lambda, double mu) { return (vlNeo){mu, lambda + mu}; }

/* s = lambda (J - 1) - mu */
static double slope(vlNeo neo, double J) { return neo.lambda * (J - 1.0) - neo.mu; }

/* In e = sigma - 1, so that terms of first order, which cancel, do not leave their round-off:
 *     (I - 3)/2 - (J - 1) = |e|^2/2 - (e0 e1 + e1 e2 + e2 e0) - e0 e1 e2 */
double vl_neo_energy(vlNeo neo, vlMat3 F)
{
  vlMat3 U, V;
  double sigma[3];
  if (!vl_mat_svd(F, &U, sigma, &V)) return NAN;
  vlVec3 e = vl_vec(sigma[0] - 1.0, sigma[1] - 1.0, sigma[2] - 1.0);
  double pairs = e.x * e.y + e.y * e.z + e.z * e.x, all = e.x * e.y * e.z;
  double volume = e.x + e.y + e.z + pairs + all; /* J - 1 */
  return neo.mu * (0.5 * vl_dot(e, e) - pairs - all) + 0.5 * neo.lambda * volume * volume;
}

vlMat3 vl_neo_stress(vlNeo neo, vlMat3 F)
{
  double s = slope(neo, vl_mat_determinant(F));
  vlMat3 P;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) { /* cyclic indices carry the cofactor's sign */
      int r = (i + 1) % 3, t = (i + 2) % 3, k = (j + 1) % 3, l = (j + 2) % 3;
      double cofactor = F.m[r][k] * F.m[t][l] - F.m[r][l] * F.m[t][k];
      P.m[i][j] = neo.mu * F.m[i][j] + s * cofactor; /* P = mu F + s cof F */
    }
  return P;
}

/* A becomes Q^T A Q, diagonal to round-off, by Jacobi's rotations [golub2013, sec. 8.5]. */
static void diagonalise(vlMat3 *A, vlMat3 *Q)
{
  *Q = vl_mat_identity();
  for (int sweep = 0; sweep < 20; sweep++) {
    bool turned = false;
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3;
      double off = A->m[p][q], gap = A->m[q][q] - A->m[p][p];
      if (fabs(off) <= 0.5 * DBL_EPSILON * (fabs(A->m[p][p]) + fabs(A->m[q][q]))) continue;
      double zeta = gap / (2.0 * off), t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
      double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
      vlMat3 turn = vl_mat_identity();
      turn.m[p][p] = turn.m[q][q] = c;
      turn.m[p][q] = s;
      turn.m[q][p] = -s;
      *A = vl_mat_multiply(vl_mat_transpose(turn), vl_mat_multiply(*A, turn));
      *Q = vl_mat_multiply(*Q, turn);
      A->m[p][q] = A->m[q][p] = 0.0;
      turned = true;
    }
    if (!turned) return;
  }
}

/* H += value d d^T for the unit direction d, its upper half. */
static void add_direction(double H[9][9], double value, vlMat3 direction)
{
  const double *d = &direction.m[0][0];
  for (int r = 0; r < 9; r++) {
    double scaled = value * d[r];
    for (int c = r; c < 9; c++) H[r][c] += scaled * d[c];
  }
}

/* a U e_i e_j^T V^T + b U e_j e_i^T V^T */
static vlMat3 across(vlMat3 U, vlMat3 V, int i, int j, double a, double b)
{
  vlMat3 D;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) D.m[r][c] = a * U.m[r][i] * V.m[c][j] + b * U.m[r][j] * V.m[c][i];
  return D;
}

/* U diag(q) V^T with column m of Q for q. */
static vlMat3 along(vlMat3 U, vlMat3 V, vlMat3 Q, int m)
{
  vlMat3 D;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      D.m[r][c] = Q.m[0][m] * U.m[r][0] * V.m[c][0] + Q.m[1][m] * U.m[r][1] * V.m[c][1] + Q.m[2][m] * U.m[r][2] * V.m[c][2];
  return D;
}

void vl_neo_tangent(vlNeo neo, vlMat3 F, bool positive, double H[9][9])
{
  vlMat3 U, V, A, Q;
  double sigma[3];
  memset(H, 0, 81 * sizeof(double));
  if (!vl_mat_svd(F, &U, sigma, &V)) return;
  double mu = neo.mu, s = slope(neo, sigma[0] * sigma[1] * sigma[2]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double cof_i = sigma[(i + 1) % 3] * sigma[(i + 2) % 3], cof_j = sigma[(j + 1) % 3] * sigma[(j + 2) % 3];
      A.m[i][j] = neo.lambda * cof_i * cof_j + (i == j ? mu : s * sigma[3 - i - j]); /* k = 3 - i - j */
    }
  diagonalise(&A, &Q);
  const double root = sqrt(0.5);
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double twist = mu + s * sigma[k], flip = mu - s * sigma[k], stretch = A.m[k][k];
    add_direction(H, positive ? fmax(twist, 0.0) : twist, across(U, V, i, j, root, -root));
    add_direction(H, positive ? fabs(flip) : flip, across(U, V, i, j, root, root));
    add_direction(H, positive ? fabs(stretch) : stretch, along(U, V, Q, k));
  }
  for (int r = 1; r < 9; r++)
    for (int q = 0; q < r; q++) H[r][q] = H[q][r];
}
