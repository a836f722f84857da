/* Which things liquid may part from: the scene says so for the box and all that does not say so itself, solids and bodies
 * may. A cell of liquid that touches several of them parts if it may part from one. What a cell touches is asked of the
 * solids' distances and of the patches of bodies in it and, where a face is not wholly open, beyond it. */
#include <math.h>

#include "engine/sharp/sharp.h"

static bool default_of(const vlScene *scene) { return scene->pressure.separation != VL_SEPARATION_NO; }

static bool of_solid(const vlScene *scene, int s)
{
  return scene->solids[s].has_separation ? scene->solids[s].separation : default_of(scene);
}

static bool of_body(const vlScene *scene, int b)
{
  return scene->bodies[b].has_separation ? scene->bodies[b].separation : default_of(scene);
}

/* Does any solid or body say `which`? */
static bool any_says(const vlScene *scene, bool which)
{
  bool any = false;
  for (int b = 0; b < scene->body_count && !any; b++) any = of_body(scene, b) == which;
  for (int s = 0; s < scene->solid_count && !any; s++) any = of_solid(scene, s) == which;
  return any;
}

bool vl_separate_on(const vlScene *scene) { return default_of(scene) || any_says(scene, true); }

bool vl_separate_mixed(const vlScene *scene) { return any_says(scene, !default_of(scene)); }

/* First patch at or behind a cell, in the order k, j, i. */
static int first_patch(const vlPatches *patches, const int cell[3])
{
  int lo = 0, hi = patches->count;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    const int *c = patches->patch[mid].cell;
    bool before = c[2] != cell[2] ? c[2] < cell[2] : c[1] != cell[1] ? c[1] < cell[1] : c[0] < cell[0];
    lo = before ? mid + 1 : lo;
    hi = before ? hi : mid;
  }
  return lo;
}

/* Looks at the bodies whose patches lie in a cell; *touches: there are some. */
static bool may_part_from_bodies(const vlSharp *sim, const int cell[3], bool *touches)
{
  const vlPatches *patches = &sim->work.patches;
  for (int q = first_patch(patches, cell); q < patches->count; q++) {
    const vlPatch *patch = &patches->patch[q];
    if (patch->cell[0] != cell[0] || patch->cell[1] != cell[1] || patch->cell[2] != cell[2]) break;
    *touches = true;
    if (of_body(sim->scene, vl_bodies_owner(&sim->state.bodies, patch->node[0]))) return true;
  }
  return false;
}

bool vl_separate_may(const void *data, const int cell[3])
{
  const vlSharp *sim = data;
  const vlGrid *g = &sim->grid;
  const double *const *area = (const double *const *)sim->work.area;
  bool touches = false;
  for (int side = 0; side < 6; side++) touches = touches || vl_links_wall(g, area, cell, side) == VL_WALL_DOMAIN;
  if (touches && default_of(sim->scene)) return true;
  for (int s = 0; s < sim->scene->solid_count; s++) {
    if (!vl_statics_touch(sim->statics, s, vl_grid_center(g, cell[0], cell[1], cell[2]), g->dx)) continue;
    touches = true;
    if (of_solid(sim->scene, s)) return true;
  }
  if (may_part_from_bodies(sim, cell, &touches)) return true;
  for (int side = 0; side < 6; side++) {
    int beside[3] = {cell[0], cell[1], cell[2]};
    beside[side / 2] += side % 2 ? 1 : -1;
    if (vl_links_wall(g, area, cell, side) == VL_WALL_NARROW && may_part_from_bodies(sim, beside, &touches)) return true;
  }
  return !touches && default_of(sim->scene);
}
