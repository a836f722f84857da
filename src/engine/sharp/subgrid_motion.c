/* How pieces of liquid move: see subgrid.h.
 *
 * u* of a link is that of its face, but for loose pieces, whose particles say it: with e = x - middle of the particles,
 *
 *     v(x) = v + B e        v = mean v_p        B = (sum dv_p e_p^T) (sum e_p e_p^T + n w)^-1        w = (dx_p^2/12) 1
 *
 * dx_p the side of a particle's own cube, so that few particles have little slope. What flows out through a free surface
 * before the solve is that velocity, or the faces', times its area vector. After the solve the change dv of a loose piece is
 * the one that its links, its free surface and its walls agree on best,
 *
 *     sum A_f ( n_f . (v + B e_f + dv) - u_f )^2  +  RIDGE sum A_f |dv - dt f|^2   least
 *
 * with dt f, what forces alone would do: a drop that touches nothing falls freely. Its particles gain dv and go
 * along v(x) + dv. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "engine/sharp/subgrid.h"

static const double RIDGE = 0.01;
static const double APART = 0.5;   /* fine cells: particles farther out belong to no piece */
static const double FLIGHT = 0.25; /* cells over the surface from which on a particle flies */

static void cell_place(const vlGrid *g, vlVec3 x, double at[3])
{
  for (int a = 0; a < 3; a++) at[a] = (x.v[a] - g->origin.v[a]) / g->dx;
}

/* The piece of a place, in cells; -1: there is none. */
static int piece_at(const vlSharp *sim, const double x[3])
{
  const int cell[3] = {(int)x[0], (int)x[1], (int)x[2]};
  int b = vl_blocks_find(&sim->work.wet, cell[0] / VL_BLOCK, cell[1], cell[2]), at = b * VL_BLOCK + cell[0] % VL_BLOCK;
  return b < 0 || vl_pieces_cut(&sim->subgrid->pieces, at) < 0 ? -1 : vl_pieces_at(&sim->subgrid->pieces, at, x);
}

static vlVec3 particle_place(const vlParticles *p, int i)
{
  return vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]);
}

static vlVec3 particle_velocity(const vlParticles *p, int i)
{
  return vl_vec((double)p->v[0][i], (double)p->v[1][i], (double)p->v[2][i]);
}

/* The particle's piece among those of its cell; -1: it flies. */
static int piece_of(const vlSharp *sim, int wet_cell, const double x[3])
{
  const vlFine *fine = sim->state.fine;
  if (vl_fine_at(fine, x, NULL) > APART * fine->nodes.dx) return -1;
  return vl_pieces_at(&sim->subgrid->pieces, wet_cell, x);
}

/* Particles first to last - 1 of a cut cell. */
typedef struct Cell {
  int at, first, last; /* at: wet cell */
} Cell;

/* How the velocities of a piece's particles vary, by their means. */
static void find_slope(const vlSharp *sim, const Cell *cell, int piece)
{
  const vlParticles *p = sim->state.particles;
  vlPieceMotion *m = &sim->subgrid->motion[piece];
  double dx = sim->grid.dx, own = dx / sim->scene->liquid.particles;
  vlMat3 moment = {0}, vary = {0}, inverse;
  for (int k = cell->first; k < cell->last; k++) {
    vlVec3 at = particle_place(p, k);
    if (piece_of(sim, cell->at, at.v) != piece) continue;
    vlVec3 e = vl_scale(vl_sub(at, m->x), dx), dv = vl_sub(particle_velocity(p, k), m->v);
    for (int i = 0; i < 9; i++) {
      moment.m[i / 3][i % 3] += e.v[i / 3] * e.v[i % 3];
      vary.m[i / 3][i % 3] += dv.v[i / 3] * e.v[i % 3];
    }
  }
  for (int a = 0; a < 3; a++) moment.m[a][a] += own * own / 12.0 * m->particles;
  if (vl_mat_inverse(moment, &inverse)) m->slope = vl_mat_multiply(vary, inverse);
}

