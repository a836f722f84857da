/* Closed meshes placed on a grid, for the tests of cut/ and pressure/. */
#ifndef VL_TESTS_SOLIDS_H
#define VL_TESTS_SOLIDS_H

#include "cut/cuts.h"
#include "grids.h"
#include "mesh_shapes.h"

/* Scales, turns, moves. */
static inline void place_mesh(vlTriMesh *mesh, vlVec3 size, vlMat3 rotation, vlVec3 center)
{
  for (int v = 0; v < mesh->vertex_count; v++) {
    vlVec3 x = mesh->x[v];
    mesh->x[v] = vl_add(vl_mat_apply(rotation, vl_vec(x.x * size.x, x.y * size.y, x.z * size.z)), center);
  }
}

static inline vlMat3 random_rotation(uint64_t *seed)
{
  vlMat3 r = vl_mat_rotation(0, random_between(seed, 0, 6.3));
  r = vl_mat_multiply(vl_mat_rotation(1, random_between(seed, 0, 6.3)), r);
  return vl_mat_multiply(vl_mat_rotation(2, random_between(seed, 0, 6.3)), r);
}

/* A box about its centre. */
static inline vlTriMesh *make_box(vlVec3 size, vlMat3 rotation, vlVec3 center)
{
  vlTriMesh *mesh = make_cube();
  for (int v = 0; v < mesh->vertex_count; v++) mesh->x[v] = vl_sub(mesh->x[v], vl_vec(0.5, 0.5, 0.5));
  place_mesh(mesh, size, rotation, center);
  return mesh;
}

/* An axis-aligned box with exactly these corners. */
static inline vlTriMesh *make_exact_box(vlVec3 lo, vlVec3 hi)
{
  vlTriMesh *mesh = make_cube();
  for (int v = 0; v < mesh->vertex_count; v++)
    for (int a = 0; a < 3; a++) mesh->x[v].v[a] = mesh->x[v].v[a] > 0.5 ? hi.v[a] : lo.v[a];
  return mesh;
}

static inline vlTriMesh *make_ball(double radius, vlVec3 center, int levels)
{
  vlTriMesh *mesh = make_sphere(levels);
  place_mesh(mesh, vl_vec(radius, radius, radius), vl_mat_identity(), center);
  return mesh;
}

static inline vlTriMesh *make_tetrahedron(const vlVec3 x[4])
{
  static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  vlTriMesh *mesh = vl_trimesh_create(4, 4);
  memcpy(mesh->x, x, 4 * sizeof *x);
  memcpy(mesh->tri, faces, sizeof faces);
  if (vl_trimesh_volume(mesh) < 0.0) vl_trimesh_flip(mesh);
  return mesh;
}

/* Two meshes as one; both are used up. */
static inline vlTriMesh *join_meshes(vlTriMesh *a, vlTriMesh *b)
{
  vlTriMesh *mesh = vl_trimesh_create(a->vertex_count + b->vertex_count, a->triangle_count + b->triangle_count);
  memcpy(mesh->x, a->x, (size_t)a->vertex_count * sizeof *a->x);
  memcpy(mesh->x + a->vertex_count, b->x, (size_t)b->vertex_count * sizeof *b->x);
  memcpy(mesh->tri, a->tri, (size_t)a->triangle_count * sizeof *a->tri);
  for (int t = 0; t < b->triangle_count; t++)
    for (int v = 0; v < 3; v++) mesh->tri[a->triangle_count + t][v] = b->tri[t][v] + a->vertex_count;
  vl_trimesh_destroy(&a);
  vl_trimesh_destroy(&b);
  return mesh;
}

static inline vlCuts *make_cuts(const vlTriMesh *mesh, bool solid_outside, const vlGrid *g)
{
  vlCuts *cuts = NULL;
  vlStatus status = {0};
  if (vl_cuts_create(&cuts, mesh, solid_outside, g, &status) != VL_OK) fail_msg("%s", status.message);
  return cuts;
}

#endif
