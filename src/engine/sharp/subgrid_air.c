/* Air without a way out (liquid.air: trapped): pockets, and what they are to have.
 *
 * Air is open cells without liquid, joined through open faces, and in cut cells the parts of it that pieces.h finds, joined
 * through open fine faces with an air node. What reaches the upper side of the box or an outlet is free, or where nothing
 * does, the largest region: a closed box needs one place where the pressure is given. The others with a free surface, and of
 * 8 fine cells at least, are pockets. A pocket is one more extra node of the tail (pressure/tail.h), to which the free
 * surfaces around it are linked:
 *
 *     sum of A_a u_a into it + what bodies' walls sweep of it = 0,      u_a = u*_a + (dt/rho) (p_c - p_pocket) / |phi_c|
 *
 * so air has no mass, keeps its volume and has one pressure, which bodies feel too.
 *
 * The level set's errors add up; so a pocket is to have the volume that it had, W, and the surface around it is moved there
 * (subgrid_surface.c). Where pockets split and merge, each fine cell of an old pocket takes its share of W to the new one
 * that it is in, over the fine cells that are still air; what was free air before brings its own volume, and goes with W
 * where it gets free.
 *
 * In: pieces with the air beside them, cuts. Out: facets of the pieces' free surfaces, pockets; state: W and the pressure to
 * begin with. */
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/sharp/subgrid.h"

enum { FREE = -1, NOT_AIR = -2, CUT = -3 }; /* of vlAirPlaces.of; cut cell c: CUT - c */
enum { OPEN_CELL = 8, LEAST_CELLS = 8 };

static int fine_count(const vlSubgrid *s) { return s->pieces.refine * s->pieces.refine * s->pieces.refine; }
static size_t cell_count(const vlGrid *g) { return (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2]; }
static size_t index_of(const vlGrid *g, int i, int j, int k)
{
  return (size_t)i + (size_t)g->n[0] * ((size_t)j + (size_t)g->n[1] * (size_t)k);
}

static vlCode reserve(vlSubgrid *s, size_t cells, vlStatus *status)
{
  vlAir *air = &s->air;
  const vlPieceAir *parts = &s->pieces.air;
  size_t all = cells + (size_t)parts->parts + 1, fine = (size_t)s->pieces.cuts * (size_t)fine_count(s) + 1;
  bool room = vl_array_reserve((void **)&air->now.of, &air->now.of_capacity, cells, sizeof *air->now.of) &&
              vl_array_reserve((void **)&air->now.pocket_of, &air->now.pocket_capacity, (size_t)parts->parts + 1,
                               sizeof *air->now.pocket_of) &&
              vl_array_reserve((void **)&air->now.part_of, &air->now.part_capacity, fine, 1) &&
              vl_array_reserve((void **)&air->now.first, &air->now.first_capacity, (size_t)s->pieces.cuts + 1,
                               sizeof *air->now.first) &&
              vl_array_reserve((void **)&air->open, &air->open_capacity, cells, 1) &&
              vl_array_reserve((void **)&air->up, &air->up_capacity, 2 * all, sizeof *air->up);
  return room ? VL_OK : vl_fail_memory(status, 2 * all * sizeof *air->up, "trapped air");
}

/* Of a cell with solids' surface: open part of its volume. */
static double open_part(const vlCutCell *cut, double dx)
{
  double part = (cut->open[1] + cut->moment.y / dx) / (dx * dx);
  return part < 1e-12 ? 0.0 : part > 1.0 ? 1.0 : part;
}

