/* What the readers of tetrahedral meshes share: nodes by their numbers, lines of text, errors with their place.
 *
 * Numbers of nodes are looked up by subtraction where they ascend by one, as in most files, and in a sorted list otherwise.
 * Arrays grow with what was read: nothing is reserved from a count the file announces, so a wrong count costs no memory.
 *
 * labels, places, quadruples of labels → nodes with finite coordinates and tetrahedra with indices in range. */
#include "mesh/read_tet.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void vl_tet_reader_clear(vlTetReader *t)
{
  free(t->node);
  free(t->node_label);
  free(t->tet);
  free(t->tet_label);
  free(t->by_label);
}

vlCode vl_tet_fail(vlTetReader *t, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (t->where == VL_WHERE_LINE) return vl_reader_fail_line(&t->r, "%s", text);
  if (t->where == VL_WHERE_BYTE) return vl_reader_fail_byte(&t->r, t->r.at, "%s", text);
  return vl_fail(t->r.status, VL_ERROR_MESH, "%s: %s", t->r.path, text);
}

vlCode vl_tet_expected(vlTetReader *t, const char *what)
{
  if (t->where == VL_WHERE_LINE) return vl_reader_expected(&t->r, what);
  const char *found = t->r.at >= t->r.end ? "the end of the file" : "something else";
  return vl_tet_fail(t, "found %s, expected %s", found, what);
}

vlCode vl_tet_fail_kind(vlTetReader *t, const char *kind)
{
  return vl_tet_fail(t, "found %s, expected tetrahedra of 4 nodes only (points, lines and surfaces are passed over)", kind);
}

/* Room for one more in an array of `count`. */
static vlCode grow(vlTetReader *t, void *array, size_t *capacity, size_t count, size_t size)
{
  if (count == INT_MAX) return vl_tet_fail(t, "found more than %d nodes or tetrahedra, expected up to that many", INT_MAX);
  if (!vl_array_reserve(array, capacity, count + 1, size)) return vl_fail_memory(t->r.status, 2 * count * size, t->r.path);
  return VL_OK;
}

vlCode vl_tet_add_label(vlTetReader *t, int64_t label)
{
  vlCode code = grow(t, &t->node_label, &t->label_capacity, t->label_count, sizeof *t->node_label);
  if (code == VL_OK) t->node_label[t->label_count++] = label;
  return code;
}

vlCode vl_tet_add_place(vlTetReader *t, vlVec3 x)
{
  if (!vl_reader_usable(x))
    return vl_tet_fail(t, "found a node at (%g, %g, %g), expected finite coordinates up to %g", x.x, x.y, x.z,
                       VL_READ_COORDINATE_MAX);
  vlCode code = grow(t, &t->node, &t->node_capacity, t->node_count, sizeof *t->node);
  if (code == VL_OK) t->node[t->node_count++] = x;
  return code;
}

static int compare_numbers(const void *a, const void *b)
{
  const vlNodeNumber *p = a, *q = b;
  if (p->label != q->label) return p->label < q->label ? -1 : 1;
  return p->node < q->node ? -1 : p->node > q->node;
}

static bool ascends_by_one(const vlTetReader *t)
{
  for (size_t i = 1; i < t->label_count; i++)
    if (t->node_label[i - 1] == INT64_MAX || t->node_label[i] != t->node_label[i - 1] + 1) return false;
  return true;
}

vlCode vl_tet_end_nodes(vlTetReader *t)
{
  size_t n = t->label_count;
  t->nodes_ended = true;
  if (t->node_count != n) return vl_tet_fail(t, "found %zu nodes with %zu numbers, expected one for each", t->node_count, n);
  if (ascends_by_one(t)) return VL_OK;
  t->by_label = malloc(n * sizeof *t->by_label);
  if (!t->by_label) return vl_fail_memory(t->r.status, n * sizeof *t->by_label, t->r.path);
  for (size_t i = 0; i < n; i++) t->by_label[i] = (vlNodeNumber){t->node_label[i], (int)i};
  qsort(t->by_label, n, sizeof *t->by_label, compare_numbers);
  for (size_t i = 1; i < n; i++)
    if (t->by_label[i].label == t->by_label[i - 1].label)
      return vl_tet_fail(t, "found node %lld twice, expected a number of its own for each node",
                         (long long)t->by_label[i].label);
  return VL_OK;
}

