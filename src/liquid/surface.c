/* The liquid's surface: a closed mesh of the region that is liquid, open and in the domain.
 *
 * Signs at the lattice's nodes (surface_lattice.c) decide the topology (mesh/contour_mesh.c) as in dual marching cubes
 * [nielson2004]. Vertices are placed by surface_cube.c. A block of nodes is a piece. */
#include "liquid/surface.h"

#include <stdlib.h>

#include "base/status.h"
#include "liquid/surface_hold.h"

enum { LANES = VL_BLOCK };

/* Inside bits of a block's rows and those around it: bit l + 1 of row [k + 1][j + 1] is lane l, from -1 to 16. */
typedef struct View {
  const vlSurfaceLattice *lattice;
  vlBlockPosition at;
  uint32_t row[3][3];
} View;

/* No pass where all nodes of the block's cubes and of those below are alike. */
static void look(const void *data, int block, vlContourPass *pass)
{
  const vlSurfaceLattice *lattice = data;
  vlBlockPosition p = lattice->nodes.at[block];
  const int *n = lattice->nodes.n;
  uint32_t any = 0, all = 0x3ffff;
  View view = {.lattice = lattice, .at = p};
  for (int k = -1; k <= 1; k++)
    for (int j = -1; j <= 1; j++) {
      uint32_t row = 0;
      if (p.j + j >= 0 && p.j + j < n[1] && p.k + k >= 0 && p.k + k < n[2]) {
        row = (uint32_t)vl_surface_lattice_inside(lattice, p.bx, p.j + j, p.k + k) << 1;
        if (p.bx > 0) row |= (uint32_t)vl_surface_lattice_inside(lattice, p.bx - 1, p.j + j, p.k + k) >> (LANES - 1);
        if (p.bx + 1 < lattice->nodes.columns)
          row |= (uint32_t)(vl_surface_lattice_inside(lattice, p.bx + 1, p.j + j, p.k + k) & 1) << (LANES + 1);
      }
      view.row[k + 1][j + 1] = row;
      any |= row;
      all &= row;
    }
  if (any != 0 && all != 0x3ffff) vl_contour_pass(pass, block, &view);
}

static void cube_node(int cube, int n[3])
{
  n[0] = cube;
  n[1] = n[2] = 0;
}

static int cube_inside(const void *data, const int n[3])
{
  const View *view = data;
  int inside = 0;
  for (int c = 0; c < 8; c += 2)
    inside |= (int)(view->row[n[2] + 1 + (c >> 2)][n[1] + 1 + (c >> 1 & 1)] >> (n[0] + 1) & 3) << c;
  return inside;
}

/* Lattice node of local node n; along x local nodes run from -1 to 16, along y and z from -1 to 1. */
static void lattice_node(const View *view, const int n[3], int node[3])
{
  node[0] = view->at.bx * LANES + n[0];
  node[1] = view->at.j + n[1];
  node[2] = view->at.k + n[2];
}

static void load_cube(const View *view, const int n[3], vlSurfaceCube *values)
{
  int node[3];
  lattice_node(view, n, node);
  vl_surface_cube_load(view->lattice, node, values);
}

static int cube_joined(const void *view, const int n[3], int inside)
{
  vlSurfaceCube values;
  load_cube(view, n, &values);
  return vl_surface_cube_joined(&values, inside);
}

static ptrdiff_t find_cube(const void *view, const int n[3])
{
  int node[3];
  lattice_node(view, n, node);
  return vl_surface_lattice_find(((const View *)view)->lattice, node);
}

static vlVec3 to_metres(const vlGrid *g, vlVec3 x) { return vl_axpy(g->origin, g->dx, x); }

static void place_vertices(void *data, const int n[3], const vlCube *cube, vlVec3 *x)
{
  const View *view = data;
  vlSurfaceCube values;
  load_cube(view, n, &values);
  for (int s = 0; s < cube->count; s++)
    x[s] = to_metres(view->lattice->in->grid, vl_surface_cube_vertex(view->lattice, &values, cube, s));
}

static vlVec3 middle(void *data, const int n[3], const vlCube *cube, const int edges[2])
{
  const View *view = data;
  vlSurfaceCube values;
  load_cube(view, n, &values);
  vlVec3 x = vl_surface_cube_crossing(view->lattice, &values, cube->inside, edges[0]);
  vlVec3 y = vl_surface_cube_crossing(view->lattice, &values, cube->inside, edges[1]);
  return to_metres(view->lattice->in->grid, vl_scale(vl_add(x, y), 0.5));
}

static vlCode build(const vlSurfaceLattice *lattice, vlTriMesh **mesh, vlStatus *status)
{
  const vlContourSource source = {.name = "the liquid's surface",
                                  .pieces = lattice->nodes.count,
                                  .cubes = LANES,
                                  .chunk = 64,
                                  .data = lattice,
                                  .look = look,
                                  .node = cube_node,
                                  .inside = cube_inside,
                                  .joined = cube_joined,
                                  .find = find_cube,
                                  .place = place_vertices,
                                  .middle = middle};
  return vl_contour_mesh(mesh, &source, status);
}

static vlCode add_velocity(vlSurface *s, const vlSurfaceInput *in, vlStatus *status)
{
  size_t count = (size_t)s->mesh->vertex_count;
  s->velocity = calloc(3 * count + 1, sizeof(float));
  if (!s->velocity) return vl_fail_memory(status, 3 * count * sizeof(float), "the velocity of the liquid's surface");
  if (!in->velocity) return VL_OK;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) {
    vlVec3 u = in->velocity(in->velocity_data, s->mesh->x[i]);
    for (int a = 0; a < 3; a++) s->velocity[3 * i + (size_t)a] = (float)u.v[a];
  }
  return VL_OK;
}

vlCode vl_surface_create(vlSurface *out, const vlSurfaceInput *input, vlStatus *status)
{
  vlSurfaceInput with = *input, *in = &with;
  *out = (vlSurface){0};
  if (in->fine) {
    with.refine = in->fine->refine;
    with.per_cell = 0.0; /* the level set encloses what it should */
  } else if (in->refine != 1 && in->refine != 2)
    return vl_fail(status, VL_ERROR_SCENE, "the liquid's surface: refine is %d; it must be 1 or 2", in->refine);
  vlSurfaceLattice lattice = {0};
  vlCode code = vl_surface_lattice_create(&lattice, in, status);
  if (!code) code = build(&lattice, &out->mesh, status);
  if (!code && in->per_cell > 0.0) code = vl_surface_hold(&lattice, out->mesh, status);
  if (!code) code = add_velocity(out, in, status);
  if (code) vl_surface_clear(out);
  vl_surface_lattice_clear(&lattice);
  return code;
}

void vl_surface_clear(vlSurface *surface)
{
  vl_trimesh_destroy(&surface->mesh);
  free(surface->velocity);
  *surface = (vlSurface){0};
}
