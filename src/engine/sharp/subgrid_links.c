/* From the fine surface to the pressure's links: see subgrid.h.
 *
 * A piece has its pressure where phi has its mean over it, a cell without surface in its middle. Two such places are
 *
 *     d = (phi_above - phi_below) / g        g = d phi / d axis at the middle of the link
 *
 * apart along the axis, which is exact for planes in any place, so liquid under a plane at rest stays so whatever the areas
 * are. Where phi does not change along the axis they are a cell apart. A piece that is nowhere deeper than SHALLOW has no
 * pressure: others end at it as they do at the surface. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/sharp/body_step.h"
#include "engine/sharp/subgrid.h"

static const double SHALLOW = 1e-3, NEAREST = 0.2, FARTHEST = 1.25; /* cells */
static const double FLAT = 1e-6, AGAINST = 0.05;                    /* slopes of phi */
static const double KNOWN_AREA = 0.05;                              /* of dx2: smallest opening whose velocity counts */
static const double LEAST_DEPTH = 1e-3;                             /* cells: of liquid cells, as they are told */
static const double GOOD_VOLUME = 0.3, GOOD_LINK = 0.3; /* of a cell, of a face: from there on faces tell a velocity */

static vlCode reserve(vlSubgrid *s, size_t blocks, vlStatus *status)
{
  size_t pieces = (size_t)s->pieces.count + 1, links = (size_t)s->pieces.link_count + (size_t)s->facets + 1;
  if (s->air.now.count > 0) pieces += (size_t)s->air.now.count; /* extra nodes */
  bool room = vl_array_reserve((void **)&s->motion, &s->motion_capacity, pieces, sizeof *s->motion) &&
              vl_array_reserve((void **)&s->link, &s->link_capacity, links, sizeof *s->link) &&
              vl_array_reserve((void **)&s->source, &s->source_capacity, links, sizeof *s->source) &&
              vl_array_reserve((void **)&s->u, &s->u_capacity, links, sizeof *s->u) &&
              vl_array_reserve((void **)&s->gap, &s->gap_capacity, links, sizeof *s->gap) &&
              vl_array_reserve((void **)&s->pull, &s->pull_capacity, links, sizeof *s->pull) &&
              vl_array_reserve((void **)&s->path, &s->path_capacity, links, sizeof *s->path) &&
              vl_array_reserve((void **)&s->p, &s->p_capacity, pieces, sizeof *s->p) &&
              vl_array_reserve((void **)&s->extra_cell, &s->cell_capacity, pieces, sizeof *s->extra_cell) &&
              vl_array_reserve((void **)&s->extra_piece, &s->piece_capacity, pieces, sizeof *s->extra_piece) &&
              vl_array_reserve((void **)&s->flow, &s->flow_capacity, blocks + 1, sizeof *s->flow) &&
              vl_array_reserve((void **)&s->main, &s->main_capacity, blocks + 1, sizeof *s->main);
  return room ? VL_OK : vl_fail_memory(status, links * sizeof *s->link, "liquid finer than the grid");
}

static void cell_of(const vlBlocks *wet, int at, int cell[3])
{
  vlBlockPosition p = wet->at[at / VL_BLOCK];
  cell[0] = p.bx * VL_BLOCK + at % VL_BLOCK;
  cell[1] = p.j;
  cell[2] = p.k;
}

/* m: phi in the middle of a cell; *known: it is. */
static double middle_phi(const vlFine *fine, const vlBlocks *wet, int at, bool *known)
{
  int cell[3], half = fine->refine / 2;
  cell_of(wet, at, cell);
  *known = vl_fine_is_near(fine, cell[0], cell[1], cell[2]);
  return *known ? fine->phi[vl_fine_node(fine, cell, half, half, half)] : 0.0;
}

