/* Cut points and warping [labelle2007].
 *
 * An edge whose ends a, b lie on different sides of the surface has a cut point, where phi = 0 along it: found on phi
 * itself, so that the mesh's surface is of second order. A cut point closer to an end than alpha times the edge's length
 * would make flat tetrahedra; that end moves onto it and counts as on the surface from then on, and all cut points of its
 * edges are forgotten. Points are looked at in the order of their places and take the nearest of their cut points that are
 * still there, so the surface is always the same, however the octree grows inwards.
 *
 * In: lattice and shape. Out: signs and places of lattice points, and cut points. */

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/stuff_parts.h"

/* A cut point that would move a lattice point. */
typedef struct Pull {
  uint64_t place; /* of the point: an order that does not depend on the octree */
  uint64_t end;   /* place of the edge's other end */
  int point, other, cut;
  double distance; /* m */
} Pull;

/* phi = 0 between a (inside) and b (outside) by false position, with the Illinois correction; returns the point. */
static vlVec3 find_zero(const vlSdf *sdf, vlVec3 a, vlVec3 b, double phi_a, double phi_b)
{
  double lo = 0.0, hi = 1.0, small = 1e-13 * (phi_b - phi_a), t = 0.5;
  int last = 0;
  for (int n = 0; n < 100 && hi - lo > 1e-13; n++) {
    t = (lo * phi_b - hi * phi_a) / (phi_b - phi_a);
    if (!(t > lo && t < hi)) t = 0.5 * (lo + hi);
    double phi = vl_sdf_distance(sdf, vl_add(vl_scale(a, 1.0 - t), vl_scale(b, t)));
    if (fabs(phi) <= small) break;
    int side = phi < 0.0 ? -1 : 1;
    if (side < 0) {
      lo = t;
      phi_a = phi;
      if (last == side) phi_b *= 0.5;
    } else {
      hi = t;
      phi_b = phi;
      if (last == side) phi_a *= 0.5;
    }
    last = side;
  }
  return vl_add(vl_scale(a, 1.0 - t), vl_scale(b, t));
}

static vlCode number_cuts(vlWarp *warp, const vlStuffLattice *lattice, vlStatus *status)
{
  for (size_t t = 0; t < lattice->tet_count; t++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < i; j++) {
        int a = lattice->tet[t].v[i], b = lattice->tet[t].v[j];
        if (warp->sign[a] * warp->sign[b] >= 0) continue;
        if (vl_keymap_add(&warp->cut, vl_edge_key(a, b)) < 0)
          return vl_fail_memory(status, warp->cut.count * sizeof(uint64_t), "the cut points of a mesh");
      }
  return VL_OK;
}

static void ends_of(const vlWarp *warp, size_t cut, int *a, int *b)
{
  *a = (int)(warp->cut.key[cut] >> 32);
  *b = (int)(warp->cut.key[cut] & 0xffffffffu);
}

static void place_cuts(vlWarp *warp, const vlStuffLattice *lattice, const vlSdf *sdf)
{
#pragma omp parallel for schedule(dynamic, 64)
  for (size_t n = 0; n < warp->cut.count; n++) {
    int a, b;
    ends_of(warp, n, &a, &b);
    if (warp->sign[a] < 0) {
      int swap = a;
      a = b;
      b = swap;
    }
    warp->x[warp->points + n] = find_zero(sdf, warp->x[a], warp->x[b], lattice->phi[a], lattice->phi[b]);
  }
}

static int compare_pulls(const void *p, const void *q)
{
  const Pull *a = p, *b = q;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

/* Is it an edge along an axis? */
static bool is_long(const vlStuffLattice *lattice, int a, int b)
{
  int p[3], q[3];
  vl_place_of_key(lattice->place.key[a], p);
  vl_place_of_key(lattice->place.key[b], q);
  return (p[0] != q[0]) + (p[1] != q[1]) + (p[2] != q[2]) == 1;
}

static vlCode move_points(vlWarp *warp, const vlStuffLattice *lattice, vlStatus *status)
{
  size_t cuts = warp->cut.count, count = 0;
  const uint64_t *place = lattice->place.key;
  Pull *pull = malloc((2 * cuts + 1) * sizeof *pull);
  if (!pull) return vl_fail_memory(status, 2 * cuts * sizeof *pull, "the moves of a lattice");
  for (size_t n = 0; n < cuts; n++) {
    int end[2];
    ends_of(warp, n, &end[0], &end[1]);
    double alpha = is_long(lattice, end[0], end[1]) ? VL_STUFF_ALPHA_LONG : VL_STUFF_ALPHA_SHORT;
    double most = alpha * vl_norm(vl_sub(warp->x[end[0]], warp->x[end[1]]));
    for (int k = 0; k < 2; k++) {
      double distance = vl_norm(vl_sub(warp->x[warp->points + n], warp->x[end[k]]));
      if (distance < most) pull[count++] = (Pull){place[end[k]], place[end[1 - k]], end[k], end[1 - k], (int)n, distance};
    }
  }
  qsort(pull, count, sizeof *pull, compare_pulls);
  for (size_t n = 0; n < count; n++) {
    int p = pull[n].point;
    if (!warp->sign[p] || !warp->sign[pull[n].other]) continue; /* moved already, or its cut point is forgotten */
    warp->sign[p] = 0;
    warp->x[p] = warp->x[warp->points + (size_t)pull[n].cut];
  }
  free(pull);
  return VL_OK;
}

vlCode vl_warp_create(vlWarp *warp, const vlStuffLattice *lattice, const vlStuffTree *tree, const vlSdf *sdf,
                      vlStatus *status)
{
  size_t points = lattice->place.count;
  *warp = (vlWarp){.points = points};
  warp->sign = malloc(points + 1);
  vlCode code = warp->sign ? VL_OK : vl_fail_memory(status, points, "the signs of a lattice");
  for (size_t n = 0; n < points && !code; n++)
    warp->sign[n] = (signed char)((lattice->phi[n] < 0.0) - (lattice->phi[n] > 0.0));
  if (!code) code = number_cuts(warp, lattice, status);
  size_t all = points + warp->cut.count;
  if (!code && !(warp->x = malloc((all + 1) * sizeof *warp->x)))
    code = vl_fail_memory(status, all * sizeof *warp->x, "the points of a mesh");
  for (size_t n = 0; n < points && !code; n++) {
    int place[3];
    vl_place_of_key(lattice->place.key[n], place);
    warp->x[n] = vl_place_position(tree, place);
  }
  if (!code) {
    place_cuts(warp, lattice, sdf);
    code = move_points(warp, lattice, status);
  }
  if (code) vl_warp_clear(warp);
  return code;
}

void vl_warp_clear(vlWarp *warp)
{
  free(warp->x);
  free(warp->sign);
  vl_keymap_clear(&warp->cut);
  *warp = (vlWarp){0};
}
