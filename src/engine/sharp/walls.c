/* What the pressure does to each wall: the sides of the box and the static solids.
 *
 * The pressure p of a cell acts on all that closes the cell: of each axis its links' faces, those on sides of the box, the
 * surface s of solids and that of bodies, and the areas of all of them add up to zero (cut/cuts.c). So
 *   side     F = p A n, at the middle of the cell's face
 *   solids   F = p (A_lower - A_upper over the links, given faces and the sides - bodies), which is p s, and torque p (sum
 * of x x s) Solids that share a cell take what their own patches have; what is left by rounding, and by weights that are not
 * areas (cut/weights.h), goes to the one with the largest patch, in cells without patches to the nearest solid. So the
 * forces of all walls add up to what vl_measure finds as wall_force.
 *
 * A wall that stands r from the middle of the cell feels rho f . r more, f what pulls free liquid: dx/2 of it at sides of
 * the box (pressure/layer.h, docs/theory/forces.md). With weights that are no areas the solids' part stands in the faces.
 * Blocks are added up in 64 parts and these in order: the same bits for any number of threads. In: pressure and links of the
 * step. Out: force and torque on each wall. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/sharp/body_step.h"
#include "engine/sharp/subgrid.h"

enum { PIECES = 64 };
static const double CRUMB = 1e-12; /* dx2: area that is left by rounding */

vlCode vl_walls_create(vlSharp *sim, vlStatus *status)
{
  size_t count = vl_walls_count(sim);
  sim->state.walls = calloc(count, sizeof *sim->state.walls);
  return sim->state.walls ? VL_OK : vl_fail_memory(status, count * sizeof(vlWallLoad), "the forces on walls");
}

vlCode vl_walls_scratch(vlSharp *sim, vlStatus *status)
{
  size_t count = PIECES * vl_walls_count(sim);
  sim->work.walls = calloc(count, sizeof *sim->work.walls);
  return sim->work.walls ? VL_OK : vl_fail_memory(status, count * sizeof(vlWallLoad), "the forces on walls");
}

double vl_walls_bytes(const vlSharp *sim)
{
  return (double)((PIECES + 1) * vl_walls_count(sim)) * sizeof(vlWallLoad) +
         ((double)sim->wall_patches.count + 1.0) * sizeof(vlWallPatch);
}

static void push(vlWallLoad *wall, vlVec3 force, vlVec3 torque)
{
  wall->force = vl_add(wall->force, force);
  wall->torque = vl_add(wall->torque, torque);
}

/* A block on its way. */
typedef struct Block {
  vlBlockPosition at;
  ptrdiff_t field;
  vlLinkSide side[3][2];
  unsigned tail[3][2];     /* faces that are the tail's */
  vlVec3 bodies[VL_BLOCK]; /* m2: what bodies take of each cell */
} Block;

static void find_bodies(const vlSharp *sim, Block *block)
{
  const vlCoupling *c = &sim->work.pressure->coupling;
  vlBlockPosition p = block->at;
  int b = c->rows > 0 ? vl_blocks_find(&sim->work.pressure->stencil.blocks, p.bx, p.j, p.k) : -1;
  for (int r = b < 0 ? c->rows : vl_coupling_first_row(c, b * VL_BLOCK); r < c->rows && c->cell[r] < (b + 1) * VL_BLOCK; r++)
    for (int e = c->start[r]; e < c->start[r + 1]; e++) {
      vlVec3 *sum = &block->bodies[c->cell[r] - b * VL_BLOCK];
      *sum = vl_add(*sum, c->weight[e]);
    }
}

/* Whether a cell's pressure pushes the walls around it. What pieces push is in subgrid_walls.c. */
static bool pushes(const vlSharp *sim, const vlFluid *fluid, int wet, int l)
{
  if (fluid->tail && fluid->tail->cut[wet] >> l & 1u) return false;
  bool parted = fluid->parted && fluid->parted[wet] >> l & 1u;
  return (sim->work.pressure->links.active[wet] >> l & 1u) && !parted;
}

/* The liquid beyond the middle of a cell that a side of the box holds: N. */
static vlVec3 side_layer(const vlSharp *sim, ptrdiff_t at, int axis, bool upper, vlVec3 pull)
{
  vlVec3 force = vl_vec(0, 0, 0);
  double area = sim->work.area[axis][at + (upper ? sim->grid.stride[axis] : 0)];
  force.v[axis] = sim->scene->liquid.density * area * 0.5 * sim->grid.dx * pull.v[axis];
  return force;
}

