/* A shape compiled for evaluation.
 *
 * The tree of a vlShape becomes a tree of nodes in world coordinates: every leaf carries its own rotation and centre
 * with those of all combinations above it folded in, meshes are moved once. Combinations fold their parts with the
 * smooth minimum of radius k,
 *   smin(a, b) = min(a, b) - e^2 / 4k,   e = max(k - |a - b|, 0),
 * (k = 0: the minimum), whose gradient is a mean of the parts' gradients, so the result stays 1-Lipschitz.
 *
 * A closed mesh has its exact distance, the sign by pseudo-normals [baerentzen2005]. Pieces
 * of it that are inside out are turned over (pieces.c). A repaired mesh, or a closed one that passes through itself, has
 * d (1 - 2w), d the unsigned distance and w the winding number [jacobson2013] held to [0, 1]: away from holes this is the
 * signed distance, across a hole it passes through zero where w = 1/2 (for a round hole, on its axis, it is the distance to
 * the disc). */
#include "mesh/sdf.h"

#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "base/words.h"
#include "mesh/bvh.h"

struct vlSdf {
  vlShapeKind kind;
  vlMat3 rotation, inverse; /* primitives: local to world and back */
  vlVec3 center;            /* m: primitives */
  vlPrimitive primitive;
  double blend; /* m: combinations */
  vlSdf **parts;
  int part_count;
  vlTriMesh *mesh; /* world coordinates */
  vlBvh *bvh;
  double extent; /* m: diagonal of the mesh */
  bool repaired; /* the mesh is not closed, or overlaps itself: sign by winding number */
  vlBox3 bounds;
  vlVec3 shift; /* m: of the whole shape */
};

/* Where a node's own coordinates lie in the world. */
typedef struct {
  vlMat3 rotation;
  vlVec3 center;
} Place;

static bool is_combination(vlShapeKind kind)
{
  return kind == VL_SHAPE_UNION || kind == VL_SHAPE_INTERSECTION || kind == VL_SHAPE_DIFFERENCE;
}

static vlCode check_transform(const vlShape *shape, vlStatus *status)
{
  const char *name = vl_word(vl_shape_words, shape->kind);
  vlMat3 r = shape->rotation, rrt = vl_mat_multiply(r, vl_mat_transpose(r));
  if (!vl_finite(shape->center))
    return vl_fail(status, VL_ERROR_SCENE, "%s: center is (%g, %g, %g), it must be finite", name, shape->center.x,
                   shape->center.y, shape->center.z);
  double error = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) error = fmax(error, fabs(rrt.m[i][j] - (i == j)));
  if (!(error < 1e-9))
    return vl_fail(status, VL_ERROR_SCENE, "%s: rotation is no rotation matrix (its rows are not unit and orthogonal)",
                   name);
  return VL_OK;
}

/* Signed volume about the middle of the bounds: tells the orientation even of a mesh with holes. */
static double volume_about_middle(const vlTriMesh *mesh)
{
  vlBox3 box = vl_trimesh_bounds(mesh);
  vlVec3 middle = vl_scale(vl_add(box.lo, box.hi), 0.5);
  double volume = 0.0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    vlVec3 a = vl_sub(mesh->x[mesh->tri[t][0]], middle), b = vl_sub(mesh->x[mesh->tri[t][1]], middle);
    volume += vl_dot(a, vl_cross(b, vl_sub(mesh->x[mesh->tri[t][2]], middle))) / 6.0;
  }
  return volume;
}

/* A mesh must be closed, or its holes accepted with `repair`. Seams of equal vertices are no holes, so they are joined
 * first. Sheets that are closed as they stand may touch along an edge, though, and be joined there too: then the winding
 * number tells inside from outside. */