/* Pockets of air come last; a bare piece has the pressure of the air beside it. */
static void number_air(vlSubgrid *s)
{
  s->tail.airs = s->pieces.air.wanted ? s->air.now.count : 0;
  for (int i = 0; i < s->tail.airs; i++) s->extra_cell[s->tail.extras + i] = -1;
  s->tail.extras += s->tail.airs;
  double most = 0.0;
  for (int f = 0; f < s->facets; f++) {
    const vlAirFacet *facet = &s->facet[f];
    if (f == 0 || facet[-1].piece != facet->piece) most = 0.0;
    if (facet->area <= most) continue;
    most = facet->area;
    vlPieceMotion *m = &s->motion[facet->piece];
    m->beside = vl_subgrid_air_node(s, facet->pocket);
    if (m->bare) m->node = m->beside;
  }
}

/* Nodes of the pressure: of a cell's pieces the first that is deep enough is the main one. */
static void number_nodes(vlSharp *sim, vlSubgrid *s)
{
  const vlPieces *pieces = &s->pieces;
  double dx = sim->grid.dx;
  memset(s->main, 0, (size_t)sim->work.wet.count * sizeof *s->main);
  s->tail.extras = 0;
  for (int i = 0; i < pieces->count; i++) {
    const vlPiece *piece = &pieces->piece[i];
    vlPieceMotion *m = &s->motion[i];
    int b = piece->cell / VL_BLOCK;
    unsigned short bit = (unsigned short)(1u << piece->cell % VL_BLOCK);
    *m = (vlPieceMotion){.node = VL_TAIL_SURFACE, .beside = VL_TAIL_SURFACE, .bare = true};
    if (piece->air_area > 0.0) m->normal = vl_scale(piece->air, 1.0 / piece->air_area);
    if (piece->air_area > 0.0 && piece->deepest > -SHALLOW * dx) continue;
    m->bare = false;
    if (!(s->main[b] & bit)) {
      s->main[b] |= bit;
      m->node = piece->cell;
      continue;
    }
    s->extra_cell[s->tail.extras] = piece->cell;
    s->extra_piece[s->tail.extras] = i;
    m->node = vl_tail_extra(s->tail.extras++);
  }
  number_air(s);
  for (int i = 0; i < pieces->count; i++) {
    bool known = false;
    double middle =
        pieces->piece[i].air_area > 0.0 ? 0.0 : middle_phi(sim->state.fine, &sim->work.wet, pieces->piece[i].cell, &known);
    s->motion[i].phi = s->motion[i].bare                 ? 0.0
                       : pieces->piece[i].air_area > 0.0 ? pieces->piece[i].phi
                       : known                           ? middle
                                                         : -INFINITY;
  }
}

static bool is_bare(const vlSubgrid *s, int end) { return end >= 0 && s->motion[end].bare; }
static int node_of(const vlSubgrid *s, int end) { return end >= 0 ? s->motion[end].node : vl_pieces_whole(end); }

static double end_phi(const vlSharp *sim, const vlSubgrid *s, int end, bool *known)
{
  *known = true;
  if (end < 0) return middle_phi(sim->state.fine, &sim->work.wet, vl_pieces_whole(end), known);
  *known = isfinite(s->motion[end].phi);
  return *known ? s->motion[end].phi : 0.0;
}

/* d phi / d axis between two places half a fine cell to both sides. */
static double slope_at(const vlFine *fine, vlVec3 x, int axis)
{
  const vlGrid *g = fine->grid;
  double h = fine->nodes.dx, to[2];
  for (int side = 0; side < 2; side++) {
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = (x.v[a] + (a == axis ? (side - 0.5) * h : 0.0) - g->origin.v[a]) / g->dx;
    to[side] = vl_fine_at(fine, at, NULL);
  }
  return (to[1] - to[0]) / h;
}

/* gap: m, what the levels of a link's ends are apart beyond the distance that it is given. */
static double distance_of(const vlSharp *sim, const vlSubgrid *s, const vlPieceLink *link, double *gap)
{
  *gap = 0.0;
  bool below_known, above_known;
  double dx = sim->grid.dx, below = end_phi(sim, s, link->below, &below_known),
         above = end_phi(sim, s, link->above, &above_known);
  if (!below_known || !above_known) return dx;
  double g = slope_at(sim->state.fine, link->center, link->axis), d = g != 0.0 ? (above - below) / g : dx;
  d = fabs(g) < FLAT || (d < 0.0 && fabs(g) < AGAINST) ? dx : fmin(fmax(d, NEAREST * dx), FARTHEST * dx);
  *gap = above - below - g * d;
  return d;
}

