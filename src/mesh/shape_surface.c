/* From a shape to its closed surface.
 *
 * Boxes and closed meshes are their own triangles. All else is contoured (contour.h) about the middle of its bounds, first
 * on cubes of a twenty-fourth of its longest side, at most four cells of the grid, then on cubes half as wide, until
 *
 *     |V(h/2) - V(h)| <= V(h/2) / 200
 *
 * What a surface needs is so told by the shape, not by its kind: tubes, thin walls and rounded edges make themselves felt
 * until they are there. The coarser of the two is taken, and made to hold the shape's volume: contours of smooth shapes are
 * of second order, so that is V = V(h/2) + (V(h/2) - V(h)) / 3. Where a surface is curved the vertices of its contour stand
 * off it by d, about as far as its triangles sag behind them; moved back by beta d, beta between 0 and 1 and the same
 * everywhere, they enclose V. Flat faces, edges and corners have d = 0 and stay.
 * Of a slab's bodies the section is contoured in the same way (section.c).
 * shape, cells of the grid -> triangles. */
#include "mesh/sdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/contour.h"
#include "mesh/stuff.h"

static const double CHANGE = 0.005;    /* of the volume when cubes are halved */
static const double ALONG = 24.0;      /* first cubes along the longest side */
static const double WIDEST = 4.0;      /* cells of the grid: first cubes */
static const double STANDOFF = 0.2;    /* cubes: a vertex that is farther off is none of a curved surface */
static const double CUBES_MOST = 1e11; /* of a cell that is asked for: a lattice of about 1 GB */

enum { HALVINGS = 6, TRIANGLES_MOST = 200000 };

static double region_distance(const void *data, vlVec3 x) { return vl_sdf_distance(data, x); }
static vlVec3 region_gradient(const void *data, vlVec3 x) { return vl_sdf_gradient(data, x); }

/* Cubes lie even about the middle, and the surface keeps clear of the box's sides. */
static vlBox3 contour_box(vlBox3 bounds, double h)
{
  vlBox3 box;
  for (int a = 0; a < 3; a++) {
    double middle = 0.5 * (bounds.lo.v[a] + bounds.hi.v[a]), half = 0.5 * (bounds.hi.v[a] - bounds.lo.v[a]);
    double reach = (ceil(half / h) + 1.5) * h;
    box.lo.v[a] = middle - reach;
    box.hi.v[a] = middle + reach;
  }
  return box;
}

static vlCode contour(vlTriMesh **mesh, const vlSdf *sdf, double h, double thickness, vlStatus *status)
{
  vlBox3 box = contour_box(vl_sdf_bounds(sdf), h);
  vlRegion region = {region_distance, region_gradient, sdf};
  if (thickness > 0.0) return vl_section_prism(mesh, region, box, h, thickness, status);
  return vl_contour(mesh, region, box, h, status);
}

/* Moves vertices of curved places towards the surface by a part of what they stand off. */
static void draw_in(vlTriMesh *mesh, const vlVec3 *from, const vlSdf *sdf, double h, bool flat, double beta)
{
#pragma omp parallel for schedule(static)
  for (int i = 0; i < mesh->vertex_count; i++) {
    vlVec3 x = from[i];
    if (flat) x.z = 0.0;
    double d = vl_sdf_distance(sdf, x);
    mesh->x[i] = from[i];
    if (d == 0.0 || !(fabs(d) < STANDOFF * h)) continue;
    vlVec3 slope = vl_sdf_gradient(sdf, x);
    if (flat) slope.z = 0.0;
    double steep = vl_dot(slope, slope);
    if (steep > 0.25) mesh->x[i] = vl_axpy(from[i], -beta * d / steep, slope);
  }
}

/* Makes the mesh enclose `volume`, as nearly as beta between 0 and 1 can. */
static vlCode fit_volume(vlTriMesh *mesh, const vlSdf *sdf, double h, bool flat, double volume, vlStatus *status)
{
  size_t bytes = (size_t)mesh->vertex_count * sizeof *mesh->x;
  vlVec3 *from = malloc(bytes + 1);
  if (!from) return vl_fail_memory(status, bytes, "the surface of a shape");
  memcpy(from, mesh->x, bytes);
  double off = vl_trimesh_volume(mesh);
  draw_in(mesh, from, sdf, h, flat, 1.0);
  double on = vl_trimesh_volume(mesh), beta = on != off ? (volume - off) / (on - off) : 0.0;
  draw_in(mesh, from, sdf, h, flat, fmin(fmax(beta, 0.0), 1.0));
  free(from);
  return VL_OK;
}

