/* Particles and surface of the liquid in a frame, and how large their files are. */
#include "io/frame_files.h"
#include "io/ply.h"
#include "io/points.h"
#include "io/vtk.h"

enum {
  HEAD_BYTES = 1024, /* of a file besides its numbers */
  /* bytes of a particle, a vertex and a triangle in each format */
  VTP_PARTICLE = 36,
  PLY_PARTICLE = 28,
  VERTEX = 36,
  VTP_TRIANGLE = 32,
  PLY_TRIANGLE = 13
};

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
  return vl_ply_write_mesh(path, surface->mesh, surface->velocity, sim->state.time, status);
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