static void list_links(vlSharp *sim, vlSubgrid *s)
{
  const vlPieces *pieces = &s->pieces;
  double least = KNOWN_AREA * sim->grid.dx * sim->grid.dx;
  int count = 0;
  memset(s->flow, 0, (size_t)sim->work.wet.count * sizeof *s->flow);
  for (int q = 0; q < pieces->link_count; q++) {
    const vlPieceLink *link = &pieces->link[q];
    int above = vl_subgrid_above(s, link);
    if (link->area > least) s->flow[above / VL_BLOCK][link->axis] |= (unsigned short)(1u << above % VL_BLOCK);
    int ends[2] = {node_of(s, link->below), node_of(s, link->above)};
    if (is_bare(s, link->below) && is_bare(s, link->above)) continue;
    s->source[count] = q;
    s->link[count++] = (vlTailLink){.below = ends[0], .above = ends[1], .axis = link->axis, .area = link->area};
  }
#pragma omp parallel for schedule(static)
  for (int q = 0; q < count; q++) {
    s->link[q].distance = distance_of(sim, s, &pieces->link[s->source[q]], &s->gap[q]);
    s->pull[q] = 0.0;
  }
  for (int f = 0; f < s->facets; f++) {
    const vlPieceMotion *m = &s->motion[s->facet[f].piece];
    if (m->bare) continue;
    s->gap[count] = s->pull[count] = 0.0;
    s->source[count] = -1 - f;
    s->link[count++] = (vlTailLink){.below = m->node,
                                    .above = vl_subgrid_air_node(s, s->facet[f].pocket),
                                    .axis = -1,
                                    .area = s->facet[f].area,
                                    .distance = fabs(m->phi)};
  }
  s->tail.count = count;
}

/* Pieces that say less of the velocity on faces than others around them. */
static void find_loose(const vlSharp *sim, vlSubgrid *s)
{
  const vlPieces *pieces = &s->pieces;
  double dx = sim->grid.dx, link = GOOD_LINK * dx * dx, volume = GOOD_VOLUME * dx * dx * dx;
  for (int i = 0; i < pieces->count; i++) s->motion[i].x = vl_vec(0, 0, 0); /* m2: largest link along each axis */
  for (int q = 0; q < pieces->link_count; q++) {
    const vlPieceLink *l = &pieces->link[q];
    const int end[2] = {l->below, l->above};
    for (int e = 0; e < 2; e++)
      if (end[e] >= 0) s->motion[end[e]].x.v[l->axis] = fmax(s->motion[end[e]].x.v[l->axis], l->area);
  }
  for (int i = 0; i < pieces->count; i++) {
    vlPieceMotion *m = &s->motion[i];
    int cell = pieces->piece[i].cell;
    bool shared = pieces->piece[i].rank > 0 || (i + 1 < pieces->count && pieces->piece[i + 1].cell == cell);
    m->loose = shared || pieces->piece[i].volume < volume;
    for (int a = 0; a < 3; a++) m->loose = m->loose || (sim->grid.n[a] > 1 && m->x.v[a] < link);
    m->x = vl_vec(0, 0, 0);
  }
}

static vlCode cut_fine(vlSharp *sim, vlSubgrid *s, vlStatus *status)
{
  const vlBodySet *bodies = &sim->apart;
  if (bodies->count == 0) return VL_OK;
  s->patches.flat_within = sim->state.fine->refine * VL_CLIP_BODY;
  vlCode code = vl_patches_update(&s->patches, bodies, 0, bodies->count, &s->cells, status);
  return code ? code : vl_cuts_merge(s->cuts, s->statics, &s->patches, status);
}