/* That of a solid. */
static vlVec3 solid_layer(const vlSharp *sim, const vlWallPatch *patch, vlVec3 pull)
{
  return vl_scale(vl_mat_apply(patch->layer, pull), sim->scene->liquid.density);
}

static bool solids_have_layer(const vlSharp *sim) { return sim->scene->pressure.weights == VL_WEIGHTS_AREA; }

vlWallsLayer vl_walls_layer(const vlSharp *sim, const vlFluid *fluid, int wet)
{
  const vlGrid *g = &sim->grid;
  vlWallsLayer sum = {{.v = {0, 0, 0}}, {.v = {0, 0, 0}}};
  vlBlockPosition p = fluid->wet->at[wet];
  ptrdiff_t field = vl_blocks_field(g, p);
  vlVec3 gravity = vl_sim_gravity(&sim->sim);
  for (int side = 0; side < 6; side++) {
    if (sim->outlet[side].open) continue;
    unsigned at_wall = vl_links_side(&sim->work.pressure->links, fluid->wet, wet, side / 2, side % 2).domain;
    for (int l = 0; at_wall && g->n[side / 2] > 1 && l < vl_blocks_width(fluid->wet, p); l++) {
      if (!(at_wall >> l & 1u) || !pushes(sim, fluid, wet, l)) continue;
      vlVec3 pull = vl_sharp_pull(sim, vl_grid_center(g, p.bx * VL_BLOCK + l, p.j, p.k));
      sum.force = vl_add(sum.force, side_layer(sim, field + l, side / 2, side % 2, pull));
      sum.weight = vl_add(sum.weight, side_layer(sim, field + l, side / 2, side % 2, gravity));
    }
  }
  int last, q = vl_wall_patches_of_block(&sim->wall_patches, p, &last);
  for (; solids_have_layer(sim) && q < last; q++) {
    const vlWallPatch *patch = &sim->wall_patches.patch[q];
    if (!pushes(sim, fluid, wet, patch->cell[0] - p.bx * VL_BLOCK)) continue;
    vlVec3 pull = vl_sharp_pull(sim, vl_grid_center(g, patch->cell[0], p.j, p.k));
    sum.force = vl_add(sum.force, solid_layer(sim, patch, pull));
    sum.weight = vl_add(sum.weight, solid_layer(sim, patch, gravity));
  }
  return sum;
}

/* Pushes the sides of the box at a cell. m2: what is left of it for solids to close. */
static vlVec3 push_sides(const vlSharp *sim, const Block *block, int l, double p, bool layer, vlWallLoad *walls)
{
  const vlGrid *g = &sim->grid;
  vlVec3 rest = vl_scale(block->bodies[l], -1.0);
  for (int a = 0; a < 3; a++)
    for (int upper = 0; upper < 2; upper++) {
      const vlLinkSide *side = &block->side[a][upper];
      double area = sim->work.area[a][block->field + l + upper * g->stride[a]], sign = upper ? 1.0 : -1.0;
      bool links = (side->inner | side->surface | side->given | block->tail[a][upper]) >> l & 1u,
           wall = side->domain >> l & 1u;
      if (!links && !wall) continue;
      rest.v[a] -= sign * area;
      if (!wall || !(area > 0.0) || sim->outlet[2 * a + upper].open) continue;
      vlVec3 force = vl_vec(0, 0, 0), x = vl_grid_center(g, block->at.bx * VL_BLOCK + l, block->at.j, block->at.k);
      if (layer && g->n[a] > 1) force = side_layer(sim, block->field + l, a, upper, vl_sharp_pull(sim, x));
      force.v[a] += sign * p * area;
      x.v[a] += 0.5 * sign * g->dx;
      push(&walls[2 * a + upper], force, vl_cross(x, force));
    }
  return rest;
}

