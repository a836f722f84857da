/* The bodies of a frame: their elements with stresses, triangles of those without, and their surface for renderers; and how
 * large the files are. */
#include "files/ply.h"
#include "files/vtk.h"
#include "frames/body_mesh.h"
#include "frames/frame_files.h"

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

static vlCode write_elements(const char *path, const vlSim *sim, vlStatus *status)
{
  vlBodyGrid g;
  vlCode code = vl_body_grid_create(&g, sim, status);
  const vlVtkArray point[] = {{"displacement", 3, g.displacement}, {"velocity", 3, g.velocity}},
                   cell[] = {{"stress", 6, g.stress}, {"von_mises", 1, g.von_mises}};
  if (code == VL_OK) code = vl_vtu_write(path, &g.grid, vl_sim_time(sim), point, 2, cell, 2, status);
  vl_body_grid_clear(&g);
  return code;
}

vlCode vl_frame_bodies(const char *path, vlFrameFormat format, const vlSim *sim, const vlMeshView *surface, vlStatus *status)
{
  (void)surface;
  if (format == VL_FRAME_VTU) return write_elements(path, sim, status);
  vlBodySurface s;
  vlCode code = vl_body_surface_create(&s, sim, status);
  const vlVtkArray point[] = {{"velocity", 3, s.velocity}, {"von_mises", 1, s.von_mises}, {"body", 1, s.body}},
                   triangle = {"body", 1, s.owner};
  if (code == VL_OK && format == VL_FRAME_PLY)
    code = vl_ply_write_arrays(path, s.mesh, vl_sim_time(sim), point, 3, status);
  else if (code == VL_OK)
    code = vl_vtp_write(path, s.mesh, vl_sim_time(sim), point, 2, &triangle, 1, status);
  vl_body_surface_clear(&s);
  return code;
}

static double element_bytes(const vlBodyView *b)
{
  bool elements = b->element_count > 0;
  double cells = elements ? b->element_count : b->triangle_count, corners = elements ? b->element_nodes : 3;
  return (double)VTU_NODE * b->node_count + (VTU_ELEMENT + VTU_CORNER * corners) * cells;
}

vlFrameSize vl_frame_bodies_size(vlFrameFormat format, const vlSim *sim, const vlMeshView *surface)
{
  (void)surface;
  double vertex = format == VL_FRAME_PLY ? PLY_VERTEX : VTP_VERTEX,
         triangle = format == VL_FRAME_PLY ? PLY_TRIANGLE : VTP_TRIANGLE;
  double bytes = HEAD_BYTES;
  for (int i = 0; i < vl_sim_body_count(sim); i++) {
    vlBodyView b = vl_sim_body(sim, i);
    /* a closed surface of triangles, of whatever kind of element, has half as many vertices */
    bytes += format == VL_FRAME_VTU ? element_bytes(&b) : (0.5 * vertex + triangle) * b.triangle_count;
  }
  return (vlFrameSize){bytes, bytes};
}