/* What solids and bodies leave open of the cells. */
static void find_open(const vlCuts *cuts, const vlGrid *g, unsigned char *open)
{
  enum { WHOLE = OPEN_CELL | 7 };
  int next = 0;
  if (!cuts || cuts->count == 0) {
    memset(open, !cuts || cuts->open_outside > 0.0 ? WHOLE : 0, cell_count(g));
    return;
  }
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++) {
      double now = cuts->open_outside, half = 0.5 * g->dx * g->dx;
      unsigned char *row = open + index_of(g, 0, j, k);
      int done = 0;
      for (; next < cuts->rows[0]; next++) {
        const vlCutCell *cut = &cuts->cut[cuts->along[0][next]];
        int order = vl_cuts_compare((const int[3]){0, cut->cell[1], cut->cell[2]}, (const int[3]){0, j, k});
        if (order > 0) break;
        if (order < 0) continue;
        for (; done < cut->cell[0] && done < g->n[0]; done++) row[done] = now > half ? WHOLE : 0;
        now = cut->open[0];
        if (cut->cell[0] < 0 || cut->cell[0] >= g->n[0]) continue;
        row[done] = open_part(cut, g->dx) > 0.0 ? OPEN_CELL : 0;
        for (int a = 0; a < 3; a++) row[done] = (unsigned char)(row[done] | (cut->open[a] > 0.0) << a);
        done++;
      }
      for (; done < g->n[0]; done++) row[done] = now > half ? WHOLE : 0;
    }
}

/* Cells without liquid, joined along x already. */
static void find_cells(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  vlAir *air = &s->air;
  const vlGrid *g = &sim->grid;
  const vlFine *fine = sim->state.fine;
  const vlBlocks *wet = &sim->work.wet;
  int half = fine->refine / 2;
#pragma omp parallel for schedule(static)
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int bx = 0; bx < g->blocks_x; bx++) {
        int band = vl_blocks_find(&fine->band, bx, j, k), b = vl_blocks_find(wet, bx, j, k);
        unsigned near = band < 0 ? 0u : fine->near[band], cut = b < 0 ? 0u : s->pieces.cut[b];
        const double *side = fine->side + vl_grid_at(g, bx * VL_BLOCK, j, k);
        for (int l = 0; l < VL_BLOCK && bx * VL_BLOCK + l < g->n[0]; l++) {
          const int cell[3] = {bx * VL_BLOCK + l, j, k};
          size_t at = index_of(g, cell[0], j, k);
          bool liquid = near >> l & 1u ? fine->phi[vl_fine_node(fine, cell, half, half, half)] < 0.0 : side[l] < 0.0;
          int *of = &air->now.of[at];
          *of = cut >> l & 1u                            ? CUT - vl_pieces_cut(&s->pieces, b * VL_BLOCK + l)
                : liquid || !(air->open[at] & OPEN_CELL) ? NOT_AIR
                                                         : FREE;
          bool joined = *of == FREE && cell[0] > 0 && of[-1] == FREE && (air->open[at - 1] & 1u);
          air->up[at] = joined ? air->up[at - 1] : (int)at;
        }
      }
}

static void join_cells(const vlSharp *sim)
{
  const vlAir *air = &sim->subgrid->air;
  const vlGrid *g = &sim->grid;
  const size_t step[3] = {1, (size_t)g->n[0], (size_t)g->n[0] * (size_t)g->n[1]};
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        size_t at = index_of(g, i, j, k);
        if (air->now.of[at] != FREE) continue;
        for (int a = 1; a < 3; a++) {
          if ((a == 1 ? j : k) == 0) continue;
          size_t below = at - step[a];
          if (air->now.of[below] == FREE && air->open[below] >> a & 1u) vl_group_join(air->up, (int)at, (int)below);
        }
      }
}

/* What of the union-find stands for fine cell `fine` of a cell, or -1: it is no air. */
static int element_of(const vlSharp *sim, size_t at, int fine)
{
  const vlSubgrid *s = sim->subgrid;
  int of = s->air.now.of[at];
  if (of > CUT) return of == FREE ? (int)at : -1;
  int part = s->pieces.air.part_of[(size_t)(CUT - of) * (size_t)fine_count(s) + (size_t)fine];
  return part == VL_PIECES_NONE ? -1 : (int)cell_count(&sim->grid) + s->pieces.air.first[CUT - of] + part;
}

