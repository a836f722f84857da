/* What pieces of liquid do to walls and bodies: docs/theory/subgrid.md.
 *
 * A piece presses with p_c on what it wets, and on a part of it with the middle x, area A and normal n, as pressure/layer.h
 * has it,
 *
 *     F = A n ( p_c + rho f . r - rho d a )        r: from where p_c is to x,  d = n . r
 *
 * p_c is that of the level phi_c, so across the levels, along m = grad phi / |grad phi|, r is as long as they are apart, and
 * along them it is the way from the middle of the piece (of the cell, for pieces without free surface):
 *
 *     r = e - (m . e) m + (phi(x) - phi_c) / |grad phi| m        e = x - middle
 *
 * Wet parts are the bodies' triangles, clipped to fine cells and then where phi is above 0; of static solids, whose fine
 * cells hold one area vector each, as much as a square of that size is wet. What the piece's areas lack to zero then,
 * piece->solid - sum of s, is of the second order in the fine cells; it goes to the largest part, as if it lay at the
 * surface, where nothing presses at rest. So liquid and bodies that move together stay so without pressure, and what lies
 * under a plane at rest carries its weight to rounding. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/sharp/subgrid.h"

static const double CRUMB = 1e-12; /* dx2 */
static const double FLAT = 0.25;   /* slope of phi that tells no direction */

static double within(double x, double lo, double hi) { return fmin(fmax(x, lo), hi); }

static int wet_cell(const vlSharp *sim, const int cell[3])
{
  if (!vl_grid_holds(&sim->grid, cell)) return -1;
  int b = vl_blocks_find(&sim->work.wet, cell[0] / VL_BLOCK, cell[1], cell[2]);
  return b < 0 ? -1 : b * VL_BLOCK + cell[0] % VL_BLOCK;
}

static void coarse_of(const vlSubgrid *s, const int fine[3], int cell[3])
{
  for (int a = 0; a < 3; a++) cell[a] = fine[a] < 0 ? -1 : fine[a] / s->pieces.refine;
}

/* The piece of a fine cell, -1: none, or its cell is not cut. */
static int piece_in(const vlSharp *sim, const int fine[3])
{
  const vlPieces *p = &sim->subgrid->pieces;
  int cell[3], r = p->refine;
  coarse_of(sim->subgrid, fine, cell);
  int at = wet_cell(sim, cell), cut = at < 0 ? -1 : vl_pieces_cut(p, at);
  if (cut < 0) return -1;
  int l = fine[0] % r + r * (fine[1] % r + r * (fine[2] % r)),
      rank = p->rank_of[(size_t)cut * (size_t)(r * r * r) + (size_t)l];
  return rank == VL_PIECES_NONE ? -1 : p->first_piece[cut] + rank;
}

static double phi_at(const vlSharp *sim, vlVec3 x, double gradient[3])
{
  double at[3];
  for (int a = 0; a < 3; a++)
    at[a] = within((x.v[a] - sim->grid.origin.v[a]) / sim->grid.dx, 0.0, sim->grid.n[a] * (1.0 - 1e-15));
  return vl_fine_at(sim->state.fine, at, gradient);
}

/* m: from where a piece's pressure is to x. */
static vlVec3 arm_to(const vlSharp *sim, int i, vlVec3 x)
{
  const vlSubgrid *s = sim->subgrid;
  const vlPiece *piece = &s->pieces.piece[i];
  if (!(piece->air_area > 0.0)) {
    vlBlockPosition p = sim->work.wet.at[piece->cell / VL_BLOCK];
    return vl_sub(x, vl_grid_center(&sim->grid, p.bx * VL_BLOCK + piece->cell % VL_BLOCK, p.j, p.k));
  }
  vlVec3 e = vl_sub(x, piece->center), slope;
  double phi = phi_at(sim, x, slope.v), steep = vl_norm(slope);
  if (steep < FLAT) return e;
  vlVec3 m = vl_scale(slope, 1.0 / steep);
  return vl_axpy(e, (phi - s->motion[i].phi) / steep - vl_dot(m, e), m);
}

/* m: the same to the free surface. */
static vlVec3 arm_to_surface(const vlSubgrid *s, int i)
{
  double size = vl_norm(s->motion[i].normal);
  return size > 0.0 ? vl_scale(s->motion[i].normal, -s->motion[i].phi / size) : vl_vec(0, 0, 0);
}