static void weigh_cell(const vlSharp *sim, const Cell *cell)
{
  vlSubgrid *s = sim->subgrid;
  const vlParticles *p = sim->state.particles;
  int cut = vl_pieces_cut(&s->pieces, cell->at), begin = s->pieces.first_piece[cut], end = s->pieces.first_piece[cut + 1];
  for (int k = cell->first; k < cell->last; k++) {
    vlVec3 at = particle_place(p, k);
    int i = piece_of(sim, cell->at, at.v);
    if (i < 0) continue;
    s->motion[i].particles++;
    s->motion[i].x = vl_add(s->motion[i].x, at);
    s->motion[i].v = vl_add(s->motion[i].v, particle_velocity(p, k));
  }
  for (int i = begin; i < end; i++) {
    vlPieceMotion *m = &s->motion[i];
    if (m->particles == 0) continue;
    m->x = vl_scale(m->x, 1.0 / m->particles);
    m->v = vl_scale(m->v, 1.0 / m->particles);
    if (m->loose && m->particles >= 4) find_slope(sim, cell, i);
  }
}

/* The velocity of a face that solids leave only in part, of those particles of its two cells that are before its opening:
 * what rests at the wall beside it says nothing of what flows through. */
static void narrow_face(const vlSharp *sim, const vlObstacles *obstacles, const int cell[3], int a, double *u)
{
  const vlParticles *p = sim->state.particles;
  double sum = 0.0, weight = 0.0, n[3];
  for (int side = 0; side < 2; side++) {
    int from[3] = {cell[0], cell[1], cell[2]}, first, last;
    from[a] -= side;
    if (vl_particles_in_cell(p, from) == 0) continue;
    int l = from[0] % VL_BLOCK;
    vl_particles_in(p, vl_blocks_find(&p->home, from[0] / VL_BLOCK, from[1], from[2]), l, l + 1, &first, &last);
    for (int i = first; i < last; i++) {
      vlVec3 x = particle_place(p, i);
      double w = 1.0 - fabs(x.v[a] - cell[a]);
      x.v[a] = cell[a];
      if (!(vl_obstacle_distance(&sim->grid, *obstacles, x.v, n, NULL) > 0.0)) continue;
      sum += w * (double)p->v[a][i];
      weight += w;
    }
  }
  if (weight > 0.0) *u = sum / weight;
}

vlCode vl_subgrid_narrow(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step, (void)status;
  const vlBlocks *wet = &sim->work.wet;
  const vlGrid *g = &sim->grid;
  vlObstacles obstacles = vl_sharp_obstacles(sim);
  double whole = g->dx * g->dx * (1.0 - 1e-9);
  if (!sim->subgrid->cuts) return VL_OK;
#pragma omp parallel for schedule(dynamic, 16)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++) {
      ptrdiff_t at = vl_blocks_field(g, wet->at[b]);
      for (int l = 0; l < vl_blocks_width(wet, wet->at[b]) && g->n[a] > 1; l++) {
        const int cell[3] = {wet->at[b].bx * VL_BLOCK + l, wet->at[b].j, wet->at[b].k};
        double area = sim->work.area[a][at + l];
        if (cell[a] > 0 && area > 0.0 && area < whole) narrow_face(sim, &obstacles, cell, a, &sim->state.u_old[a][at + l]);
      }
    }
  return VL_OK;
}

void vl_subgrid_weigh(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  const vlParticles *p = sim->state.particles;
  const vlBlocks *wet = &sim->work.wet;
#pragma omp parallel for schedule(dynamic, 16)
  for (int b = 0; b < wet->count; b++) {
    int home = vl_blocks_find(&p->home, wet->at[b].bx, wet->at[b].j, wet->at[b].k);
    for (unsigned left = s->pieces.cut[b]; left; left &= left - 1u) {
      int l = __builtin_ctz(left), first = 0, last = 0;
      if (home >= 0) vl_particles_in(p, home, l, l + 1, &first, &last);
      weigh_cell(sim, &(Cell){b * VL_BLOCK + l, first, last});
    }
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < s->pieces.count; i++) {
    vlPieceMotion *m = &s->motion[i];
    if (m->particles > 0) continue;
    double at[3];
    cell_place(&sim->grid, s->pieces.piece[i].center, at);
    m->x = vl_vec(at[0], at[1], at[2]);
    vl_sample_velocity(&sim->grid, sim->state.u_old, at, m->v.v);
  }
}