/* Joins the air on both sides of a cell's lower face, whose other cell is in the grid; one of the two is cut. */
static void join_face(const vlSharp *sim, const int cell[3], int axis)
{
  const vlSubgrid *s = sim->subgrid;
  const vlFine *fine = sim->state.fine;
  int r = fine->refine, b = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2, below[3] = {cell[0], cell[1], cell[2]},
      *up = s->air.up;
  const int row[3] = {1, r, r * r};
  below[axis]--;
  size_t own = index_of(&sim->grid, cell[0], cell[1], cell[2]), other = index_of(&sim->grid, below[0], below[1], below[2]);
  for (int n = 0; n < r; n++)
    for (int m = 0; m < r; m++) {
      int at = m * row[b] + n * row[d], i = element_of(sim, own, at), j = element_of(sim, other, at + (r - 1) * row[axis]);
      if (i < 0 || j < 0 || vl_group_root(up, i) == vl_group_root(up, j)) continue;
      int first[3] = {r * cell[0], r * cell[1], r * cell[2]};
      first[b] += m;
      first[d] += n;
      const double *phi = fine->phi + vl_grid_at(&fine->nodes, first[0], first[1], first[2]);
      ptrdiff_t x = fine->nodes.stride[b], y = fine->nodes.stride[d];
      if (phi[0] < 0.0 && phi[x] < 0.0 && phi[y] < 0.0 && phi[x + y] < 0.0) continue;
      if (s->cuts && !(vl_cuts_open_area(s->cuts, axis, first[0], first[1], first[2]) > 0.0)) continue;
      vl_group_join(up, i, j);
    }
}

static void join_parts(const vlSharp *sim)
{
  const vlSubgrid *s = sim->subgrid;
  const vlGrid *g = &sim->grid;
  const vlBlocks *wet = &sim->work.wet;
  for (int b = 0; b < wet->count; b++)
    for (unsigned left = s->pieces.cut[b]; left; left &= left - 1u) {
      const int cell[3] = {wet->at[b].bx * VL_BLOCK + __builtin_ctz(left), wet->at[b].j, wet->at[b].k};
      for (int a = 0; a < 3; a++) {
        int above[3] = {cell[0], cell[1], cell[2]};
        if (cell[a] > 0) join_face(sim, cell, a);
        if (++above[a] < g->n[a] && s->air.now.of[index_of(g, above[0], above[1], above[2])] > CUT) join_face(sim, above, a);
      }
    }
}

/* Which sides of the box are open to the air: outlets, and the one that gravity points away from. */
static unsigned open_sides(const vlSharp *sim)
{
  vlVec3 pull = vl_sim_gravity(&sim->sim);
  unsigned sides = 0;
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (fabs(pull.v[a]) > fabs(pull.v[axis])) axis = a;
  if (pull.v[axis] != 0.0) sides = 1u << (2 * axis + (pull.v[axis] < 0.0));
  for (int side = 0; side < 6; side++) sides |= (unsigned)sim->outlet[side].open << side;
  return sides;
}

/* Joins what reaches them with element `outside`. */
static void join_outside(const vlSharp *sim, int outside)
{
  const vlGrid *g = &sim->grid;
  unsigned sides = open_sides(sim);
  int r = sim->state.fine->refine;
  const int row[3] = {1, r, r * r};
  for (int side = 0; side < 6; side++) {
    int a = side / 2, b = a == 0 ? 1 : 0, d = a == 2 ? 1 : 2;
    if (!(sides >> side & 1u) || g->n[a] == 1) continue;
    for (int n = 0; n < g->n[d]; n++)
      for (int m = 0; m < g->n[b]; m++) {
        int cell[3];
        cell[a] = side % 2 ? g->n[a] - 1 : 0;
        cell[b] = m;
        cell[d] = n;
        size_t at = index_of(g, cell[0], cell[1], cell[2]);
        bool cut = sim->subgrid->air.now.of[at] <= CUT;
        for (int q = 0; q < (cut ? r * r : 1); q++) {
          int i = element_of(sim, at, q % r * row[b] + q / r * row[d] + (side % 2 ? (r - 1) * row[a] : 0));
          if (i >= 0) vl_group_join(sim->subgrid->air.up, i, outside);
        }
      }
  }
}

