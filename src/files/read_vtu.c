/* VTU: nodes, velocities and tetrahedra of a frame's bodies, or triangles of rigid ones, the way back of vtu.c and
 * body_mesh.c; and the faces of the tetrahedra. Bodies of 4 and of 10 nodes may stand side by side. Shapes are not judged:
 * elements may be inside out. How the file is read and checked: files/read_appended.h.
 *
 * A face of one tetrahedron only is on the surface. Faces are found by their corners; with nodes in the middles of edges a
 * face is the four flat triangles that the run's own surface has. Input: a path. Output: arrays; triangles over its nodes.
 */
#include "files/read_vtu.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/read_appended.h"
#include "files/vtk.h"
#include "mesh/tetmesh.h"

enum { NODES = 10 };

static vlCode read_counts(const vlAppended *file, vlVtuFrame *frame, vlStatus *status)
{
  vlXmlTag piece;
  int64_t points, cells;
  bool found = vl_appended_tag(file, "Piece", &piece) && vl_xml_attribute_count(&piece, "NumberOfPoints", &points) &&
               vl_xml_attribute_count(&piece, "NumberOfCells", &cells);
  if (!found) return vl_appended_damaged(file, status, "it has no <Piece> with numbers of points and cells");
  /* what is announced must be there before memory is taken for it */
  if ((uint64_t)points > file->bytes / sizeof(vlVec3) || (uint64_t)cells > file->bytes / (3 * sizeof(int64_t)) ||
      points > INT_MAX / NODES || cells > INT_MAX / (4 * NODES))
    return vl_appended_damaged(file, status, "it announces more points or cells than it has bytes for");
  frame->point_count = (int)points;
  frame->cell_count = (int)cells;
  return VL_OK;
}

static vlCode read_points(const vlAppended *file, vlVtuFrame *frame, vlStatus *status)
{
  size_t n = (size_t)frame->point_count;
  const char *points = NULL, *velocity = NULL;
  const vlAppendedBlock wanted[2] = {{"Points", "Float64", 3, n * sizeof(vlVec3)},
                                     {"velocity", "Float32", 3, n * 3 * sizeof(float)}};
  vlCode code = vl_appended_find(file, &wanted[0], &points, status);
  if (code == VL_OK) code = vl_appended_find(file, &wanted[1], &velocity, status);
  if (code != VL_OK) return code;
  frame->points = malloc((n + 1) * sizeof *frame->points);
  frame->velocity = malloc((3 * n + 1) * sizeof *frame->velocity);
  if (!frame->points || !frame->velocity) return vl_fail_memory(status, n * sizeof *frame->points, file->path);
  memcpy(frame->points, points, n * sizeof *frame->points);
  memcpy(frame->velocity, velocity, 3 * n * sizeof *frame->velocity);
  for (size_t i = 0; i < 3 * n; i++)
    if (!(fabs(frame->points[i / 3].v[i % 3]) <= 1e15) || !isfinite(frame->velocity[i]))
      return vl_fail(status, VL_ERROR_FILE, "%s: node %zu has a place or a velocity that is not finite", file->path, i / 3);
  return VL_OK;
}

/* Nodes of one cell from connectivity; false: they are not there. */
static bool read_cell(const char *connectivity, int64_t begin, int64_t end, int point_count, int *nodes)
{
  for (int i = 0; i < NODES; i++) {
    int64_t node = -1;
    if (i < end - begin) {
      memcpy(&node, connectivity + (size_t)(begin + i) * sizeof node, sizeof node);
      if (node < 0 || node >= point_count) return false;
    }
    nodes[i] = (int)node;
  }
  return true;
}

static vlCode read_cells(const vlAppended *file, vlVtuFrame *frame, vlStatus *status)
{
  size_t n = (size_t)frame->cell_count;
  const char *ends = NULL, *types = NULL, *connectivity = NULL, *bodies = NULL;
  const vlAppendedBlock wanted[3] = {
      {"offsets", "Int64", 1, n * sizeof(int64_t)}, {"types", "UInt8", 1, n}, {"body", "Int32", 1, n * sizeof(int32_t)}};
  vlCode code = vl_appended_find(file, &wanted[0], &ends, status);
  if (code == VL_OK) code = vl_appended_find(file, &wanted[1], &types, status);
  if (code == VL_OK) code = vl_appended_find(file, &wanted[2], &bodies, status);
  if (code != VL_OK) return code;
  int64_t last = 0;
  if (n > 0) memcpy(&last, ends + (n - 1) * sizeof last, sizeof last);
  if (last < 0 || last > (int64_t)(NODES * n)) return vl_appended_damaged(file, status, "its cells have too many nodes");
  const vlAppendedBlock list = {"connectivity", "Int64", 1, (uint64_t)last * sizeof last};
  code = vl_appended_find(file, &list, &connectivity, status);
  if (code != VL_OK) return code;
  frame->nodes = malloc((n * NODES + 1) * sizeof *frame->nodes);
  frame->body = malloc((n + 1) * sizeof *frame->body);
  if (!frame->nodes || !frame->body) return vl_fail_memory(status, n * NODES * sizeof *frame->nodes, file->path);
  int64_t begin = 0, end = 0;
  for (size_t c = 0; c < n; c++, begin = end) {
    memcpy(&end, ends + c * sizeof end, sizeof end);
    int type = (unsigned char)types[c];
    bool known = (type == VL_VTU_TET4 && end - begin == 4) || (type == VL_VTU_TET10 && end - begin == NODES) ||
                 (type == VL_VTU_TRIANGLE && end - begin == 3);
    int32_t body;
    memcpy(&body, bodies + c * sizeof body, sizeof body);
    frame->body[c] = body;
    if (!known || end > last || !read_cell(connectivity, begin, end, frame->point_count, frame->nodes + c * NODES))
      return vl_fail(status, VL_ERROR_FILE,
                     "%s is damaged or not Velella's: cell %zu is no tetrahedron of 4 or 10 of its nodes and no triangle",
                     file->path, c);
  }
  return VL_OK;
}

