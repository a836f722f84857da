/* A body's definition in the scene to its tetrahedra, and to its closed surface where it is rigid.
 *
 *     box without cell      equal cuboids of six tetrahedra
 *     mesh of tetrahedra    as the file or the arrays give them
 *     all else              the shape is filled with tetrahedra of edge `cell` by isosurface stuffing (mesh/stuff.h)
 *     in a slab             a box without cell is cuboids; of all else the section is filled (mesh/section_fill.c)
 *
 * Filling is done about the body's own origin and axes, so that the mesh does not depend on where the body lies. A surface
 * is the shape's own triangles where it is made of them, a contour of its distance where not (shape_surface.c);
 * tetrahedra of files and arrays give theirs.
 * In a slab the body, turned as it begins, is cut by the plane z = 0 and what is cut goes across the slab: a ball becomes a
 * disc. A body that lies along z is cut in its own axes and turned then, so that its mesh does not depend on its turn; a box
 * keeps its corners.
 * In: the scene and one of its bodies. Out: tetrahedra, or triangles. */
#include "solid/body_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "grid/grid.h"
#include "mesh/sdf.h"
#include "mesh/stuff.h"
#include "mesh/tetmesh.h"

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

static vlShape shape_of(const vlBodyDef *def)
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
  if (code) return code;
  vlShape shape = shape_of(def);
  vlMeshPlace place = vl_mesh_place(&shape, vl_tetmesh_bounds(mesh));
  vlMat3 scale = vl_mat_identity();
  for (int a = 0; a < 3; a++) scale.m[a][a] = place.scale.v[a];
  bool middle = shape.origin == VL_ORIGIN_MIDDLE;
  vl_tetmesh_transform(mesh, scale, middle ? vl_scale(vl_mat_apply(scale, place.origin), -1.0) : vl_vec(0, 0, 0));
  return VL_OK;
}

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

/* The shape as a slab cuts it, turned as the body begins; true: it lies along z and is turned later. */
static bool cut_by_slab(vlShape *shape, const vlScene *scene, const vlBodyDef *def)
{
  bool later = along_z(def->rotation);
  if (def->shape == VL_BODY_BOX && !(shape->size.z > 0.0)) /* of two entries: thicker than the slab */
    shape->size.z = 2.0 * fmax(scene->grid.size.x, scene->grid.size.y);
  if (!later) shape->rotation = def->rotation;
  return later;
}

/* The shape of a body whose mesh may be tetrahedra in memory: then their surface, which the caller owns. */
static vlCode shape_with_surface(vlShape *shape, vlTriMesh **tets, const vlBodyDef *def, vlStatus *status)
{
  *shape = shape_of(def);
  *tets = NULL;
  if (def->shape == VL_BODY_MESH && !def->file && !def->nodes && !def->solid.vertices)
    return vl_fail(status, VL_ERROR_SCENE, "shape: mesh; it must have a file, nodes and tetrahedra, or a surface");
  if (def->shape != VL_BODY_MESH || !def->nodes) return VL_OK;
  vlCode code = array_surface(tets, def, status);
  if (code) return code;
  shape->vertices = (*tets)->x;
  shape->triangles = (*tets)->tri;
  shape->vertex_count = (*tets)->vertex_count;
  shape->triangle_count = (*tets)->triangle_count;
  return VL_OK;
}

static vlCode fill_section(vlTetMesh *mesh, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def,
                           bool *turned_later, vlStatus *status)
{
  vlTriMesh *tets;
  vlShape shape;
  double cell = def->cell;
  vlCode code = shape_with_surface(&shape, &tets, def, status);
  if (!code) *turned_later = cut_by_slab(&shape, scene, def);
  if (!code) code = vl_section_fill(mesh, &shape, &cell, scene->grid.size.z, stuffed, status);
  if (!code && !*turned_later) /* in the body's own coordinates */
    stuffed->first_thin = vl_mat_apply(vl_mat_transpose(def->rotation), stuffed->first_thin);
  vl_trimesh_destroy(&tets);
  return code;
}

static vlCode fill_whole(vlTetMesh *mesh, vlStuffInfo *stuffed, const vlBodyDef *def, vlStatus *status)
{
  bool from_file = def->shape == VL_BODY_MESH;
  if (from_file && !def->file && !def->nodes && !def->solid.vertices)
    return vl_fail(status, VL_ERROR_SCENE, "shape: mesh; it must have a file, or nodes and tetrahedra");
  bool surface = from_file && !def->nodes && (def->solid.vertices || vl_mesh_file_is_surface(def->file));
  if (from_file && !surface && def->cell == 0.0) return read_tets(mesh, def, status);
  if (def->nodes) return vl_fail(status, VL_ERROR_SCENE, "cell is %g m; tetrahedra in memory take none", def->cell);
  vlShape shape = shape_of(def);
  vlStuffOptions options = {.cell = def->cell, .rough = true};
  return vl_stuff_shape(mesh, &shape, &options, stuffed, NULL, status);
}

