/* Liquid that a rigid body carries: M_c = sum m h h^T and its weight, of the pieces of its surface (rigid.h).
 *
 * Pieces with m < 0 take away what links between cells count too much. Of a light body they might leave no mass, so that no
 * more than MOST of the body's own is ever taken in any direction: with the eigenvalues e of M_c against M all inertia is
 * counted by the part min(1, MOST / -e) of itself, the positive pieces too, since the two cancel on curved faces. The weight
 * is counted whole: forces may have either sign.
 *
 * What clings to a body that is lighter than a film of liquid (layer.h) is M's, too. On a small wet spot it would let the
 * body turn about that spot, and on round ones about any axis, by torques that are errors of the pressure; so it also turns
 * as the body does, with the film's mass and the body's radii of gyration. In: pieces. Out: M_c, with what clings, the
 * weight, and what counts of each piece. */
#include "base/vec.h"
#include "linear/solve.h"
#include "solid/rigid_body.h"

static const double MOST = 0.75; /* of a body's mass that pieces may take away */

static void find_arm(const vlRigid *r, vlVec3 x, vlVec3 n, double h[6])
{
  vlVec3 turn = vl_cross(vl_sub(x, r->pose.center), n);
  for (int a = 0; a < 3; a++) {
    h[a] = n.v[a];
    h[3 + a] = turn.v[a];
  }
}

/* A += m h h^T */
static void add_mass(vlMat6 *A, double m, const double h[6])
{
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) A->m[a][b] += m * (h[a] * h[b]);
}

static vlMat6 cling(const vlRigid *r, vlLayerPiece *piece, int count)
{
  vlMat6 film = {{{0}}};
  vlMat3 inertia = vl_rigid_inertia(r);
  double mass = vl_pieces_cling(piece, count, r->mass);
  for (int q = 0; q < count && mass > 0.0; q++)
    for (int a = 0; a < 3; a++) {
      vlVec3 axis = vl_vec(0, 0, 0);
      double h[6];
      axis.v[a] = 1.0;
      find_arm(r, piece[q].x, axis, h);
      add_mass(&film, piece[q].clings, h);
    }
  for (int i = 0; i < 9; i++) film.m[3 + i / 3][3 + i % 3] += mass / r->mass * inertia.m[i / 3][i % 3];
  return film;
}

/* Smallest e with M_c x = e M x, 0 where there is none below; of a body that cannot turn nothing is known: -infinity. */
static double least_eigenvalue(const vlRigid *r, const vlMat6 *film)
{
  int at[6], n = vl_rigid_free(r, at);
  double G[36], A[36], vectors[36], least = 0.0;
  vlMat6 M = vl_rigid_matrix(r);
  for (int i = 0; i < n * n; i++) G[i] = M.m[at[i / n]][at[i % n]] + film->m[at[i / n]][at[i % n]];
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
    find_arm(r, piece[q].x, piece[q].n, h);
    for (int a = 0; a < 6; a++) weight[a] += piece[q].weight * h[a];
    add_mass(&r->carried, piece[q].mass, h);
  }
  r->carried_weight = (vlRigidMode){vl_vec(weight[0], weight[1], weight[2]), vl_vec(weight[3], weight[4], weight[5])};
  vlMat6 film = cling(r, piece, count);
  double least = count > 0 ? least_eigenvalue(r, &film) : 0.0, part = least < -MOST ? MOST / -least : 1.0;
  for (int i = 0; i < 36; i++) r->carried.m[i / 6][i % 6] = part * r->carried.m[i / 6][i % 6] + film.m[i / 6][i % 6];
  for (int q = 0; q < count; q++) piece[q].inertia = part * piece[q].mass;
  return VL_OK;
}