static vlCode check_closed(vlSdf *node, const vlShape *shape, vlStatus *status)
{
  vlTriMeshDefects apart, defects;
  vlCode code = vl_trimesh_check(node->mesh, &apart, status);
  bool closed = !code && apart.open_edges == 0 && apart.bad_edges == 0;
  if (closed) code = vl_trimesh_orient_pieces(node->mesh, status);
  if (!code) code = vl_trimesh_weld(node->mesh, 0.0, status);
  if (!code) code = vl_trimesh_check(node->mesh, &defects, status);
  if (code) return code;
  node->repaired = defects.open_edges > 0 || defects.bad_edges > 0;
  if (!node->repaired || closed || shape->repair) return VL_OK;
  const int *first = defects.open_edges > 0 ? defects.first_open : defects.first_bad;
  vlVec3 x = vl_scale(vl_add(node->mesh->x[first[0]], node->mesh->x[first[1]]), 0.5);
  return vl_fail(
      status, VL_ERROR_MESH,
      "mesh '%s' is not closed: %d open edges (one triangle only) and %d bad edges (three or more triangles, or two "
      "that face opposite ways); the first is at (%g, %g, %g) in the file's coordinates. `repair: true` would "
      "close it by its winding number",
      vl_mesh_name(shape), defects.open_edges, defects.bad_edges, x.x, x.y, x.z);
}

/* Closed, but with parts that lie inside each other: triangles cross, or some point just outside a triangle is inside
 * another part, or just inside it is inside two. The points, for pieces inside others and faces in one plane, are looked at
 * on 20000 triangles at most. */
static bool overlaps_itself(const vlSdf *s)
{
  const vlTriMesh *mesh = s->mesh;
  if (vl_bvh_crosses_itself(s->bvh)) return true;
  int step = mesh->triangle_count / 20000 + 1;
  for (int t = 0; t < mesh->triangle_count; t += step) {
    vlVec3 a = mesh->x[mesh->tri[t][0]], b = mesh->x[mesh->tri[t][1]], c = mesh->x[mesh->tri[t][2]];
    vlVec3 middle = vl_scale(vl_add(vl_add(a, b), c), 1.0 / 3.0), n = vl_unit(vl_cross(vl_sub(b, a), vl_sub(c, a)));
    double offset = 1e-6 * s->extent;
    if (!(vl_norm(n) > 0.5)) continue;
    if (vl_bvh_winding(s->bvh, vl_axpy(middle, offset, n)) > 0.75) return true;
    if (vl_bvh_winding(s->bvh, vl_axpy(middle, -offset, n)) > 1.5) return true;
  }
  return false;
}

static vlCode check_scale(const vlShape *shape, const char *name, vlStatus *status)
{
  for (int a = 0; a < 3; a++)
    if (!(isfinite(shape->scale.v[a]) && shape->scale.v[a] > 0.0))
      return vl_fail(status, VL_ERROR_SCENE, "mesh '%s': scale is %g, it must be more than zero", name, shape->scale.v[a]);
  return VL_OK;
}

static vlCode compile_mesh(vlSdf *node, const vlShape *shape, Place place, vlStatus *status)
{
  const char *name = vl_mesh_name(shape);
  vlCode code = check_scale(shape, name, status);
  if (code) return code;
  if (shape->round != 0.0)
    return vl_fail(status, VL_ERROR_SCENE, "mesh '%s': round is %g m, for a mesh it must be 0", name, shape->round);
  if ((code = vl_shape_mesh(&node->mesh, shape, status))) return code;
  if (node->mesh->triangle_count == 0) return vl_fail(status, VL_ERROR_MESH, "mesh '%s' has no triangles", name);
  if ((code = check_closed(node, shape, status))) return code;

  vlMeshPlace own = vl_mesh_place(shape, vl_trimesh_bounds(node->mesh));
  for (int i = 0; i < node->mesh->vertex_count; i++)
    node->mesh->x[i] = vl_add(vl_mat_apply(place.rotation, vl_mesh_placed(own, node->mesh->x[i])), place.center);
  if (!node->repaired)
    code = vl_trimesh_orient_pieces(node->mesh, status);
  else if (volume_about_middle(node->mesh) < 0.0)
    vl_trimesh_flip(node->mesh);
  if (code) return code;
  vlBox3 box = vl_trimesh_bounds(node->mesh);
  node->extent = vl_norm(vl_sub(box.hi, box.lo));
  code = vl_bvh_create(&node->bvh, node->mesh, status);
  if (!code && !node->repaired) node->repaired = overlaps_itself(node);
  return code;
}

