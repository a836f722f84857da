/* J and what the eliminated bodies do to the pressure equation; see coupling.h.
 *
 * J lies in rows of cells. A row adds up its patches node by node, in a fixed order, and J^T p is a scatter in the order of
 * the rows: the entries are a small part of the grid, one thread passes over them in the time others would need to wake up,
 * and sums do not depend on the number of threads. */
#include "pressure/coupling.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

static bool reserve(void **array, size_t *capacity, size_t need, size_t size)
{
  return vl_array_reserve(array, capacity, need, size);
}

#define RESERVE(array, capacity, need) reserve((void **)&(array), &(capacity), (size_t)(need), sizeof *(array))

void vl_coupling_clear(vlCoupling *c)
{
  free(c->cell);
  free(c->start);
  free(c->node);
  free(c->weight);
  free(c->wet);
  free(c->load);
  free(c->velocity);
  free(c->right);
  free(c->patch_start);
  free(c->patches_of);
  free(c->excess);
  *c = (vlCoupling){0};
}

/* Adds a weight to the row whose entries begin at `first`, keeping nodes in order; returns the new end. */
static int add_entry(vlCoupling *c, int first, int end, int node, vlVec3 weight)
{
  int at = end;
  while (at > first && c->node[at - 1] > node) at--;
  if (at > first && c->node[at - 1] == node) {
    c->weight[at - 1] = vl_add(c->weight[at - 1], weight);
    return end;
  }
  memmove(c->node + at + 1, c->node + at, (size_t)(end - at) * sizeof *c->node);
  memmove(c->weight + at + 1, c->weight + at, (size_t)(end - at) * sizeof *c->weight);
  c->node[at] = node;
  c->weight[at] = weight;
  return end + 1;
}

/* Of the listed patches from first to last - 1. */
static bool add_row(vlCoupling *c, int cell, int first, int last)
{
  int begin = c->start[c->rows], end = begin;
  size_t most = (size_t)begin + VL_PIECE_NODES * (size_t)(last - first);
  if (!RESERVE(c->cell, c->row_capacity, c->rows + 1) || !RESERVE(c->start, c->start_capacity, c->rows + 2) ||
      !RESERVE(c->right, c->right_capacity, c->rows + 1) || !RESERVE(c->patch_start, c->patch_start_capacity, c->rows + 2) ||
      !RESERVE(c->excess, c->excess_capacity, c->rows + 1) || !RESERVE(c->node, c->node_capacity, most) ||
      !RESERVE(c->weight, c->weight_capacity, most))
    return false;
  for (int q = first; q < last; q++) {
    const vlPatch *patch = &c->patches->patch[c->patches_of[q].patch];
    for (int v = 0; v < patch->nodes; v++) end = add_entry(c, begin, end, patch->node[v], vl_scale(patch->s, patch->b[v]));
    c->wet[vl_bodies_owner(c->bodies, patch->node[0])] = true;
  }
  c->cell[c->rows] = cell;
  c->right[c->rows] = c->excess[c->rows] = 0.0;
  c->start[++c->rows] = end;
  c->patch_start[c->rows] = last;
  return true;
}

static int by_cell(const void *a, const void *b)
{
  const vlCoupledPatch *x = a, *y = b;
  return x->cell != y->cell ? (x->cell < y->cell ? -1 : 1) : (x->patch > y->patch) - (x->patch < y->patch);
}

/* Lists the patches that border an unknown, by unknown; returns how many, -1 without memory. They lie in the order of cells:
 * pieces of liquid alone need sorting. */
static int list_patches(vlCoupling *c, vlFindUnknown *find, const void *data)
{
  int count = 0;
  bool sorted = true;
  if (!RESERVE(c->patches_of, c->patches_of_capacity, c->patches->count + 1)) return -1;
  for (int q = 0; q < c->patches->count; q++) {
    int cell = find(data, &c->patches->patch[q]);
    if (cell < 0) continue;
    sorted = sorted && (count == 0 || c->patches_of[count - 1].cell <= cell);
    c->patches_of[count++] = (vlCoupledPatch){cell, q};
  }
  if (!sorted) qsort(c->patches_of, (size_t)count, sizeof *c->patches_of, by_cell);
  return count;
}

static const vlBodySet none = {0};

