/* Isosurface stuffing: fills a shape with tetrahedra of good dihedral angles [labelle2007].
 *
 *     octree         edge h at the surface, larger inside                        stuff_tree.c
 *     lattice        body-centred cubic points and tetrahedra over it            stuff_lattice.c
 *     cut points     where the surface crosses edges; points near it move onto   stuff_warp.c
 *     stencils       the part of each tetrahedron that is inside                 stuff_stencil.c
 *     tidying        crumbs, and places that hang by a point or an edge          stuff_tidy.c
 *
 * The angles are bounded where the surface only meets the regular lattice. For a 1-Lipschitz distance the octree sees to
 * that; a repaired mesh may have a steeper one, so it is looked at, and the octree refined where it does not hold.
 * In: shape and h. Out: nodes and tetrahedra, checked. */
#include "mesh/stuff.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/stuff_parts.h"

enum { MOST_ROUNDS = 8 };

typedef struct Work {
  vlStuffTree tree;
  vlStuffLattice lattice;
  vlWarp warp;
} Work;

/* Did the surface cut or move a tetrahedron outside of the regular lattice? */
static bool is_disturbed(const vlWarp *warp, const vlStuffTet *tet)
{
  if (tet->regular) return false;
  for (int i = 0; i < 4; i++)
    if (warp->sign[tet->v[i]] <= 0) return true;
  return false;
}

static vlCode refine_disturbed(Work *w, int *found, vlStatus *status)
{
  vlCode code = VL_OK;
  *found = 0;
  for (size_t t = 0; t < w->lattice.tet_count && !code; t++) {
    const vlStuffTet *tet = &w->lattice.tet[t];
    if (!is_disturbed(&w->warp, tet)) continue;
    vlVec3 x = vl_vec(0, 0, 0);
    for (int i = 0; i < 4; i++) {
      int place[3];
      vl_place_of_key(w->lattice.place.key[tet->v[i]], place);
      x = vl_axpy(x, 0.25, vl_place_position(&w->tree, place));
    }
    code = vl_stuff_tree_refine(&w->tree, x, status);
    ++*found;
  }
  return code || !*found ? code : vl_stuff_tree_balance(&w->tree, status);
}

static vlCode build(Work *w, const vlSdf *sdf, vlStuffOptions options, vlStatus *status)
{
  int found = 1;
  vlCode code = vl_stuff_tree_create(&w->tree, sdf, options.cell, options.uniform, status);
  if (!code) vl_log(options.log, VL_LOG_INFO, "octree: %zu cubes of %g m", w->tree.fine.count, options.cell);
  for (int round = 0; round < MOST_ROUNDS && found && !code; round++) {
    vl_stuff_lattice_clear(&w->lattice);
    vl_warp_clear(&w->warp);
    code = vl_stuff_lattice_create(&w->lattice, &w->tree, sdf, status);
    if (!code) code = vl_warp_create(&w->warp, &w->lattice, &w->tree, sdf, status);
    if (!code) code = refine_disturbed(w, &found, status);
    if (!code)
      vl_log(options.log, VL_LOG_INFO, "lattice: %zu points, %zu tetrahedra with a corner inside, %zu cut points",
             w->lattice.place.count, w->lattice.tet_count, w->warp.cut.count);
  }
  if (!code && found)
    code = vl_fail(status, VL_ERROR_MESH, "cell is %g m: the surface cannot be followed; it needs a smaller or uniform cell",
                   options.cell);
  return code;
}

static int fill(const Work *w, const vlStuffTet *tet, int tets[3][4])
{
  vlStuffStencil s = {.x = w->warp.x};
  for (int i = 0; i < 4; i++) {
    s.sign[i] = w->warp.sign[tet->v[i]];
    s.corner[i] = tet->v[i];
    vl_place_of_key(w->lattice.place.key[tet->v[i]], s.place[i]);
    for (int j = 0; j < i; j++) {
      bool cut = s.sign[i] * s.sign[j] < 0;
      int number = cut ? vl_keymap_find(&w->warp.cut, vl_edge_key(tet->v[i], tet->v[j])) : 0;
      s.cut[i][j] = s.cut[j][i] = (int)w->warp.points + number;
    }
  }
  return vl_stuff_stencil_fill(&s, tets);
}

/* All tetrahedra; nodes get numbers in the order in which they are met. */
static vlCode extract(vlTetMesh *mesh, const Work *w, double cell, vlStatus *status)
{
  size_t all = w->warp.points + w->warp.cut.count, tets = 0;
  int part[3][4], nodes = 0;
  for (size_t t = 0; t < w->lattice.tet_count; t++) tets += (size_t)fill(w, &w->lattice.tet[t], part);
  if (!tets)
    return vl_fail(status, VL_ERROR_MESH,
                   "cell is %g m: no tetrahedron of that size fits into the shape; it needs a smaller one", cell);
  if (all >= INT_MAX || tets >= INT_MAX)
    return vl_fail(status, VL_ERROR_MESH, "cell is %g m: that makes %zu tetrahedra; %d are allowed", cell, tets,
                   INT_MAX - 1);
  int *number = malloc(all * sizeof *number);
  if (!number) return vl_fail_memory(status, all * sizeof *number, "the nodes of a mesh");
  for (size_t n = 0; n < all; n++) number[n] = -1;
  vlCode code = vl_tetmesh_create(mesh, (int)all, (int)tets, status);
  mesh->tet_count = 0;
  for (size_t t = 0; t < w->lattice.tet_count && !code; t++) {
    int n = fill(w, &w->lattice.tet[t], part);
    for (int k = 0; k < n; k++, mesh->tet_count++)
      for (int i = 0; i < 4; i++) {
        int *node = &number[part[k][i]];
        if (*node < 0) {
          *node = nodes++;
          mesh->node[*node] = w->warp.x[part[k][i]];
        }
        mesh->tet[mesh->tet_count][i] = *node;
      }
  }
  free(number);
  if (code) return code;
  mesh->node_count = nodes;
  vlVec3 *fit = realloc(mesh->node, (size_t)nodes * sizeof *fit); /* most lattice points are no nodes */
  if (fit) mesh->node = fit;
  return VL_OK;
}

bool vl_stuff_is_coarse(const vlStuffInfo *info)
{
  return 100 * (info->thin + info->narrow) > info->samples || info->crumbs || info->torn;
}

vlCode vl_stuff(vlTetMesh *mesh, const vlSdf *sdf, vlStuffOptions options, vlStuffInfo *info, vlStatus *status)
{
  Work w = {0};
  vlStuffInfo found = {0};
  *mesh = (vlTetMesh){0};
  vlCode code = build(&w, sdf, options, status);
  if (!code && info) code = vl_stuff_find_thin(&found, &w.tree, &w.lattice, &w.warp, sdf, status);
  if (!code) code = extract(mesh, &w, options.cell, status);
  vl_warp_clear(&w.warp);
  vl_stuff_lattice_clear(&w.lattice);
  vl_stuff_tree_clear(&w.tree);
  if (!code) code = vl_stuff_tidy(mesh, options.cell, &found, status);
  if (!code) code = vl_tetmesh_check(mesh, "of the shape", NULL, status);
  if (code) vl_tetmesh_clear(mesh);
  if (info) *info = found;
  return code;
}
