/* Whether a mesh passes through itself.
 *
 * Two triangles without a common vertex cross when a side of one passes from one side of the other's plane to the other
 * through the triangle or its border: on the border too, since a side through the seam of two triangles would else be
 * missed by both. Mere touching, in a plane or at a vertex, is no crossing. Each triangle walks through the tree with its
 * own box; the order of the walks does not change the answer.
 *
 * tree -> yes or no. */
#include <math.h>

#include "base/vec.h"
#include "mesh/bvh_tree.h"

/* Heights over the plane, and distances to the border, below this part of the sizes involved are rounding. */
static const double ROUNDING = 1e-12;

static bool side_crosses(vlVec3 p, vlVec3 q, const vlVec3 corner[3])
{
  vlVec3 a = corner[0], n = vl_cross(vl_sub(corner[1], a), vl_sub(corner[2], a)), from = vl_sub(p, a), to = vl_sub(q, a);
  double hp = vl_dot(n, from), hq = vl_dot(n, to);
  double least = ROUNDING * vl_norm(n) * fmax(vl_norm(from), vl_norm(to));
  if (!((hp > least && hq < -least) || (hp < -least && hq > least))) return false;
  vlVec3 x = vl_axpy(p, hp / (hp - hq), vl_sub(q, p));
  double border = -ROUNDING * vl_dot(n, n);
  for (int c = 0; c < 3; c++) {
    vlVec3 side = vl_sub(corner[(c + 1) % 3], corner[c]);
    if (vl_dot(n, vl_cross(side, vl_sub(x, corner[c]))) < border) return false;
  }
  return true;
}

static bool triangles_cross(const vlBvh *bvh, int i, int j)
{
  const int *s = bvh->mesh->tri[bvh->triangle[i]], *t = bvh->mesh->tri[bvh->triangle[j]];
  for (int c = 0; c < 3; c++)
    if (s[c] == t[0] || s[c] == t[1] || s[c] == t[2]) return false;
  for (int c = 0; c < 3; c++) {
    int d = (c + 1) % 3;
    if (side_crosses(bvh->corner[i][c], bvh->corner[i][d], bvh->corner[j])) return true;
    if (side_crosses(bvh->corner[j][c], bvh->corner[j][d], bvh->corner[i])) return true;
  }
  return false;
}

static bool boxes_meet(const vlBox3 *a, const vlBox3 *b)
{
  for (int d = 0; d < 3; d++)
    if (a->lo.v[d] > b->hi.v[d] || a->hi.v[d] < b->lo.v[d]) return false;
  return true;
}

/* Goes over the slots whose leaves' boxes meet the box until `take` has found what it looks for. */
static bool walk(const vlBvh *bvh, const vlBox3 *box, bool (*take)(const vlBvh *bvh, int slot, void *data), void *data)
{
  int stack[VL_BVH_STACK], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const vlBvhNode *node = &bvh->node[stack[--top]];
    if (!boxes_meet(box, &node->box)) continue;
    if (node->count == 0) {
      stack[top++] = node->first;
      stack[top++] = node->first + 1;
    }
    for (int i = node->first; i < node->first + node->count; i++)
      if (take(bvh, i, data)) return true;
  }
  return false;
}

typedef struct Visit {
  vlBvhVisit *visit;
  void *data;
} Visit;

static bool take_all(const vlBvh *bvh, int slot, void *data)
{
  const Visit *v = data;
  v->visit(v->data, bvh->triangle[slot]);
  return false;
}

void vl_bvh_visit(const vlBvh *bvh, vlBox3 box, vlBvhVisit *visit, void *data)
{
  (void)walk(bvh, &box, take_all, &(Visit){visit, data});
}

static bool take_crossing(const vlBvh *bvh, int slot, void *data)
{
  int i = *(const int *)data;
  return slot > i && triangles_cross(bvh, i, slot);
}

/* Whether the triangle in slot i crosses one in a later slot. */
static bool crosses_later(const vlBvh *bvh, int i)
{
  vlBox3 box = vl_box_empty();
  for (int c = 0; c < 3; c++) box = vl_box_add(box, bvh->corner[i][c]);
  return walk(bvh, &box, take_crossing, &i);
}

bool vl_bvh_crosses_itself(const vlBvh *bvh)
{
  int found = 0;
#pragma omp parallel for schedule(dynamic, 256)
  for (int i = 0; i < bvh->mesh->triangle_count; i++) {
    int known;
#pragma omp atomic read
    known = found;
    if (known || !crosses_later(bvh, i)) continue;
#pragma omp atomic write
    found = 1;
  }
  return found != 0;
}
