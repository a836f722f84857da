/* How thick the walls of a region are.
 *
 * The box is halved while its half diagonal says that the surface may pass through it; from the middle of the last boxes,
 * cubes of about `side`, a few Newton steps along the gradient lead to the surface. From there a ray goes into the solid
 * against the normal n. Where it comes out after a way t and the normal there is opposite to n within 25 degrees, the wall
 * is t thick; other corners and tips are no walls. Distances inside a union are no more than a bound and vanish where
 * two shapes touch, so the ray goes on by at least a small step and only a positive distance is outside.
 *
 * region, box -> middles and thicknesses of the thin walls. */
#include "solid/walls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"

enum { SLABS = 64, STEPS = 32 };

typedef struct {
  vlRegion solid;
  double side, limit;
} Search;

typedef struct {
  vlWall *wall;
  size_t count, capacity;
  int64_t surfaced;
  bool failed;
} WallList;

static double distance(const Search *s, vlVec3 x) { return s->solid.distance(s->solid.data, x); }

static void add_wall(WallList *list, vlWall wall)
{
  void *array = list->wall;
  bool room = vl_array_reserve(&array, &list->capacity, list->count + 1, sizeof *list->wall);
  list->wall = array;
  list->failed = list->failed || !room;
  if (room) list->wall[list->count++] = wall;
}

/* Follows the ray from x, on the surface, into the solid. */
static void measure_wall(const Search *s, vlVec3 x, vlVec3 n, WallList *list)
{
  double step = s->limit / STEPS, way = step;
  for (int i = 0; i < STEPS && way < s->limit + step; i++) {
    vlVec3 y = vl_axpy(x, -way, n);
    double d = distance(s, y);
    if (d <= 0.0) {
      way += fmax(step, -d);
      continue;
    }
    double thickness = way - d;
    vlVec3 middle = vl_axpy(x, -0.5 * thickness, n);
    bool opposite = vl_dot(s->solid.gradient(s->solid.data, y), n) < -0.9; /* cos 25 degrees */
    /* Right at a corner the normal may be anything, and the way lead through open space. */
    bool through = distance(s, middle) <= 1e-9 * s->side;
    if (opposite && through && thickness < s->limit) add_wall(list, (vlWall){middle, thickness});
    return;
  }
}

static void look_from(const Search *s, vlVec3 x, double d, WallList *list)
{
  double near = 1e-6 * s->side;
  vlVec3 n = s->solid.gradient(s->solid.data, x);
  for (int i = 0; i < 4 && fabs(d) > near; i++) {
    x = vl_axpy(x, -d, n);
    d = distance(s, x);
    n = s->solid.gradient(s->solid.data, x);
  }
  if (fabs(d) > 1e-3 * s->side || !(vl_norm(n) > 0.5)) return;
  list->surfaced++;
  measure_wall(s, x, n, list);
}

static void visit(const Search *s, vlBox3 box, WallList *list)
{
  vlVec3 size = vl_sub(box.hi, box.lo), middle = vl_axpy(box.lo, 0.5, size);
  double d = distance(s, middle);
  if (fabs(d) > 0.55 * vl_norm(size)) return; /* half the diagonal and a margin: repaired meshes' slopes may exceed one */
  int axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
  if (size.v[axis] <= s->side) {
    look_from(s, middle, d, list);
    return;
  }
  vlBox3 lower = box, upper = box;
  lower.hi.v[axis] = upper.lo.v[axis] = middle.v[axis];
  visit(s, lower, list);
  visit(s, upper, list);
}

static vlCode join_lists(vlWalls *walls, const WallList *lists, vlStatus *status)
{
  size_t total = 0;
  bool failed = false;
  for (int i = 0; i < SLABS; i++) {
    total += lists[i].count;
    walls->surfaced += lists[i].surfaced;
    failed = failed || lists[i].failed;
  }
  walls->wall = failed || total > INT_MAX ? NULL : malloc((total + 1) * sizeof *walls->wall);
  if (!walls->wall) return vl_fail_memory(status, (total + 1) * sizeof *walls->wall, "the places of thin walls");
  for (int i = 0; i < SLABS; i++)
    for (size_t k = 0; k < lists[i].count; k++) {
      walls->wall[walls->count++] = lists[i].wall[k];
      walls->thinnest = fmin(walls->thinnest, lists[i].wall[k].thickness);
    }
  return VL_OK;
}

vlCode vl_walls_find(vlWalls *walls, vlRegion solid, vlBox3 box, double side, double limit, vlStatus *status)
{
  *walls = (vlWalls){.thinnest = INFINITY};
  if (vl_box_is_empty(box)) return VL_OK;
  Search s = {solid, side, limit};
  WallList lists[SLABS] = {0};
  vlVec3 size = vl_sub(box.hi, box.lo);
  int axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < SLABS; i++) {
    vlBox3 slab = box;
    slab.lo.v[axis] = box.lo.v[axis] + size.v[axis] * i / SLABS;
    slab.hi.v[axis] = box.lo.v[axis] + size.v[axis] * (i + 1) / SLABS;
    visit(&s, slab, &lists[i]);
  }
  vlCode code = join_lists(walls, lists, status);
  for (int i = 0; i < SLABS; i++) free(lists[i].wall);
  return code;
}

void vl_walls_clear(vlWalls *walls)
{
  free(walls->wall);
  *walls = (vlWalls){.thinnest = INFINITY};
}