/* vlPatchKeep: what of a polygon in a fine cell is wet, in cut cells. */
static int keep_wet(const void *data, const int cell[3], vlVec3 corner[VL_PATCH_CORNERS], int corners)
{
  const vlSharp *sim = data;
  vlVec3 whole[VL_PATCH_CORNERS];
  double phi[VL_PATCH_CORNERS];
  int count = 0;
  if (!vl_grid_holds(&sim->subgrid->cells, cell) || piece_in(sim, cell) < 0) return 0;
  for (int i = 0; i < corners; i++) {
    whole[i] = corner[i];
    phi[i] = phi_at(sim, vl_axpy(sim->grid.origin, sim->subgrid->cells.dx, corner[i]), NULL);
  }
  for (int i = 0; i < corners; i++) {
    int next = (i + 1) % corners;
    if (phi[i] < 0.0) corner[count++] = whole[i];
    if ((phi[i] < 0.0) == (phi[next] < 0.0) || count == VL_PATCH_CORNERS) continue;
    corner[count++] = vl_axpy(whole[i], phi[i] / (phi[i] - phi[next]), vl_sub(whole[next], whole[i]));
  }
  return count;
}

/* The same: what of it trapped air touches. */
static int keep_dry(const void *data, const int cell[3], vlVec3 corner[VL_PATCH_CORNERS], int corners)
{
  const vlSharp *sim = data;
  vlVec3 whole[VL_PATCH_CORNERS];
  double phi[VL_PATCH_CORNERS];
  int count = 0, coarse[3];
  if (!vl_grid_holds(&sim->subgrid->cells, cell) || vl_air_pocket_at(sim, cell) < 0) return 0;
  coarse_of(sim->subgrid, cell, coarse);
  int at = wet_cell(sim, coarse);
  if (at < 0 || vl_pieces_cut(&sim->subgrid->pieces, at) < 0) return 0;
  if (piece_in(sim, cell) < 0) return corners;
  for (int i = 0; i < corners; i++) {
    whole[i] = corner[i];
    phi[i] = phi_at(sim, vl_axpy(sim->grid.origin, sim->subgrid->cells.dx, corner[i]), NULL);
  }
  for (int i = 0; i < corners; i++) {
    int next = (i + 1) % corners;
    if (!(phi[i] < 0.0)) corner[count++] = whole[i];
    if ((phi[i] < 0.0) == (phi[next] < 0.0) || count == VL_PATCH_CORNERS) continue;
    corner[count++] = vl_axpy(whole[i], phi[i] / (phi[i] - phi[next]), vl_sub(whole[next], whole[i]));
  }
  return count;
}

/* What a piece is told to touch, so far. */
static vlCode clear_touched(vlSubgrid *s, vlStatus *status)
{
  size_t count = (size_t)s->pieces.count + 1;
  if (!vl_array_reserve((void **)&s->touched, &s->touched_capacity, count, sizeof *s->touched))
    return vl_fail_memory(status, count * sizeof *s->touched, "walls of pieces of liquid");
  for (size_t i = 0; i < count; i++) s->touched[i] = (vlPieceTouch){.largest = -1};
  return VL_OK;
}

static void touch(vlPieceTouch *t, vlVec3 s, int number)
{
  double area = vl_norm(s);
  t->s = vl_add(t->s, s);
  if (area <= t->area) return;
  t->area = area;
  t->largest = number;
}

static vlPatch *new_patch(vlPatches *wet)
{
  bool room = vl_array_reserve(&wet->patch, &wet->capacity, (size_t)wet->count + 1, sizeof *wet->patch);
  return room ? &wet->patch[wet->count++] : NULL;
}

/* vlPatch.piece in a pocket of trapped air. */
static int in_pocket(const vlSubgrid *s, int pocket) { return 1 + s->pieces.count + pocket; }

static void to_coarse(const vlSubgrid *s, vlPatch *patch)
{
  int cell[3];
  coarse_of(s, patch->cell, cell);
  for (int a = 0; a < 3; a++) {
    patch->moment.v[a] += patch->s.v[a] * s->cells.dx * (patch->cell[a] - s->pieces.refine * cell[a]);
    patch->cell[a] = cell[a];
  }
}

/* Patches of fine cells become those of their cells. */
static void take_fine(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  for (int q = 0; q < s->wet.count; q++) {
    vlPatch *patch = &s->wet.patch[q];
    int piece = piece_in(sim, patch->cell);
    patch->piece = piece + 1;
    to_coarse(s, patch);
    touch(&s->touched[piece], patch->s, q);
  }
}

