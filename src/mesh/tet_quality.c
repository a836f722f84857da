/* Measures of tetrahedra.
 *
 * The dihedral angle at the edge shared by faces with area vectors A and B, pointing outwards, is
 *
 *     atan2(|A x B|, -A . B),
 *
 * exact near 0 and 180 degrees too. With the volume V, the faces' areas and edge vectors a, b, c from one corner
 *
 *     r = 3 V / sum of areas        R = | |a|^2 b x c + |b|^2 c x a + |c|^2 a x b | / 12 V
 *
 * are the radii of the inner and outer sphere. In: mesh. Out: extremes, means and histograms. */
#include "mesh/tetmesh.h"

/* Area vectors of the faces opposite to each corner. */
static void areas_of(const vlVec3 x[4], vlVec3 area[4])
{
  for (int k = 0; k < 4; k++) {
    const int *c = vl_tet_face_corner[k];
    area[k] = vl_scale(vl_cross(vl_sub(x[c[1]], x[c[0]]), vl_sub(x[c[2]], x[c[0]])), 0.5);
  }
}

void vl_tet_dihedrals(const vlVec3 x[4], double angle[6])
{
  static const int faces[6][2] = {{2, 3}, {1, 3}, {1, 2}, {0, 3}, {0, 2}, {0, 1}};
  vlVec3 area[4];
  areas_of(x, area);
  for (int e = 0; e < 6; e++) {
    vlVec3 a = area[faces[e][0]], b = area[faces[e][1]];
    angle[e] = atan2(vl_norm(vl_cross(a, b)), -vl_dot(a, b)) * 180.0 / VL_PI;
  }
}

double vl_tet_ratio(const vlVec3 x[4])
{
  vlVec3 area[4], a = vl_sub(x[1], x[0]), b = vl_sub(x[2], x[0]), c = vl_sub(x[3], x[0]);
  areas_of(x, area);
  double volume = vl_dot(c, vl_cross(a, b)) / 6.0, sum = 0.0;
  for (int k = 0; k < 4; k++) sum += vl_norm(area[k]);
  vlVec3 outer = vl_scale(vl_cross(b, c), vl_dot(a, a));
  outer = vl_axpy(outer, vl_dot(b, b), vl_cross(c, a));
  outer = vl_axpy(outer, vl_dot(c, c), vl_cross(a, b));
  double product = sum * vl_norm(outer); /* 3 V / r times 12 V R */
  return product > 0.0 ? 108.0 * volume * fabs(volume) / product : 0.0;
}

static int bin_of(double share)
{
  int bin = (int)(share * VL_QUALITY_BINS + 1e-9); /* angles of 60 and 90 degrees are frequent, but for rounding */
  return bin < 0 ? 0 : bin < VL_QUALITY_BINS ? bin : VL_QUALITY_BINS - 1;
}

static void add_tet(vlTetQuality *q, const vlVec3 x[4])
{
  double angle[6], ratio = vl_tet_ratio(x);
  vl_tet_dihedrals(x, angle);
  for (int e = 0; e < 6; e++) {
    q->dihedral_least = fmin(q->dihedral_least, angle[e]);
    q->dihedral_most = fmax(q->dihedral_most, angle[e]);
    q->dihedral_count[bin_of(angle[e] / 180.0)]++;
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) {
      double edge = vl_norm(vl_sub(x[i], x[j]));
      q->edge_least = fmin(q->edge_least, edge);
      q->edge_most = fmax(q->edge_most, edge);
    }
  q->ratio_least = fmin(q->ratio_least, ratio);
  q->ratio_mean += ratio;
  q->ratio_count[bin_of(ratio)]++;
}

vlTetQuality vl_tet_quality(const vlTetMesh *mesh)
{
  vlTetQuality q = {.dihedral_least = 180.0, .ratio_least = 1.0, .edge_least = INFINITY};
  for (int t = 0; t < mesh->tet_count; t++) {
    vlVec3 x[4];
    for (int i = 0; i < 4; i++) x[i] = mesh->node[mesh->tet[t][i]];
    add_tet(&q, x);
  }
  q.volume = vl_tetmesh_volume(mesh);
  if (mesh->tet_count) q.ratio_mean /= mesh->tet_count;
  return q;
}
