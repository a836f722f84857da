/* A rigid body's definition in the scene to its closed surface.
 *
 * Any shape will do: its own triangles where it is made of them, a contour of its distance where not
 * (mesh/sdf.h). It is made about the body's own origin and axes, then turned and moved, so that it does not depend
 * on where the body lies. Tetrahedra of files and arrays give their surface.
 * In a slab the body, turned as it begins, is cut by the plane z = 0 and what is cut goes across the slab: a ball becomes a
 * disc. A box that lies along z keeps its corners.
 * In: the scene and one of its bodies. Out: triangles. */
#include "solid/body_surface.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "grid/grid.h"
#include "mesh/sdf.h"
#include "mesh/tetmesh.h"
#include "solid/body_fill.h"

/* The surface of tetrahedra in memory. */
static vlCode array_surface(vlTriMesh **surface, const vlBodyDef *def, vlStatus *status)
{
  vlTetMesh tets = {0};
  int *node = NULL;
  vlCode code = vl_tetmesh_from_arrays(&tets, def->nodes, def->node_count, (const int(*)[4])def->tets, def->tet_count,
                                       "mesh in memory", status);
  if (!code) code = vl_tetmesh_surface(surface, &node, &tets, status);
  free(node);
  vl_tetmesh_clear(&tets);
  return code;
}

static bool along_z(vlMat3 rotation)
{
  vlVec3 z = vl_mat_apply(rotation, vl_vec(0, 0, 1));
  return fabs(z.x) <= 1e-12 && fabs(z.y) <= 1e-12; /* sin 180 degrees is not 0 */
}

static void move(vlTriMesh *mesh, vlMat3 turn, vlVec3 shift)
{
  for (int i = 0; i < mesh->vertex_count; i++) mesh->x[i] = vl_add(vl_mat_apply(turn, mesh->x[i]), shift);
}

/* The shape across a slab, turned as the body begins; true: it is a prism already and is turned later. */
static bool cut_by_slab(vlShape *shape, const vlScene *scene, const vlBodyDef *def, double thickness)
{
  bool prism = def->shape == VL_BODY_BOX && shape->round == 0.0 && def->cell == 0.0 && along_z(def->rotation);
  if (prism)
    shape->size.z = thickness;
  else if (def->shape == VL_BODY_BOX && !(shape->size.z > 0.0)) /* of two entries: thicker than the slab */
    shape->size.z = 2.0 * fmax(scene->grid.size.x, scene->grid.size.y);
  if (!prism) shape->rotation = def->rotation;
  return prism;
}

vlCode vl_body_surface(vlTriMesh **surface, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlGrid grid;
  vlTriMesh *tets = NULL;
  vlShape shape = vl_body_shape(def);
  vlVec3 center = def->center;
  bool turned_later = true;
  *surface = NULL;
  vlCode code = vl_grid_create(&grid, &scene->grid, status);
  if (!code && def->shape == VL_BODY_MESH && !def->file && !def->nodes && !def->solid.vertices)
    code = vl_fail(status, VL_ERROR_SCENE, "shape: mesh; it must have a file, nodes and tetrahedra, or a surface");
  if (!code && def->shape == VL_BODY_MESH && def->nodes) code = array_surface(&tets, def, status);
  if (tets) {
    shape.vertices = tets->x;
    shape.triangles = tets->tri;
    shape.vertex_count = tets->vertex_count;
    shape.triangle_count = tets->triangle_count;
  }
  vlSurfaceOptions options = {.cell = def->cell, .dx = grid.dx};
  if (!code && scene->grid.slab) {
    center.z = 0.0;
    turned_later = cut_by_slab(&shape, scene, def, grid.dx);
    if (!turned_later) options.thickness = grid.dx;
  }
  if (!code) code = vl_shape_surface(surface, &shape, options, status);
  if (!code) move(*surface, turned_later ? def->rotation : vl_mat_identity(), center);
  vl_trimesh_destroy(&tets);
  return code;
}

double vl_body_surface_density(const vlTriMesh *surface, const vlScene *scene, const vlBodyDef *def)
{
  double thickness = scene->grid.slab ? scene->grid.size.z : 1.0;
  return def->mass > 0.0 ? def->mass * thickness / vl_trimesh_volume(surface) : def->density;
}
