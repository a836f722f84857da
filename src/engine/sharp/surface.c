/* The surface of a simulation's liquid.
 *
 * It is made from the particles alone (liquid/surface.h) and carries the velocity that the last step left, sampled between
 * the faces. Around solids it needs the open part of the cells farther out than a step does; that is filled here, from the
 * cuts, so that the surface depends on nothing but the present state: a resumed run writes the same bytes.
 * In: a simulation with particles. Out: triangles with velocities. */
#include "base/status.h"
#include "engine/sharp/sharp.h"
#include "grid/sample.h"
#include "liquid/particles.h"

enum {
  OPEN_REACH = 5,           /* cells around particles in which the surface looks at solids */
  FINE_CELLS = 64 * 64 * 64 /* boxes up to this many cells get a surface with two nodes per cell along an axis */
};

static vlVec3 velocity_at(const void *data, vlVec3 x)
{
  const vlSharp *sim = data;
  vlVec3 cell = vl_scale(vl_sub(x, sim->grid.origin), 1.0 / sim->grid.dx), v;
  vl_sample_velocity(&sim->grid, sim->state.u, cell.v, v.v);
  return v;
}

/* The open part of each cell around the particles, for scenes with solids. */
typedef struct Open {
  vlBlocks around;
  double *area[3], *open; /* m2 of faces, and part of cells; fields */
} Open;

static void open_clear(Open *open, const vlGrid *grid)
{
  vl_blocks_clear(&open->around);
  for (int a = 0; a < 3; a++) vl_field_destroy(grid, &open->area[a]);
  vl_field_destroy(grid, &open->open);
}

static vlCode open_fill(Open *open, const vlSharp *sim, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  double **fields[] = {&open->area[0], &open->area[1], &open->area[2], &open->open};
  for (int i = 0; i < 4; i++)
    if (!(*fields[i] = vl_field_create(g))) return vl_fail_memory(status, g->length * sizeof(double), "a surface's field");
  vlCode code = vl_blocks_create(&open->around, g->n, status);
  if (!code) code = vl_wet_around(sim->state.particles, g, OPEN_REACH, &open->around, status);
  if (code) return code;
  vl_cuts_fill_areas(sim->cuts, &open->around, open->area);
  vl_cuts_fill_open(sim->cuts, &open->around, open->area[1], open->open);
  return VL_OK;
}

vlCode vl_sharp_surface(const vlSim *base, vlSurface *surface, vlStatus *status)
{
  const vlSharp *sim = vl_sharp(base);
  if (!sim->state.particles)
    return vl_fail(status, VL_ERROR_SCENE, "liquid.transfer: still: only liquid that moves has a surface of triangles");
  const vlGrid *g = &sim->grid;
  Open open = {0};
  vlCode code = VL_OK;
  vlSurfaceInput in = {.grid = g,
                       .kernel = &sim->kernel,
                       .particles = sim->state.particles,
                       .refine = (double)g->n[0] * g->n[1] * g->n[2] <= FINE_CELLS ? 2 : 1,
                       .velocity = velocity_at,
                       .velocity_data = sim};
  if (sim->solid_nodes.any || sim->state.bodies.count > 0) {
    code = open_fill(&open, sim, status);
    in.open = open.open;
    in.solid = vl_sharp_solid_distance;
    in.solid_data = sim;
  }
  if (!code) code = vl_surface_create(surface, &in, status);
  open_clear(&open, g);
  return code;
}