static vlCode compile(vlSdf **result, const vlShape *shape, Place parent, vlStatus *status);

static vlCode compile_combination(vlSdf *node, const vlShape *shape, Place place, vlStatus *status)
{
  const char *name = vl_word(vl_shape_words, shape->kind);
  if (shape->part_count < 1) return vl_fail(status, VL_ERROR_SCENE, "%s: there are no parts, at least one is needed", name);
  if (!(isfinite(shape->blend) && shape->blend >= 0.0))
    return vl_fail(status, VL_ERROR_SCENE, "%s: blend is %g m, it must be zero or more", name, shape->blend);
  if (shape->round != 0.0)
    return vl_fail(status, VL_ERROR_SCENE, "%s: round is %g m, it must be 0 here; round the parts, or blend them", name,
                   shape->round);
  node->blend = shape->blend;
  node->parts = calloc((size_t)shape->part_count, sizeof *node->parts);
  if (!node->parts) return vl_fail_memory(status, (size_t)shape->part_count * sizeof *node->parts, "the parts of a shape");
  node->part_count = shape->part_count;
  for (int i = 0; i < shape->part_count; i++) {
    vlCode code = compile(&node->parts[i], &shape->parts[i], place, status);
    if (code) {
      vl_status_prefix(status, "part %d of a %s: ", i + 1, name);
      return code;
    }
  }
  return VL_OK;
}

static vlCode compile(vlSdf **result, const vlShape *shape, Place parent, vlStatus *status)
{
  vlSdf *node = *result = calloc(1, sizeof **result);
  if (!node) return vl_fail_memory(status, sizeof *node, "a shape");
  vlCode code = check_transform(shape, status);
  if (code) return code;
  Place place = {vl_mat_multiply(parent.rotation, shape->rotation),
                 vl_add(parent.center, vl_mat_apply(parent.rotation, shape->center))};
  node->kind = shape->kind;
  node->rotation = place.rotation;
  node->inverse = vl_mat_transpose(place.rotation);
  node->center = place.center;
  if (is_combination(shape->kind)) return compile_combination(node, shape, place, status);
  if (shape->kind == VL_SHAPE_MESH) return compile_mesh(node, shape, place, status);
  return vl_primitive_create(&node->primitive, shape, status);
}

/* Bounds of the points whose distance is below `level`. An intersection's distance may be small far from it, so the
 * level goes down to the leaves, whose distances are exact, instead of growing the bounds of a combination. */
static vlBox3 level_bounds(const vlSdf *s, double level)
{
  if (s->kind == VL_SHAPE_MESH) return vl_box_grow(vl_trimesh_bounds(s->mesh), s->repaired ? 2.0 * level : level);
  if (!is_combination(s->kind)) return vl_box_grow(vl_primitive_bounds(&s->primitive, s->rotation, s->center), level);
  if (s->kind == VL_SHAPE_DIFFERENCE) return level_bounds(s->parts[0], level);
  /* Every fold of a union lowers the distance by k/4 at most. */
  bool unite = s->kind == VL_SHAPE_UNION;
  if (unite) level += 0.25 * s->blend * (s->part_count - 1);
  vlBox3 box = level_bounds(s->parts[0], level);
  for (int i = 1; i < s->part_count; i++) {
    vlBox3 part = level_bounds(s->parts[i], level);
    box = unite ? vl_box_unite(box, part) : vl_box_intersect(box, part);
  }
  return box;
}