/* Numbers regions with a free surface in the order of the facets: number[root]; how many. */
static int number_regions(const vlSharp *sim, int *number, int outside)
{
  const vlSubgrid *s = sim->subgrid;
  int count = 0, cells = (int)cell_count(&sim->grid), free_root = vl_group_root(s->air.up, outside);
  for (int i = 0; i <= outside; i++) number[i] = FREE;
  for (int f = 0; f < s->pieces.air.facets; f++) {
    int root = vl_group_root(s->air.up, cells + s->pieces.air.facet[f].part);
    if (root != free_root && number[root] == FREE) number[root] = count++;
  }
  return count;
}

static void measure_regions(const vlSharp *sim, const int *number, double *volume)
{
  const vlSubgrid *s = sim->subgrid;
  const vlGrid *g = &sim->grid;
  const vlCuts *cuts = sim->work.cuts;
  int cells = (int)cell_count(g), *up = s->air.up;
  double whole = g->dx * g->dx * g->dx;
  for (int at = 0; at < cells; at++) {
    int i = s->air.now.of[at] == FREE ? number[vl_group_root(up, at)] : FREE;
    if (i >= 0) volume[i] += whole;
  }
  for (int c = 0; cuts && c < cuts->count; c++) {
    const int *cell = cuts->cut[c].cell;
    int at = vl_grid_holds(g, cell) ? (int)index_of(g, cell[0], cell[1], cell[2]) : -1;
    int i = at >= 0 && s->air.now.of[at] == FREE ? number[vl_group_root(up, at)] : FREE;
    if (i >= 0) volume[i] -= whole * (1.0 - open_part(&cuts->cut[c], g->dx));
  }
  for (int p = 0; p < s->pieces.air.parts; p++) {
    int i = number[vl_group_root(up, cells + p)];
    if (i >= 0) volume[i] += s->pieces.air.volume[p];
  }
}

/* Frees the largest region where none is free yet; those that are too small have no pressure, but do not take from W either,
 * so they are none. New numbers of the others in `to`. */
static int choose_pockets(const vlSharp *sim, int *to, double *volume, int count, bool any_free)
{
  double h = sim->state.fine->nodes.dx, least = LEAST_CELLS * h * h * h;
  int largest = -1, kept = 0;
  for (int i = 0; i < count && !any_free; i++)
    if (largest < 0 || volume[i] > volume[largest]) largest = i;
  for (int i = 0; i < count; i++) {
    bool is = i != largest && volume[i] >= least;
    if (is) volume[kept] = volume[i];
    to[i] = is ? kept++ : i == largest ? FREE : NOT_AIR;
  }
  return kept;
}

/* Pockets of cells and parts. */
static vlCode find_pockets(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  vlAir *air = &s->air;
  int cells = (int)cell_count(&sim->grid), outside = cells + s->pieces.air.parts, *number = air->up + outside + 1;
  for (int i = cells; i <= outside; i++) air->up[i] = i;
  join_cells(sim);
  join_parts(sim);
  join_outside(sim, outside);
  int count = number_regions(sim, number, outside);
  if (!vl_array_reserve((void **)&air->volume, &air->volume_capacity, (size_t)count + 1, sizeof *air->volume))
    return vl_fail_memory(status, (size_t)count * sizeof *air->volume, "trapped air");
  memset(air->volume, 0, ((size_t)count + 1) * sizeof *air->volume);
  measure_regions(sim, number, air->volume);
  int *to = count ? malloc((size_t)count * sizeof *to) : NULL;
  if (count && !to) return vl_fail_memory(status, (size_t)count * sizeof *to, "trapped air");
  air->now.count = choose_pockets(sim, to, air->volume, count, vl_group_root(air->up, outside) != outside);
  for (int at = 0; at < cells; at++) {
    int i = air->now.of[at] == FREE ? number[vl_group_root(air->up, at)] : FREE;
    if (i >= 0) air->now.of[at] = to[i];
  }
  for (int p = 0; p < s->pieces.air.parts; p++) {
    int i = number[vl_group_root(air->up, cells + p)];
    air->now.pocket_of[p] = i < 0 ? FREE : to[i];
  }
  free(to);
  memcpy(air->now.first, s->pieces.air.first, ((size_t)s->pieces.cuts + 1) * sizeof *air->now.first);
  memcpy(air->now.part_of, s->pieces.air.part_of, (size_t)s->pieces.cuts * (size_t)fine_count(s));
  return VL_OK;
}

