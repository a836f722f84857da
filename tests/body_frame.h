/* Boxes of tetrahedra written as a frame's VTU file, moving with a velocity that is linear in space. */
#ifndef VL_TESTS_BODY_FRAME_H
#define VL_TESTS_BODY_FRAME_H

#include <stdlib.h>

#include "files/vtk.h"
#include "mesh/tetmesh.h"

/* Nodes and elements as vl_vtu_write takes them. */
typedef struct BodyFrame {
  vlVec3 *points;
  float *velocity;
  int64_t *nodes, *ends;
  uint8_t *types;
  int32_t *label;
  int point_count, cell_count, body_count;
} BodyFrame;

static inline vlVec3 frame_velocity(vlVec3 x) { return vl_vec(1.0 + 2.0 * x.y, 0.5 - x.x, 3.0 * x.z); }

/* The node in the middle between two others, which is made once. */
static inline int middle_node(BodyFrame *f, int first, int a, int b)
{
  vlVec3 x = vl_scale(vl_add(f->points[a], f->points[b]), 0.5);
  for (int i = first; i < f->point_count; i++)
    if (vl_norm(vl_sub(f->points[i], x)) < 1e-9) return i;
  f->points[f->point_count] = x;
  return f->point_count++;
}

/* Adds a box of cells[a] cuboids along axis a; with middles of edges as nodes where it is quadratic. */
static inline void add_box(BodyFrame *f, vlBox3 box, const int cells[3], bool quadratic)
{
  static const int edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}; /* in VTK's order */
  vlTetMesh mesh = {0};
  assert_int_equal(vl_tetmesh_box(&mesh, box, cells, NULL), VL_OK);
  int first = f->point_count, count = f->cell_count + mesh.tet_count;
  size_t most = (size_t)(first + mesh.node_count + 6 * mesh.tet_count);
  f->points = realloc(f->points, most * sizeof *f->points);
  f->nodes = realloc(f->nodes, 10 * (size_t)count * sizeof *f->nodes);
  f->ends = realloc(f->ends, (size_t)count * sizeof *f->ends);
  f->types = realloc(f->types, (size_t)count);
  f->label = realloc(f->label, (size_t)count * sizeof *f->label);
  for (int i = 0; i < mesh.node_count; i++) f->points[f->point_count++] = mesh.node[i];
  int middles = f->point_count;
  for (int t = 0; t < mesh.tet_count; t++) {
    int cell = f->cell_count++;
    int64_t end = cell ? f->ends[cell - 1] : 0;
    int corner[4];
    for (int c = 0; c < 4; c++) f->nodes[end++] = corner[c] = first + mesh.tet[t][c];
    for (int e = 0; e < 6 && quadratic; e++)
      f->nodes[end++] = middle_node(f, middles, corner[edge[e][0]], corner[edge[e][1]]);
    f->ends[cell] = end;
    f->types[cell] = quadratic ? VL_VTU_TET10 : VL_VTU_TET4;
    f->label[cell] = f->body_count;
  }
  f->body_count++;
  vl_tetmesh_clear(&mesh);
}

static inline void write_bodies(BodyFrame *f, const char *path, double time)
{
  f->velocity = realloc(f->velocity, 3 * (size_t)f->point_count * sizeof *f->velocity);
  for (int i = 0; i < 3 * f->point_count; i++) f->velocity[i] = (float)frame_velocity(f->points[i / 3]).v[i % 3];
  vlVtuGrid grid = {f->points, f->nodes, f->ends, f->types, f->label, "body", f->point_count, f->cell_count};
  const vlVtkArray velocity = {"velocity", 3, f->velocity};
  vlStatus status = {0};
  if (vl_vtu_write(path, &grid, time, &velocity, 1, NULL, 0, &status)) fail_msg("%s", status.message);
}

static inline void clear_bodies(BodyFrame *f)
{
  free(f->points);
  free(f->velocity);
  free(f->nodes);
  free(f->ends);
  free(f->types);
  free(f->label);
  *f = (BodyFrame){0};
}

#endif