/* What pieces lack, where no static solid is that could have it. */
static bool add_rest(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  for (int i = 0; i < s->pieces.count; i++) {
    vlPieceTouch *t = &s->touched[i];
    if (t->largest < 0) continue;
    const int *cell = s->wet.patch[t->largest].cell;
    vlVec3 rest = vl_sub(s->pieces.piece[i].solid, t->s);
    if (vl_cuts_find(sim->static_cuts, cell[0], cell[1], cell[2]) || !(vl_norm(rest) > 0.0)) continue;
    vlPatch *patch = new_patch(&s->wet);
    if (!patch) return false;
    *patch = s->wet.patch[t->largest];
    patch->s = rest;
    patch->moment = vl_scale(rest, 0.5 * sim->grid.dx);
    patch->piece = -1 - i;
    t->s = s->pieces.piece[i].solid;
    if (s->motion[i].beside == VL_TAIL_SURFACE) continue;
    vlPatch *back = new_patch(&s->wet); /* what the liquid has the trapped air beside it has not */
    if (!back) return false;
    *back = s->wet.patch[s->wet.count - 2];
    back->s = vl_scale(rest, -1.0);
    back->moment = vl_scale(back->moment, -1.0);
    back->piece = in_pocket(s, vl_tail_extra(s->motion[i].beside) - s->tail.extras + s->tail.airs);
  }
  return true;
}

/* Of cut cells, what trapped air touches. */
static vlCode add_dry(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  if (s->tail.airs == 0) return VL_OK;
  s->dry.keep = keep_dry;
  s->dry.keep_data = sim;
  s->dry.flat_within = s->wet.flat_within;
  vlCode code = vl_patches_update(&s->dry, &sim->apart, 0, sim->apart.count, &s->cells, status);
  for (int q = 0; q < (code ? 0 : s->dry.count); q++) {
    vlPatch *patch = new_patch(&s->wet);
    if (!patch) return vl_fail_memory(status, (size_t)s->wet.count * sizeof *patch, "the wet patches of bodies");
    *patch = s->dry.patch[q];
    patch->piece = in_pocket(s, vl_air_pocket_at(sim, patch->cell));
    to_coarse(s, patch);
  }
  return code;
}

static bool add_coarse(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  int r = s->pieces.refine;
  for (int q = 0; q < sim->work.patches.count; q++) {
    const vlPatch *own = &sim->work.patches.patch[q];
    int at = wet_cell(sim, own->cell);
    if (at >= 0 && vl_pieces_cut(&s->pieces, at) >= 0) continue;
    vlPatch *patch = new_patch(&s->wet);
    if (!patch) return false;
    *patch = *own;
    int pocket = vl_air_pocket_at(sim, (const int[3]){own->cell[0] * r, own->cell[1] * r, own->cell[2] * r});
    if (pocket >= 0) patch->piece = in_pocket(s, pocket);
  }
  return true;
}

static vlVec3 place_of(const vlSharp *sim, const vlPatch *q)
{
  const vlBody *body = sim->apart.body[vl_bodies_owner(&sim->apart, q->node[0])];
  int first = sim->apart.first_node[vl_bodies_owner(&sim->apart, q->node[0])];
  vlVec3 x = vl_vec(0, 0, 0);
  for (int k = 0; k < q->nodes; k++) x = vl_axpy(x, q->b[k], body->x[q->node[k] - first]);
  return x;
}

vlCode vl_subgrid_wet_bodies(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  vlCode code = clear_touched(s, status);
  if (code || sim->apart.count == 0) return code;
  s->wet.keep = keep_wet;
  s->wet.keep_data = sim;
  s->wet.flat_within = s->pieces.refine * VL_CLIP_BODY;
  code = vl_patches_update(&s->wet, &sim->apart, 0, sim->apart.count, &s->cells, status);
  if (code) return code;
  take_fine(sim);
  if (!add_rest(sim) || !add_coarse(sim))
    return vl_fail_memory(status, (size_t)s->wet.count * sizeof *s->wet.patch, "the wet patches of bodies");
  code = add_dry(sim, status);
  if (code) return code;
  for (int i = 0; i < s->pieces.count; i++) s->touched[i].bodies = s->touched[i].s;
  code = vl_patches_sort(&s->wet, &sim->grid, status);
  if (!code && !vl_array_reserve((void **)&s->arm, &s->arm_capacity, (size_t)s->wet.count + 1, sizeof *s->arm))
    return vl_fail_memory(status, (size_t)s->wet.count * sizeof *s->arm, "the wet patches of bodies");
#pragma omp parallel for schedule(static)
  for (int q = 0; q < (code ? 0 : s->wet.count); q++) {
    const vlPatch *patch = &s->wet.patch[q];
    if (vl_subgrid_piece_of(s, patch) < 0) continue;
    if (patch->piece > 0) s->arm[q] = arm_to(sim, patch->piece - 1, place_of(sim, patch));
    if (patch->piece < 0) s->arm[q] = arm_to_surface(s, -1 - patch->piece);
  }
  return code;
}

