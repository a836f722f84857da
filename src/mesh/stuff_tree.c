/* The octree under the graded lattice of isosurface stuffing, after [labelle2007].
 *
 * The surface may only cut or move the lattice where it is regular: a tetrahedron lies in two octants that share a face, and
 * a lattice point is moved by less than 0.36 h. So an octant of level 0 that has a point x with |phi(x)| <= 0.36 h is a
 * surface octant, and it and its six neighbours must be there. phi is 1-Lipschitz, which with the distance sqrt(3)/2 h from
 * an octant's middle to its corners makes the test
 *
 *     |phi(middle)| <= (0.36 + 0.87) h,
 *
 * and a search from the root goes down into an octant of edge s where |phi(middle)| <= 1.23 h + 0.87 (s - h). A uniform tree
 * leaves the absolute value out. Parents of what is there, and of neighbours of parents across faces and edges, are there
 * too, level by level upwards: then octants that share a face or an edge differ by a factor of two at most.
 *
 * A whole number of cells lies about the middle of the shape's bounds: a box whose edges are multiples of h is met exactly.
 * In: a shape and h. Out: sets of octants with children. */
#include "mesh/stuff_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"

#define REACH 1.23 /* cells: see above */
#define HALF_DIAGONAL 0.8661

enum { MARGIN = 4, MOST = 10 * 1000 * 1000, RESOLVED = 1000 };

static vlCode no_memory(size_t count, vlStatus *status)
{
  return vl_fail_memory(status, count * sizeof(uint64_t), "the octants of a mesh");
}

static vlOctant octant_at(int level, uint64_t key)
{
  vlOctant o = {.level = level};
  vl_place_of_key(key, o.i);
  return o;
}

bool vl_octant_inside(const vlStuffTree *tree, vlOctant o)
{
  int n = 1 << (tree->levels - o.level);
  bool inside = true;
  for (int a = 0; a < 3; a++) inside = inside && o.i[a] >= 0 && o.i[a] < n;
  return inside;
}

bool vl_octant_has_children(const vlStuffTree *tree, vlOctant o)
{
  return o.level > 0 && vl_octant_inside(tree, o) && vl_keymap_find(&tree->parent[o.level], vl_place_key(o.i)) >= 0;
}

static vlOctant parent_of(vlOctant o) { return (vlOctant){o.level + 1, {o.i[0] >> 1, o.i[1] >> 1, o.i[2] >> 1}}; }

bool vl_octant_is_there(const vlStuffTree *tree, vlOctant o)
{
  if (!vl_octant_inside(tree, o)) return false;
  return o.level == tree->levels || vl_octant_has_children(tree, parent_of(o));
}

static vlOctant child_of(vlOctant o, int c)
{
  return (vlOctant){o.level - 1, {2 * o.i[0] + (c & 1), 2 * o.i[1] + (c >> 1 & 1), 2 * o.i[2] + (c >> 2)}};
}

static vlCode place_root(vlStuffTree *tree, const vlSdf *sdf, double h, vlStatus *status)
{
  vlBox3 box = vl_sdf_bounds(sdf);
  vlVec3 size = vl_sub(box.hi, box.lo);
  if (vl_box_is_empty(box)) return vl_fail(status, VL_ERROR_MESH, "the shape is empty; there is nothing to fill");
  if (!vl_finite(size)) return vl_fail(status, VL_ERROR_MESH, "the shape has no end; only a bounded one can be filled");
  double most = fmax(size.x, fmax(size.y, size.z)) / h;
  if (!(most < (1 << VL_STUFF_LEVELS) - 2 * MARGIN))
    return vl_fail(status, VL_ERROR_MESH, "cell is %g m, the shape is %g m long: that is %.3g cells; %d are allowed", h,
                   most * h, most, (1 << VL_STUFF_LEVELS) - 2 * MARGIN);
  tree->h = h;
  tree->levels = 1;
  while ((1 << tree->levels) < most + 2 * MARGIN) tree->levels++;
  for (int a = 0; a < 3; a++) {
    int n = (int)ceil(size.v[a] / h - 1e-9), before = ((1 << tree->levels) - n) / 2;
    tree->origin.v[a] = 0.5 * (box.lo.v[a] + box.hi.v[a]) - h * (before + 0.5 * n);
  }
  return VL_OK;
}

