/* A frame on the stage: the liquid as water, or coloured by its speed; bodies and solids; the sides of the box. */
#include <stdlib.h>

#include "base/status.h"
#include "stage.h"

/* Degrees. Bodies bend between their triangles, yet the edges of a box stay edges. */
static const float WATER_CREASE = 55.0f, SOLID_CREASE = 35.0f, BODY_CREASE = 50.0f;

/* Longest sides of the box through which one still sees red things as red. */
static const double CLEAR = 2.5;

static vlWorldPlan make_plan(const vlStage *s)
{
  const vlLookDef *def = &s->look.def;
  vlVec3 size = vl_sub(s->box.hi, s->box.lo);
  double longest = fmax(size.x, fmax(size.y, size.z));
  double depth = def->water_depth > 0.0 ? def->water_depth : s->look.slab ? size.z : CLEAR * longest;
  vlF3 color = vl_linear_color(def->water_color);
  vlWorldPlan plan = {.box = s->box,
                      .floor = s->floor,
                      .sky = vl_sky(def->sky, def->sun),
                      .ground = def->ground,
                      .ground_albedo = f3(0.40f, 0.39f, 0.375f),
                      .gap = 0.75 * (s->look.dx > 0.0 ? s->look.dx : longest / 100.0),
                      .fade = 8.0};
  plan.absorption = f3_scale(f3(-logf(color.x), -logf(color.y), -logf(color.z)), (float)(1.0 / depth));
  return plan;
}

/* Colours of vertices by a number on each, from 0 to `most`. */
static vlF3 *ramp_colors(const float *values, int components, size_t count, double most)
{
  vlF3 *colors = malloc((count + 1) * sizeof *colors);
  for (size_t i = 0; i < count && colors; i++) {
    double sum = 0.0;
    for (int c = 0; c < components; c++)
      sum += (double)values[i * (size_t)components + (size_t)c] * values[i * (size_t)components + (size_t)c];
    colors[i] = vl_ramp_color(most > 0.0 ? (float)(sqrt(sum) / most) : 0.0f);
  }
  return colors;
}

static vlCode add_liquid(const vlStage *s, const vlFrameMesh *liquid, vlWorld *world, vlStatus *status)
{
  vlMaterial water = {.kind = VL_SURFACE_WATER, .albedo = f3_all(1.0f)},
             paint = vl_material(VL_MATERIAL_GLOSSY, f3_all(0.5f));
  vlWorldPart part = {.mesh = liquid->mesh,
                      .materials = &water,
                      .material_count = 1,
                      .crease = WATER_CREASE,
                      .drop_floor = s->look.def.ground};
  const float *velocity = vl_frame_mesh_array(liquid, "velocity", true, 3);
  vlF3 *colors = NULL;
  if (s->look.def.coloring == VL_COLORING_SPEED && velocity) {
    colors = ramp_colors(velocity, 3, (size_t)liquid->mesh->vertex_count, s->fastest);
    if (!colors) return vl_fail_memory(status, (size_t)liquid->mesh->vertex_count * 12, "the liquid's colours");
    part.materials = &paint;
    part.colors = colors;
  }
  vlCode code = vl_world_add(world, &part, status);
  free(colors);
  return code;
}

/* Opaque triangles, coloured if `colors` are given, then those of glass. */
static vlCode add_worn(vlWorld *world, const vlTriMesh *mesh, const vlDress *dress, const vlWorn *worn, float crease,
                       const vlF3 *colors, vlStatus *status)
{
  vlWorldPart part = {
      .mesh = mesh, .materials = dress->materials, .material_count = dress->count, .crease = crease, .colors = colors};
  part.material_of = worn->opaque_of;
  vlCode code = vl_world_add(world, &part, status);
  part.material_of = worn->glass_of;
  part.colors = NULL;
  return code == VL_OK ? vl_world_add(world, &part, status) : code;
}

static vlCode add_solids(const vlStage *s, vlWorld *world, vlStatus *status)
{
  const vlTriMesh *mesh = s->solids.mesh;
  if (!mesh) return VL_OK;
  size_t vertices = (size_t)mesh->vertex_count;
  const float *stress = s->look.def.coloring == VL_COLORING_STRESS ? vl_stage_stress(&s->solids) : NULL;
  vlF3 *colors = stress ? ramp_colors(stress, 1, vertices, s->highest) : NULL;
  if (stress && !colors) return vl_fail_memory(status, vertices * 12, "the solids' colours");
  vlCode code = add_worn(world, mesh, &s->solid_dress, &s->solids_worn, SOLID_CREASE, colors, status);
  free(colors);
  return code;
}

static vlCode add_bodies(const vlStage *s, const vlFrameMesh *bodies, vlWorld *world, vlStatus *status)
{
  vlColoringKind coloring = s->look.def.coloring;
  size_t vertices = (size_t)bodies->mesh->vertex_count;
  const float *stress = coloring == VL_COLORING_STRESS ? vl_stage_stress(bodies) : NULL;
  const float *velocity = coloring == VL_COLORING_SPEED ? vl_frame_mesh_array(bodies, "velocity", true, 3) : NULL;
  vlF3 *colors = stress     ? ramp_colors(stress, 1, vertices, s->highest)
                 : velocity ? ramp_colors(velocity, 3, vertices, s->fastest)
                            : NULL;
  if ((stress || velocity) && !colors) return vl_fail_memory(status, vertices * 12, "the bodies' colours");
  vlWorn worn;
  vlCode code = vl_dress_wear(&s->body_dress, bodies, &worn, status);
  if (code == VL_OK) code = add_worn(world, bodies->mesh, &s->body_dress, &worn, BODY_CREASE, colors, status);
  vl_worn_clear(&worn);
  free(colors);
  return code;
}

static vlCode add_panes(const vlStage *s, vlWorld *world, vlStatus *status)
{
  if (!s->look.def.walls || s->containers || s->look.slab) return VL_OK;
  vlVec3 size = vl_sub(s->box.hi, s->box.lo);
  vlBox3 panes = s->box;
  double beside = 0.003 * fmax(size.x, fmax(size.y, size.z));
  panes.lo.x -= beside;
  panes.lo.z -= beside;
  panes.hi.x += beside;
  panes.hi.z += beside;
  panes.hi.y = s->seen.hi.y;
  return vl_world_add_panes(world, panes, status);
}

vlCode vl_stage_world(const vlStage *s, const vlFrameMesh *liquid, const vlFrameMesh *bodies, bool quick, vlWorld **world,
                      vlStatus *status)
{
  vlWorldPlan plan = make_plan(s);
  plan.quick = quick;
  vlCode code = vl_world_create(world, &plan, status);
  if (code == VL_OK && liquid->mesh) code = add_liquid(s, liquid, *world, status);
  if (code == VL_OK) code = add_solids(s, *world, status);
  if (code == VL_OK && bodies->mesh) code = add_bodies(s, bodies, *world, status);
  if (code == VL_OK) code = add_panes(s, *world, status);
  if (code == VL_OK) code = vl_world_commit(*world, status);
  if (code != VL_OK) vl_world_destroy(world);
  return code;
}
