/* The fine surface from step to step: see subgrid.h.
 *
 * It goes with the velocity that carries the particles' places, and along its normal as the pressure of its pieces has it,
 *
 *     u_a = u*_a + (dt/rho) p_c / |phi_c|
 *
 * not as velocities continued from below would. What it loses, particles put back: one that stands alone outside is a ball
 * of what it stands for; one just outside goes back to the surface. Each body of liquid, all that hangs together, is to have
 * the volume of its particles: in the next step its surface moves out by what it lacks, over its area, at most MOST of a
 * fine cell; a body without particles shrinks away so. Volumes of pieces are those of phi linear within tetrahedra of fine
 * cells, which cuts off what bulges; SAG h^2 (k1 + k2) is as much as that is on average, and what a ball of the body's
 * surface lacks so is added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/sharp/subgrid.h"

static const double MOST = 0.05, VANISH = 0.5;      /* fine cells in a step */
static const double MOST_LOCAL = 0.2, CHANCE = 0.1; /* of the room around */
enum { AROUND = 2 };                                /* cells */
static const double POCKET = 0.15;                  /* fine cells in a step: of the surface around trapped air */
static const double SHARE = 0.5;                    /* of what a body lacks, in a step */
static const double SAG = 0.084, PI = 3.14159265358979323846;
static const double REACH = 2.3;              /* of the way between particles: where none is nearer there is no liquid */
static const double ALONE = 0.8, ASIDE = 0.5; /* of a particle's radius: so far outside it is a ball; nearer it goes back */

static double particle_volume(const vlSharp *sim) { return pow(sim->grid.dx, 3) / sim->per_cell; }

/* In a slab a disc through it: a ball would be lost between the planes. */
static double particle_radius(const vlSharp *sim)
{
  double v = particle_volume(sim);
  return sim->grid.n[2] == 1 ? sqrt(v / (PI * sim->grid.dx)) : cbrt(v * 3.0 / (4.0 * PI));
}

static void clear_cells(const vlSharp *sim, double *field)
{
  const vlBlocks *wet = &sim->work.wet;
  for (int b = 0; b < wet->count; b++) memset(field + vl_blocks_field(&sim->grid, wet->at[b]), 0, VL_BLOCK * sizeof *field);
}

static ptrdiff_t cell_at(const vlSharp *sim, int wet_cell)
{
  return vl_blocks_field(&sim->grid, sim->work.wet.at[wet_cell / VL_BLOCK]) + wet_cell % VL_BLOCK;
}

vlCode vl_subgrid_carry(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  double *const *u = sim->work.paths ? sim->work.path : sim->state.u;
  clear_cells(sim, sim->work.push);
  clear_cells(sim, sim->work.push_area);
  for (int f = 0; f < s->facets; f++) {
    const vlAirFacet *facet = &s->facet[f];
    double at[3];
    vlVec3 v;
    for (int a = 0; a < 3; a++) at[a] = (facet->center.v[a] - sim->grid.origin.v[a]) / sim->grid.dx;
    vl_sample_velocity(&sim->grid, u, at, v.v);
    ptrdiff_t to = cell_at(sim, s->pieces.piece[facet->piece].cell);
    double rise = facet->path_speed - vl_dot(facet->normal, v) + facet->shift / step->dt;
    sim->work.push[to] += facet->area * rise;
    sim->work.push_area[to] += facet->area;
  }
  vl_air_keep_pressures(sim);
  vlFineFlow flow = {.dt = step->dt, .u = u, .push = sim->work.push, .weight = sim->work.push_area};
  for (int side = 0; side < 6; side++) flow.liquid_beyond[side] = sim->outlet[side].open;
  return vl_fine_advect(sim->state.fine, &flow, status);
}

