/* Velocities inside rigid bodies, of which a frame has the surface alone.
 *
 * All nodes of such a body have u_i = v + omega x (x_i - c), c their mean. So v is the mean of u_i, and
 *
 *     sum r x (u - v) = ( sum |r|^2 I - r r^T ) omega,        r = x - c
 *
 * Whether a point is inside is told by the signed distance to the triangles.
 * Input: a frame's VTU. Output: marks and velocities of the slice's cells. */
#include "figures/slice_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/bvh.h"

enum { NODES = 10 };

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
