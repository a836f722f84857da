/* Closed surfaces whose pseudo-normals are not to be trusted: contours of meshes that are repaired, or overlap themselves.
 *
 * Such surfaces have triangles that are flat to rounding, so that their normals are noise, and folds of a small part of a
 * cube, where one is inside out; a vertex there can take all of space on one side of it for the inside. Folds are where the
 * surface crosses itself, or where the winding number just before a triangle is not near 0, or just behind it not near 1.
 * The winding number itself does not mind them: a fold covers hardly anything of the view.
 *
 * tree -> whether signs and normals come from the winding number (bvh_closest.c). */
#include "base/vec.h"
#include "mesh/bvh_tree.h"

static const double NEEDLE = 1e-6; /* height over the longest side: thinner triangles have normals of noise */
static const double OFFSET = 1e-6; /* of the bounds' diagonal: how near to a triangle */
static const double ASTRAY = 0.25; /* of the winding number; its own error is 0.05 at most */
enum { LOOKED_AT = 20000 };        /* triangles, at most */

static bool is_needle(const vlVec3 corner[3])
{
  vlVec3 n = vl_cross(vl_sub(corner[1], corner[0]), vl_sub(corner[2], corner[0]));
  double longest2 = 0.0;
  for (int k = 0; k < 3; k++) {
    vlVec3 e = vl_sub(corner[(k + 1) % 3], corner[k]);
    longest2 = fmax(longest2, vl_dot(e, e));
  }
  return !(vl_norm(n) > NEEDLE * longest2);
}

static bool is_astray(const vlBvh *bvh, const vlVec3 corner[3], double offset)
{
  vlVec3 middle = vl_scale(vl_add(vl_add(corner[0], corner[1]), corner[2]), 1.0 / 3.0);
  vlVec3 n = vl_unit(vl_cross(vl_sub(corner[1], corner[0]), vl_sub(corner[2], corner[0])));
  return fabs(vl_bvh_winding(bvh, vl_axpy(middle, offset, n))) > ASTRAY ||
         fabs(vl_bvh_winding(bvh, vl_axpy(middle, -offset, n)) - 1.0) > ASTRAY;
}

bool vl_bvh_mind_folds(vlBvh *bvh)
{
  int count = bvh->mesh->triangle_count, step = count / LOOKED_AT + 1;
  const vlBox3 *box = &bvh->node[0].box;
  double offset = OFFSET * vl_norm(vl_sub(box->hi, box->lo));
  bvh->folded = false;
  for (int i = 0; i < count && !bvh->folded; i++) bvh->folded = is_needle(bvh->corner[i]);
  for (int i = 0; i < count && !bvh->folded; i += step) bvh->folded = is_astray(bvh, bvh->corner[i], offset);
  if (!bvh->folded) bvh->folded = vl_bvh_crosses_itself(bvh);
  return bvh->folded;
}