/* m/s: of a loose piece at x, m, before the step's forces. */
static vlVec3 own_velocity(const vlSharp *sim, const vlPieceMotion *m, vlVec3 x)
{
  vlVec3 e = vl_sub(x, vl_axpy(sim->grid.origin, sim->grid.dx, m->x));
  return vl_add(m->v, vl_mat_apply(m->slope, e));
}

static ptrdiff_t face_of(const vlSharp *sim, const vlPieceLink *link)
{
  int above = vl_subgrid_above(sim->subgrid, link);
  return vl_blocks_field(&sim->grid, sim->work.wet.at[above / VL_BLOCK]) + above % VL_BLOCK;
}

/* How much an end knows of a link's velocity, and what. */
static double end_star(const vlSharp *sim, int end, const vlPieceLink *link, double gain, double on_face, double *u)
{
  const vlPieceMotion *m = end >= 0 ? &sim->subgrid->motion[end] : NULL;
  *u = on_face;
  if (!m || !m->loose) return 1.0;
  if (m->particles == 0) return 0.0;
  *u = own_velocity(sim, m, link->center).v[link->axis] + gain;
  return fmin(1.0, (double)m->particles / sim->per_cell);
}

static double link_star(const vlSharp *sim, const vlPieceLink *link, double kick)
{
  double on_face = sim->work.u[link->axis][face_of(sim, link)], below, above;
  double gain = kick * vl_sharp_pull(sim, link->center).v[link->axis];
  double w_below = end_star(sim, link->below, link, gain, on_face, &below),
         w_above = end_star(sim, link->above, link, gain, on_face, &above), w = w_below + w_above;
  return w > 0.0 ? (w_below * below + w_above * above) / w : on_face;
}

static bool beside_solids(const vlSharp *sim, const vlTailLink *link)
{
  const int end[2] = {link->below, link->above};
  for (int e = 0; e < 2; e++)
    if (end[e] >= 0 &&
        sim->work.open[vl_blocks_field(&sim->grid, sim->work.wet.at[end[e] / VL_BLOCK]) + end[e] % VL_BLOCK] < 1.0)
      return true;
  return false;
}

/* Pa: of trapped air beside a link's ends, as the last solve had it. */
static double air_pressure(const vlSharp *sim, const vlPieceLink *link)
{
  const vlSubgrid *s = sim->subgrid;
  const int end[2] = {link->below, link->above};
  for (int e = 0; e < 2; e++) {
    int node = end[e] >= 0 ? s->motion[end[e]].beside : VL_TAIL_SURFACE;
    if (node != VL_TAIL_SURFACE)
      return sim->state.pockets.pocket[vl_tail_extra(node) - s->tail.extras + s->tail.airs].pressure;
  }
  return 0.0;
}

/* Pa/m: how pressure grows with depth below the surface at a link's ends, over `air` there, as the last solve had it; before
 * the first, as at rest beside solids. No more than what pulls the liquid makes it, and none in free fall. */
static double steepness(const vlSharp *sim, const vlTailLink *link, double air, double most)
{
  const int end[2] = {link->below, link->above};
  double sum = 0.0;
  int count = 0;
  if (sim->state.step == 0) return beside_solids(sim, link) ? most : 0.0;
  for (int e = 0; e < 2; e++) {
    if (end[e] < 0) continue;
    ptrdiff_t at = vl_blocks_field(&sim->grid, sim->work.wet.at[end[e] / VL_BLOCK]) + end[e] % VL_BLOCK;
    int cut = vl_pieces_cut(&sim->subgrid->pieces, end[e]);
    double depth = cut < 0 ? -sim->work.level.phi[at] : 0.0;
    for (int i = cut < 0 ? 0 : sim->subgrid->pieces.first_piece[cut]; depth == 0.0 && cut >= 0; i++)
      if (sim->subgrid->motion[i].node == end[e]) depth = fabs(sim->subgrid->motion[i].phi);
    if (!(depth > 0.0) || !isfinite(depth)) continue;
    sum += fmin(fmax((sim->state.p[at] - air) / depth, 0.0), most);
    count++;
  }
  return count > 0 ? sum / count : 0.0;
}

