/* Bodies gathered for files.
 *
 * Bodies follow one another: nodes of the second are numbered on from those of the first, and bodies of 4-node and 10-node
 * elements may stand side by side. The cells of a body without elements are the triangles of its surface. VTK
 * orders the edges of a 10-node tetrahedron 01 12 02 03 13 23, elements here have 01 02 03 12 13 23. Of the surface only
 * nodes on it are taken; a stress lives in elements and comes to a vertex as the mean of those around it. In: bodies. Out:
 * arrays as vl_vtu_write, vl_vtp_write and vl_ply_write_arrays take them. */
#include "frames/body_mesh.h"

#include <limits.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"

static const int vtk_place[10] = {0, 1, 2, 3, 4, 7, 5, 6, 8, 9}; /* node of an element at each place of VTK's */

typedef struct Counts {
  size_t nodes, elements, corners, triangles;
} Counts;

/* Cells of a body in a VTU, and nodes of each. */
static int cells_of(const vlBodyView *b) { return b->element_count > 0 ? b->element_count : b->triangle_count; }
static int cell_nodes(const vlBodyView *b) { return b->element_count > 0 ? b->element_nodes : 3; }

static vlCode count_all(const vlSim *sim, Counts *count, vlStatus *status)
{
  *count = (Counts){0};
  for (int i = 0; i < vl_sim_body_count(sim); i++) {
    const vlBodyView body = vl_sim_body(sim, i), *b = &body;
    count->nodes += (size_t)b->node_count;
    count->elements += (size_t)cells_of(b);
    count->corners += (size_t)cells_of(b) * (size_t)cell_nodes(b);
    count->triangles += (size_t)b->triangle_count;
  }
  if (count->nodes <= INT_MAX && count->elements <= INT_MAX && count->triangles <= INT_MAX) return VL_OK;
  return vl_fail(status, VL_ERROR_FILE, "bodies of %zu nodes and %zu elements are too many for one file: at most %d",
                 count->nodes, count->elements, INT_MAX);
}

static void put(float *to, size_t i, vlVec3 v)
{
  for (size_t a = 0; a < 3; a++) to[3 * i + a] = (float)v.v[a];
}

/* Nodes of cell e. */
static void list_nodes(const vlBodyView *b, int e, size_t first, int64_t *to)
{
  int n = cell_nodes(b);
  for (int k = 0; k < n; k++)
    to[k] = (int64_t)first +
            (b->element_count > 0 ? b->elements[(size_t)e * (size_t)n + (size_t)vtk_place[k]] : b->triangles[e][k]);
}

/* Nodes and elements of body number `label`, behind those that are there. */
static void add_body(vlBodyGrid *g, const vlSim *sim, int label)
{
  const vlBodyView body = vl_sim_body(sim, label), *b = &body;
  size_t first = (size_t)g->grid.point_count, cell = (size_t)g->grid.cell_count, n = (size_t)cell_nodes(b);
  int64_t end = cell ? g->ends[cell - 1] : 0;
  for (size_t i = 0; i < (size_t)b->node_count; i++) {
    g->points[first + i] = b->x[i];
    put(g->displacement, first + i, vl_sub(b->x[i], b->rest[i]));
    put(g->velocity, first + i, b->v[i]);
  }
#pragma omp parallel for schedule(static)
  for (int e = 0; e < cells_of(b); e++) {
    size_t at = cell + (size_t)e;
    int64_t begin = end + (int64_t)n * e;
    list_nodes(b, e, first, g->nodes + begin);
    g->ends[at] = begin + (int64_t)n;
    g->types[at] = n == 3 ? VL_VTU_TRIANGLE : n == 4 ? VL_VTU_TET4 : VL_VTU_TET10;
    g->label[at] = label;
    vlElementView element = {0};
    if (b->element_count > 0) element = vl_sim_element(sim, label, e);
    for (size_t c = 0; c < 6; c++) g->stress[6 * at + c] = (float)element.stress[c];
    g->von_mises[at] = (float)element.von_mises;
  }
  g->grid.point_count += b->node_count;
  g->grid.cell_count += cells_of(b);
}