int vl_subgrid_find_node(const void *data, const vlPatch *patch)
{
  const vlSharp *sim = data;
  const vlSubgrid *s = sim->subgrid;
  if (patch->piece > s->pieces.count) return vl_subgrid_air_node(s, patch->piece - in_pocket(s, 0));
  if (patch->piece != 0) return s->motion[abs(patch->piece) - 1].node;
  vlFluid fluid = vl_sharp_fluid(sim);
  int at = wet_cell(sim, patch->cell);
  return at < 0 || vl_pieces_cut(&s->pieces, at) >= 0 || !vl_links_is_node(&fluid, patch->cell) ? VL_TAIL_SURFACE : at;
}

vlVec3 vl_subgrid_arm(const void *data, const vlPatch *patch, vlVec3 x)
{
  const vlSharp *sim = data;
  const vlSubgrid *s = sim->subgrid;
  const int *cell = patch->cell;
  return patch->piece != 0 ? s->arm[patch - s->wet.patch] : vl_sub(x, vl_grid_center(&sim->grid, cell[0], cell[1], cell[2]));
}

static vlPieceWall *new_wall(vlSubgrid *s)
{
  bool room = vl_array_reserve((void **)&s->wall, &s->wall_capacity, (size_t)s->wall_count + 1, sizeof *s->wall);
  return room ? &s->wall[s->wall_count++] : NULL;
}

/* How much of a static solid's patch in a fine cell is wet, as if it were a square, and the middle of that. */
static double wet_part(const vlSharp *sim, vlVec3 s, vlVec3 *x)
{
  vlVec3 slope;
  double area = vl_norm(s), phi = phi_at(sim, *x, slope.v), across = vl_dot(slope, s) / area;
  vlVec3 along = vl_axpy(slope, -across / area, s);
  double steep = vl_norm(along), rise = steep * sqrt(area);
  if (!(rise > 0.0)) return phi < 0.0 ? 1.0 : 0.0;
  double part = within(0.5 - phi / rise, 0.0, 1.0);
  *x = vl_axpy(*x, -0.5 * (1.0 - part) * sqrt(area) / steep, along);
  return part;
}

static bool add_statics(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  for (int q = 0; q < s->walls.count; q++) {
    const vlWallPatch *patch = &s->walls.patch[q];
    int i = piece_in(sim, patch->cell);
    double area = vl_norm(patch->s);
    if (i < 0 || !(area > 0.0)) continue;
    vlVec3 x = patch->center;
    double part = wet_part(sim, patch->s, &x);
    if (!(part > 0.0)) continue;
    vlPieceWall *wall = new_wall(s);
    if (!wall) return false;
    *wall = (vlPieceWall){.piece = i, .wall = VL_SIDES + patch->solid, .s = vl_scale(patch->s, part), .x = x};
    touch(&s->touched[i], wall->s, s->wall_count - 1);
  }
  return true;
}

static bool add_what_is_left(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  bool solids = vl_statics_surface(sim->statics)->triangle_count > 0;
  for (int i = 0; i < s->pieces.count && solids; i++) {
    const vlPiece *piece = &s->pieces.piece[i];
    vlVec3 rest = vl_sub(piece->solid, s->touched[i].s);
    int largest = s->touched[i].largest;
    if (!(vl_norm(rest) > (largest < 0 ? CRUMB * sim->grid.dx * sim->grid.dx : 0.0))) continue;
    int to = largest < 0 ? VL_SIDES + vl_statics_nearest(sim->statics, piece->center) : s->wall[largest].wall;
    if (to < VL_SIDES) continue;
    vlPieceWall *wall = new_wall(s);
    if (!wall) return false;
    *wall = (vlPieceWall){.piece = i, .wall = to, .s = rest, .x = largest < 0 ? piece->center : s->wall[largest].x};
    wall->arm = arm_to_surface(s, i);
    wall->rest = true;
  }
  return true;
}

