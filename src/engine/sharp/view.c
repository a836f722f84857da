/* What a program reads of a simulation without copying: particles, fields, surfaces, bodies, as pointers to the arrays the
 * engine itself works on (velella.h says how long they are good for). A field's pointer is moved to its first value, so that
 * a user needs to know nothing of padding. */
#include <math.h>

#include "base/status.h"
#include "engine/sharp/sharp.h"
#include "grid/sample.h"
#include "liquid/particles.h"

vlParticleView vl_sharp_particles(const vlSim *base)
{
  const vlSharp *sim = vl_sharp(base);
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
static const double *find_field(const vlSharp *sim, vlFieldKind kind, int *axis)
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
    return sim->state.u[*axis];
  case VL_FIELD_AREA_X:
  case VL_FIELD_AREA_Y:
  case VL_FIELD_AREA_Z:
    *axis = (int)kind - VL_FIELD_AREA_X;
    return sim->work.area[*axis];
  default:
    return NULL;
  }
}

vlFieldView vl_sharp_field(const vlSim *base, vlFieldKind kind)
{
  const vlSharp *sim = vl_sharp(base);
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

vlGridView vl_sharp_grid(const vlSim *sim)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  return (vlGridView){.n = {g->n[0], g->n[1], g->n[2]}, .dx = g->dx, .origin = g->origin};
}

vlColumnView vl_sharp_column(const vlSim *sim, int index)
{
  const vlParticles *p = vl_sharp(sim)->state.particles;
  for (int n = 0; p && n < p->columns; n++) {
    const vlColumn *row = p->column[n].row;
    if (!row->shown || index-- > 0) continue;
    return (vlColumnView){.name = row->name,
                          .unit = row->unit,
                          .part = row->part,
                          .whole = row->type == VL_COLUMN_UINT32,
                          .components = row->components,
                          .value = (const void *const *)p->column[n].part};
  }
  return (vlColumnView){0};
}

_Static_assert(sizeof(vlBlockPosition) == sizeof(int[3]), "positions of blocks are seen as they lie in memory");

vlBlockView vl_sharp_blocks(const vlSim *sim)
{
  const vlBlocks *wet = &vl_sharp(sim)->work.wet;
  return (vlBlockView){.width = VL_BLOCK, .count = wet->count, .at = (const int(*)[3])(const void *)wet->at};
}

vlMeshView vl_sharp_solids(const vlSim *sim)
{
  const vlTriMesh *mesh = vl_statics_surface(vl_sharp(sim)->statics);
  return (vlMeshView){.vertex_count = mesh->vertex_count,
                      .triangle_count = mesh->triangle_count,
                      .vertices = mesh->x,
                      .triangles = (const int(*)[3])mesh->tri};
}

static float part(double x) { return (float)fmin(fmax(x, 0.0), 1.0); }

/* `width` cells of a block from cell i on; *area: open area of the first face along x, then of the last. */
static void fill_open_block(const vlCuts *cuts, vlBlockPosition p, int i, int width, double *area, float *row)
{
  double dx = cuts->grid.dx, full = dx * dx;
  int last, first = vl_cuts_of_block(cuts, p, &last), l = 0;
  for (int c = first; c < last; c++) {
    const vlCutCell *cut = &cuts->cut[c];
    int at = cut->cell[0] - i;
    if (at < 0 || at >= width) continue;
    while (l < at) row[l++] = part(*area / full);
    row[l++] = part((cut->open[0] * dx + cut->moment.x) / (full * dx));
    *area = cut->open[0];
  }
  while (l < width) row[l++] = part(*area / full);
}

/* From the cuts of each row along x: with A the open area of a face,
 *   cell without a cut   A_lower / dx^2
 *   cut cell             (A_upper dx + moment) / dx^3, and A_upper is the A_lower of the next cell. */
void vl_sharp_open(const vlSim *sim, const int lo[3], const int hi[3], float *open)
{
  const vlCuts *cuts = vl_sharp(sim)->work.cuts;
  size_t nx = (size_t)(hi[0] - lo[0]), ny = (size_t)(hi[1] - lo[1]);
#pragma omp parallel for schedule(static)
  for (int k = lo[2]; k < hi[2]; k++)
    for (int j = lo[1]; j < hi[1]; j++) {
      float *row = open + nx * ((size_t)(j - lo[1]) + ny * (size_t)(k - lo[2]));
      double area = vl_cuts_open_area(cuts, 0, lo[0], j, k);
      for (int i = lo[0], end; i < hi[0]; i = end) {
        end = (i / VL_BLOCK + 1) * VL_BLOCK < hi[0] ? (i / VL_BLOCK + 1) * VL_BLOCK : hi[0];
        fill_open_block(cuts, (vlBlockPosition){i / VL_BLOCK, j, k}, i, end - i, &area, row + (i - lo[0]));
      }
    }
}

/* The surface of a simulation's liquid.
 *
 * It is made from the particles alone (liquid/surface.h) and carries the velocity that the last step left, sampled between
 * the faces. Around solids it needs the open part of the cells farther out than a step does; that is filled here, from the
 * cuts, so that the surface depends on nothing but the present state: a resumed run writes the same bytes.
 * In: a simulation with particles. Out: triangles with velocities. */

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
  if (!code) code = vl_wet_around(sim->state.particles, NULL, 0, g, OPEN_REACH, &open->around, status);
  if (code) return code;
  vl_cuts_fill_areas(sim->work.cuts, &open->around, open->area);
  vl_cuts_fill_open(sim->work.cuts, &open->around, open->area[1], open->open);
  return VL_OK;
}

/* What too few sweeps lose is to be seen: with these the volume is drawn as it is, not made what the particles stand for. */
vlCode vl_sharp_surface(const vlSim *base, vlSurface *surface, vlStatus *status)
{
  const vlSharp *sim = vl_sharp(base);
  if (!sim->state.particles)
    return vl_fail(status, VL_ERROR_SCENE, "liquid.transfer: still: only liquid that moves has a surface of triangles");
  const vlGrid *g = &sim->grid;
  Open open = {0};
  vlCode code = VL_OK;
  vlSurfaceInput in = {.grid = g,
                       .fine = sim->state.fine,
                       .kernel = &sim->kernel,
                       .particles = sim->state.particles,
                       .per_cell = sim->scene->pressure.solver == VL_SOLVER_SWEEPS ? 0.0 : sim->per_cell,
                       .refine = (double)g->n[0] * g->n[1] * g->n[2] <= FINE_CELLS ? 2 : 1,
                       .velocity = velocity_at,
                       .velocity_data = sim};
  if (sim->work.solid_nodes.any || sim->apart.count > 0) {
    code = open_fill(&open, sim, status);
    in.open = open.open;
    in.solid = vl_sharp_solid_distance;
    in.solid_data = sim;
  }
  if (!code) code = vl_surface_create(surface, &in, status);
  open_clear(&open, g);
  return code;
}