/* Which octants of a level may hold a surface octant. */
static void test_octants(const vlStuffTree *tree, const vlSdf *sdf, bool uniform, int level, const uint64_t *key,
                         size_t count, bool *near)
{
  double limit = tree->h * (REACH + HALF_DIAGONAL * ((1 << level) - 1));
#pragma omp parallel for schedule(dynamic, 256)
  for (size_t n = 0; n < count; n++) {
    int place[3];
    vl_place_of_key(key[n], place);
    for (int a = 0; a < 3; a++) place[a] = (2 * place[a] + 1) << level;
    double phi = vl_sdf_distance(sdf, vl_place_position(tree, place));
    near[n] = (uniform ? phi : fabs(phi)) <= limit;
  }
}

/* An octant of level 0 and its neighbours across faces. */
static vlCode add_fine(vlStuffTree *tree, vlOctant o, vlStatus *status)
{
  for (int k = 0; k < 7; k++) {
    vlOctant n = o;
    if (k < 6) n.i[k / 2] += k % 2 ? 1 : -1;
    if (vl_octant_inside(tree, n) && vl_keymap_add(&tree->fine, vl_place_key(n.i)) < 0)
      return no_memory(tree->fine.count, status);
  }
  return VL_OK;
}

static vlCode too_many(const vlStuffTree *tree, vlStatus *status)
{
  return vl_fail(status, VL_ERROR_MESH,
                 "cell is %g m: more than %d cubes of that edge would be needed; a larger cell is needed", tree->h, MOST);
}

/* The children of the octants that passed; at level 0 these themselves become fine. */
static vlCode descend(vlStuffTree *tree, int level, const vlKeyMap *front, const bool *near, vlKeyMap *next,
                      vlStatus *status)
{
  vlCode code = VL_OK;
  for (size_t n = 0; n < front->count && !code; n++) {
    vlOctant o = octant_at(level, front->key[n]);
    if (near[n] && level == 0) code = add_fine(tree, o, status);
    for (int c = 0; c < 8 && near[n] && level > 0 && !code; c++)
      if (vl_keymap_add(next, vl_place_key(child_of(o, c).i)) < 0) code = no_memory(next->count, status);
    if (!code && (next->count > MOST || tree->fine.count > MOST)) code = too_many(tree, status);
  }
  /* once the surface is resolved, each level down has four times as many; half of that is sure */
  double all = 0.5 * (double)next->count * pow(4.0, level - 1);
  if (!code && next->count > RESOLVED && all > MOST) code = too_many(tree, status);
  return code;
}

static vlCode find_surface(vlStuffTree *tree, const vlSdf *sdf, bool uniform, vlStatus *status)
{
  vlKeyMap front = {0};
  vlCode code = vl_keymap_add(&front, vl_place_key((int[3]){0, 0, 0})) < 0 ? no_memory(1, status) : VL_OK;
  for (int level = tree->levels; level >= 0 && front.count && !code; level--) {
    vlKeyMap next = {0};
    bool *near = malloc(front.count * sizeof *near);
    if (!near) {
      code = no_memory(front.count, status);
    } else {
      test_octants(tree, sdf, uniform, level, front.key, front.count, near);
      code = descend(tree, level, &front, near, &next, status);
    }
    free(near);
    vl_keymap_clear(&front);
    front = next;
  }
  vl_keymap_clear(&front);
  return code;
}