/* Particles outside go back to the surface, or are balls. */
static vlCode mend_places(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  vlParticles *p = sim->state.particles;
  const vlGrid *g = &sim->grid;
  double radius = particle_radius(sim);
  int balls = 0;
  for (size_t i = 0; i < p->count; i++) {
    double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]}, slope[3];
    if (sim->state.fine->side[vl_grid_at(g, (int)x[0], (int)x[1], (int)x[2])] < 0.0) continue;
    double phi = vl_fine_at(sim->state.fine, x, NULL);
    if (phi <= 0.0) continue;
    if (phi > ALONE * radius) {
      if (!vl_array_reserve((void **)&s->ball, &s->ball_capacity, (size_t)balls + 1, sizeof *s->ball))
        return vl_fail_memory(status, (size_t)balls * sizeof *s->ball, "drops");
      s->ball[balls++] = (vlFineBall){{x[0], x[1], x[2]}, radius};
      continue;
    }
    if (phi > ASIDE * radius) continue;
    (void)vl_fine_at(sim->state.fine, x, slope);
    double square = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2];
    for (int a = 0; a < 3 && square > 0.25; a++) {
      double to = x[a] - phi * slope[a] / square / g->dx;
      if (g->n[a] > 1) p->x[a][i] = (float)fmin(fmax(to, VL_SIDE_MARGIN), g->n[a] - VL_SIDE_MARGIN);
    }
  }
  vlCode code = vl_particles_sort(p, g, status);
  if (!code && balls > 0) code = vl_fine_add(sim->state.fine, s->ball, balls, status);
  double reach = REACH * g->dx / sim->scene->liquid.particles;
  return code ? code : vl_fine_open(sim->state.fine, p, &sim->work.wet, reach, status);
}

/* Liquid of a wet cell that is no piece. */
static bool is_whole(const vlSharp *sim, int b, int l)
{
  ptrdiff_t at = vl_blocks_field(&sim->grid, sim->work.wet.at[b]) + l;
  return sim->work.level.phi[at] < 0.0 && !(sim->subgrid->pieces.cut[b] >> l & 1u);
}

/* Which cells and pieces hang together: group[wet cell] and group[16 wet + piece], -1: no liquid. */
static vlCode find_groups(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  const vlBlocks *wet = &sim->work.wet;
  int cells = wet->count * VL_BLOCK, all = cells + s->pieces.count;
  if (!vl_array_reserve((void **)&s->group, &s->group_capacity, (size_t)all + 1, sizeof *s->group))
    return vl_fail_memory(status, (size_t)all * sizeof *s->group, "bodies of liquid");
  int *group = s->group;
  for (int b = 0; b < wet->count; b++)
    for (int l = 0; l < VL_BLOCK; l++) group[b * VL_BLOCK + l] = is_whole(sim, b, l) ? b * VL_BLOCK + l : -1;
  for (int i = cells; i < all; i++) group[i] = i;
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(&sim->grid, p);
    for (int a = 0; a < 3; a++) {
      int below =
          a == 0 ? vl_blocks_find(wet, p.bx - 1, p.j, p.k) : vl_blocks_find(wet, p.bx, p.j - (a == 1), p.k - (a == 2));
      for (int l = 0; l < vl_blocks_width(wet, p); l++) {
        int own = b * VL_BLOCK + l, to = a > 0 ? below * VL_BLOCK + l : l > 0 ? own - 1 : below * VL_BLOCK + VL_BLOCK - 1;
        if (group[own] < 0 || to < 0 || (below < 0 && (a > 0 || l == 0)) || group[to] < 0) continue;
        if (sim->work.area[a][at + l] > 0.0) vl_group_join(group, own, to);
      }
    }
  }
  for (int q = 0; q < s->pieces.link_count; q++) {
    const vlPieceLink *link = &s->pieces.link[q];
    int below = link->below >= 0 ? cells + link->below : vl_pieces_whole(link->below),
        above = link->above >= 0 ? cells + link->above : vl_pieces_whole(link->above);
    if (group[below] >= 0 && group[above] >= 0) vl_group_join(group, below, above);
  }
  for (int i = 0; i < all; i++)
    if (group[i] >= 0) group[i] = vl_group_root(group, i);
  return VL_OK;
}

/* What a body of liquid has: by its root. */
typedef struct Body {
  double lacks, area; /* m3, m2 */
  double free;        /* m2: of that not beside trapped air */
  bool any;           /* particles */
} Body;

