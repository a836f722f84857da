/* Where a shape is hardly wider than a cell, tetrahedra may meet in a point or an edge alone, or lie about as crumbs.
 *
 * A node is torn: the tetrahedra at it fall into groups that are joined by faces, and every group but the first gets a node
 * of its own. This sets apart all that hangs by a point, and by edges whose ends can both be set apart. What is left are
 * edges and points at which the surface touches itself from outside while the body is joined elsewhere, as the rim of a hole
 * does: there all tetrahedra at the edge, or at the point, are left out, and all begins anew.
 * Groups are found by union-find over the corners of tetrahedra: across every inner face the corners at a node belong
 * together. Pieces are found likewise; those below the volume of a cube of a cell are crumbs, but for the largest.
 * In: mesh. Out: a smaller or equal mesh whose surface is a closed manifold. */
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "base/status.h"
#include "mesh/stuff_parts.h"
#include "mesh/tetmesh.h"

enum { MOST_ROUNDS = 50 };

/* Where a closed surface touches itself.
 *
 * Spokes are the edges of triangles seen from one of their ends; sorted, those of a node lie together, and in them those of
 * an edge. A good edge has two triangles, which are joined; a good node is left with one set of triangles. In a closed
 * surface every triangle has two spokes at each of its nodes, so each set's root is met twice.
 * In: closed surface. Out: pinched edges and nodes. */

typedef struct Spoke {
  int node, other, triangle;
} Spoke;

static int compare_spokes(const void *p, const void *q)
{
  const Spoke *a = p, *b = q;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->other != b->other) return a->other < b->other ? -1 : 1;
  return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static bool same_edge(const Spoke *a, const Spoke *b) { return a->node == b->node && a->other == b->other; }

/* The spokes of one node. false: no memory. */
static bool look_at_node(vlPinches *pinches, const Spoke *spoke, size_t count, const int *node, int *up)
{
  bool room = true;
  int roots = 0;
  for (size_t i = 0; i < count; i++) up[spoke[i].triangle] = spoke[i].triangle;
  for (size_t i = 0, end; i < count && room; i = end) {
    for (end = i + 1; end < count && same_edge(&spoke[i], &spoke[end]); end++)
      vl_group_join(up, spoke[end].triangle, spoke[i].triangle);
    if (end - i > 2) room = vl_keymap_add(&pinches->edge, vl_edge_key(node[spoke[i].node], node[spoke[i].other])) >= 0;
  }
  for (size_t i = 0; i < count; i++) roots += up[spoke[i].triangle] == spoke[i].triangle;
  if (roots > 2 && room) room = vl_keymap_add(&pinches->node, (uint64_t)node[spoke[0].node]) >= 0;
  return room;
}

vlCode vl_pinches_find(vlPinches *pinches, const vlTriMesh *surface, const int *node, vlStatus *status)
{
  size_t triangles = (size_t)surface->triangle_count, count = 6 * triangles;
  Spoke *spoke = malloc((count + 1) * sizeof *spoke);
  int *up = malloc((triangles + 1) * sizeof *up);
  bool room = spoke && up;
  *pinches = (vlPinches){0};
  for (size_t i = 0; i < count && room; i++) {
    const int *corner = surface->tri[i / 6];
    int k = (int)(i % 3), next = i % 6 < 3 ? 1 : 2;
    spoke[i] = (Spoke){corner[k], corner[(k + next) % 3], (int)(i / 6)};
  }
  if (room) qsort(spoke, count, sizeof *spoke, compare_spokes);
  for (size_t i = 0, end; i < count && room; i = end) {
    for (end = i; end < count && spoke[end].node == spoke[i].node;) end++;
    room = look_at_node(pinches, spoke + i, end - i, node, up);
  }
  free(spoke);
  free(up);
  if (room) return VL_OK;
  vl_pinches_clear(pinches);
  return vl_fail_memory(status, count * sizeof *spoke, "the surface of a mesh");
}

void vl_pinches_clear(vlPinches *pinches)
{
  vl_keymap_clear(&pinches->edge);
  vl_keymap_clear(&pinches->node);
}

bool vl_pinches_touch(const vlPinches *pinches, const int tet[4])
{
  for (int i = 0; i < 4; i++) {
    if (!pinches->edge.count && vl_keymap_find(&pinches->node, (uint64_t)tet[i]) >= 0) return true;
    for (int j = 0; j < i; j++)
      if (vl_keymap_find(&pinches->edge, vl_edge_key(tet[i], tet[j])) >= 0) return true;
  }
  return false;
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
    if (!by_corner) vl_group_join(up, f->tet, g->tet);
    for (int k = 0; k < 3 && by_corner; k++)
      vl_group_join(up, 4 * f->tet + corner_at(mesh, f->tet, f->key[k]), 4 * g->tet + corner_at(mesh, g->tet, f->key[k]));
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
    int root = vl_group_root(up, i), node = mesh->tet[i / 4][i % 4];
    if (first[node] < 0) first[node] = root;
    own[i] = first[node] == root ? node : -1;
    if (root == i && own[i] < 0) torn++;
  }
  vlVec3 *node = room && torn ? realloc(mesh->node, (size_t)(mesh->node_count + torn) * sizeof *node) : NULL;
  room = room && (node || !torn);
  if (node) mesh->node = node;
  for (int i = 0; i < corners && room && torn; i++) {
    int root = vl_group_root(up, i);
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
  for (int t = 0; t < mesh->tet_count && !code; t++) volume[vl_group_root(up, t)] += vl_tetmesh_tet_volume(mesh, t);
  for (int t = 0; t < mesh->tet_count && !code; t++)
    if (volume[t] > volume[largest]) largest = t;
  for (int t = 0; t < mesh->tet_count && !code; t++) {
    int root = vl_group_root(up, t);
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
