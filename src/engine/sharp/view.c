/* What a program reads of a simulation without copying: particles, fields, surfaces, bodies, as pointers to the arrays the
 * engine itself works on (velella.h says how long they are good for). A field's pointer is moved to its first value, so that
 * a user needs to know nothing of padding. */
#include <math.h>

#include "engine/sharp/sharp.h"

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
  const vlCuts *cuts = vl_sharp(sim)->cuts;
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
