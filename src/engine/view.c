/* What a program reads of a simulation without copying: particles, fields, surfaces, bodies, as pointers to the arrays the
 * engine itself works on (velella.h says how long they are good for). A field's pointer is moved to its first value, so that
 * a user needs to know nothing of padding. */
#include "base/status.h"
#include "engine/sim.h"

vlParticleView vl_sim_particles(const vlSim *sim)
{
  const vlParticles *p = sim->state.particles;
  const vlGrid *g = &sim->grid;
  vlParticleView view = {.origin = g->origin, .dx = g->dx};
  if (!p) return view;
  view.count = p->count;
  view.id = p->id;
  view.volume = g->dx * g->dx * g->dx / sim->per_cell;
  for (int a = 0; a < 3; a++) {
    view.x[a] = p->x[a];
    view.v[a] = p->v[a];
  }
  return view;
}

/* Field and, for faces, their axis; cells have -1. */
static const double *find_field(const vlSim *sim, vlFieldKind kind, int *axis)
{
  *axis = -1;
  switch (kind) {
  case VL_FIELD_PRESSURE:
    return sim->state.p;
  case VL_FIELD_LEVEL_SET:
    return sim->work.level.phi;
  case VL_FIELD_OPEN:
    return sim->work.open;
  case VL_FIELD_VELOCITY_X:
  case VL_FIELD_VELOCITY_Y:
  case VL_FIELD_VELOCITY_Z:
    *axis = (int)kind - VL_FIELD_VELOCITY_X;
    return vl_sim_velocity(sim)[*axis];
  case VL_FIELD_AREA_X:
  case VL_FIELD_AREA_Y:
  case VL_FIELD_AREA_Z:
    *axis = (int)kind - VL_FIELD_AREA_X;
    return sim->work.area[*axis];
  default:
    return NULL;
  }
}

vlFieldView vl_sim_field(const vlSim *sim, vlFieldKind kind)
{
  const vlGrid *g = &sim->grid;
  int axis;
  const double *field = find_field(sim, kind, &axis);
  vlFieldView view = {.dx = g->dx};
  if (!field) return view;
  view.data = field + vl_grid_at(g, 0, 0, 0);
  for (int a = 0; a < 3; a++) {
    view.n[a] = g->n[a] + (a == axis);
    view.stride[a] = g->stride[a];
    view.origin.v[a] = g->origin.v[a] + (a == axis ? 0.0 : 0.5 * g->dx);
  }
  return view;
}

static vlMeshView view_mesh(const vlTriMesh *mesh, const float *velocity)
{
  return (vlMeshView){.vertex_count = mesh->vertex_count,
                      .triangle_count = mesh->triangle_count,
                      .vertices = mesh->x,
                      .triangles = (const int(*)[3])mesh->tri,
                      .velocity = (const float(*)[3])velocity};
}

vlCode vl_sim_surface(vlSim *sim, vlMeshView *view, vlStatus *status)
{
  *view = (vlMeshView){0};
  vl_surface_clear(&sim->surface);
  if (!sim->state.particles)
    return vl_fail(status, VL_ERROR_SCENE, "liquid.transfer: still: only liquid that moves has a surface of triangles");
  int before = vl_sim_enter(sim);
  vlCode code = vl_sim_surface_create(&sim->surface, sim, status);
  vl_sim_leave(before);
  if (!code) *view = view_mesh(sim->surface.mesh, sim->surface.velocity);
  return code;
}

vlMeshView vl_sim_solids(const vlSim *sim) { return view_mesh(vl_statics_surface(sim->statics), NULL); }

int vl_sim_body_count(const vlSim *sim) { return sim->state.bodies.count; }

vlBodyView vl_sim_body(const vlSim *sim, int index)
{
  if (index < 0 || index >= sim->state.bodies.count) return (vlBodyView){0};
  const vlBody *b = sim->state.bodies.body[index];
  return (vlBodyView){.name = sim->scene->bodies[index].name,
                      .kind = vl_body_kind(b),
                      .kind_name = b->type->name,
                      .node_count = b->node_count,
                      .element_count = b->element_count,
                      .element_nodes = b->element_nodes,
                      .triangle_count = b->triangle_count,
                      .pinned_nodes = b->type->pinned ? b->type->pinned(b) : 0,
                      .missing_volume = b->missing,
                      .rest = b->rest,
                      .x = b->x,
                      .v = b->v,
                      .elements = b->node,
                      .triangles = (const int(*)[3])b->triangle,
                      .info = vl_body_info(b, sim->scene->gravity, sim->grid.origin)};
}
