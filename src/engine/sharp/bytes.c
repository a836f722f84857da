/* What a simulation's arrays hold: each by its capacity, which is what was taken for it. Sparse memory is counted where it
 * is marked (base/memory.h): maps of blocks and distances to solids here, the fields beside their list in sharp.c. Left
 * out are the bodies' own memory, which vl_sim_facts estimates, the copy of the scene, and what a step takes and frees
 * again. */
#include "engine/sharp/sharp.h"

static double array(size_t capacity, size_t size) { return (double)capacity * (double)size; }

static double particle_bytes(const vlParticles *p)
{
  if (!p) return 0.0;
  return array(p->capacity + VL_PARTICLES_SPARE, vl_particles_bytes_each(p)) +
         array(p->cell_capacity, sizeof *p->cell_start) + array(p->cursor_capacity, sizeof *p->cursor) +
         vl_blocks_bytes(&p->home);
}

static double stencil_bytes(const vlStencil *s)
{
  return array((s->capacity + 2) * VL_BLOCK, 4 * sizeof(double)) +
         array(s->capacity + 1, sizeof *s->side + sizeof *s->regular) + array(s->pair_capacity, sizeof *s->pair) +
         array(s->extra_cell_capacity, sizeof(int)) + vl_blocks_bytes(&s->blocks);
}

static double coupling_bytes(const vlCoupling *c)
{
  return array(c->row_capacity, sizeof *c->cell) + array(c->start_capacity, sizeof *c->start) +
         array(c->node_capacity, sizeof *c->node) + array(c->weight_capacity, sizeof *c->weight) +
         array(c->wet_capacity, sizeof *c->wet) + array(c->right_capacity, sizeof *c->right) +
         array(c->patch_start_capacity, sizeof *c->patch_start) + array(c->patches_of_capacity, sizeof *c->patches_of) +
         array(c->excess_capacity, sizeof *c->excess) + array(c->load_capacity, sizeof *c->load) +
         array(c->velocity_capacity, sizeof *c->velocity);
}

static double woodbury_bytes(const vlWoodbury *w)
{
  return array(w->row_capacity, sizeof *w->row) + array(w->y_capacity, sizeof *w->y) +
         array(w->reduced_capacity + w->part_capacity + w->g_capacity + w->c_capacity, sizeof(double)) +
         array(w->pool_capacity, sizeof *w->pool) + array(w->mean_capacity + w->held_capacity, sizeof(double));
}

static double link_bytes(const vlLinks *l)
{
  return array(l->active_capacity, sizeof *l->active) + array(l->block_capacity, sizeof *l->block) +
         array(l->surface_capacity, sizeof *l->surface) + array(l->ends.first_capacity + l->ends.end_capacity, sizeof(int)) +
         array(l->ends.linked_capacity, sizeof *l->ends.linked);
}

static double pressure_bytes(const vlPressure *p)
{
  size_t cells = (p->vector_capacity + 2) * VL_BLOCK;
  return stencil_bytes(&p->stencil) + vl_multigrid_bytes(p->multigrid) +
         array(cells, 6 * sizeof(double) + sizeof *p->label + sizeof *p->region) + /* b, p and four of `work` */
         link_bytes(&p->links) + array(p->surface_capacity + p->parted_capacity, sizeof *p->parted) +
         array(p->stale_capacity, 1) + array(p->null_start_capacity + p->null_cell_capacity, sizeof *p->null_cell) +
         array(p->bounded_capacity, 1) + array(p->bounded_work_capacity, sizeof *p->bounded_work) +
         array(p->sealed.image_capacity + p->sealed.reduced_capacity, sizeof(double)) + coupling_bytes(&p->coupling) +
         woodbury_bytes(&p->woodbury);
}

static double cut_bytes(const vlCuts *c) { return array(c->capacity, sizeof *c->cut + 4 * sizeof(int)); }

static double weight_bytes(const vlWeights *w)
{
  double bytes = array(w->statics.capacity + w->near.capacity, sizeof(vlWeightFace)) +
                 array(w->patches.capacity + w->scratch.capacity, sizeof(vlPatch)) +
                 array(w->cell_capacity, sizeof *w->cell);
  for (int c = 0; c < w->own_count; c++) bytes += cut_bytes(&w->own[c]);
  return bytes;
}

static double mask_bytes(const vlFaceMask *mask)
{
  return array(mask->capacity[0] + mask->capacity[1] + mask->capacity[2], sizeof *mask->bits[0]);
}

/* Compact arrays of the wet blocks. */
static double wet_bytes(const vlWork *work)
{
  return vl_blocks_bytes(&work->wet) + vl_blocks_bytes(&work->wet_before) + mask_bytes(&work->touched) +
         mask_bytes(&work->known) + mask_bytes(&work->scratch) + array(work->slip.capacity, sizeof *work->slip.value) +
         array(work->calm.capacity + work->calm.row_capacity, 1) +
         array(work->level_work.capacity + work->level_work.narrow_capacity, sizeof *work->level_work.held) +
         array(work->lifts.capacity, sizeof *work->lifts.lift) +
         array(work->separation.wall_capacity + work->separation.parted_capacity, sizeof *work->separation.wall) +
         array(work->separation.cell_capacity, sizeof *work->separation.cell);
}

static double surface_bytes(const vlSurface *s)
{
  if (!s->mesh) return 0.0;
  return vl_trimesh_bytes(s->mesh) + array((size_t)s->mesh->vertex_count, 3 * sizeof *s->velocity);
}

double vl_sharp_array_bytes(const vlSharp *sim)
{
  return sizeof *sim + particle_bytes(sim->state.particles) +
         array(sim->state.parted.capacity, sizeof *sim->state.parted.place) + wet_bytes(&sim->work) +
         pressure_bytes(sim->work.pressure) + vl_statics_bytes(sim->statics) + cut_bytes(sim->static_cuts) +
         (sim->work.cuts != sim->static_cuts ? cut_bytes(sim->work.cuts) : 0.0) + weight_bytes(&sim->work.weights) +
         vl_node_distance_bytes(&sim->work.solid_nodes) + surface_bytes(&sim->sim.surface) + vl_walls_bytes(sim) +
         vl_control_bytes(&sim->sim);
}
