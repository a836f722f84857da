/* Particles and surface of the liquid in a frame.
 *
 * The surface is made from the particles alone (liquid/surface.h) and carries the velocity that the last step left, sampled
 * between the faces. Around solids it needs the open part of the cells farther out than a step does; that is filled here,
 * from the cuts, so that a frame depends on nothing but the present state: a resumed run writes the same bytes. */
#include <stdlib.h>

#include "base/status.h"
#include "grid/sample.h"
#include "io/frame_files.h"
#include "io/ply.h"
#include "io/points.h"
#include "io/vtk.h"
#include "liquid/wet.h"

enum {
  OPEN_REACH = 5,            /* cells around particles in which the surface looks at solids */
  FINE_CELLS = 64 * 64 * 64, /* boxes up to this many cells get a surface with two nodes per cell along an axis */
  HEAD_BYTES = 1024,         /* of a file besides its numbers */
  /* bytes of a particle, a vertex and a triangle in each format */
  VTP_PARTICLE = 36,
  PLY_PARTICLE = 28,
  VERTEX = 36,
  VTP_TRIANGLE = 32,
  PLY_TRIANGLE = 13
};

double *const *vl_frame_velocity(const vlSim *sim)
{
  return sim->state.particles && sim->state.step > 0 ? sim->work.u : sim->state.u_old;
}

static double solid_distance(const void *data, vlVec3 x) { return vl_statics_distance(data, x); }

static vlVec3 velocity_at(const void *data, vlVec3 x)
{
  const vlSim *sim = data;
  vlVec3 cell = vl_scale(vl_sub(x, sim->grid.origin), 1.0 / sim->grid.dx), v;
  vl_sample_velocity(&sim->grid, vl_frame_velocity(sim), cell.v, v.v);
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

static vlCode open_fill(Open *open, const vlSim *sim, vlStatus *status)
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

vlCode vl_frame_surface(vlSurface *surface, const vlSim *sim, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  Open open = {0};
  vlCode code = VL_OK;
  vlSurfaceInput in = {.grid = g,
                       .kernel = &sim->kernel,
                       .particles = sim->state.particles,
                       .refine = (double)g->n[0] * g->n[1] * g->n[2] <= FINE_CELLS ? 2 : 1,
                       .velocity = velocity_at,
                       .velocity_data = sim};
  if (sim->solid_nodes.any) {
    code = open_fill(&open, sim, status);
    in.open = open.open;
    in.solid = solid_distance;
    in.solid_data = sim->statics;
  }
  if (!code) code = vl_surface_create(surface, &in, status);
  open_clear(&open, g);
  return code;
}

typedef vlCode WritePoints(const char *path, size_t count, const float *const x[3], const float *const v[3],
                           const uint32_t *id, double scale, vlVec3 offset, double time, vlStatus *status);

static vlCode write_particles(WritePoints *write, const char *path, const vlSim *sim, vlStatus *status)
{
  const vlParticles *p = sim->state.particles;
  return write(path, p->count, (const float *const *)p->x, (const float *const *)p->v, p->id, sim->grid.dx, sim->grid.origin,
               sim->state.time, status);
}

vlCode vl_frame_particles_vtp(const char *path, const vlSim *sim, const vlSurface *surface, vlStatus *status)
{
  (void)surface;
  return write_particles(vl_points_write_vtp, path, sim, status);
}

vlCode vl_frame_particles_ply(const char *path, const vlSim *sim, const vlSurface *surface, vlStatus *status)
{
  (void)surface;
  return write_particles(vl_points_write_ply, path, sim, status);
}

vlCode vl_frame_surface_vtp(const char *path, const vlSim *sim, const vlSurface *surface, vlStatus *status)
{
  const vlVtkArray velocity = {"velocity", 3, surface->velocity};
  return vl_vtp_write(path, surface->mesh, sim->state.time, &velocity, 1, NULL, 0, status);
}

vlCode vl_frame_surface_ply(const char *path, const vlSim *sim, const vlSurface *surface, vlStatus *status)
{
  (void)sim;
  return vl_ply_write_mesh(path, surface->mesh, surface->velocity, status);
}

/* Liquid keeps its volume, so only sources fill the box with more particles. */
static vlFrameSize particles_size(const vlSim *sim, double bytes)
{
  const int *n = sim->grid.n;
  double now = (double)sim->state.particles->count, full = (double)n[0] * n[1] * n[2] * sim->per_cell;
  double most = sim->scene->liquid.source_count > 0 && full > now ? full : now;
  return (vlFrameSize){HEAD_BYTES + bytes * now, HEAD_BYTES + bytes * most};
}

vlFrameSize vl_frame_particles_vtp_size(const vlSim *sim, const vlSurface *surface)
{
  (void)surface;
  return particles_size(sim, VTP_PARTICLE);
}

vlFrameSize vl_frame_particles_ply_size(const vlSim *sim, const vlSurface *surface)
{
  (void)surface;
  return particles_size(sim, PLY_PARTICLE);
}

/* How large the surface of splashing liquid becomes nobody knows; the present one is the measure. */
static vlFrameSize surface_size(const vlSurface *surface, double triangle)
{
  double bytes = HEAD_BYTES + (double)VERTEX * surface->mesh->vertex_count + triangle * surface->mesh->triangle_count;
  return (vlFrameSize){bytes, bytes};
}

vlFrameSize vl_frame_surface_vtp_size(const vlSim *sim, const vlSurface *surface)
{
  (void)sim;
  return surface_size(surface, VTP_TRIANGLE);
}

vlFrameSize vl_frame_surface_ply_size(const vlSim *sim, const vlSurface *surface)
{
  (void)sim;
  return surface_size(surface, PLY_TRIANGLE);
}