static void add_particles(vlSharp *sim, Body *body)
{
  vlSubgrid *s = sim->subgrid;
  const vlParticles *p = sim->state.particles;
  const vlBlocks *wet = &sim->work.wet;
  double each = particle_volume(sim);
  for (int b = 0; b < wet->count; b++) {
    int home = vl_blocks_find(&p->home, wet->at[b].bx, wet->at[b].j, wet->at[b].k), first, last;
    for (int l = 0; l < VL_BLOCK && home >= 0; l++) {
      int own = b * VL_BLOCK + l, cut = vl_pieces_cut(&s->pieces, own);
      vl_particles_in(p, home, l, l + 1, &first, &last);
      for (int i = first; i < last; i++) {
        const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
        int piece = cut < 0 ? -1 : vl_pieces_at(&s->pieces, own, x);
        int root = piece >= 0 ? s->group[wet->count * VL_BLOCK + piece] : s->group[own];
        if (root < 0) continue;
        body[root].lacks += each;
        body[root].any = true;
      }
    }
  }
}

/* Not more than a ball of the same surface would hold: what holds more has walls. So far `lacks` is minus its volume. */
static bool is_round(const Body *body)
{
  return body->area > 0.0 && -body->lacks < 1.2 * body->area * sqrt(body->area / PI) / 6.0;
}

static void add_volumes(vlSharp *sim, Body *body, size_t count)
{
  vlSubgrid *s = sim->subgrid;
  const vlBlocks *wet = &sim->work.wet;
  double whole = pow(sim->grid.dx, 3);
  for (int b = 0; b < wet->count; b++)
    for (int l = 0; l < VL_BLOCK; l++) {
      int root = s->group[b * VL_BLOCK + l];
      if (root >= 0) body[root].lacks -= whole * sim->work.open[cell_at(sim, b * VL_BLOCK + l)];
    }
  for (int i = 0; i < s->pieces.count; i++) {
    Body *of = &body[s->group[wet->count * VL_BLOCK + i]];
    of->lacks -= s->pieces.piece[i].volume;
    of->area += s->pieces.piece[i].air_area;
  }
  /* integral of k1 + k2: 8 pi R over a ball of the area 4 pi R^2, 2 pi times its length around a cylinder */
  double sag = SAG * sim->state.fine->nodes.dx * sim->state.fine->nodes.dx;
  for (size_t i = 0; i < count; i++)
    if (is_round(&body[i]))
      body[i].lacks -= sag * (sim->grid.n[2] == 1 ? 2.0 * PI * sim->grid.dx : 4.0 * sqrt(PI * body[i].area));
}

/* Cells: by how much the surface around a cell is to move out for the liquid near it to have the room of its particles. Less
 * than chance is left alone. */
static double local_lack(const vlSharp *sim, const int cell[3])
{
  const vlGrid *g = &sim->grid;
  const vlBlocks *wet = &sim->work.wet;
  double lacks = 0.0, room = 0.0, area = 0.0;
  for (int k = cell[2] - AROUND; k <= cell[2] + AROUND; k++)
    for (int j = cell[1] - AROUND; j <= cell[1] + AROUND; j++)
      for (int i = cell[0] - AROUND; i <= cell[0] + AROUND; i++) {
        const int at[3] = {i, j, k};
        if (!vl_grid_holds(g, at) || vl_blocks_find(wet, i / VL_BLOCK, j, k) < 0) continue;
        ptrdiff_t to = vl_grid_at(g, i, j, k);
        double filled = sim->work.density.filled[to];
        if (!(filled > 0.0)) continue;
        lacks += (double)vl_particles_in_cell(sim->state.particles, at) / sim->per_cell - filled;
        room += filled;
        area += sim->work.push_area[to];
      }
  double least = CHANCE * room;
  lacks = lacks > least ? lacks - least : lacks < -least ? lacks + least : 0.0;
  return area > 0.0 ? lacks * g->dx * g->dx / area : 0.0;
}

/* Not of what borders trapped air, whose volume says where its surface is to be. */
static void add_local(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  double dx = sim->grid.dx, most = MOST_LOCAL * sim->state.fine->nodes.dx;
  clear_cells(sim, sim->work.push_area);
  for (int f = 0; f < s->facets; f++)
    if (s->facet[f].pocket < 0)
      sim->work.push_area[cell_at(sim, s->pieces.piece[s->facet[f].piece].cell)] += s->facet[f].area;
#pragma omp parallel for schedule(dynamic, 64)
  for (int f = 0; f < s->facets; f++) {
    int at = s->pieces.piece[s->facet[f].piece].cell;
    vlBlockPosition p = sim->work.wet.at[at / VL_BLOCK];
    const int cell[3] = {p.bx * VL_BLOCK + at % VL_BLOCK, p.j, p.k};
    if (s->facet[f].pocket < 0) s->facet[f].shift += fmin(fmax(SHARE * local_lack(sim, cell) * dx, -most), most);
  }
}