vlCode vl_body_grid_create(vlBodyGrid *g, const vlSim *sim, vlStatus *status)
{
  Counts count;
  *g = (vlBodyGrid){0};
  vlCode code = count_all(sim, &count, status);
  if (code != VL_OK) return code;
  size_t nodes = count.nodes + 1, elements = count.elements + 1;
  g->points = malloc(nodes * sizeof *g->points);
  g->displacement = malloc(nodes * 3 * sizeof *g->displacement);
  g->velocity = malloc(nodes * 3 * sizeof *g->velocity);
  g->stress = malloc(elements * 6 * sizeof *g->stress);
  g->von_mises = malloc(elements * sizeof *g->von_mises);
  g->nodes = malloc((count.corners + 1) * sizeof *g->nodes);
  g->ends = malloc(elements * sizeof *g->ends);
  g->types = malloc(elements * sizeof *g->types);
  g->label = malloc(elements * sizeof *g->label);
  bool good = g->points && g->displacement && g->velocity && g->stress && g->von_mises && g->nodes && g->ends && g->types;
  if (!good || !g->label)
    return vl_fail_memory(status, nodes * sizeof *g->points + count.corners * sizeof *g->nodes, "a frame of the bodies");
  for (int i = 0; i < vl_sim_body_count(sim); i++) add_body(g, sim, i);
  g->grid.points = g->points;
  g->grid.nodes = g->nodes;
  g->grid.ends = g->ends;
  g->grid.types = g->types;
  g->grid.label = g->label;
  g->grid.label_name = "body";
  return VL_OK;
}

void vl_body_grid_clear(vlBodyGrid *g)
{
  void *arrays[] = {g->points, g->displacement, g->velocity, g->stress, g->von_mises, g->nodes, g->ends, g->types, g->label};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  *g = (vlBodyGrid){0};
}

/* At every node the mean of the elements' values, 0 without elements, into mises [node_count]; weight is scratch of that
 * size. */
static void average_stress(const vlSim *sim, const vlBodyView *b, int label, double *mises, double *weight)
{
  for (int i = 0; i < b->node_count; i++) mises[i] = weight[i] = 0.0;
  for (int e = 0; e < b->element_count; e++) {
    vlElementView element = vl_sim_element(sim, label, e);
    double value = element.volume * element.von_mises;
    for (int k = 0; k < b->element_nodes; k++) {
      int node = b->elements[(size_t)e * (size_t)b->element_nodes + (size_t)k];
      mises[node] += value;
      weight[node] += element.volume;
    }
  }
  for (int i = 0; i < b->node_count && b->element_count > 0; i++) mises[i] /= weight[i];
}

/* Vertices and triangles of body number `label`, behind those that are there; vertex, mises: scratch [node_count]. */
static void add_surface(vlBodySurface *s, const vlBodyView *b, int label, int *vertex, const double *mises)
{
  vlTriMesh *mesh = s->mesh;
  for (int i = 0; i < b->node_count; i++) vertex[i] = -1;
  for (int t = 0; t < b->triangle_count; t++)
    for (int c = 0; c < 3; c++) vertex[b->triangles[t][c]] = 0;
  for (int i = 0; i < b->node_count; i++) {
    if (vertex[i] < 0) continue;
    int at = vertex[i] = mesh->vertex_count++;
    mesh->x[at] = b->x[i];
    put(s->velocity, (size_t)at, b->v[i]);
    s->von_mises[at] = (float)mises[i];
    s->body[at] = (float)label;
  }
  for (int t = 0; t < b->triangle_count; t++) {
    int at = mesh->triangle_count++;
    for (int c = 0; c < 3; c++) mesh->tri[at][c] = vertex[b->triangles[t][c]];
    s->owner[at] = (float)label;
  }
}

vlCode vl_body_surface_create(vlBodySurface *s, const vlSim *sim, vlStatus *status)
{
  Counts count;
  *s = (vlBodySurface){0};
  vlCode code = count_all(sim, &count, status);
  if (code != VL_OK) return code;
  size_t nodes = count.nodes + 1;
  s->mesh = vl_trimesh_create((int)count.nodes, (int)count.triangles);
  s->velocity = malloc(nodes * 3 * sizeof *s->velocity);
  s->von_mises = malloc(nodes * sizeof *s->von_mises);
  s->body = malloc(nodes * sizeof *s->body);
  s->owner = malloc((count.triangles + 1) * sizeof *s->owner);
  int *vertex = malloc(nodes * sizeof *vertex);
  double *mises = malloc(nodes * sizeof *mises), *weight = malloc(nodes * sizeof *weight);
  if (!s->mesh || !s->velocity || !s->von_mises || !s->body || !s->owner || !vertex || !mises || !weight) {
    code = vl_fail_memory(status, nodes * (sizeof(vlVec3) + 3 * sizeof *mises), "the surface of the bodies");
  } else {
    s->mesh->vertex_count = s->mesh->triangle_count = 0;
    for (int i = 0; i < vl_sim_body_count(sim); i++) {
      vlBodyView body = vl_sim_body(sim, i);
      average_stress(sim, &body, i, mises, weight);
      add_surface(s, &body, i, vertex, mises);
    }
  }
  free(vertex);
  free(mises);
  free(weight);
  return code;
}

void vl_body_surface_clear(vlBodySurface *s)
{
  vl_trimesh_destroy(&s->mesh);
  free(s->velocity);
  free(s->von_mises);
  free(s->body);
  free(s->owner);
  *s = (vlBodySurface){0};
}