/* Makes sure that an octant is there: its parent has children. */
static bool add_parent(vlStuffTree *tree, vlOctant o)
{
  if (!vl_octant_inside(tree, o) || o.level == tree->levels) return true;
  return vl_keymap_add(&tree->parent[o.level + 1], vl_place_key(parent_of(o).i)) >= 0;
}

vlCode vl_stuff_tree_balance(vlStuffTree *tree, vlStatus *status)
{
  bool room = true;
  for (size_t n = 0; n < tree->fine.count && room; n++) room = add_parent(tree, octant_at(0, tree->fine.key[n]));
  for (int level = 1; level < tree->levels; level++)
    for (size_t n = 0; n < tree->parent[level].count && room; n++) {
      vlOctant o = octant_at(level, tree->parent[level].key[n]);
      for (int k = 0; k < 27 && room; k++) {
        int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        if (d[0] && d[1] && d[2]) continue; /* across a corner */
        room = add_parent(tree, (vlOctant){level, {o.i[0] + d[0], o.i[1] + d[1], o.i[2] + d[2]}});
      }
    }
  return room ? VL_OK : no_memory(tree->fine.count, status);
}

vlCode vl_stuff_tree_create(vlStuffTree *tree, const vlSdf *sdf, double h, bool uniform, vlStatus *status)
{
  *tree = (vlStuffTree){0};
  if (!(isfinite(h) && h > 0.0)) return vl_fail(status, VL_ERROR_MESH, "cell is %g m, it must be more than zero", h);
  vlCode code = place_root(tree, sdf, h, status);
  if (!code) code = find_surface(tree, sdf, uniform, status);
  if (!code) code = vl_stuff_tree_balance(tree, status);
  if (code) vl_stuff_tree_clear(tree);
  return code;
}

void vl_stuff_tree_clear(vlStuffTree *tree)
{
  vl_keymap_clear(&tree->fine);
  for (int level = 0; level <= VL_STUFF_LEVELS; level++) vl_keymap_clear(&tree->parent[level]);
  *tree = (vlStuffTree){0};
}

vlCode vl_stuff_tree_refine(vlStuffTree *tree, vlVec3 x, vlStatus *status)
{
  vlOctant o = {0};
  for (int a = 0; a < 3; a++) o.i[a] = (int)floor((x.v[a] - tree->origin.v[a]) / tree->h);
  vlOctant leaf = o;
  while (leaf.level < tree->levels && !vl_octant_is_there(tree, leaf)) leaf = parent_of(leaf);
  int n = 1 << leaf.level;
  vlCode code = VL_OK;
  if ((double)n * n * n + (double)tree->fine.count > MOST) return too_many(tree, status);
  for (int k = 0; k < n * n * n && !code; k++) {
    vlOctant inner = {0, {leaf.i[0] * n + k % n, leaf.i[1] * n + k / n % n, leaf.i[2] * n + k / n / n}};
    if (vl_octant_inside(tree, inner)) code = add_fine(tree, inner, status);
  }
  return code;
}

typedef struct Walk {
  const vlStuffTree *tree;
  vlOctant *leaf;
  size_t count, capacity;
  bool full; /* no memory */
} Walk;

static void visit(Walk *walk, vlOctant o)
{
  if (walk->full) return;
  if (vl_octant_has_children(walk->tree, o)) {
    for (int c = 0; c < 8; c++) visit(walk, child_of(o, c));
    return;
  }
  walk->full = !vl_array_reserve(&walk->leaf, &walk->capacity, walk->count + 1, sizeof o);
  if (!walk->full) walk->leaf[walk->count++] = o;
}

vlCode vl_stuff_tree_leaves(vlOctant **leaves, size_t *count, const vlStuffTree *tree, vlStatus *status)
{
  Walk walk = {.tree = tree};
  visit(&walk, (vlOctant){.level = tree->levels});
  *leaves = walk.leaf;
  *count = walk.count;
  if (!walk.full) return VL_OK;
  free(walk.leaf);
  *leaves = NULL;
  *count = 0;
  return no_memory(walk.count, status);
}
