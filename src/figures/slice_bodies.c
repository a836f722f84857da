/* Bodies on a slice.
 *
 * The surface in the frame's VTU is what the run cut its grid with, node for node, so cut/ gives the run's own patches and
 * open areas; in engine immersed bodies that yield cut nothing and are but shown. Outline and mesh are where the plane cuts
 * the triangles of faces. Velocities are those of the nodes, linear over each tetrahedron, at the cells' middles on the
 * plane; in rigid bodies that of the body. Input: RUN/bodies/bodies_NNNNN.vtu, the cuts of the static solids. Output: cuts
 * of both, lines, patches, velocities. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "base/vec.h"
#include "figures/slice_parts.h"
#include "files/file.h"
#include "mesh/bvh.h"

enum { NODES = 10 };                /* that a tetrahedron has room for */
static const double INSIDE = -1e-9; /* barycentric coordinates from here on are inside: no gap between neighbours */

/* The triangles that cut cells: of the surface or, where bodies of tetrahedra are in the medium, of the others. */
static vlCode find_cutting(vlSliceBodies *b, bool medium, int (**cutting)[3], int *count, vlStatus *status)
{
  const vlVtuFrame *frame = &b->frame;
  size_t points = (size_t)frame->point_count + 1, faces = (size_t)b->surface_count + 1;
  bool *yields = calloc(points, sizeof *yields);
  *count = 0;
  *cutting = malloc(faces * sizeof **cutting);
  vlCode code = yields && *cutting ? VL_OK : vl_fail_memory(status, faces * sizeof **cutting, "the triangles of a slice");
  for (int c = 0; c < frame->cell_count && medium && !code; c++) {
    const int *node = frame->nodes + (size_t)c * NODES;
    for (int k = 0; k < 4 && node[3] >= 0; k++) yields[node[k]] = true;
  }
  for (int t = 0; t < b->surface_count && !code; t++)
    if (!yields[b->triangle[t][0]]) memcpy((*cutting)[(*count)++], b->triangle[t], sizeof **cutting);
  free(yields);
  return code;
}

static vlCode read_frame(vlSliceBodies *b, const vlSliceRun *run, const char *path, int frame, vlStatus *status)
{
  if (access(path, F_OK) != 0)
    return vl_fail(status, VL_ERROR_FILE,
                   "the run in %s has bodies but no %s, which a slice of frame %d needs; set output.bodies: yes in "
                   "its scene and run it again",
                   run->folder, path, frame);
  vlCode code = vl_vtu_frame_read(&b->frame, path, status);
  if (code != VL_OK) return code;
  code = vl_vtu_frame_faces(&b->frame, &b->triangle, &b->triangle_count, &b->surface_count, status);
  if (code != VL_OK) return code;
  int(*cutting)[3] = NULL, count;
  code = find_cutting(b, run->medium, &cutting, &count, status);
  vlBody all = {.x = b->frame.points, .triangle = cutting, .triangle_count = count}, *list[] = {&all};
  const vlBodySet set = {.body = list, .count = 1, .first_node = (int[]){0, b->frame.point_count}};
  if (code == VL_OK) code = vl_patches_update(&b->patches, &set, 0, 1, &run->grid, status);
  free(cutting);
  if (code == VL_OK && !(b->cuts = calloc(1, sizeof *b->cuts)))
    code = vl_fail_memory(status, sizeof *b->cuts, "the cut cells");
  if (code == VL_OK) code = vl_cuts_merge(b->cuts, run->cuts, &b->patches, status);
  if (code == VL_ERROR_MESH) vl_status_prefix(status, "%s: ", path);
  return code;
}

vlCode vl_slice_bodies_read(vlSliceBodies *bodies, const vlSliceRun *run, int frame, vlStatus *status)
{
  *bodies = (vlSliceBodies){0};
  char name[40];
  snprintf(name, sizeof name, "bodies/bodies_%05d.vtu", frame);
  char *path = vl_path_join(run->folder, name);
  if (!path) return vl_fail_memory(status, strlen(run->folder), "a file's name");
  vlCode code = read_frame(bodies, run, path, frame, status);
  free(path);
  return code;
}

void vl_slice_bodies_clear(vlSliceBodies *bodies)
{
  vl_vtu_frame_clear(&bodies->frame);
  free(bodies->triangle);
  vl_patches_clear(&bodies->patches);
  vl_cuts_destroy(&bodies->cuts);
  *bodies = (vlSliceBodies){0};
}