vlCode vl_vtu_frame_read(vlVtuFrame *frame, const char *path, vlStatus *status)
{
  vlAppended file;
  *frame = (vlVtuFrame){0};
  vlCode code = vl_appended_open(&file, path, "UnstructuredGrid", status);
  frame->time = file.time;
  if (code == VL_OK) code = read_counts(&file, frame, status);
  if (code == VL_OK) code = read_points(&file, frame, status);
  if (code == VL_OK) code = read_cells(&file, frame, status);
  vl_appended_close(&file);
  if (code != VL_OK) vl_vtu_frame_clear(frame);
  return code;
}

void vl_vtu_frame_clear(vlVtuFrame *frame)
{
  free(frame->points);
  free(frame->velocity);
  free(frame->nodes);
  free(frame->body);
  *frame = (vlVtuFrame){0};
}

/* One triangle, or four around the middles of its edges. Returns how many. */
static int add_face(const int *nodes, int corner, int (*to)[3])
{
  static const int middle[4][4] = {{-1, 4, 6, 7}, {4, -1, 5, 8}, {6, 5, -1, 9}, {7, 8, 9, -1}};
  const int *k = vl_tet_face_corner[corner];
  int a = nodes[k[0]], b = nodes[k[1]], c = nodes[k[2]];
  int ab = nodes[middle[k[0]][k[1]]], bc = nodes[middle[k[1]][k[2]]], ca = nodes[middle[k[2]][k[0]]];
  if (ab < 0) {
    memcpy(to[0], (int[3]){a, b, c}, sizeof to[0]);
    return 1;
  }
  const int four[4][3] = {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}};
  memcpy(to, four, sizeof four);
  return 4;
}

/* The tetrahedra among the cells, and which cells they are; the triangles among them go straight to the list. */
static void sort_cells(const vlVtuFrame *frame, vlTetMesh *mesh, int *cell, int (*triangles)[3], int *count)
{
  for (int c = 0; c < frame->cell_count; c++) {
    const int *nodes = frame->nodes + (size_t)c * NODES;
    if (nodes[3] < 0) {
      memcpy(triangles[(*count)++], nodes, sizeof *triangles);
      continue;
    }
    cell[mesh->tet_count] = c;
    memcpy(mesh->tet[mesh->tet_count++], nodes, sizeof *mesh->tet);
  }
}

vlCode vl_vtu_frame_faces(const vlVtuFrame *frame, int (**triangles)[3], int *count, int *outer, vlStatus *status)
{
  size_t cells = (size_t)frame->cell_count, faces = 0;
  vlTetMesh mesh = {.node = frame->points, .node_count = frame->point_count};
  vlTetFace *face = NULL;
  int *cell = malloc((cells + 1) * sizeof *cell);
  mesh.tet = malloc((cells + 1) * sizeof *mesh.tet);
  *triangles = malloc((16 * cells + 1) * sizeof **triangles);
  *count = *outer = 0;
  vlCode code = VL_OK;
  if (!cell || !mesh.tet || !*triangles)
    code = vl_fail_memory(status, 16 * cells * sizeof **triangles, "the faces of elastic bodies");
  if (code == VL_OK) {
    sort_cells(frame, &mesh, cell, *triangles, count);
    code = vl_tet_faces_sorted(&face, &faces, &mesh, status);
  }
  for (int inner = 0; inner < 2 && code == VL_OK; inner++) {
    for (size_t i = 0, end; i < faces; i = end) {
      end = vl_tet_faces_end(face, faces, i);
      if ((end - i > 1) == inner)
        *count += add_face(frame->nodes + (size_t)cell[face[i].tet] * NODES, face[i].corner, *triangles + *count);
    }
    if (!inner) *outer = *count;
  }
  free(face);
  free(cell);
  free(mesh.tet);
  if (code != VL_OK) {
    free(*triangles);
    *triangles = NULL;
  }
  return code;
}