/* Pocket of fine cell l of a cell, or FREE, or NOT_AIR. */
static int pocket_at(const vlAirPlaces *p, size_t at, int l, int fine)
{
  if (p->of[at] > CUT) return p->of[at];
  int cut = CUT - p->of[at], part = p->part_of[(size_t)cut * (size_t)fine + (size_t)l];
  return part == VL_PIECES_NONE ? NOT_AIR : p->pocket_of[p->first[cut] + part];
}

/* What an overlap of fine cells tells. */
typedef struct Share {
  double *old_cells;       /* of each old pocket that are air still */
  double *from_free, *all; /* cells of each new pocket that were free, and that were air */
  const vlPocket *old;
  vlPocket *now;
  bool pass; /* second */
} Share;

static void add_overlap(Share *s, int was, int is, double cells)
{
  if (!s->pass && was >= 0 && is > NOT_AIR) s->old_cells[was] += cells;
  if (!s->pass || is < 0 || was == NOT_AIR) return;
  s->all[is] += cells;
  if (was == FREE) {
    s->from_free[is] += cells;
    return;
  }
  s->now[is].volume += s->old[was].volume * cells / s->old_cells[was];
  s->now[is].pressure += s->old[was].pressure * cells;
}

static void compare_places(const vlAir *air, size_t cells, int fine, Share *share)
{
  for (size_t at = 0; at < cells; at++) {
    int was = air->before.of[at], is = air->now.of[at];
    if ((was == FREE || was == NOT_AIR) && (is == FREE || is == NOT_AIR)) continue;
    if (was > CUT && is > CUT) {
      add_overlap(share, was, is, fine);
      continue;
    }
    for (int l = 0; l < fine; l++)
      add_overlap(share, pocket_at(&air->before, at, l, fine), pocket_at(&air->now, at, l, fine), 1.0);
  }
}

/* What the pockets are to have, from what those before had. */
static vlCode tell_pockets(vlSharp *sim, vlStatus *status)
{
  vlAir *air = &sim->subgrid->air;
  vlPockets *state = &sim->state.pockets;
  int old = state->count, count = air->now.count;
  bool known = air->before.count == old, restored = air->before.count < 0 && old == count && sim->state.step > 0;
  if (restored) return VL_OK;
  size_t size = (size_t)old + 3 * (size_t)count + 1;
  double *scratch = calloc(size, sizeof *scratch);
  vlPocket *now = calloc((size_t)count + 1, sizeof *now);
  if (!scratch || !now || !vl_array_reserve((void **)&state->pocket, &state->capacity, (size_t)count + 1, sizeof *now)) {
    free(scratch);
    free(now);
    return vl_fail_memory(status, size * sizeof *scratch, "trapped air");
  }
  Share share = {scratch, scratch + old, scratch + old + count, state->pocket, now, false};
  for (int pass = 0; pass < 2 && known && (old > 0 || count > 0); pass++) {
    share.pass = pass == 1;
    compare_places(air, cell_count(&sim->grid), fine_count(sim->subgrid), &share);
  }
  for (int i = 0; i < count; i++) {
    double all = share.all[i];
    now[i].volume = all > 0.0 ? now[i].volume + air->volume[i] * share.from_free[i] / all : air->volume[i];
    now[i].pressure = all > 0.0 ? now[i].pressure / all : 0.0;
  }
  memcpy(state->pocket, now, (size_t)count * sizeof *now);
  state->count = count;
  free(scratch);
  free(now);
  return VL_OK;
}

static vlAirFacet facet_of(int piece, int pocket, double area, vlVec3 air, vlVec3 center)
{
  return (vlAirFacet){.piece = piece, .pocket = pocket, .area = area, .normal = vl_scale(air, 1.0 / area), .center = center};
}