static bool add_sides(vlSharp *sim, vlStatus *status)
{
  vlSubgrid *s = sim->subgrid;
  int count;
  if (vl_pieces_sides(&s->pieces, sim->state.fine, s->cuts, &sim->work.wet, &s->sides, &s->sides_capacity, &count, status))
    return false;
  for (int q = 0; q < count; q++) {
    vlPieceWall *wall = new_wall(s);
    if (!wall) return false;
    *wall = (vlPieceWall){.piece = s->sides[q].piece, .wall = s->sides[q].side, .x = s->sides[q].center};
    wall->s.v[wall->wall / 2] = (wall->wall % 2 ? 1.0 : -1.0) * s->sides[q].area;
  }
  return true;
}

vlCode vl_subgrid_walls(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step;
  vlSubgrid *s = sim->subgrid;
  s->wall_count = 0;
  for (int i = 0; i < s->pieces.count; i++) {
    s->touched[i].s = s->touched[i].bodies;
    s->touched[i].area = 0.0;
    s->touched[i].largest = -1;
  }
  if (!add_statics(sim) || !add_what_is_left(sim) || !add_sides(sim, status))
    return vl_fail_memory(status, (size_t)s->wall_count * sizeof *s->wall, "walls of pieces of liquid");
#pragma omp parallel for schedule(static)
  for (int q = 0; q < s->wall_count; q++)
    if (!s->wall[q].rest) s->wall[q].arm = arm_to(sim, s->wall[q].piece, s->wall[q].x);
  return VL_OK;
}

/* Whether a piece presses on what it touches. */
static bool pushes(const vlSharp *sim, int i)
{
  int node = sim->subgrid->motion[i].node;
  if (sim->subgrid->motion[i].bare) return false;
  if (node < 0) return true;
  return !(vl_separate_on(sim->scene) && sim->work.separation.parted[node / VL_BLOCK] >> node % VL_BLOCK & 1u);
}

double vl_subgrid_pressure(const vlSharp *sim, int i)
{
  int node = sim->subgrid->motion[i].node;
  if (node < 0) return node == VL_TAIL_SURFACE ? 0.0 : sim->subgrid->p[vl_tail_extra(node)];
  return sim->work.p[vl_blocks_field(&sim->grid, sim->work.wet.at[node / VL_BLOCK]) + node % VL_BLOCK];
}

/* N: of the liquid between where the pressure is and the wall. */
static vlVec3 layer_of(const vlSharp *sim, const vlPieceWall *wall, vlVec3 pull)
{
  bool across = wall->wall < VL_SIDES && sim->grid.n[wall->wall / 2] == 1;
  if (across || !pushes(sim, wall->piece)) return vl_vec(0, 0, 0);
  return vl_scale(wall->s, sim->scene->liquid.density * vl_dot(wall->arm, pull));
}

static bool is_outlet(const vlSharp *sim, const vlPieceWall *wall)
{
  return wall->wall < VL_SIDES && sim->outlet[wall->wall].open;
}

vlWallsLayer vl_subgrid_walls_layer(const vlSharp *sim, vlVec3 *outlets)
{
  const vlSubgrid *s = sim->subgrid;
  vlWallsLayer sum = {{.v = {0, 0, 0}}, {.v = {0, 0, 0}}};
  vlVec3 gravity = vl_sim_gravity(&sim->sim);
  *outlets = vl_vec(0, 0, 0);
  for (int w = 0; w < s->wall_count; w++) {
    const vlPieceWall *wall = &s->wall[w];
    if (is_outlet(sim, wall)) {
      *outlets = vl_axpy(*outlets, vl_subgrid_pressure(sim, wall->piece), wall->s);
      continue;
    }
    sum.force = vl_add(sum.force, layer_of(sim, wall, vl_sharp_pull(sim, wall->x)));
    sum.weight = vl_add(sum.weight, layer_of(sim, wall, gravity));
  }
  return sum;
}

void vl_subgrid_push_walls(const vlSharp *sim, vlWallLoad *walls)
{
  const vlSubgrid *s = sim->subgrid;
  for (int w = 0; w < s->wall_count; w++) {
    const vlPieceWall *wall = &s->wall[w];
    if (is_outlet(sim, wall)) continue;
    vlVec3 force = vl_axpy(layer_of(sim, wall, vl_sharp_pull(sim, wall->x)), vl_subgrid_pressure(sim, wall->piece), wall->s);
    walls[wall->wall].force = vl_add(walls[wall->wall].force, force);
    walls[wall->wall].torque = vl_add(walls[wall->wall].torque, vl_cross(wall->x, force));
  }
}