/* Index of the node with that label, or -1. */
static int find_node(const vlTetReader *t, int64_t label)
{
  size_t lo = 0, hi = t->node_count;
  if (hi == 0) return -1;
  if (!t->by_label) {
    int64_t first = t->node_label[0], last = t->node_label[hi - 1];
    return label >= first && label <= last ? (int)(label - first) : -1;
  }
  while (hi - lo > 1) {
    size_t middle = lo + (hi - lo) / 2;
    *(t->by_label[middle].label <= label ? &lo : &hi) = middle;
  }
  return t->by_label[lo].label == label ? t->by_label[lo].node : -1;
}

static vlCode fail_node(vlTetReader *t, int64_t label, int64_t wanted)
{
  if (t->node_count == 0)
    return vl_tet_fail(t, "found node %lld in tetrahedron %lld, expected nodes before: there are none", (long long)wanted,
                       (long long)label);
  size_t last = t->node_count - 1;
  int64_t low = t->by_label ? t->by_label[0].label : t->node_label[0];
  int64_t high = t->by_label ? t->by_label[last].label : t->node_label[last];
  return vl_tet_fail(t, "found node %lld in tetrahedron %lld, expected one of the %zu nodes numbered from %lld to %lld",
                     (long long)wanted, (long long)label, t->node_count, (long long)low, (long long)high);
}

vlCode vl_tet_add_tet(vlTetReader *t, int64_t label, const int64_t node_label[4])
{
  int node[4];
  for (int k = 0; k < 4; k++) {
    node[k] = find_node(t, node_label[k]);
    if (node[k] < 0) return fail_node(t, label, node_label[k]);
  }
  vlCode code = grow(t, &t->tet, &t->tet_capacity, t->tet_count, sizeof *t->tet);
  if (code == VL_OK) code = grow(t, &t->tet_label, &t->tet_label_capacity, t->tet_count, sizeof *t->tet_label);
  if (code != VL_OK) return code;
  memcpy(t->tet[t->tet_count], node, sizeof node);
  t->tet_label[t->tet_count++] = label;
  return VL_OK;
}

static bool line_ended(vlTetReader *t)
{
  vl_reader_skip_blanks(&t->r);
  return vl_reader_at_line_end(&t->r) || *t->r.at == '#';
}

void vl_tet_begin_line(vlTetReader *t)
{
  while (t->r.at < t->r.end && line_ended(t)) vl_reader_next_line(&t->r);
}

vlCode vl_tet_end_line(vlTetReader *t, const char *after)
{
  char text[128];
  snprintf(text, sizeof text, "the end of the line after %s", after);
  if (!line_ended(t)) return vl_tet_expected(t, text);
  vl_reader_next_line(&t->r);
  return VL_OK;
}

vlCode vl_tet_text_integer(vlTetReader *t, int64_t *value, const char *what)
{
  vlReader *r = &t->r;
  vl_reader_skip_blanks(r);
  vlReader before = *r;
  if (vl_reader_integer(r, value) && (vl_reader_at_line_end(r) || *r->at == ' ' || *r->at == '\t')) return VL_OK;
  *r = before;
  char text[128];
  snprintf(text, sizeof text, "a whole number (%s)", what);
  return vl_tet_expected(t, text);
}

vlCode vl_tet_text_count(vlTetReader *t, int64_t *count, const char *what)
{
  vl_reader_skip_blanks(&t->r);
  vlReader before = t->r;
  vlCode code = vl_tet_text_integer(t, count, what);
  if (code != VL_OK || *count >= 0) return code;
  t->r = before;
  return vl_tet_fail(t, "found %lld, expected a number from 0 on (%s)", (long long)*count, what);
}

vlCode vl_tet_text_nodes(vlTetReader *t, int64_t node_label[], int count)
{
  vlCode code = VL_OK;
  for (int k = 0; k < count && code == VL_OK; k++) code = vl_tet_text_integer(t, &node_label[k], "a node of an element");
  return code;
}

vlCode vl_tet_text_place(vlTetReader *t, vlVec3 *x)
{
  static const char *const what[3] = {"x of a node", "y of a node", "z of a node"};
  vlCode code = VL_OK;
  for (int a = 0; a < 3 && code == VL_OK; a++) code = vl_reader_number(&t->r, &x->v[a], what[a]);
  return code;
}