static void list_facets(vlSubgrid *s)
{
  const vlPieces *pieces = &s->pieces;
  s->facets = 0;
  for (int f = 0; pieces->air.wanted && f < pieces->air.facets; f++) {
    const vlPieceFacet *from = &pieces->air.facet[f];
    s->facet[s->facets++] = facet_of(from->piece, s->air.now.pocket_of[from->part], from->area, from->air, from->center);
  }
  for (int i = 0; !pieces->air.wanted && i < pieces->count; i++) {
    const vlPiece *piece = &pieces->piece[i];
    if (piece->air_area > 0.0) s->facet[s->facets++] = facet_of(i, FREE, piece->air_area, piece->air, piece->air_center);
  }
}

vlCode vl_air_find(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  vlAir *air = &s->air;
  size_t facets = (size_t)(s->pieces.air.wanted ? s->pieces.air.facets : s->pieces.count) + 1;
  if (!vl_array_reserve((void **)&s->facet, &s->facet_capacity, facets, sizeof *s->facet))
    return vl_fail_memory(status, facets * sizeof *s->facet, "the free surface of pieces of liquid");
  if (s->pieces.air.wanted) {
    vlAirPlaces before = air->now;
    air->now = air->before;
    air->before = before;
    vlCode code = reserve(s, cell_count(&sim->grid), status);
    if (code) return code;
    find_open(sim->work.cuts, &sim->grid, air->open);
    find_cells(sim);
    code = find_pockets(sim, status);
    if (!code) code = tell_pockets(sim, status);
    if (code) return code;
  }
  list_facets(s);
  return VL_OK;
}

int vl_air_pocket_at(const vlSharp *sim, const int fine[3])
{
  const vlSubgrid *s = sim->subgrid;
  const vlAirPlaces *now = &s->air.now;
  int r = s->pieces.refine;
  if (!s->pieces.air.wanted || now->count <= 0 || !vl_grid_holds(&s->cells, fine)) return -1;
  size_t at = index_of(&sim->grid, fine[0] / r, fine[1] / r, fine[2] / r);
  int pocket = pocket_at(now, at, fine[0] % r + r * (fine[1] % r + r * (fine[2] % r)), fine_count(s));
  return pocket >= 0 ? pocket : -1;
}

void vl_air_keep_pressures(vlSharp *sim)
{
  const vlSubgrid *s = sim->subgrid;
  for (int i = 0; i < s->tail.airs; i++) sim->state.pockets.pocket[i].pressure = s->p[s->tail.extras - s->tail.airs + i];
}

vlCode vl_air_visit(vlSharp *sim, vlVisitor *v, vlStatus *status)
{
  static const char *const NAME = "pockets";
  vlPockets *pockets = &sim->state.pockets;
  size_t count = 0;
  if (sim->scene->liquid.air != VL_LIQUID_AIR_TRAPPED) return VL_OK;
  if (!v->restoring)
    return v->array(v->data, NAME, pockets->pocket ? pockets->pocket : &(vlPocket){0}, sizeof *pockets->pocket,
                    (size_t)pockets->count, status);
  const vlPocket *found = v->find(v->data, NAME, sizeof *found, &count);
  sim->subgrid->air.now.count = -1;
  pockets->count = 0;
  if (!found || count == 0) return VL_OK;
  if (!vl_array_reserve((void **)&pockets->pocket, &pockets->capacity, count, sizeof *found))
    return vl_fail_memory(status, count * sizeof *found, "trapped air");
  memcpy(pockets->pocket, found, count * sizeof *found);
  pockets->count = (int)count;
  return vl_numbers_check(NAME, VL_NUMBERS_OTHER, pockets->pocket, 2 * count, status);
}

static void clear_places(vlAirPlaces *p)
{
  free(p->of);
  free(p->pocket_of);
  free(p->part_of);
  free(p->first);
}

void vl_air_clear(vlSubgrid *s)
{
  clear_places(&s->air.now);
  clear_places(&s->air.before);
  free(s->air.open);
  free(s->air.up);
  free(s->air.volume);
  free(s->facet);
}