static void add_patches(vlSlice *s, const vlSliceBodies *b)
{
  double full = s->dx * s->dx;
  const int axes[2] = {s->u, s->v};
  for (int q = 0; q < b->patches.count; q++) {
    const vlPatch *patch = &b->patches.patch[q];
    int i = patch->cell[s->u], j = patch->cell[s->v];
    if (patch->cell[s->axis] != s->layer || i < 0 || j < 0 || i >= s->n[0] || j >= s->n[1]) continue;
    vlSlicePatch *sum = &s->patch[i + s->n[0] * j];
    double size = vl_norm(patch->s) / full;
    for (int a = 0; a < 2; a++) {
      double center = 0.0;
      for (int c = 0; c < 3; c++) center += patch->b[c] * b->frame.points[patch->node[c]].v[axes[a]];
      sum->area[a] += patch->s.v[axes[a]] / full;
      sum->center[a] += size * center;
    }
    sum->size += size;
  }
}

static double volume(vlVec3 a, vlVec3 b, vlVec3 c, vlVec3 d)
{
  return vl_dot(vl_cross(vl_sub(b, a), vl_sub(c, a)), vl_sub(d, a));
}

/* Barycentric coordinates of p; false: outside, or the tetrahedron is flat. */
static bool locate(const vlVec3 x[4], vlVec3 p, double b[4])
{
  double whole = volume(x[0], x[1], x[2], x[3]);
  bool inside = whole != 0.0;
  for (int c = 0; c < 4 && inside; c++) {
    vlVec3 y[4] = {x[0], x[1], x[2], x[3]};
    y[c] = p;
    b[c] = volume(y[0], y[1], y[2], y[3]) / whole;
    inside = b[c] >= INSIDE;
  }
  return inside;
}

/* Velocities at the middles of cells, on the plane, that lie in one tetrahedron; middles of edges are not looked at. */
static void add_velocity(vlSlice *s, const vlVtuFrame *frame, int cell)
{
  const int *node = frame->nodes + (size_t)cell * NODES;
  const int axes[3] = {s->u, s->v, s->axis};
  vlVec3 x[4];
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int c = 0; c < 4; c++) {
    x[c] = frame->points[node[c]];
    for (int a = 0; a < 3; a++) {
      lo[a] = fmin(lo[a], x[c].v[axes[a]]);
      hi[a] = fmax(hi[a], x[c].v[axes[a]]);
    }
  }
  if (s->position < lo[2] || s->position > hi[2]) return;
  int first[2], last[2];
  for (int a = 0; a < 2; a++) {
    first[a] = (int)fmax(0.0, fmin(s->n[a], floor((lo[a] - s->lo[a]) / s->dx)));
    last[a] = (int)fmax(0.0, fmin(s->n[a], ceil((hi[a] - s->lo[a]) / s->dx)));
  }
  for (int j = first[1]; j < last[1]; j++)
    for (int i = first[0]; i < last[0]; i++) {
      size_t at = (size_t)i + (size_t)s->n[0] * (size_t)j;
      vlVec3 p;
      double b[4];
      p.v[s->axis] = s->position;
      p.v[s->u] = s->lo[0] + (i + 0.5) * s->dx;
      p.v[s->v] = s->lo[1] + (j + 0.5) * s->dx;
      if (s->in_body[at] || !locate(x, p, b)) continue;
      s->in_body[at] = true;
      for (size_t a = 0; a < 2; a++)
        for (int c = 0; c < 4; c++)
          s->body_velocity[2 * at + a] += (float)(b[c] * frame->velocity[3 * (size_t)node[c] + (size_t)axes[a]]);
    }
}

/* A line's vertex tells its body. */
static vlCode color_lines(vlSlice *s, const vlVtuFrame *frame, const vlLook *look, vlStatus *status)
{
  int *body_of = calloc((size_t)frame->point_count + 1, sizeof *body_of);
  s->body_color = malloc(((size_t)s->body.count + 1) * sizeof *s->body_color);
  vlCode code = VL_OK;
  if (!body_of || !s->body_color) code = vl_fail_memory(status, (size_t)frame->point_count * sizeof(int), "a slice");
  for (int i = 0; i < frame->cell_count * NODES && code == VL_OK; i++)
    if (frame->nodes[i] >= 0) body_of[frame->nodes[i]] = frame->body[i / NODES];
  for (int l = 0; l < s->body.count && code == VL_OK; l++)
    s->body_color[l] = vl_look_body_color(look, body_of[s->body.vertex[l]]);
  free(body_of);
  return code;
}

vlCode vl_slice_bodies_show(vlSlice *s, const vlSliceBodies *b, const vlLook *look, vlStatus *status)
{
  const vlTriMesh surface = {b->frame.points, b->triangle, b->frame.point_count, b->surface_count};
  const vlTriMesh faces = {b->frame.points, b->triangle, b->frame.point_count, b->triangle_count};
  add_patches(s, b);
  for (int cell = 0; cell < b->frame.cell_count; cell++)
    if (b->frame.nodes[(size_t)cell * NODES + 3] >= 0) add_velocity(s, &b->frame, cell);
  vlCode code = vl_slice_rigid(s, &b->frame, status);
  if (code == VL_OK) code = vl_slice_outline(&s->body, &surface, s->axis, s->position, s->u, s->v, status);
  if (code == VL_OK) code = color_lines(s, &b->frame, look, status);
  return code == VL_OK ? vl_slice_outline(&s->mesh, &faces, s->axis, s->position, s->u, s->v, status) : code;
}