/* m/s: mean velocity out through a free surface before the solve. */
static double air_star(const vlSharp *sim, const vlAirFacet *facet, double kick)
{
  const vlSubgrid *s = sim->subgrid;
  const vlPieceMotion *m = &s->motion[facet->piece];
  vlVec3 x = facet->center, v;
  double at[3];
  cell_place(&sim->grid, x, at);
  if (sim->work.given_now && vl_sources_have(sim, s->pieces.piece[facet->piece].center, &v)) return vl_dot(facet->normal, v);
  if (m->loose)
    v = own_velocity(sim, m, x);
  else
    vl_sample_velocity(&sim->grid, sim->state.u_old, at, v.v);
  return vl_dot(facet->normal, vl_axpy(v, kick, vl_sharp_pull(sim, x)));
}

/* The face of a piece's cell on an open side of the box; -1: there is none. */
static ptrdiff_t outlet_face(const vlSharp *sim, const vlPiece *piece, int side)
{
  vlBlockPosition p = sim->work.wet.at[piece->cell / VL_BLOCK];
  const int cell[3] = {p.bx * VL_BLOCK + piece->cell % VL_BLOCK, p.j, p.k};
  int a = side / 2, last = sim->grid.n[a] - 1;
  if (!sim->outlet[side].open || cell[a] != (side % 2 ? last : 0)) return -1;
  return vl_grid_at(&sim->grid, cell[0], cell[1], cell[2]) + (side % 2 ? sim->grid.stride[a] : 0);
}

/* Out of a cut cell flows what liquid its main piece has at the side, until areas are found anew. */
static void open_outlets(vlSharp *sim, double kick)
{
  const vlSubgrid *s = sim->subgrid;
  for (int i = 0; sim->outlets && i < s->pieces.count; i++)
    for (int side = 0; side < 6; side++) {
      const vlPiece *piece = &s->pieces.piece[i];
      const vlPieceMotion *m = &s->motion[i];
      ptrdiff_t face = outlet_face(sim, piece, side);
      int a = side / 2;
      if (face < 0 || (piece->rank > 0 && m->node != piece->cell)) continue;
      sim->work.area[a][face] = m->node == piece->cell ? fmax(0.0, (side % 2 ? 1.0 : -1.0) * piece->side.v[a]) : 0.0;
      if (m->node != piece->cell || !m->loose || m->particles == 0) continue;
      vlVec3 x = piece->center;
      sim->work.u[a][face] = own_velocity(sim, m, x).v[a] + kick * vl_sharp_pull(sim, x).v[a];
    }
}

vlCode vl_subgrid_star(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  vlSubgrid *s = sim->subgrid;
#pragma omp parallel for schedule(static)
  for (int q = 0; q < s->tail.count; q++) {
    if (s->source[q] < 0) {
      s->u[q] = air_star(sim, &s->facet[-1 - s->source[q]], step->kick);
      continue;
    }
    const vlPieceLink *link = &s->pieces.link[s->source[q]];
    vlVec3 v;
    s->link[q].given = sim->work.given_now && vl_sources_have(sim, link->center, &v);
    if (s->link[q].given) continue;
    if (s->gap[q] != 0.0 && s->link[q].area > 0.0) {
      double rho = sim->scene->liquid.density, most = rho * vl_norm(vl_sharp_pull(sim, link->center));
      s->pull[q] = -steepness(sim, &s->link[q], air_pressure(sim, link), most) * s->gap[q] / (rho * s->link[q].distance);
    }
    s->u[q] = link_star(sim, link, step->kick) + step->kick * s->pull[q];
  }
  open_outlets(sim, step->kick);
  int pieces = s->tail.extras - s->tail.airs;
  for (int e = 0; e < s->tail.extras; e++) s->p[e] = e < pieces ? 0.0 : sim->state.pockets.pocket[e - pieces].pressure;
  return VL_OK;
}