vlCode vl_coupling_build(vlCoupling *c, vlFindUnknown *find, const void *data, vlStatus *status)
{
  if (!c->bodies) c->bodies = &none;
  size_t bodies = (size_t)c->bodies->count, nodes = (size_t)vl_bodies_nodes(c->bodies);
  c->rows = 0;
  bool ok = RESERVE(c->start, c->start_capacity, 1) && RESERVE(c->patch_start, c->patch_start_capacity, 1) &&
            RESERVE(c->wet, c->wet_capacity, bodies + 1) && RESERVE(c->load, c->load_capacity, nodes + 1) &&
            RESERVE(c->velocity, c->velocity_capacity, nodes + 1);
  if (ok) {
    c->start[0] = c->patch_start[0] = 0;
    memset(c->wet, 0, bodies * sizeof *c->wet);
  }
  int count = ok && bodies > 0 ? list_patches(c, find, data) : 0;
  ok = ok && count >= 0;
  for (int first = 0, last; ok && first < count; first = last) {
    for (last = first + 1; last < count && c->patches_of[last].cell == c->patches_of[first].cell;) last++;
    ok = add_row(c, c->patches_of[first].cell, first, last);
  }
  return ok ? VL_OK : vl_fail_memory(status, nodes * sizeof(vlVec3), "the coupling of liquid and bodies");
}

void vl_coupling_load(const vlCoupling *c, const double *p, vlVec3 *load)
{
  memset(load, 0, (size_t)vl_bodies_nodes(c->bodies) * sizeof *load);
  for (int r = 0; r < c->rows; r++)
    for (int e = c->start[r]; e < c->start[r + 1]; e++)
      load[c->node[e]] = vl_axpy(load[c->node[e]], p[c->cell[r]], c->weight[e]);
}

double vl_coupling_row_flux(const vlCoupling *c, const vlVec3 *v, int row)
{
  double flux = 0.0;
  for (int e = c->start[row]; e < c->start[row + 1]; e++) flux += vl_dot(c->weight[e], v[c->node[e]]);
  return flux;
}

void vl_coupling_flux(const vlCoupling *c, const vlVec3 *v, double factor, const int *place, double *out)
{
  for (int r = 0; r < c->rows; r++) out[place ? place[c->cell[r]] : c->cell[r]] += factor * vl_coupling_row_flux(c, v, r);
}

void vl_coupling_solve(const vlCoupling *c, const vlVec3 *r, vlVec3 *y)
{
  for (int b = 0; b < c->bodies->count; b++) {
    int first = c->bodies->first_node[b], count = c->bodies->first_node[b + 1] - first;
    if (c->wet[b])
      vl_body_solve(c->bodies->body[b], r + first, y + first);
    else
      memset(y + first, 0, (size_t)count * sizeof *y);
  }
  if (c->contact) vl_contact_solve_correct(c->contact, y);
}

void vl_coupling_add(const vlCoupling *c, const int *place, const double *p, double *q)
{
  vlVec3 *t = c->velocity;
  memset(t, 0, (size_t)vl_bodies_nodes(c->bodies) * sizeof *t);
  for (int r = 0; r < c->rows; r++) {
    double value = p[place ? place[c->cell[r]] : c->cell[r]];
    for (int e = c->start[r]; e < c->start[r + 1]; e++) t[c->node[e]] = vl_axpy(t[c->node[e]], value, c->weight[e]);
  }
  vl_coupling_solve(c, t, t);
  vl_coupling_flux(c, t, c->scale, place, q);
}

/* What the bodies do under a load (NULL: none) and the contacts. */
static void find_velocity(vlCoupling *c, const vlVec3 *load, bool all)
{
  bool touching = c->contact && c->contact->contacts.count > 0;
  for (int b = 0; b < c->bodies->count; b++) {
    int first = c->bodies->first_node[b];
    if (all || touching || c->wet[b]) vl_body_velocity(c->bodies->body[b], load ? load + first : NULL, c->velocity + first);
  }
  if (touching) vl_contact_solve_forces(c->contact, c->velocity);
}

/* b -= scale J velocity, in place of what was put there before. */
static void put_flux(vlCoupling *c, double *b)
{
  for (int r = 0; r < c->rows; r++) {
    double now = -c->scale * vl_coupling_row_flux(c, c->velocity, r);
    b[c->cell[r]] += now - c->right[r];
    c->right[r] = now;
  }
}

void vl_coupling_right(vlCoupling *c, double *b)
{
  if (c->rows == 0) return;
  find_velocity(c, NULL, false);
  put_flux(c, b);
}

void vl_coupling_right_given(vlCoupling *c, const double *p, double *b)
{
  vl_coupling_velocity(c, p);
  put_flux(c, b);
}

void vl_coupling_velocity(vlCoupling *c, const double *p)
{
  if (c->bodies->count == 0) return;
  vl_coupling_load(c, p, c->load);
  find_velocity(c, c->load, true);
}

bool vl_coupling_row_yields(const vlCoupling *c, int row)
{
  for (int e = c->start[row]; e < c->start[row + 1]; e++) {
    int b = vl_bodies_owner(c->bodies, c->node[e]), node = c->node[e] - c->bodies->first_node[b];
    for (int a = 0; a < 3; a++)
      if (c->weight[e].v[a] != 0.0 && !c->bodies->body[b]->held[3 * node + a]) return true;
  }
  return false;
}

int vl_coupling_first_row(const vlCoupling *c, int index)
{
  int lo = 0, hi = c->rows;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (c->cell[mid] < index)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}
