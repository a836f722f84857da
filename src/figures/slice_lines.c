/* Lines on a plane, from segments in any order.
 *
 * A segment's ends carry keys: of the mesh edge or of the grid edge they lie on. Ends with equal keys are the same point,
 * so sorting them by key joins the segments into lines without comparing coordinates. The order of the input decides all
 * that is left open: equal input gives equal lines. */
#include "figures/slice_parts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

typedef struct Segment {
  uint64_t key[2];
  double x[2][2];
} Segment;

typedef struct Segments {
  Segment *at;
  size_t count, capacity;
  bool failed;
} Segments;

typedef struct End {
  uint64_t key;
  int index; /* 2 segment + side */
} End;

static void add_segment(Segments *list, Segment segment)
{
  void *at = list->at;
  bool room = list->count < INT32_MAX / 4 && vl_array_reserve(&at, &list->capacity, list->count + 1, sizeof *list->at);
  list->at = at;
  list->failed = list->failed || !room;
  if (!list->failed) list->at[list->count++] = segment;
}

static int compare_ends(const void *a, const void *b)
{
  const End *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

/* partner[end]: the end that is joined to it, -1: none */
static void join_ends(const Segments *list, End *ends, int *partner)
{
  size_t n = 2 * list->count;
  for (size_t i = 0; i < n; i++) {
    ends[i] = (End){list->at[i / 2].key[i % 2], (int)i};
    partner[i] = -1;
  }
  qsort(ends, n, sizeof *ends, compare_ends);
  for (size_t i = 0; i + 1 < n; i++)
    if (ends[i].key == ends[i + 1].key) {
      partner[ends[i].index] = ends[i + 1].index;
      partner[ends[i + 1].index] = ends[i].index;
      i++;
    }
}

/* The line that begins at the end `from`; points go to lines->x at *used. */
static void walk(const Segments *list, const int *partner, bool *done, int from, vlSliceLines *lines, int *used)
{
  int end = from;
  bool closed = false;
  lines->first[lines->count] = *used;
  lines->vertex[lines->count] = (int)(list->at[end / 2].key[end % 2] >> 32);
  for (;;) {
    const Segment *s = &list->at[end / 2];
    done[end / 2] = true;
    for (int a = 0; a < 2; a++) lines->x[*used][a] = s->x[end % 2][a];
    (*used)++;
    int next = partner[end ^ 1];
    closed = next == from;
    if (next < 0 || done[next / 2]) {
      if (!closed) {
        for (int a = 0; a < 2; a++) lines->x[*used][a] = s->x[!(end % 2)][a];
        (*used)++;
      }
      break;
    }
    end = next;
  }
  lines->closed[lines->count++] = closed;
}

static vlCode chain(vlSliceLines *lines, Segments *list, vlStatus *status)
{
  size_t n = list->count;
  End *ends = malloc((2 * n + 1) * sizeof *ends);
  int *partner = malloc((2 * n + 1) * sizeof *partner);
  bool *done = calloc(n + 1, sizeof *done);
  *lines = (vlSliceLines){.x = malloc((2 * n + 1) * sizeof *lines->x),
                          .first = malloc((n + 2) * sizeof *lines->first),
                          .vertex = malloc((n + 1) * sizeof *lines->vertex),
                          .closed = malloc((n + 1) * sizeof *lines->closed)};
  vlCode code = VL_OK;
  if (list->failed || !ends || !partner || !done || !lines->x || !lines->first || !lines->vertex || !lines->closed)
    code = vl_fail_memory(status, n * sizeof *list->at, "the lines of a slice");
  if (code == VL_OK) {
    int used = 0;
    join_ends(list, ends, partner);
    for (size_t e = 0; e < 2 * n; e++)
      if (partner[e] < 0 && !done[e / 2]) walk(list, partner, done, (int)e, lines, &used);
    for (size_t s = 0; s < n; s++)
      if (!done[s]) walk(list, partner, done, 2 * (int)s, lines, &used);
    lines->first[lines->count] = used;
  } else {
    vl_slice_lines_clear(lines);
  }
  free(ends);
  free(partner);
  free(done);
  free(list->at);
  return code;
}

void vl_slice_lines_clear(vlSliceLines *lines)
{
  free(lines->x);
  free(lines->first);
  free(lines->vertex);
  free(lines->closed);
  *lines = (vlSliceLines){0};
}

vlCode vl_slice_outline(vlSliceLines *lines, const vlTriMesh *mesh, int axis, double position, int u, int v,
                        vlStatus *status)
{
  Segments list = {0};
  for (int t = 0; t < mesh->triangle_count; t++) {
    Segment segment;
    int found = 0;
    for (int c = 0; c < 3; c++) {
      int a = mesh->tri[t][c], b = mesh->tri[t][(c + 1) % 3];
      if ((mesh->x[a].v[axis] >= position) == (mesh->x[b].v[axis] >= position)) continue;
      /* from the lower index on, so that both triangles at the edge compute the same point */
      int from = a < b ? a : b, to = a < b ? b : a;
      vlVec3 p = mesh->x[from], q = mesh->x[to];
      double s = (position - p.v[axis]) / (q.v[axis] - p.v[axis]);
      segment.key[found] = (uint64_t)from << 32 | (uint64_t)to;
      segment.x[found][0] = p.v[u] + s * (q.v[u] - p.v[u]);
      segment.x[found++][1] = p.v[v] + s * (q.v[v] - p.v[v]);
    }
    if (found == 2) add_segment(&list, segment);
  }
  return chain(lines, &list, status);
}

/* Values at the nodes of the contour: (n0 + 2) x (n1 + 2), the outer ones on the domain's sides. */
typedef struct Nodes {
  const float *phi;
  const int *n;
  double dx;
  const double *lo;
} Nodes;

static int inner(int i, int n) { return i < 1 ? 0 : i > n ? n - 1 : i - 1; }

static double node_value(const Nodes *g, int i, int j) { return g->phi[inner(i, g->n[0]) + g->n[0] * inner(j, g->n[1])]; }

static double node_place(const Nodes *g, int a, int i)
{
  double cells = i < 1 ? 0.0 : i > g->n[a] ? g->n[a] : i - 0.5;
  return g->lo[a] + cells * g->dx;
}

/* One end on the edge from node (i, j) along direction d. */
static void put_end(const Nodes *g, Segment *segment, int side, int i, int j, int d)
{
  int i1 = i + (d == 0), j1 = j + (d == 1);
  double a = node_value(g, i, j), b = node_value(g, i1, j1), s = a / (a - b);
  segment->key[side] = ((uint64_t)j * (uint64_t)(g->n[0] + 2) + (uint64_t)i) * 2 + (uint64_t)d;
  segment->x[side][0] = node_place(g, 0, i) + s * (node_place(g, 0, i1) - node_place(g, 0, i));
  segment->x[side][1] = node_place(g, 1, j) + s * (node_place(g, 1, j1) - node_place(g, 1, j));
}

static void contour_square(const Nodes *g, Segments *list, int i, int j)
{
  /* corners and edges counter-clockwise; edge e leads from corner e to the next */
  static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  static const int edge[4][3] = {{0, 0, 0}, {1, 0, 1}, {0, 1, 0}, {0, 0, 1}}; /* node, direction */
  bool wet[4];
  double mean = 0.0;
  for (int c = 0; c < 4; c++) {
    double value = node_value(g, i + corner[c][0], j + corner[c][1]);
    wet[c] = value < 0.0;
    mean += 0.25 * value;
  }
  int crossed[4] = {0}, count = 0;
  for (int e = 0; e < 4; e++)
    if (wet[e] != wet[(e + 1) % 4]) crossed[count++] = e;
  /* a saddle: the middle decides which corners are cut off */
  int shift = count == 4 && (mean < 0.0) == wet[0] ? 0 : 1;
  for (int s = 0; s < count; s += 2) {
    Segment segment;
    for (int side = 0; side < 2; side++) {
      const int *e = edge[crossed[count == 4 ? (s + side + shift) % 4 : s + side]];
      put_end(g, &segment, side, i + e[0], j + e[1], e[2]);
    }
    add_segment(list, segment);
  }
}

vlCode vl_slice_contour(vlSliceLines *lines, const float *phi, const int n[2], double dx, const double lo[2],
                        vlStatus *status)
{
  Nodes g = {phi, n, dx, lo};
  Segments list = {0};
  for (int j = 0; j <= n[1]; j++)
    for (int i = 0; i <= n[0]; i++) contour_square(&g, &list, i, j);
  return chain(lines, &list, status);
}