vlCode vl_sdf_create(vlSdf **sdf, const vlShape *shape, vlStatus *status)
{
  Place world = {vl_mat_identity(), vl_vec(0, 0, 0)};
  vlCode code = compile(sdf, shape, world, status);
  if (code)
    vl_sdf_destroy(sdf);
  else
    (*sdf)->bounds = level_bounds(*sdf, 0.0);
  return code;
}

void vl_sdf_destroy(vlSdf **sdf)
{
  if (!sdf || !*sdf) return;
  vlSdf *s = *sdf;
  for (int i = 0; i < s->part_count; i++) vl_sdf_destroy(&s->parts[i]);
  free(s->parts);
  vl_bvh_destroy(&s->bvh);
  vl_trimesh_destroy(&s->mesh);
  free(s);
  *sdf = NULL;
}

double vl_sdf_bytes(const vlSdf *s)
{
  double bytes = sizeof *s + vl_bvh_bytes(s->bvh) + (s->mesh ? vl_trimesh_bytes(s->mesh) : 0.0);
  for (int i = 0; i < s->part_count; i++) bytes += sizeof *s->parts + vl_sdf_bytes(s->parts[i]);
  return bytes;
}

static double repaired_distance(const vlSdf *s, vlVec3 x, double unsigned_distance)
{
  double w = fmin(fmax(vl_bvh_winding(s->bvh, x), 0.0), 1.0);
  return unsigned_distance * (1.0 - 2.0 * w);
}

/* Central differences over a step that cannot cross the mesh. */
static vlVec3 repaired_gradient(const vlSdf *s, vlVec3 x, double unsigned_distance)
{
  double step = 0.01 * unsigned_distance;
  vlVec3 g;
  for (int a = 0; a < 3; a++) {
    vlVec3 lo = x, hi = x;
    lo.v[a] -= step;
    hi.v[a] += step;
    g.v[a] = repaired_distance(s, hi, vl_bvh_closest(s->bvh, hi).distance) -
             repaired_distance(s, lo, vl_bvh_closest(s->bvh, lo).distance);
  }
  return vl_unit(g);
}

static double mesh_distance(const vlSdf *s, vlVec3 x, vlVec3 *gradient)
{
  if (!gradient && !s->repaired) return vl_bvh_signed_distance(s->bvh, x);
  vlClosest c = vl_bvh_closest(s->bvh, x);
  vlVec3 away = vl_sub(x, c.point);
  double side = vl_dot(away, c.normal) < 0.0 ? -1.0 : 1.0;
  if (gradient) {
    /* Where the difference to the closest point is mostly rounding, or it lies in a face, the normal is better. */
    double corner = fmin(c.barycentric.x, fmin(c.barycentric.y, c.barycentric.z));
    bool near = c.distance <= 1e-9 * s->extent;
    if (near || (corner > 1e-9 && !s->repaired))
      *gradient = c.normal;
    else
      *gradient = s->repaired ? repaired_gradient(s, x, c.distance) : vl_unit(vl_scale(away, side));
  }
  return s->repaired ? repaired_distance(s, x, c.distance) : side * c.distance;
}

static double evaluate(const vlSdf *s, vlVec3 x, vlVec3 *gradient);

/* Union: smin of the parts. Intersection: -smin(-parts). Difference: -smin(-first, others). */
static double combined_distance(const vlSdf *s, vlVec3 x, vlVec3 *gradient)
{
  double outer = s->kind == VL_SHAPE_UNION ? 1.0 : -1.0, k = s->blend, d = 0.0;
  vlVec3 g = vl_vec(0, 0, 0), part_gradient;
  for (int i = 0; i < s->part_count; i++) {
    double sign = s->kind == VL_SHAPE_DIFFERENCE && i > 0 ? 1.0 : outer;
    double b = sign * evaluate(s->parts[i], x, gradient ? &part_gradient : NULL);
    if (gradient) part_gradient = vl_scale(part_gradient, sign);
    if (i == 0) {
      d = b;
      g = gradient ? part_gradient : g;
      continue;
    }
    double e = fmax(k - fabs(d - b), 0.0), mix = k > 0.0 ? 0.5 * e / k : 0.0, share = b < d ? 1.0 - mix : mix;
    if (gradient) g = vl_add(vl_scale(g, 1.0 - share), vl_scale(part_gradient, share));
    d = fmin(d, b) - 0.5 * mix * e; /* e^2 / 4k */
  }
  if (gradient) *gradient = vl_scale(g, outer);
  return outer * d;
}