/* Velocities inside rigid bodies, of which a frame has the surface alone.
 *
 * All nodes of such a body have u_i = v + omega x (x_i - c), c their mean. So v is the mean of u_i, and
 *
 *     sum r x (u - v) = ( sum |r|^2 I - r r^T ) omega,        r = x - c
 *
 * Whether a point is inside is told by the signed distance to the triangles.
 * Input: a frame's VTU. Output: marks and velocities of the slice's cells. */

typedef struct Motion {
  vlVec3 center, v, omega;
} Motion;

static vlVec3 velocity_of(const vlVtuFrame *frame, int node)
{
  const float *v = frame->velocity + 3 * (size_t)node;
  return vl_vec((double)v[0], (double)v[1], (double)v[2]);
}

/* Nodes count as often as triangles name them, which changes nothing. */
static Motion find_motion(const vlVtuFrame *frame, const vlTriMesh *mesh)
{
  Motion m = {0};
  vlVec3 moment = vl_vec(0, 0, 0);
  vlMat3 inertia = {0}, inverse;
  double share = 1.0 / (3.0 * mesh->triangle_count);
  for (int i = 0; i < 3 * mesh->triangle_count; i++) {
    int node = mesh->tri[i / 3][i % 3];
    m.center = vl_axpy(m.center, share, frame->points[node]);
    m.v = vl_axpy(m.v, share, velocity_of(frame, node));
  }
  for (int i = 0; i < 3 * mesh->triangle_count; i++) {
    int node = mesh->tri[i / 3][i % 3];
    vlVec3 r = vl_sub(frame->points[node], m.center);
    moment = vl_add(moment, vl_cross(r, vl_sub(velocity_of(frame, node), m.v)));
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) inertia.m[a][b] += (a == b ? vl_dot(r, r) : 0.0) - r.v[a] * r.v[b];
  }
  if (vl_mat_inverse(inertia, &inverse)) m.omega = vl_mat_apply(inverse, moment);
  return m;
}

static vlCode show_body(vlSlice *s, const vlVtuFrame *frame, const vlTriMesh *mesh, vlStatus *status)
{
  vlBvh *tree = NULL;
  vlCode code = vl_bvh_create(&tree, mesh, status);
  if (code != VL_OK) return code;
  vl_bvh_mind_folds(tree);
  Motion m = find_motion(frame, mesh);
  const int axes[2] = {s->u, s->v};
  for (int j = 0; j < s->n[1]; j++)
    for (int i = 0; i < s->n[0]; i++) {
      size_t at = (size_t)i + (size_t)s->n[0] * (size_t)j;
      vlVec3 p;
      p.v[s->axis] = s->position;
      p.v[s->u] = s->lo[0] + (i + 0.5) * s->dx;
      p.v[s->v] = s->lo[1] + (j + 0.5) * s->dx;
      if (s->in_body[at] || !(vl_bvh_signed_distance(tree, p) < 0.0)) continue;
      vlVec3 v = vl_add(m.v, vl_cross(m.omega, vl_sub(p, m.center)));
      s->in_body[at] = true;
      for (size_t a = 0; a < 2; a++) s->body_velocity[2 * at + a] = (float)v.v[axes[a]];
    }
  vl_bvh_destroy(&tree);
  return VL_OK;
}

vlCode vl_slice_rigid(vlSlice *s, const vlVtuFrame *frame, vlStatus *status)
{
  vlTriMesh mesh = {.x = frame->points, .vertex_count = frame->point_count};
  vlCode code = VL_OK;
  mesh.tri = malloc(((size_t)frame->cell_count + 1) * sizeof *mesh.tri);
  if (!mesh.tri) return vl_fail_memory(status, (size_t)frame->cell_count * sizeof *mesh.tri, "a slice");
  for (int c = 0; c < frame->cell_count && code == VL_OK; c++) { /* bodies follow one another */
    const int *nodes = frame->nodes + (size_t)c * NODES;
    if (nodes[3] >= 0) continue;
    for (int k = 0; k < 3; k++) mesh.tri[mesh.triangle_count][k] = nodes[k];
    mesh.triangle_count++;
    bool last = c + 1 == frame->cell_count || frame->body[c + 1] != frame->body[c];
    if (!last) continue;
    code = show_body(s, frame, &mesh, status);
    mesh.triangle_count = 0;
  }
  free(mesh.tri);
  return code;
}
