/* Particles and surface of the liquid in a frame, and how large their files are. */
#include "io/frame_files.h"
#include "io/ply.h"
#include "io/points.h"
#include "io/vtk.h"

enum {
  HEAD_BYTES = 1024, /* of a file besides its numbers */
  /* bytes of a particle without its columns, a vertex and a triangle in each format */
  VTP_PARTICLE = 20,
  PLY_PARTICLE = 12,
  VERTEX = 36,
  VTP_TRIANGLE = 32,
  PLY_TRIANGLE = 13
};

_Static_assert((int)VL_COLUMNS <= (int)VL_POINTS_DATA, "files hold every column");

/* The particles with the columns that frames show. */
static vlPoints points_of(const vlSim *sim)
{
  const vlParticles *p = sim->state.particles;
  vlPoints points = {.count = p->count,
                     .x = (const float *const *)p->x,
                     .id = p->id,
                     .scale = sim->grid.dx,
                     .offset = sim->grid.origin,
                     .time = sim->state.time};
  for (int n = 0; n < p->columns; n++) {
    const vlColumn *row = p->column[n].row;
    if (!row->shown) continue;
    points.data[points.data_count++] = (vlPointData){.name = row->name,
                                                     .part = row->part,
                                                     .whole = row->type == VL_COLUMN_UINT32,
                                                     .components = row->components,
                                                     .value = (const void *const *)p->column[n].part};
  }
  return points;
}

vlCode vl_frame_particles_vtp(const char *path, const vlSim *sim, const vlSurface *surface, vlStatus *status)
{
  (void)surface;
  vlPoints points = points_of(sim);
  return vl_points_write_vtp(path, &points, status);
}

vlCode vl_frame_particles_ply(const char *path, const vlSim *sim, const vlSurface *surface, vlStatus *status)
{
  (void)surface;
  vlPoints points = points_of(sim);
  return vl_points_write_ply(path, &points, status);
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

/* `bytes`: of a particle without its columns. Liquid keeps its volume, so only sources fill the box with more particles. */
static vlFrameSize particles_size(const vlSim *sim, double bytes)
{
  const int *n = sim->grid.n;
  vlPoints points = points_of(sim);
  for (int d = 0; d < points.data_count; d++) bytes += VL_COLUMN_BYTES * points.data[d].components;
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