/* Cells with a main node are liquid to all who ask the level set, other cut ones air; and how full they are. */
static void tell_cells(vlSharp *sim, vlSubgrid *s)
{
  const vlBlocks *wet = &sim->work.wet;
  double least = LEAST_DEPTH * sim->grid.dx, whole = sim->grid.dx * sim->grid.dx * sim->grid.dx;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(&sim->grid, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) {
      double *phi = &sim->work.level.phi[at + l], *filled = &sim->work.density.filled[at + l];
      bool cut = s->pieces.cut[b] >> l & 1u, main = s->main[b] >> l & 1u;
      if (cut) *phi = main ? fmin(*phi, -least) : fmax(*phi, least);
      *filled = *phi < 0.0 && !cut ? sim->work.open[at + l] : 0.0;
    }
  }
  for (int i = 0; i < s->pieces.count; i++) {
    int cell = s->pieces.piece[i].cell;
    ptrdiff_t at = vl_blocks_field(&sim->grid, wet->at[cell / VL_BLOCK]) + cell % VL_BLOCK;
    sim->work.density.filled[at] += s->pieces.piece[i].volume / whole;
  }
}

/* Distances on fine cells, in the blocks where the grid knows of solids. */
static vlCode find_obstacles(vlSharp *sim, vlSubgrid *s, vlStatus *status)
{
  const vlBlocks *wet = &sim->work.wet;
  int r = sim->state.fine->refine;
  bool room = true;
  if (!s->solid_nodes.any) return VL_OK;
  vl_blocks_begin(&s->beside);
  for (int b = 0; b < wet->count && room;) { /* rows of a plane of cells come together: fine planes are listed one by one */
    int k = wet->at[b].k, end = b;
    while (end < wet->count && wet->at[end].k == k) end++;
    for (int n = 0; n < r; n++)
      for (int row = b; row < end && room;) {
        int j = wet->at[row].j, last = row;
        while (last < end && wet->at[last].j == j) last++;
        for (int m = 0; m < r; m++)
          for (int q = row; q < last && room; q++) {
            if (sim->work.solid_nodes.near[vl_blocks_place(wet, wet->at[q].bx, j, k)] != 2) continue;
            for (int i = 0; i < r && room; i++)
              if ((wet->at[q].bx * r + i) * VL_BLOCK < s->cells.n[0])
                room = vl_blocks_append(&s->beside, wet->at[q].bx * r + i, r * j + m, r * k + n);
          }
        row = last;
      }
    b = end;
  }
  vl_blocks_end(&s->beside);
  if (!room) return vl_fail_memory(status, (size_t)s->beside.count * sizeof(vlBlockPosition), "distances to solids");
  s->obstacles = (vlFineObstacles){&s->cells, r, s->solid_nodes.distance, s->solid_nodes.near, &s->beside};
  return vl_node_distance_update(&s->solid_nodes, &s->cells, sim->statics, &s->beside, status);
}

vlCode vl_subgrid_find(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  vlCode code = cut_fine(sim, s, status);
  if (!code) code = find_obstacles(sim, s, status);
  vl_fine_to_cells(sim->state.fine, &sim->work.wet, sim->work.level.phi);
  if (!code) code = vl_pieces_build(&s->pieces, sim->state.fine, s->cuts, &sim->work.wet, status);
  if (!code) code = vl_air_find(sim, status);
  if (!code) code = reserve(s, (size_t)sim->work.wet.count, status);
  if (code) return code;
  number_nodes(sim, s);
  list_links(sim, s);
  find_loose(sim, s);
  tell_cells(sim, s);
  s->tail.cell = s->extra_cell;
  s->tail.link = s->link;
  s->tail.cut = s->pieces.cut;
  s->tail.main = s->main;
  s->tail.u = s->u;
  s->tail.path = s->path;
  s->tail.p = s->p;
  s->tail.find = vl_subgrid_find_node;
  s->tail.arm = vl_subgrid_arm;
  s->tail.data = sim;
  return VL_OK;
}
