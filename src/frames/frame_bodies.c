/* The bodies of a frame: their elements with stresses, triangles of those without, and their surface for renderers; and how
 * large the files are. */
#include "frames/body_mesh.h"
#include "frames/frame_files.h"
#include "files/ply.h"
#include "files/vtk.h"

enum {
  HEAD_BYTES = 2048, /* of a file besides its numbers */
  /* bytes in each format */
  VTU_NODE = 48,
  VTU_ELEMENT = 41, /* stress, von Mises, body, end, type */
  VTU_CORNER = 8,
  VTP_VERTEX = 40,
  VTP_TRIANGLE = 36,
  PLY_VERTEX = 44,
  PLY_TRIANGLE = 13
};

vlCode vl_frame_bodies_vtu(const char *path, const vlSim *sim, const vlMeshView *surface, vlStatus *status)
{
  (void)surface;
  vlBodyGrid g;
  vlCode code = vl_body_grid_create(&g, sim, status);
  const vlVtkArray point[] = {{"displacement", 3, g.displacement}, {"velocity", 3, g.velocity}},
                   cell[] = {{"stress", 6, g.stress}, {"von_mises", 1, g.von_mises}};
  if (code == VL_OK) code = vl_vtu_write(path, &g.grid, vl_sim_time(sim), point, 2, cell, 2, status);
  vl_body_grid_clear(&g);
  return code;
}

vlCode vl_frame_bodies_vtp(const char *path, const vlSim *sim, const vlMeshView *surface, vlStatus *status)
{
  (void)surface;
  vlBodySurface s;
  vlCode code = vl_body_surface_create(&s, sim, status);
  const vlVtkArray point[] = {{"velocity", 3, s.velocity}, {"von_mises", 1, s.von_mises}}, triangle = {"body", 1, s.owner};
  if (code == VL_OK) code = vl_vtp_write(path, s.mesh, vl_sim_time(sim), point, 2, &triangle, 1, status);
  vl_body_surface_clear(&s);
  return code;
}

vlCode vl_frame_bodies_ply(const char *path, const vlSim *sim, const vlMeshView *surface, vlStatus *status)
{
  (void)surface;
  vlBodySurface s;
  vlCode code = vl_body_surface_create(&s, sim, status);
  const vlVtkArray point[] = {{"velocity", 3, s.velocity}, {"von_mises", 1, s.von_mises}, {"body", 1, s.body}};
  if (code == VL_OK) code = vl_ply_write_arrays(path, s.mesh, vl_sim_time(sim), point, 3, status);
  vl_body_surface_clear(&s);
  return code;
}

vlFrameSize vl_frame_bodies_vtu_size(const vlSim *sim, const vlMeshView *surface)
{
  (void)surface;
  double bytes = HEAD_BYTES;
  for (int i = 0; i < vl_sim_body_count(sim); i++) {
    vlBodyView b = vl_sim_body(sim, i);
    bool elements = b.element_count > 0;
    double cells = elements ? b.element_count : b.triangle_count, corners = elements ? b.element_nodes : 3;
    bytes += (double)VTU_NODE * b.node_count + (VTU_ELEMENT + VTU_CORNER * corners) * cells;
  }
  return (vlFrameSize){bytes, bytes};
}

/* A closed surface of triangles, of whatever kind of element, has half as many vertices. */
static vlFrameSize surface_size(const vlSim *sim, double vertex, double triangle)
{
  double bytes = HEAD_BYTES;
  for (int i = 0; i < vl_sim_body_count(sim); i++) bytes += (0.5 * vertex + triangle) * vl_sim_body(sim, i).triangle_count;
  return (vlFrameSize){bytes, bytes};
}

vlFrameSize vl_frame_bodies_vtp_size(const vlSim *sim, const vlMeshView *surface)
{
  (void)surface;
  return surface_size(sim, VTP_VERTEX, VTP_TRIANGLE);
}

vlFrameSize vl_frame_bodies_ply_size(const vlSim *sim, const vlMeshView *surface)
{
  (void)surface;
  return surface_size(sim, PLY_VERTEX, PLY_TRIANGLE);
}
