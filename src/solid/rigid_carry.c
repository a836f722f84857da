/* Liquid that a rigid body carries: M_c = sum m h h^T and its weight, of the pieces of its surface (rigid.h).
 *
 * Pieces with m < 0 take away what links between cells count too much. Of a light body they might leave no mass, so that no
 * more than MOST of the body's own is ever taken in any direction: with the eigenvalues e of M_c against M all inertia is
 * counted by the part min(1, MOST / -e) of itself, the positive pieces too, since the two cancel on curved faces. The weight
 * is counted whole: forces may have either sign. In: pieces. Out: M_c, its weight, and what of each piece's mass counts. */
#include "base/vec.h"
#include "linear/solve.h"
#include "solid/rigid_body.h"

static const double MOST = 0.75; /* of a body's mass that pieces may take away */

static void find_arm(const vlRigid *r, const vlLayerPiece *q, double h[6])
{
  vlVec3 turn = vl_cross(vl_sub(q->x, r->pose.center), q->n);
  for (int a = 0; a < 3; a++) {
    h[a] = q->n.v[a];
    h[3 + a] = turn.v[a];
  }
}

/* Smallest e with M_c x = e M x, 0 where there is none below; of a body that cannot turn nothing is known: -infinity. */
static double least_eigenvalue(const vlRigid *r)
{
  int at[6], n = vl_rigid_free(r, at);
  double G[36], A[36], vectors[36], least = 0.0;
  vlMat6 M = vl_rigid_matrix(r);
  for (int i = 0; i < n * n; i++) G[i] = M.m[at[i / n]][at[i % n]];
  if (!vl_dense_factor(G, n)) return -INFINITY;
  for (int i = 0; i < n * n; i++) A[i] = r->carried.m[at[i / n]][at[i % n]];
  for (int side = 0; side < 2; side++) { /* G^-1 M_c G^-T: columns, then rows */
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double *x = side ? A + j * n : A + j, sum = 0.0;
        int step = side ? 1 : n;
        for (int k = 0; k < i; k++) sum += G[i * n + k] * x[k * step];
        x[i * step] = (x[i * step] - sum) / G[i * n + i];
      }
  }
  vl_dense_eigen(A, n, vectors);
  for (int i = 0; i < n; i++) least = fmin(least, A[i * n + i]);
  return least;
}

vlCode vl_rigid_body_carry(vlBody *body, vlLayerPiece *piece, int count, vlLayerPieces *deeper, vlStatus *status)
{
  (void)deeper, (void)status;
  vlRigid *r = vl_rigid_of(body);
  double weight[6] = {0};
  r->carried = (vlMat6){{{0}}};
  for (int q = 0; q < count; q++) {
    double h[6];
    find_arm(r, &piece[q], h);
    for (int a = 0; a < 6; a++) {
      weight[a] += piece[q].weight * h[a];
      for (int b = 0; b < 6; b++) r->carried.m[a][b] += piece[q].mass * (h[a] * h[b]);
    }
  }
  r->carried_weight = (vlRigidMode){vl_vec(weight[0], weight[1], weight[2]), vl_vec(weight[3], weight[4], weight[5])};
  double least = count > 0 ? least_eigenvalue(r) : 0.0, part = least < -MOST ? MOST / -least : 1.0;
  if (part == 1.0) return VL_OK;
  for (int i = 0; i < 36; i++) r->carried.m[i / 6][i % 6] *= part;
  for (int q = 0; q < count; q++) piece[q].inertia = part * piece[q].mass;
  return VL_OK;
}