/* m: by which the surface around a pocket goes into the liquid, so that it has its volume. */
static double pocket_shift(const vlSharp *sim, int pocket, double area)
{
  const vlSubgrid *s = sim->subgrid;
  double most = POCKET * sim->state.fine->nodes.dx,
         shift = (sim->state.pockets.pocket[pocket].volume - s->air.volume[pocket]) / area;
  return fmin(fmax(shift, -most), most);
}

/* The same of all pockets, over their areas -> shift [pockets]; what they take from bodies of liquid is made up elsewhere.
 */
static void move_pockets(vlSharp *sim, Body *body, double *shift)
{
  vlSubgrid *s = sim->subgrid;
  int cells = sim->work.wet.count * VL_BLOCK;
  for (int f = 0; f < s->facets; f++) {
    const vlAirFacet *facet = &s->facet[f];
    if (facet->pocket >= 0)
      shift[facet->pocket] += facet->area;
    else
      body[s->group[cells + facet->piece]].free += facet->area;
  }
  for (int i = 0; i < s->tail.airs; i++) shift[i] = pocket_shift(sim, i, shift[i]);
  for (int f = 0; f < s->facets; f++)
    if (s->facet[f].pocket >= 0)
      body[s->group[cells + s->facet[f].piece]].lacks += s->facet[f].area * shift[s->facet[f].pocket];
}

/* m: of the surface of a body of liquid out of it, beside free air (pocket -1) or a pocket that has it move in by `in`. */
static double body_shift(const vlSharp *sim, const Body *of, int pocket, double in)
{
  double h = sim->state.fine->nodes.dx, most = of->any ? MOST * h : VANISH * h;
  double area = of->free > 0.0 && of->any ? of->free : of->area;
  double all = fmin(fmax((of->any ? SHARE : 1.0) * of->lacks / area, -most), most);
  if (pocket < 0 || !of->any) return all;
  return of->free > 0.0 ? -in : all - in;
}

/* m, of each facet: it moves out by this in the next step. */
static void find_shifts(vlSharp *sim, const Body *body, const double *shift)
{
  vlSubgrid *s = sim->subgrid;
  int cells = sim->work.wet.count * VL_BLOCK;
  for (int f = 0; f < s->facets; f++) {
    vlAirFacet *facet = &s->facet[f];
    const Body *of = &body[s->group[cells + facet->piece]];
    facet->shift =
        of->area > 0.0 ? body_shift(sim, of, facet->pocket, facet->pocket >= 0 ? shift[facet->pocket] : 0.0) : 0.0;
  }
  add_local(sim);
}

vlCode vl_subgrid_balance(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  size_t count = (size_t)sim->work.wet.count * VL_BLOCK + (size_t)s->pieces.count + 1;
  vlCode code = find_groups(sim, status);
  Body *body = code ? NULL : calloc(count, sizeof *body);
  double *shift = code ? NULL : calloc((size_t)s->tail.airs + 1, sizeof *shift);
  if (code) return code;
  if (!body || !shift) {
    free(body);
    free(shift);
    return vl_fail_memory(status, count * sizeof *body, "bodies of liquid");
  }
  add_volumes(sim, body, count);
  add_particles(sim, body);
  move_pockets(sim, body, shift);
  find_shifts(sim, body, shift);
  free(body);
  free(shift);
  return VL_OK;
}

vlCode vl_subgrid_at_walls(vlSharp *sim, vlStatus *status)
{
  vlDistance *distance = sim->subgrid->cuts ? vl_sharp_solid_distance : NULL;
  return vl_fine_at_walls(sim->state.fine, distance, sim, sim->work.open, status);
}

vlCode vl_subgrid_mend(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step;
  vlCode code = mend_places(sim, status);
  if (!code) code = vl_subgrid_at_walls(sim, status);
  return code ? code : vl_fine_mend(sim->state.fine, status);
}
