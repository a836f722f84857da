/* Particles and surface of the liquid in a frame, and how large their files are. */
#include "files/ply.h"
#include "files/points.h"
#include "files/vtk.h"
#include "frames/frame_files.h"

enum {
  HEAD_BYTES = 1024, /* of a file besides its numbers */
  /* bytes of a particle without its columns, a vertex and a triangle in each format */
  VTP_PARTICLE = 20,
  PLY_PARTICLE = 12,
  VERTEX = 36,
  VTP_TRIANGLE = 32,
  PLY_TRIANGLE = 13
};

static vlPoints points_of(const vlSim *sim)
{
  vlParticleView p = vl_sim_particles(sim);
  vlPoints points = {.count = p.count,
                     .x = {p.x[0], p.x[1], p.x[2]},
                     .id = p.id,
                     .scale = p.dx,
                     .offset = p.origin,
                     .time = vl_sim_time(sim)};
  for (vlColumnView column; points.data_count < VL_POINTS_DATA && (column = vl_sim_column(sim, points.data_count)).name;)
    points.data[points.data_count++] = column;
  return points;
}

vlCode vl_frame_particles(const char *path, vlFrameFormat format, const vlSim *sim, const vlMeshView *surface,
                          vlStatus *status)
{
  (void)surface;
  vlPoints points = points_of(sim);
  return format == VL_FRAME_PLY ? vl_points_write_ply(path, &points, status) : vl_points_write_vtp(path, &points, status);
}

vlCode vl_frame_surface(const char *path, vlFrameFormat format, const vlSim *sim, const vlMeshView *surface,
                        vlStatus *status)
{
  const vlVtkArray velocity = {"velocity", 3, &surface->velocity[0][0]};
  vlTriMesh mesh = vl_frame_mesh(surface);
  if (format == VL_FRAME_PLY) return vl_ply_write_mesh(path, &mesh, velocity.data, vl_sim_time(sim), status);
  return vl_vtp_write(path, &mesh, vl_sim_time(sim), &velocity, 1, NULL, 0, status);
}

/* Liquid keeps its volume, so only sources fill the box with more particles. */
vlFrameSize vl_frame_particles_size(vlFrameFormat format, const vlSim *sim, const vlMeshView *surface)
{
  (void)surface;
  const vlLiquidDef *liquid = &vl_sim_scene(sim)->liquid;
  vlGridView g = vl_sim_grid(sim);
  vlPoints points = points_of(sim);
  double bytes = format == VL_FRAME_PLY ? PLY_PARTICLE : VTP_PARTICLE;
  for (int d = 0; d < points.data_count; d++) bytes += (double)sizeof(float) * points.data[d].components;
  double now = (double)points.count, full = 1.0;
  for (int a = 0; a < 3; a++) full *= (double)g.n[a] * (g.n[a] > 1 ? liquid->particles : 1);
  double most = liquid->source_count > 0 && full > now ? full : now;
  return (vlFrameSize){HEAD_BYTES + bytes * now, HEAD_BYTES + bytes * most};
}

/* How large the surface of splashing liquid becomes nobody knows; the present one is the measure. */
vlFrameSize vl_frame_surface_size(vlFrameFormat format, const vlSim *sim, const vlMeshView *surface)
{
  (void)sim;
  double triangle = format == VL_FRAME_PLY ? PLY_TRIANGLE : VTP_TRIANGLE;
  double bytes = HEAD_BYTES + (double)VERTEX * surface->vertex_count + triangle * surface->triangle_count;
  return (vlFrameSize){bytes, bytes};
}
