/* What a scene says and surely does not mean, as warnings before the first step.
 *
 * No liquid at all: the reason is found by looking at the scene in the order of certainty: everything solid, nothing given,
 * a level below the box, shapes beside it. Cells are cubes, so the box is rounded to whole cells: a coarse grid makes a thin
 * box thicker or thinner. A level above the box fills it. A rigid body with keys of elastic ones: those that are not as by
 * default, for a scene does not keep which were given. */
#include "doubts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "mesh/sdf.h"

enum { ROOM = 512 };

vlVec3 vl_facts_size(const vlSimFacts *facts)
{
  return vl_vec(facts->n[0] * facts->dx, facts->n[1] * facts->dx, facts->n[2] * facts->dx);
}

static bool apart(vlBox3 a, vlBox3 b)
{
  for (int i = 0; i < 3; i++)
    if (a.hi.v[i] <= b.lo.v[i] || a.lo.v[i] >= b.hi.v[i]) return true;
  return false;
}

/* The volume is summed over rows and so rounded. */
static bool is_solid(const vlSimFacts *facts)
{
  vlVec3 size = vl_facts_size(facts);
  return facts->solid_volume > size.x * size.y * size.z * (1.0 - 1e-9);
}

/* How many shapes of the liquid lie wholly outside of the box. */
static int count_outside(const vlScene *scene, vlBox3 box)
{
  int count = 0;
  for (int i = 0; i < scene->liquid.shape_count; i++) {
    vlSdf *sdf = NULL;
    vlStatus ignored = {0};
    if (vl_sdf_create(&sdf, &scene->liquid.shapes[i], &ignored) == VL_OK) count += apart(vl_sdf_bounds(sdf), box);
    vl_sdf_destroy(&sdf);
  }
  return count;
}

static void explain_dry(const vlScene *scene, const vlSimFacts *facts, char why[static ROOM])
{
  const vlLiquidDef *liquid = &scene->liquid;
  vlVec3 size = vl_facts_size(facts);
  vlBox3 box = {scene->grid.origin, vl_add(scene->grid.origin, size)};
  if (is_solid(facts))
    snprintf(why, ROOM, "solids fill the whole box");
  else if (!liquid->has_level && liquid->shape_count == 0)
    snprintf(why, ROOM, "neither liquid.level nor liquid.shapes is given");
  else if (liquid->shape_count == 0 && liquid->level <= box.lo.y)
    snprintf(why, ROOM, "liquid.level is %g m, and the box begins at y = %g m", liquid->level, box.lo.y);
  else if (liquid->shape_count == 0)
    snprintf(why, ROOM, "below liquid.level, %g m, there is only solid, or less than half a cell (%g m) of liquid",
             liquid->level, 0.5 * facts->dx);
  else if (count_outside(scene, box) == liquid->shape_count)
    snprintf(why, ROOM, "%s outside of the box, which goes from (%g, %g, %g) to (%g, %g, %g) m",
             liquid->shape_count == 1 ? "its shape lies" : "all its shapes lie", box.lo.x, box.lo.y, box.lo.z, box.hi.x,
             box.hi.y, box.hi.z);
  else
    snprintf(why, ROOM, "its shapes lie outside of the box, in solids, or between the centers of cells (%g m apart)",
             facts->dx);
}

static void doubt_box(const vlScene *scene, const vlSimFacts *facts, vlProgress *progress)
{
  vlVec3 size = vl_facts_size(facts);
  for (int a = 0; a < (scene->grid.slab ? 2 : 3); a++) {
    char line[ROOM];
    double wanted = scene->grid.size.v[a], change = size.v[a] / wanted - 1.0;
    if (fabs(change) <= 0.02) continue;
    snprintf(line, sizeof line,
             "the box is %g m long along %c instead of %g m (%+.1f %%): cells are cubes of %g m, and the box is made of "
             "whole ones",
             size.v[a], "xyz"[a], wanted, 100.0 * change, facts -> dx);
    vl_progress_log(progress, VL_LOG_WARNING, line);
  }
}

static void doubt_level(const vlScene *scene, const vlSimFacts *facts, vlProgress *progress)
{
  char line[ROOM];
  double height = fmax(vl_facts_size(facts).y, scene->grid.size.y), top = scene->grid.origin.y + height;
  if (!scene->liquid.has_level || scene->liquid.level <= top + 1e-9 * height) return;
  snprintf(line, sizeof line, "liquid.level is %g m, and the box ends at y = %g m: it is full", scene->liquid.level, top);
  vl_progress_log(progress, VL_LOG_WARNING, line);
}

void vl_doubts_say(const vlScene *scene, const vlSimFacts *facts, vlProgress *progress)
{
  doubt_box(scene, facts, progress);
  doubt_level(scene, facts, progress);
  bool dry = facts->liquid_cells == 0 && scene->liquid.source_count == 0;
  if (!dry && !is_solid(facts)) return;
  char why[ROOM], line[ROOM + 64];
  explain_dry(scene, facts, why);
  snprintf(line, sizeof line, "the scene has no liquid: %s", why);
  vl_progress_log(progress, VL_LOG_WARNING, line);
}