vlCode vl_body_fill(vlTetMesh *mesh, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  bool turned_later = true;
  vlVec3 center = def->center;
  vlCode code;
  *mesh = (vlTetMesh){0};
  *stuffed = (vlStuffInfo){0};
  if (scene->grid.slab) center.z = 0.0;
  if (def->shape == VL_BODY_BOX && def->cell == 0.0)
    code = fill_with_cuboids(mesh, scene, def, status);
  else if (scene->grid.slab)
    code = fill_section(mesh, stuffed, scene, def, &turned_later, status);
  else
    code = fill_whole(mesh, stuffed, def, status);
  if (!code) vl_tetmesh_transform(mesh, turned_later ? def->rotation : vl_mat_identity(), center);
  return code;
}

vlCode vl_body_surface(vlTriMesh **surface, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlGrid grid;
  vlTriMesh *tets = NULL;
  vlShape shape;
  vlVec3 center = def->center;
  bool turned_later = true;
  *surface = NULL;
  vlCode code = vl_grid_create(&grid, &scene->grid, status);
  if (!code) code = shape_with_surface(&shape, &tets, def, status);
  vlSurfaceOptions options = {.cell = def->cell, .dx = grid.dx};
  if (!code && scene->grid.slab) {
    bool prism = def->shape == VL_BODY_BOX && shape.round == 0.0 && def->cell == 0.0 && along_z(def->rotation);
    center.z = 0.0;
    if (prism)
      shape.size.z = grid.dx;
    else {
      turned_later = cut_by_slab(&shape, scene, def);
      options.thickness = grid.dx;
    }
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

vlCode vl_body_take_surface(vlBody *b, const vlTriMesh *surface, vlStatus *status)
{
  size_t nodes = (size_t)surface->vertex_count, triangles = (size_t)surface->triangle_count;
  b->node_count = surface->vertex_count;
  b->triangle_count = surface->triangle_count;
  b->element_nodes = 4;
  b->rest = malloc((nodes + 1) * sizeof *b->rest);
  b->triangle = malloc((triangles + 1) * sizeof *b->triangle);
  if (!b->rest || !b->triangle)
    return vl_fail_memory(status, nodes * sizeof *b->rest + triangles * sizeof *b->triangle, "the surface of a body");
  memcpy(b->rest, surface->x, nodes * sizeof *b->rest);
  memcpy(b->triangle, surface->tri, triangles * sizeof *b->triangle);
  return vl_body_reserve(b, status);
}

/* What may be meant where a mesh lies outside of the box. */
static void note_mesh(const vlBodyDef *def, vlVec3 own, vlVec3 box, vlStatus *status)
{
  char doubt[256];
  if (!status || def->shape != VL_BODY_MESH) return;
  size_t used = strlen(status->message), room = sizeof status->message - used;
  if (vl_mesh_doubt(own, box, doubt, sizeof doubt))
    snprintf(status->message + used, room, "\n  %s", doubt);
  else if (def->solid.origin == VL_ORIGIN_FILE)
    snprintf(status->message + used, room,
             "\n  center is where the origin of the file's coordinates goes; with origin: middle the mesh's own middle");
}

vlCode vl_body_check_inside(vlBox3 own, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlGrid grid;
  vlCode code = vl_grid_create(&grid, &scene->grid, status);
  if (code) return code;
  vlBox3 box = vl_grid_box(&grid);
  for (int a = 0; a < (scene->grid.slab ? 2 : 3); a++) {
    double lo = box.lo.v[a], hi = box.hi.v[a], slack = 1e-9 * (hi - lo); /* 0.1 + 0.2 is not 0.3 */
    if (own.lo.v[a] >= lo - slack && own.hi.v[a] <= hi + slack) continue;
    vl_fail(status, VL_ERROR_SCENE, "it begins from %c = %g to %g m; the box is from %g to %g m", 'x' + a, own.lo.v[a],
            own.hi.v[a], lo, hi);
    note_mesh(def, vl_sub(own.hi, own.lo), vl_sub(box.hi, box.lo), status);
    return VL_ERROR_SCENE;
  }
  return VL_OK;
}