/* What patches [first, last) of a cell leave goes to the largest of them. */
static void push_solids(const vlSharp *sim, vlVec3 center, int first, int last, vlVec3 rest, double p, bool layer,
                        vlWallLoad *walls)
{
  int to = -1;
  vlVec3 pull = vl_sharp_pull(sim, center);
  double largest = -1.0, dx = sim->grid.dx;
  for (int q = first; q < last; q++) {
    const vlWallPatch *patch = &sim->wall_patches.patch[q];
    push(&walls[VL_SIDES + patch->solid], vl_scale(patch->s, p), vl_scale(patch->turn, p));
    if (layer)
      push(&walls[VL_SIDES + patch->solid], solid_layer(sim, patch, pull),
           vl_scale(vl_mat_apply(patch->layer_turn, pull), sim->scene->liquid.density));
    rest = vl_sub(rest, patch->s);
    if (vl_norm(patch->s) <= largest) continue;
    largest = vl_norm(patch->s);
    to = patch->solid;
  }
  if (first == last && vl_norm(rest) > CRUMB * dx * dx) to = vl_statics_nearest(sim->statics, center);
  if (to < 0) return;
  vlVec3 force = vl_scale(rest, p);
  push(&walls[VL_SIDES + to], force, vl_cross(center, force));
}

static void measure_block(const vlSharp *sim, const vlFluid *fluid, int b, vlWallLoad *walls)
{
  const vlLinks *links = &sim->work.pressure->links;
  Block block = {.at = fluid->wet->at[b], .field = vl_blocks_field(&sim->grid, fluid->wet->at[b])};
  if (!links->active[b]) return;
  for (int a = 0; a < 3; a++)
    for (int upper = 0; upper < 2; upper++) {
      block.side[a][upper] = vl_links_side(links, fluid->wet, b, a, upper);
      if (fluid->tail) block.tail[a][upper] = vl_links_beyond(fluid->wet, fluid->tail->cut, b, a, upper);
    }
  find_bodies(sim, &block);
  vl_lift_add_areas(sim, b, block.bodies);
  int end, at = vl_wall_patches_of_block(&sim->wall_patches, block.at, &end);
  for (int l = 0; l < vl_blocks_width(fluid->wet, block.at); l++) {
    int first = at, cell = block.at.bx * VL_BLOCK + l;
    while (at < end && sim->wall_patches.patch[at].cell[0] == cell) at++;
    double p = sim->work.p[block.field + l];
    bool layer = pushes(sim, fluid, b, l);
    bool cut = fluid->tail && fluid->tail->cut[b] >> l & 1u;
    if (!(links->active[b] >> l & 1u) || cut || (p == 0.0 && !layer)) continue;
    vlVec3 rest = push_sides(sim, &block, l, p, layer, walls);
    push_solids(sim, vl_grid_center(&sim->grid, cell, block.at.j, block.at.k), first, at, rest, p,
                layer && solids_have_layer(sim), walls);
  }
}

vlCode vl_walls_measure(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step, (void)status;
  vlFluid fluid = vl_sharp_fluid(sim);
  size_t walls = vl_walls_count(sim);
  int count = fluid.wet->count, size = (count + PIECES - 1) / PIECES;
  memset(sim->work.walls, 0, PIECES * walls * sizeof *sim->work.walls);
  memset(sim->state.walls, 0, walls * sizeof *sim->state.walls);
#pragma omp parallel for schedule(static)
  for (int q = 0; q < PIECES; q++) {
    int last = (q + 1) * size < count ? (q + 1) * size : count;
    for (int b = q * size; b < last; b++) measure_block(sim, &fluid, b, sim->work.walls + (size_t)q * walls);
  }
  for (int q = 0; q < PIECES; q++)
    for (size_t w = 0; w < walls; w++) {
      const vlWallLoad *part = &sim->work.walls[(size_t)q * walls + w];
      push(&sim->state.walls[w], part->force, part->torque);
    }
  if (sim->subgrid) vl_subgrid_push_walls(sim, sim->state.walls);
  return VL_OK;
}

/* A scene with other solids begins with none. */
vlCode vl_walls_visit(vlSharp *sim, vlVisitor *v, vlStatus *status)
{
  static const char *const name = "walls";
  size_t count = vl_walls_count(sim), found = 0;
  if (!v->restoring) return v->array(v->data, name, sim->state.walls, sizeof *sim->state.walls, count, status);
  const vlWallLoad *read = v->find(v->data, name, sizeof *read, &found);
  if (read && found == count)
    memcpy(sim->state.walls, read, count * sizeof *read);
  else
    memset(sim->state.walls, 0, count * sizeof *read);
  return VL_OK;
}