void vl_subgrid_give(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
#pragma omp parallel for schedule(static)
  for (int q = 0; q < s->tail.count; q++) {
    vlVec3 v = vl_vec(0, 0, 0);
    if (!s->link[q].given) continue;
    const vlPieceLink *link = &s->pieces.link[s->source[q]];
    vl_sources_have(sim, link->center, &v);
    s->u[q] = v.v[link->axis];
  }
}

static void add_fit(vlPieceFit *fit, double area, vlVec3 n, double wanted)
{
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) fit->a.m[r][c] += area * n.v[r] * n.v[c];
  fit->r = vl_axpy(fit->r, area * wanted, n);
  fit->area += area;
}

static vlVec3 solve_fit(vlPieceFit *fit, vlVec3 free)
{
  vlMat3 inverse;
  for (int a = 0; a < 3; a++) fit->a.m[a][a] += RIDGE * fit->area;
  vlVec3 r = vl_axpy(fit->r, RIDGE * fit->area, free);
  return fit->area > 0.0 && vl_mat_inverse(fit->a, &inverse) ? vl_mat_apply(inverse, r) : free;
}

/* m2: what walls close of the sides of the box. */
static vlVec3 closed_sides(const vlSharp *sim, const vlPiece *piece)
{
  vlVec3 area = piece->side;
  for (int side = 0; sim->outlets && side < 6; side++)
    if (outlet_face(sim, piece, side) >= 0 && (side % 2 ? 1.0 : -1.0) * area.v[side / 2] > 0.0) area.v[side / 2] = 0.0;
  return area;
}

/* Bodies push what they touch along with them. */
static void fit_bodies(const vlSharp *sim, vlPieceFit *fit)
{
  const vlSubgrid *s = sim->subgrid;
  const vlVec3 *velocity = sim->work.pressure->coupling.velocity;
  for (int q = 0; q < s->wet.count; q++) {
    const vlPatch *patch = &s->wet.patch[q];
    int i = vl_subgrid_piece_of(s, patch);
    double area = vl_norm(patch->s);
    if (i < 0 || !s->motion[i].loose || !(area > 0.0)) continue;
    vlVec3 n = vl_scale(patch->s, 1.0 / area), v = vl_vec(0, 0, 0);
    for (int k = 0; k < patch->nodes; k++) v = vl_axpy(v, patch->b[k], velocity[patch->node[k]]);
    add_fit(&fit[i], area, n, vl_dot(n, vl_sub(v, s->motion[i].v)));
  }
}

/* dv of every loose piece from the velocities u of the tail. */
static void find_changes(vlSharp *sim, const vlStep *step, const double *u, vlPieceFit *fit)
{
  vlSubgrid *s = sim->subgrid;
  for (int i = 0; i < s->pieces.count; i++) {
    fit[i] = (vlPieceFit){0};
    s->motion[i].air = 0.0; /* m3/s: into those without pressure, at first */
  }
  for (int q = 0; q < s->tail.count; q++) {
    if (s->source[q] < 0) {
      vlAirFacet *facet = &s->facet[-1 - s->source[q]];
      const vlPieceMotion *m = &s->motion[facet->piece];
      facet->speed = u[q];
      if (m->loose)
        add_fit(&fit[facet->piece], facet->area, facet->normal,
                u[q] - vl_dot(facet->normal, own_velocity(sim, m, facet->center)));
      continue;
    }
    const vlPieceLink *link = &s->pieces.link[s->source[q]];
    const int end[2] = {link->below, link->above};
    vlVec3 n = vl_vec(0, 0, 0);
    n.v[link->axis] = 1.0;
    for (int e = 0; e < 2; e++) {
      if (end[e] < 0) continue;
      if (s->motion[end[e]].bare) s->motion[end[e]].air += (e ? 1.0 : -1.0) * link->area * u[q];
      if (s->motion[end[e]].loose)
        add_fit(&fit[end[e]], link->area, n, u[q] - own_velocity(sim, &s->motion[end[e]], link->center).v[link->axis]);
    }
  }
  fit_bodies(sim, fit);
  for (int i = 0; i < s->pieces.count; i++) {
    vlPieceMotion *m = &s->motion[i];
    const vlPiece *piece = &s->pieces.piece[i];
    if (m->bare && piece->air_area > 0.0) {
      vlVec3 v = vl_axpy(own_velocity(sim, m, piece->air_center), step->kick, vl_sharp_pull(sim, piece->air_center));
      m->air = piece->open > 0.0 ? m->air / piece->air_area : vl_dot(m->normal, v);
    }
    if (!m->loose) continue;
    const vlVec3 wall[2] = {vl_sub(piece->solid, s->touched[i].bodies), closed_sides(sim, piece)};
    for (int w = 0; w < 2; w++) {
      double area = vl_norm(wall[w]);
      vlVec3 n = area > 0.0 ? vl_scale(wall[w], 1.0 / area) : wall[w];
      if (area > 0.0) add_fit(&fit[i], area, n, -vl_dot(n, m->v));
    }
    m->change = solve_fit(&fit[i], vl_scale(vl_sharp_pull(sim, piece->center), step->kick));
  }
}

