/* A body's definition in the scene to its tetrahedra.
 *
 *     box without cell      equal cuboids of six tetrahedra
 *     mesh of tetrahedra    as the file or the arrays give them
 *     all else              the shape is filled with tetrahedra of edge `cell` by isosurface stuffing (mesh/stuff.h)
 *
 * Filling is done about the body's own origin and axes, so that the mesh does not depend on where the body lies.
 * In: the scene and one of its bodies. Out: tetrahedra. */
#include "solid/body_fill.h"

#include "base/status.h"
#include "base/vec.h"
#include "mesh/stuff.h"

static vlCode fill_with_cuboids(vlTetMesh *mesh, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlVec3 size = def->size;
  int cells[3] = {def->cells[0], def->cells[1], def->cells[2]};
  if (scene->grid.slab) {
    size.z = scene->grid.size.z;
    cells[2] = 1;
  }
  vlVec3 half = vl_scale(size, 0.5);
  return vl_tetmesh_box(mesh, (vlBox3){vl_scale(half, -1.0), half}, cells, status);
}

static vlCode read_tets(vlTetMesh *mesh, const vlBodyDef *def, vlStatus *status)
{
  vlCode code;
  if (def->nodes)
    code = vl_tetmesh_from_arrays(mesh, def->nodes, def->node_count, (const int(*)[4])def->tets, def->tet_count,
                                  "mesh in memory", status);
  else if (def->data)
    code = vl_tetmesh_read_memory(mesh, def->data, def->data_length, def->file, status);
  else
    code = vl_tetmesh_read(mesh, def->file, status);
  vlMat3 scale = vl_mat_identity();
  for (int a = 0; a < 3; a++) scale.m[a][a] = def->scale;
  if (!code) vl_tetmesh_transform(mesh, scale, vl_vec(0, 0, 0));
  return code;
}

vlShape vl_body_shape(const vlBodyDef *def)
{
  static const vlShapeKind kinds[] = {
      [VL_BODY_BOX] = VL_SHAPE_BOX,
      [VL_BODY_MESH] = VL_SHAPE_MESH,
      [VL_BODY_SPHERE] = VL_SHAPE_SPHERE,
      [VL_BODY_CAPSULE] = VL_SHAPE_CAPSULE,
      [VL_BODY_CYLINDER] = VL_SHAPE_CYLINDER,
      [VL_BODY_CONE] = VL_SHAPE_CONE,
      [VL_BODY_TORUS] = VL_SHAPE_TORUS,
      [VL_BODY_UNION] = VL_SHAPE_UNION,
      [VL_BODY_INTERSECTION] = VL_SHAPE_INTERSECTION,
      [VL_BODY_DIFFERENCE] = VL_SHAPE_DIFFERENCE,
  };
  vlShape shape = def->solid;
  shape.kind = kinds[def->shape];
  shape.center = vl_vec(0, 0, 0);
  shape.rotation = vl_mat_identity();
  shape.size = def->size;
  shape.scale = def->scale;
  shape.file = def->file;
  shape.data = def->data;
  shape.data_length = def->data_length;
  return shape;
}

vlCode vl_body_fill(vlTetMesh *mesh, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  bool box = def->shape == VL_BODY_BOX, from_file = def->shape == VL_BODY_MESH;
  *mesh = (vlTetMesh){0};
  *stuffed = (vlStuffInfo){0};
  if (box && (def->cell == 0.0 || scene->grid.slab)) return fill_with_cuboids(mesh, scene, def, status);
  if (from_file && !def->file && !def->nodes && !def->solid.vertices)
    return vl_fail(status, VL_ERROR_SCENE, "shape: mesh; it must have a file, or nodes and tetrahedra");
  bool surface = from_file && !def->nodes && (def->solid.vertices || vl_mesh_file_is_surface(def->file));
  if (from_file && !surface && def->cell == 0.0) return read_tets(mesh, def, status);
  if (def->cell == 0.0)
    return vl_fail(status, VL_ERROR_SCENE, "cell is missing: it is the edge length of the tetrahedra that fill %s",
                   surface ? "a surface" : "a shape");
  if (def->nodes) return vl_fail(status, VL_ERROR_SCENE, "cell is %g m; tetrahedra in memory take none", def->cell);
  vlShape shape = vl_body_shape(def);
  vlStuffOptions options = {.cell = def->cell};
  return vl_stuff_shape(mesh, &shape, &options, stuffed, NULL, status);
}