/* The gradient of a blend is shorter than one; its direction is what counts. */
static double evaluate(const vlSdf *s, vlVec3 x, vlVec3 *gradient)
{
  if (is_combination(s->kind)) return combined_distance(s, x, gradient);
  if (s->kind == VL_SHAPE_MESH) return mesh_distance(s, x, gradient);
  double d = vl_primitive_distance(&s->primitive, vl_mat_apply(s->inverse, vl_sub(x, s->center)), gradient);
  if (gradient) *gradient = vl_mat_apply(s->rotation, *gradient);
  return d;
}

double vl_sdf_distance(const vlSdf *sdf, vlVec3 x) { return evaluate(sdf, vl_sub(x, sdf->shift), NULL); }

vlVec3 vl_sdf_gradient(const vlSdf *sdf, vlVec3 x)
{
  vlVec3 g;
  evaluate(sdf, vl_sub(x, sdf->shift), &g);
  return vl_unit(g);
}

vlBox3 vl_sdf_bounds(const vlSdf *sdf)
{
  return (vlBox3){vl_add(sdf->bounds.lo, sdf->shift), vl_add(sdf->bounds.hi, sdf->shift)};
}

void vl_sdf_shift(vlSdf *sdf, vlVec3 shift) { sdf->shift = shift; }

static void fill_box(vlTriMesh *mesh, const vlSdf *s)
{
  /* Corner i has the upper side along axis a where bit a of i is set. */
  static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int i = 0; i < 8; i++) {
    vlVec3 p = s->primitive.half;
    for (int a = 0; a < 3; a++)
      if (!(i >> a & 1)) p.v[a] = -p.v[a];
    mesh->x[i] = vl_add(s->center, vl_mat_apply(s->rotation, p));
  }
  for (int f = 0; f < 6; f++)
    for (int t = 0; t < 2; t++) {
      mesh->tri[2 * f + t][0] = sides[f][0];
      mesh->tri[2 * f + t][1] = sides[f][1 + t];
      mesh->tri[2 * f + t][2] = sides[f][2 + t];
    }
}

vlCode vl_sdf_exact_surface(vlTriMesh **mesh, const vlSdf *sdf, vlStatus *status)
{
  *mesh = NULL;
  while (is_combination(sdf->kind) && sdf->part_count == 1) sdf = sdf->parts[0];
  bool box = sdf->kind == VL_SHAPE_BOX && sdf->primitive.round == 0.0, closed = sdf->kind == VL_SHAPE_MESH && !sdf->repaired;
  if (!box && !closed) return VL_OK;
  int vertices = box ? 8 : sdf->mesh->vertex_count, triangles = box ? 12 : sdf->mesh->triangle_count;
  vlTriMesh *copy = *mesh = vl_trimesh_create(vertices, triangles);
  if (!copy) return vl_fail_memory(status, (size_t)triangles * sizeof *copy->tri, "the triangles of a shape");
  if (box) fill_box(copy, sdf);
  for (int i = 0; closed && i < vertices; i++) copy->x[i] = sdf->mesh->x[i];
  for (int t = 0; closed && t < triangles; t++)
    for (int c = 0; c < 3; c++) copy->tri[t][c] = sdf->mesh->tri[t][c];
  return VL_OK;
}
