/* Where a shape is hardly wider than a cell, tetrahedra may meet in a point or an edge alone, or lie about as crumbs.
 *
 * A node is torn: the tetrahedra at it fall into groups that are joined by faces, and every group but the first gets a node
 * of its own. This sets apart all that hangs by a point, and by edges whose ends can both be set apart. What is left are
 * edges and points at which the surface touches itself from outside while the body is joined elsewhere, as
 * the rim of a hole does: there all tetrahedra at the edge, or at the point, are left out, and all begins anew.
 * Groups are found by union-find over the corners of tetrahedra: across every inner face the corners at a node belong
 * together. Pieces are found likewise; those below the volume of a cube of a cell are crumbs, but for the largest.
 * In: mesh. Out: a smaller or equal mesh whose surface is a closed manifold. */

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "mesh/stuff_parts.h"
#include "mesh/tet_faces.h"

enum { MOST_ROUNDS = 50 };

static int root_of(int *up, int i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

/* The smaller root stays, so that roots do not depend on the order. */
static void join(int *up, int i, int j)
{
  int a = root_of(up, i), b = root_of(up, j);
  if (a < b)
    up[b] = a;
  else
    up[a] = b;
}

static vlCode no_memory(const vlTetMesh *mesh, vlStatus *status)
{
  return vl_fail_memory(status, (size_t)mesh->tet_count * sizeof(vlTetFace), "the tidying of a mesh");
}

static int corner_at(const vlTetMesh *mesh, int tet, int node)
{
  for (int k = 0; k < 3; k++)
    if (mesh->tet[tet][k] == node) return k;
  return 3;
}

/* up: of corners 4 tet + k when by_corner, else of tetrahedra. */
static void join_across_faces(int *up, const vlTetMesh *mesh, const vlTetFace *face, size_t count, bool by_corner)
{
  int items = by_corner ? 4 * mesh->tet_count : mesh->tet_count;
  for (int i = 0; i < items; i++) up[i] = i;
  for (size_t i = 0; i + 1 < count; i++) {
    const vlTetFace *f = &face[i], *g = &face[i + 1];
    if (f->key[0] != g->key[0] || f->key[1] != g->key[1] || f->key[2] != g->key[2]) continue;
    if (!by_corner) join(up, f->tet, g->tet);
    for (int k = 0; k < 3 && by_corner; k++)
      join(up, 4 * f->tet + corner_at(mesh, f->tet, f->key[k]), 4 * g->tet + corner_at(mesh, g->tet, f->key[k]));
  }
}

/* Gives every group of corners at a node but the first a node of its own; returns how many were torn off, -1: no memory. */
static int tear_nodes(vlTetMesh *mesh, int *up)
{
  int corners = 4 * mesh->tet_count, torn = 0;
  int *first = malloc(((size_t)mesh->node_count + 1) * sizeof *first), *own = malloc((size_t)corners * sizeof *own);
  bool room = first && own;
  for (int i = 0; i < mesh->node_count && room; i++) first[i] = -1;
  for (int i = 0; i < corners && room; i++) {
    int root = root_of(up, i), node = mesh->tet[i / 4][i % 4];
    if (first[node] < 0) first[node] = root;
    own[i] = first[node] == root ? node : -1;
    if (root == i && own[i] < 0) torn++;
  }
  vlVec3 *node = room && torn ? realloc(mesh->node, (size_t)(mesh->node_count + torn) * sizeof *node) : NULL;
  room = room && (node || !torn);
  if (node) mesh->node = node;
  for (int i = 0; i < corners && room && torn; i++) {
    int root = root_of(up, i);
    if (own[i] >= 0) continue;
    if (root == i) {
      mesh->node[mesh->node_count] = mesh->node[mesh->tet[i / 4][i % 4]];
      own[i] = mesh->node_count++;
    } else {
      own[i] = own[root];
    }
  }
  for (int i = 0; i < corners && room && torn; i++) mesh->tet[i / 4][i % 4] = own[i];
  free(first);
  free(own);
  return room ? torn : -1;
}

/* Drops the tetrahedra that are marked, and nodes without any. */
static vlCode compact(vlTetMesh *mesh, const bool *drop, vlStatus *status)
{
  int *number = malloc(((size_t)mesh->node_count + 1) * sizeof *number), tets = 0, nodes = 0;
  if (!number) return no_memory(mesh, status);
  for (int i = 0; i < mesh->node_count; i++) number[i] = -1;
  for (int t = 0; t < mesh->tet_count; t++) {
    if (drop[t]) continue;
    for (int k = 0; k < 4; k++) number[mesh->tet[t][k]] = 0;
    memmove(mesh->tet[tets++], mesh->tet[t], sizeof *mesh->tet);
  }
  for (int i = 0; i < mesh->node_count; i++)
    if (number[i] == 0) {
      mesh->node[nodes] = mesh->node[i];
      number[i] = nodes++;
    }
  for (int t = 0; t < tets; t++)
    for (int k = 0; k < 4; k++) mesh->tet[t][k] = number[mesh->tet[t][k]];
  mesh->tet_count = tets;
  mesh->node_count = nodes;
  free(number);
  return VL_OK;
}

static vlCode drop_pinched(vlTetMesh *mesh, int *found, vlStatus *status)
{
  vlPinches pinches = {0};
  vlTriMesh *surface = NULL;
  int *node = NULL;
  bool *drop = calloc((size_t)mesh->tet_count + 1, sizeof *drop);
  vlCode code = drop ? vl_tetmesh_surface(&surface, &node, mesh, status) : no_memory(mesh, status);
  if (!code) code = vl_pinches_find(&pinches, surface, node, status);
  *found = (int)(pinches.edge.count ? pinches.edge.count : pinches.node.count);
  for (int t = 0; t < mesh->tet_count && *found && !code; t++) drop[t] = vl_pinches_touch(&pinches, mesh->tet[t]);
  if (!code && *found) code = compact(mesh, drop, status);
  vl_pinches_clear(&pinches);
  vl_trimesh_destroy(&surface);
  free(node);
  free(drop);
  return code;
}

/* Leaves out pieces smaller than a cell. */
static vlCode drop_crumbs(vlTetMesh *mesh, int *up, double least, vlStuffInfo *info, vlStatus *status)
{
  double *volume = calloc((size_t)mesh->tet_count + 1, sizeof *volume);
  bool *drop = calloc((size_t)mesh->tet_count + 1, sizeof *drop);
  vlCode code = volume && drop ? VL_OK : no_memory(mesh, status);
  int largest = 0;
  info->pieces = 0;
  for (int t = 0; t < mesh->tet_count && !code; t++) volume[root_of(up, t)] += vl_tetmesh_tet_volume(mesh, t);
  for (int t = 0; t < mesh->tet_count && !code; t++)
    if (volume[t] > volume[largest]) largest = t;
  for (int t = 0; t < mesh->tet_count && !code; t++) {
    int root = root_of(up, t);
    drop[t] = root != largest && volume[root] < least;
    info->crumbs += root == t && drop[t];
    info->pieces += root == t && !drop[t];
  }
  if (!code) code = compact(mesh, drop, status);
  free(volume);
  free(drop);
  return code;
}

/* One round: tears nodes, leaves out crumbs, then what is pinched; *changed: the last left something out. */
static vlCode tidy_once(vlTetMesh *mesh, double cell, vlStuffInfo *info, bool *changed, vlStatus *status)
{
  vlTetFace *face = NULL;
  size_t count = 0;
  int torn = 0, pinched = 0, *up = malloc(4 * ((size_t)mesh->tet_count + 1) * sizeof *up);
  vlCode code = up ? vl_tet_faces_sorted(&face, &count, mesh, status) : no_memory(mesh, status);
  if (!code) {
    join_across_faces(up, mesh, face, count, true);
    torn = tear_nodes(mesh, up);
    if (torn < 0) code = no_memory(mesh, status);
  }
  free(face);
  face = NULL;
  if (!code) code = vl_tet_faces_sorted(&face, &count, mesh, status);
  if (!code) {
    join_across_faces(up, mesh, face, count, false);
    code = drop_crumbs(mesh, up, cell * cell * cell, info, status);
  }
  if (!code) code = drop_pinched(mesh, &pinched, status);
  *changed = pinched > 0;
  info->torn += torn + pinched;
  free(face);
  free(up);
  return code;
}

vlCode vl_stuff_tidy(vlTetMesh *mesh, double cell, vlStuffInfo *info, vlStatus *status)
{
  vlCode code = VL_OK;
  bool changed = true;
  info->torn = info->crumbs = 0;
  for (int round = 0; round < MOST_ROUNDS && changed && !code; round++) {
    code = tidy_once(mesh, cell, info, &changed, status);
    if (!code && mesh->tet_count == 0) break;
  }
  if (!code && (changed || !mesh->tet_count))
    code = vl_fail(status, VL_ERROR_MESH,
                   "cell is %g m: the shape is so thin that nothing which hangs together is left; it needs a smaller one",
                   cell);
  return code;
}
