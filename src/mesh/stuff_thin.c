/* Where a shape, or a gap in it, is not much thicker than a cell.
 *
 * With d = 1.3 h, at a cut point c with the outward normal n the shape is thinner than d when the point c - d n is outside
 * again; a gap is narrower when c + d n is inside again.
 *
 * A sheet between two lattice points leaves no cut point on their edge. On either side of a plane sheet the distance falls
 * in proportion, so the edge's point nearest to it is at the share |phi_a| / (|phi_a| + |phi_b|) of the edge, whatever the
 * angle. If that point is on the other side of the surface and the gradients at the ends point away from each other, the
 * sheet was missed; where they agree, the surface only bulges.
 * In: lattice and cut points. Out: counts, and the first place. */
#include "mesh/stuff_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"

#define DEPTH 1.3 /* cells: of plates at random angles, many of 1.2 cells come out with holes, none of 1.3 */

enum { FINE = 0, THIN = 1, NARROW = 2 };

static void count(vlStuffInfo *info, const unsigned char *kind, size_t number, const vlVec3 *x)
{
  for (size_t n = 0; n < number; n++) {
    if (kind[n] == THIN && !info->thin++) info->first_thin = x[n];
    if (kind[n] == NARROW && !info->narrow++ && !info->thin) info->first_thin = x[n];
  }
}

static void judge_cuts(unsigned char *kind, const vlStuffTree *tree, const vlWarp *warp, const vlSdf *sdf)
{
#pragma omp parallel for schedule(dynamic, 64)
  for (size_t n = 0; n < warp->cut.count; n++) {
    vlVec3 c = warp->x[warp->points + n], normal = vl_sdf_gradient(sdf, c);
    bool thin = vl_sdf_distance(sdf, vl_axpy(c, -DEPTH * tree->h, normal)) > 0.0;
    kind[n] = thin ? THIN : vl_sdf_distance(sdf, vl_axpy(c, DEPTH * tree->h, normal)) < 0.0 ? NARROW : FINE;
  }
}

/* An edge of the lattice with both ends on one side: THIN or NARROW when a sheet lies between them; *x: where. */
static unsigned char judge_edge(const vlStuffTree *tree, const vlStuffLattice *lattice, const vlSdf *sdf, int a, int b,
                                vlVec3 *x)
{
  double phi_a = lattice->phi[a], phi_b = lattice->phi[b];
  int p[3], q[3];
  if (phi_a * phi_b <= 0.0) return FINE;
  vl_place_of_key(lattice->place.key[a], p);
  vl_place_of_key(lattice->place.key[b], q);
  vlVec3 from = vl_place_position(tree, p), to = vl_place_position(tree, q);
  if (fabs(phi_a) + fabs(phi_b) >= vl_norm(vl_sub(to, from))) return FINE;
  double t = phi_a / (phi_a + phi_b);
  *x = vl_add(vl_scale(from, 1.0 - t), vl_scale(to, t));
  if (vl_sdf_distance(sdf, *x) * phi_a >= 0.0) return FINE;
  if (vl_dot(vl_sdf_gradient(sdf, from), vl_sdf_gradient(sdf, to)) > -0.3) return FINE;
  return phi_a > 0.0 ? THIN : NARROW;
}

/* The edges of an octant of level 0 that no other one counts: from its middle to its corners and to the next middles, and
 * from its lowest corner. */
static int list_edges(const vlOctant *o, int from[14][3], int to[14][3])
{
  int middle[3], n = 0;
  for (int a = 0; a < 3; a++) middle[a] = 2 * o->i[a] + 1;
  for (int k = 0; k < 14; k++, n++)
    for (int a = 0; a < 3; a++) {
      bool along = k >= 8 && (k - 8) % 3 == a;
      from[n][a] = k < 11 ? middle[a] : middle[a] - 1;
      to[n][a] = k < 8 ? middle[a] + (k >> a & 1 ? 1 : -1) : from[n][a] + (along ? 2 : 0);
    }
  return n;
}

static unsigned char judge_octant(const vlStuffTree *tree, const vlStuffLattice *lattice, const vlSdf *sdf, uint64_t key,
                                  vlVec3 *x)
{
  vlOctant o = {0};
  int from[14][3], to[14][3];
  unsigned char kind = FINE;
  vl_place_of_key(key, o.i);
  int n = list_edges(&o, from, to);
  for (int k = 0; k < n && kind != THIN; k++) {
    int a = vl_keymap_find(&lattice->place, vl_place_key(from[k])), b = vl_keymap_find(&lattice->place, vl_place_key(to[k]));
    vlVec3 here;
    if (a < 0 || b < 0) continue;
    unsigned char found = judge_edge(tree, lattice, sdf, a, b, &here);
    if (found == FINE || (found == NARROW && kind == NARROW)) continue;
    kind = found;
    *x = here;
  }
  return kind;
}

vlCode vl_stuff_find_thin(vlStuffInfo *info, const vlStuffTree *tree, const vlStuffLattice *lattice, const vlWarp *warp,
                          const vlSdf *sdf, vlStatus *status)
{
  size_t cuts = warp->cut.count, octants = tree->fine.count, most = cuts > octants ? cuts : octants;
  unsigned char *kind = calloc(most + 1, 1);
  vlVec3 *x = calloc(octants + 1, sizeof *x);
  vlCode code = kind && x ? VL_OK : vl_fail_memory(status, most * sizeof *x, "the thin places of a shape");
  if (!code) {
    judge_cuts(kind, tree, warp, sdf);
    count(info, kind, cuts, warp->x + warp->points);
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t n = 0; n < octants; n++) kind[n] = judge_octant(tree, lattice, sdf, tree->fine.key[n], &x[n]);
    count(info, kind, octants, x);
    info->samples = (int64_t)cuts;
  }
  free(x);
  free(kind);
  return code;
}