/* On faces of the grid: the mean over their links, which follow each other in the list. */
static void spread(const vlSharp *sim, const double *u, double *const field[3])
{
  const vlSubgrid *s = sim->subgrid;
  for (int q = 0; q < s->tail.count && s->source[q] >= 0;) {
    const vlPieceLink *link = &s->pieces.link[s->source[q]];
    ptrdiff_t face = face_of(sim, link);
    int axis = link->axis;
    double flow = 0.0, area = 0.0;
    for (; q < s->tail.count && s->source[q] >= 0; q++) {
      const vlPieceLink *next = &s->pieces.link[s->source[q]];
      if (next->axis != axis || face_of(sim, next) != face) break;
      flow += next->area * u[q];
      area += next->area;
    }
    if (area > 0.0) field[axis][face] = flow / area;
  }
}

/* The faces of a block with links that solids leave only in part. */
static unsigned narrow_faces(const vlSharp *sim, int b, int a)
{
  const double *area = sim->work.area[a] + vl_blocks_field(&sim->grid, sim->work.wet.at[b]);
  double whole = sim->grid.dx * sim->grid.dx * (1.0 - 1e-9);
  unsigned bits = sim->subgrid->carry[a][b];
  for (int l = 0; l < VL_BLOCK; l++)
    if (!(area[l] < whole)) bits &= ~(1u << l);
  return bits;
}

/* Faces with links, of whole cells and of pieces. What flows through a gap narrower than a cell has one velocity across it:
 * closed faces around it take it too, so that particles in the gap do not see the wall beside it. */
static bool find_carriers(const vlSharp *sim, vlSubgrid *s)
{
  const vlBlocks *wet = &sim->work.wet;
  size_t count = (size_t)wet->count + 1;
  for (int a = 0; a < 3; a++) {
    if (!vl_array_reserve((void **)&s->carry[a], &s->carry_capacity[a], count, sizeof *s->carry[a]) ||
        !vl_array_reserve((void **)&s->keep[a], &s->keep_capacity[a], 2 * count, sizeof *s->keep[a]))
      return false;
    unsigned short *narrow = s->keep[a] + count;
    for (int b = 0; b < wet->count; b++) {
      s->carry[a][b] = (unsigned short)(vl_links_flow(&sim->work.pressure->links, b, a) | s->flow[b][a]);
      narrow[b] = (unsigned short)narrow_faces(sim, b, a);
    }
    for (int b = 0; b < wet->count; b++) {
      unsigned around = 0;
      for (int c = 0; c < 3; c++)
        for (int upper = 0; upper < 2 && c != a; upper++) around |= vl_links_beyond(wet, narrow, b, c, upper);
      s->keep[a][b] = (unsigned short)(narrow[b] | (around & ~(unsigned)s->carry[a][b]));
    }
  }
  return true;
}

