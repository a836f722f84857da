/* Small meshes with known volume, area and distance, and random numbers, for the tests of src/mesh. */
#ifndef VL_TESTS_MESH_SHAPES_H
#define VL_TESTS_MESH_SHAPES_H

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "mesh/trimesh.h"

/* Uniform in [lo, hi); splitmix64. */
static inline double random_between(uint64_t *seed, double lo, double hi)
{
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

static inline vlVec3 random_vec(uint64_t *seed, double lo, double hi)
{
  double x = random_between(seed, lo, hi), y = random_between(seed, lo, hi);
  return vl_vec(x, y, random_between(seed, lo, hi));
}

/* A prism over a counter-clockwise polygon in the x, y plane from z = 0 to 1; the polygon must be seen
 * whole from its first corner. Four corners of a square make the unit cube. */
static inline vlTriMesh *make_prism(const double (*polygon)[2], int n)
{
  vlTriMesh *mesh = vl_trimesh_create(2 * n, 4 * n - 4);
  int t = 0;
  for (int i = 0; i < n; i++) {
    int j = (i + 1) % n;
    mesh->x[i] = vl_vec(polygon[i][0], polygon[i][1], 0.0);
    mesh->x[n + i] = vl_vec(polygon[i][0], polygon[i][1], 1.0);
    memcpy(mesh->tri[t++], (int[3]){i, j, n + j}, sizeof *mesh->tri);
    memcpy(mesh->tri[t++], (int[3]){i, n + j, n + i}, sizeof *mesh->tri);
  }
  for (int i = 1; i + 1 < n; i++) {
    memcpy(mesh->tri[t++], (int[3]){0, i + 1, i}, sizeof *mesh->tri);
    memcpy(mesh->tri[t++], (int[3]){n, n + i, n + i + 1}, sizeof *mesh->tri);
  }
  return mesh;
}

static inline double area_of(const vlTriMesh *mesh)
{
  double sum = 0.0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *tri = mesh->tri[t];
    vlVec3 a = mesh->x[tri[0]];
    sum += 0.5 * vl_norm(vl_cross(vl_sub(mesh->x[tri[1]], a), vl_sub(mesh->x[tri[2]], a)));
  }
  return sum;
}

static inline vlTriMesh *make_cube(void)
{
  const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  return make_prism(square, 4);
}

/* The unit sphere from an octahedron, each triangle split in four `levels` times; the octants come one
 * after the other, 4^levels triangles each. Corners are not shared. */
static inline vlTriMesh *make_loose_sphere(int levels)
{
  int n = 8;
  vlTriMesh *mesh = vl_trimesh_create(3 * n, n);
  for (int t = 0; t < n; t++) {
    double sx = t & 1 ? -1 : 1, sy = t & 2 ? -1 : 1, sz = t & 4 ? -1 : 1;
    bool swap = sx * sy * sz < 0;
    mesh->x[3 * t] = vl_vec(sx, 0, 0);
    mesh->x[3 * t + (swap ? 2 : 1)] = vl_vec(0, sy, 0);
    mesh->x[3 * t + (swap ? 1 : 2)] = vl_vec(0, 0, sz);
  }
  for (int level = 0; level < levels; level++, n *= 4) {
    vlTriMesh *fine = vl_trimesh_create(12 * n, 4 * n);
    for (int t = 0; t < n; t++) {
      vlVec3 c[3], m[3];
      for (int k = 0; k < 3; k++) c[k] = mesh->x[3 * t + k];
      for (int k = 0; k < 3; k++) m[k] = vl_unit(vl_add(c[k], c[(k + 1) % 3]));
      const vlVec3 corners[12] = {c[0], m[0], m[2], m[0], c[1], m[1], m[2], m[1], c[2], m[0], m[1], m[2]};
      memcpy(&fine->x[12 * t], corners, sizeof corners);
    }
    vl_trimesh_destroy(&mesh);
    mesh = fine;
  }
  for (int i = 0; i < 3 * n; i++) mesh->tri[i / 3][i % 3] = i;
  return mesh;
}

/* The same with shared corners. */
static inline vlTriMesh *make_sphere(int levels)
{
  vlTriMesh *mesh = make_loose_sphere(levels);
  vl_trimesh_weld(mesh, 0.0, NULL);
  return mesh;
}

#endif