/* Halves the cubes until the volume stays. */
static vlCode contour_well(vlTriMesh **mesh, const vlSdf *sdf, double h, double thickness, vlStatus *status)
{
  vlCode code = contour(mesh, sdf, h, thickness, status);
  for (int i = 0; i < HALVINGS && !code && (*mesh)->triangle_count < TRIANGLES_MOST; i++, h *= 0.5) {
    vlTriMesh *finer = NULL;
    double before = vl_trimesh_volume(*mesh);
    code = contour(&finer, sdf, 0.5 * h, thickness, status);
    if (code) break;
    double after = vl_trimesh_volume(finer);
    bool enough = after > 0.0 && fabs(after - before) <= CHANGE * after;
    if (enough) {
      code = fit_volume(*mesh, sdf, h, thickness > 0.0, after + (after - before) / 3.0, status);
      vl_trimesh_destroy(&finer);
      break;
    }
    vl_trimesh_destroy(mesh);
    *mesh = finer;
  }
  return code;
}

static vlCode check_bounds(const vlSdf *sdf, vlVec3 *size, vlStatus *status)
{
  vlBox3 box = vl_sdf_bounds(sdf);
  *size = vl_sub(box.hi, box.lo);
  for (int a = 0; a < 3; a++)
    if (!isfinite(size->v[a]))
      return vl_fail(status, VL_ERROR_SCENE, "the shape has no end along %c; a body must be bounded", 'x' + a);
  if (vl_box_is_empty(box)) return vl_fail(status, VL_ERROR_SCENE, "the shape is empty: its parts have nothing in common");
  return VL_OK;
}

/* A cell so small that the lattice of cubes would not fit into memory. */
static vlCode check_cell(vlVec3 size, vlSurfaceOptions options, vlStatus *status)
{
  double cubes = size.x / options.cell * (size.y / options.cell);
  if (options.thickness == 0.0) cubes *= size.z / options.cell;
  if (options.cell == 0.0 || cubes <= CUBES_MOST) return VL_OK;
  return vl_fail(status, VL_ERROR_SCENE,
                 "cell is %g m: %.3g cubes of that size would hold the shape, at most %g can; make it larger", options.cell,
                 cubes, CUBES_MOST);
}

static vlCode surface_of(vlTriMesh **mesh, const vlSdf *sdf, vlSurfaceOptions options, vlStatus *status)
{
  vlVec3 size;
  vlCode code = check_bounds(sdf, &size, status);
  if (!code) code = check_cell(size, options, status);
  if (!code && options.cell == 0.0 && options.thickness == 0.0) code = vl_sdf_exact_surface(mesh, sdf, status);
  if (code || *mesh) return code;
  double longest = fmax(size.x, fmax(size.y, options.thickness > 0.0 ? 0.0 : size.z));
  double h = options.cell > 0.0 ? options.cell : fmin(longest / ALONG, WIDEST * options.dx);
  code = options.cell > 0.0 ? contour(mesh, sdf, h, options.thickness, status)
                            : contour_well(mesh, sdf, h, options.thickness, status);
  if (!code && !(vl_trimesh_volume(*mesh) > 0.0))
    code = vl_fail(status, VL_ERROR_SCENE, "nothing of the shape is %s",
                   options.cell > 0.0        ? "thick enough for triangles of this cell; make cell smaller"
                   : options.thickness > 0.0 ? "in the slab, at z = 0"
                                             : "thick enough to be seen");
  return code;
}

vlCode vl_shape_surface(vlTriMesh **mesh, const vlShape *shape, vlSurfaceOptions options, vlStatus *status)
{
  vlSdf *sdf = NULL;
  *mesh = NULL;
  vlCode code = vl_sdf_create(&sdf, shape, status);
  if (!code) code = surface_of(mesh, sdf, options, status);
  if (code) vl_trimesh_destroy(mesh);
  vl_sdf_destroy(&sdf);
  return code;
}