vlCode vl_subgrid_spread(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  size_t count = (size_t)s->pieces.count + 1;
  if (!find_carriers(sim, s)) return vl_fail_memory(status, (size_t)sim->work.wet.count * 6, "faces with links");
  if (!vl_array_reserve((void **)&s->fit, &s->fit_capacity, count, sizeof *s->fit))
    return vl_fail_memory(status, count * sizeof *s->fit, "pieces of liquid");
  find_changes(sim, step, s->u, s->fit);
  for (int f = 0; f < s->facets; f++) {
    const vlPieceMotion *m = &s->motion[s->facet[f].piece];
    if (m->bare) s->facet[f].speed = m->air;
    s->facet[f].path_speed = s->facet[f].speed;
  }
  spread(sim, s->u, sim->work.u);
  return VL_OK;
}

vlCode vl_subgrid_spread_path(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step, (void)status;
  vlSubgrid *s = sim->subgrid;
  if (!sim->work.paths) return VL_OK;
  for (int q = 0; q < s->tail.count; q++)
    if (s->source[q] < 0) s->facet[-1 - s->source[q]].path_speed = s->path[q];
  spread(sim, s->path, sim->work.path);
  return VL_OK;
}

/* Does liquid of the cell touch a side of the domain? */
static bool touches(const vlSubgrid *s, int at, int axis, double way)
{
  int cut = vl_pieces_cut(&s->pieces, at);
  if (cut < 0) return true;
  for (int i = s->pieces.first_piece[cut]; i < s->pieces.first_piece[cut + 1]; i++)
    if (way * s->pieces.piece[i].side.v[axis] > 0.0) return true;
  return false;
}

static void free_cell(const vlSharp *sim, int at, double *const u[3])
{
  const vlGrid *g = &sim->grid;
  vlBlockPosition p = sim->work.wet.at[at / VL_BLOCK];
  const int cell[3] = {p.bx * VL_BLOCK + at % VL_BLOCK, p.j, p.k};
  ptrdiff_t face = vl_grid_at(g, cell[0], cell[1], cell[2]);
  bool liquid = sim->work.level.phi[face] < 0.0;
  for (int side = 0; side < 6; side++) {
    int a = side / 2;
    double way = side % 2 ? 1.0 : -1.0;
    if (g->n[a] == 1 || cell[a] != (side % 2 ? g->n[a] - 1 : 0)) continue;
    if (liquid && !touches(sim->subgrid, at, a, way))
      u[a][face + (side % 2 ? g->stride[a] : 0)] = u[a][face + (side % 2 ? 0 : g->stride[a])];
  }
}

void vl_subgrid_free_sides(const vlSharp *sim, double *const u[3])
{
  const vlBlocks *wet = &sim->work.wet;
  const int *n = sim->grid.n;
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    bool beside = p.j == 0 || p.j == n[1] - 1 || (n[2] > 1 && (p.k == 0 || p.k == n[2] - 1));
    for (int l = 0; l < vl_blocks_width(wet, p); l++) {
      int i = p.bx * VL_BLOCK + l;
      if (beside || i == 0 || i == n[0] - 1) free_cell(sim, b * VL_BLOCK + l, u);
    }
  }
}

bool vl_subgrid_hold(const void *data, const double x[3], const double own[3], double v[3], double way[3])
{
  const vlSharp *sim = data;
  const vlLiquidDef *liquid = &sim->scene->liquid;
  int i = vl_subgrid_flies(sim, x) ? -1 : piece_at(sim, x);
  if (i < 0 || !sim->subgrid->motion[i].loose) return false;
  const vlPieceMotion *m = &sim->subgrid->motion[i];
  vlVec3 to = vl_add(own_velocity(sim, m, vl_grid_place(&sim->grid, x)), m->change);
  double flip = liquid->transfer == VL_TRANSFER_FLIP ? liquid->flip : 0.0;
  for (int a = 0; a < 3; a++) {
    way[a] = sim->grid.n[a] > 1 ? to.v[a] : 0.0;
    v[a] = sim->grid.n[a] > 1 ? flip * (own[a] + m->change.v[a]) + (1.0 - flip) * to.v[a] : 0.0;
  }
  return true;
}

bool vl_subgrid_flies(const void *data, const double x[3])
{
  const vlSharp *sim = data;
  return vl_fine_at(sim->state.fine, x, NULL) > FLIGHT * sim->grid.dx;
}
