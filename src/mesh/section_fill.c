/* Tetrahedra of what a slab cuts of a shape: the section with z = 0, one prism of three tetrahedra across.
 *
 * The section is contoured on squares of side `cell` (section.c). The quads around its nodes are split where the smaller
 * angle is largest, boundary points stand on the shape as far as the section's own area asks for,
 *
 *     x - beta d g / |g|^2,  d: distance there, g: its slope in the plane,  beta: triangles have the area of the section,
 *
 * and inner points near the boundary move to the middle of their neighbours wherever that makes their worst angle better.
 * The own area is that of contours of half and of a quarter of the cell, extrapolated, as they are of second order. Squares
 * lie so that the boundary of an upright box is a half to one and a half squares away from the first inner points.
 *
 * A triangle a < b < c of points below, and those above it, a', b', c', make the tetrahedra
 *
 *     a b c c'     a b b' c'     a a' b' c'
 *
 * so that each side of a prism has the diagonal from its lower number below to the higher one above, seen from either side.
 * shape, cell, thickness -> nodes, tetrahedra, checked. */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/contour.h"
#include "mesh/section_parts.h"
#include "mesh/stuff.h"

static const double FIRST = 48.0;        /* first squares along the longest side, where the cell is to be found */
static const double QUADS = 800.0;       /* of a section whose cell is to be found */
static const double QUADS_MOST = 4000.0; /* of one that is thin */
static const double DEPTH = 1.42;        /* squares: a straight wall of that thickness has no gaps, however it lies */
static const double FACING = -0.8;       /* of normals on both sides of a wall; a corner of less than 37 degrees is one */
static const double FLATTEST = 0.2;      /* sine of the smallest angle that fitting the area may leave */
static const double STANDOFF = 0.2;      /* squares: a point that is farther off is none of a curved boundary */

typedef struct Fill {
  const vlSdf *sdf;
  vlRegion flat; /* the section's distance */
  vlBox3 bounds; /* m: of the shape */
  vlTriangles t;
} Fill;

static double region_distance(const void *data, vlVec3 x) { return vl_sdf_distance(data, x); }
static vlVec3 region_gradient(const void *data, vlVec3 x) { return vl_sdf_gradient(data, x); }
static double distance(const Fill *f, vlVec3 x) { return f->flat.distance(f->flat.data, x); }

/* Points are so far from the middle that sides of whole squares meet them, and others miss them by a quarter at most. */
static vlBox3 lattice_box(vlBox3 bounds, double h)
{
  vlBox3 box = bounds;
  for (int a = 0; a < 2; a++) {
    double size = bounds.hi.v[a] - bounds.lo.v[a], middle = 0.5 * (bounds.lo.v[a] + bounds.hi.v[a]);
    double reach = (0.5 * fmax(round(size / h), 1.0) + 1.5) * h;
    box.lo.v[a] = middle - reach;
    box.hi.v[a] = middle + reach;
  }
  return box;
}

/* Of the contour whose points may leave their squares, which meets corners. */
static vlCode area_with(double *area, const Fill *f, double h, vlStatus *status)
{
  vlTriMesh *prism = NULL;
  vlCode code = vl_section_prism(&prism, f->flat, lattice_box(f->bounds, h), h, 1.0, status);
  *area = code ? 0.0 : vl_trimesh_volume(prism);
  vl_trimesh_destroy(&prism);
  return code;
}

/* The shape's own. */
static vlCode own_area(double *area, const Fill *f, double h, vlStatus *status)
{
  double coarse, fine;
  vlCode code = area_with(&coarse, f, 0.5 * h, status);
  if (!code) code = area_with(&fine, f, 0.25 * h, status);
  if (!code) *area = fine + (fine - coarse) / 3.0;
  return code;
}

/* Splits each quad of the section, whose points go on to the triangles. */
static vlCode split(vlTriangles *t, vlSection *s, vlStatus *status)
{
  size_t most = 2 * (size_t)s->quad_count + 1;
  t->tri = malloc(most * sizeof *t->tri);
  if (!t->tri) return vl_fail_memory(status, most * sizeof *t->tri, "a section");
  for (int q = 0; q < s->quad_count; q++) {
    const int *p = s->quad[q];
    const vlVec3 *x = s->x;
    double even = fmin(vl_least_sine(x[p[0]], x[p[1]], x[p[2]]), vl_least_sine(x[p[0]], x[p[2]], x[p[3]]));
    double odd = fmin(vl_least_sine(x[p[1]], x[p[2]], x[p[3]]), vl_least_sine(x[p[1]], x[p[3]], x[p[0]]));
    int from = odd > even + 1e-9;
    for (int k = 1; k < 3; k++) {
      int *c = t->tri[t->tri_count++];
      c[0] = p[from];
      c[1] = p[(from + k) % 4];
      c[2] = p[(from + k + 1) % 4];
    }
  }
  t->x = s->x;
  t->edge = s->edge;
  t->point_count = s->point_count;
  s->x = NULL;
  s->edge = NULL;
  return VL_OK;
}

static double triangles_area(const Fill *f, const vlVec3 *x)
{
  double sum = 0.0;
  for (int t = 0; t < f->t.tri_count; t++)
    sum += 0.5 * vl_twice_area(x[f->t.tri[t][0]], x[f->t.tri[t][1]], x[f->t.tri[t][2]]);
  return sum;
}

/* Where the boundary's points go, with a part of what they stand off. */
static void draw_in(const Fill *f, vlVec3 *x, double beta)
{
  for (int p = 0; p < f->t.point_count; p++) {
    x[p] = f->t.x[p];
    double d = f->t.edge[p] ? distance(f, x[p]) : 0.0;
    if (d == 0.0 || !(fabs(d) < STANDOFF * f->t.h)) continue;
    vlVec3 slope = vl_sdf_gradient(f->sdf, x[p]);
    slope.z = 0.0;
    double steep = vl_dot(slope, slope);
    if (steep > 0.25) x[p] = vl_axpy(x[p], -beta * d / steep, slope);
  }
}

/* Leaves points where they were whose way makes a triangle flat or turns it over. */
static void hold_back(const Fill *f, vlVec3 *x)
{
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < f->t.tri_count; i++) {
      const int *c = f->t.tri[i];
      const vlVec3 *from = f->t.x;
      double before = vl_least_sine(from[c[0]], from[c[1]], from[c[2]]), after = vl_least_sine(x[c[0]], x[c[1]], x[c[2]]);
      if (after >= before || after >= FLATTEST) continue;
      for (int k = 0; k < 3; k++) x[c[k]] = from[c[k]];
      any = true;
    }
  }
}

/* Moves the boundary so that the triangles have the area, as nearly as beta between 0 and 1 can. */
static vlCode fit_area(Fill *f, double area, vlStatus *status)
{
  size_t bytes = ((size_t)f->t.point_count + 1) * sizeof(vlVec3);
  vlVec3 *x = malloc(bytes);
  if (!x) return vl_fail_memory(status, bytes, "a section");
  double off = triangles_area(f, f->t.x);
  draw_in(f, x, 1.0);
  double on = triangles_area(f, x), beta = on != off ? (area - off) / (on - off) : 0.0;
  draw_in(f, x, fmin(fmax(beta, 0.0), 1.0));
  hold_back(f, x);
  free(f->t.x);
  f->t.x = x;
  return VL_OK;
}

/* The smallest number of a point that hangs together with p. */
static int root(int *parent, int p)
{
  while (parent[p] != p) p = parent[p] = parent[parent[p]];
  return p;
}

/* Counts the parts, and leaves out those that are smaller than a square while there are larger ones. */
static vlCode count_pieces(Fill *f, vlStuffInfo *info, vlStatus *status)
{
  size_t points = (size_t)f->t.point_count + 1;
  int *parent = malloc(points * sizeof *parent), kept = 0;
  double *area = calloc(points, sizeof *area), largest = 0.0;
  vlCode code = parent && area ? VL_OK : vl_fail_memory(status, points * (sizeof *parent + sizeof *area), "a section");
  for (int p = 0; p < f->t.point_count && !code; p++) parent[p] = p;
  for (int t = 0; t < f->t.tri_count && !code; t++)
    for (int k = 1; k < 3; k++) {
      int a = root(parent, f->t.tri[t][0]), b = root(parent, f->t.tri[t][k]);
      parent[a > b ? a : b] = a > b ? b : a;
    }
  for (int t = 0; t < f->t.tri_count && !code; t++) {
    const int *c = f->t.tri[t];
    double *sum = &area[root(parent, c[0])];
    *sum += 0.5 * vl_twice_area(f->t.x[c[0]], f->t.x[c[1]], f->t.x[c[2]]);
    largest = fmax(largest, *sum);
  }
  double least = fmin(f->t.h * f->t.h, largest);
  for (int p = 0; p < f->t.point_count && !code; p++) {
    if (area[p] >= least && area[p] > 0.0) info->pieces++;
    if (area[p] < least && area[p] > 0.0) info->crumbs++;
  }
  for (int t = 0; t < f->t.tri_count && !code; t++) {
    if (area[root(parent, f->t.tri[t][0])] < least) continue;
    for (int k = 0; k < 3; k++) f->t.tri[kept][k] = f->t.tri[t][k];
    kept++;
  }
  if (!code) f->t.tri_count = kept;
  free(parent);
  free(area);
  return code;
}

/* Does the section, or a gap in it, end a wall's depth behind x, on a side that faces this one? */
static bool ends_behind(const Fill *f, vlVec3 x, vlVec3 n, double depth)
{
  vlVec3 y = vl_axpy(x, -depth, n);
  double d = distance(f, y);
  bool over = depth > 0.0 ? d > 1e-6 * f->t.h : d < -1e-6 * f->t.h;
  return over && vl_dot(n, f->flat.gradient(f->flat.data, y)) < FACING;
}

static void find_thin(const Fill *f, vlStuffInfo *info)
{
  for (int p = 0; p < f->t.point_count; p++) {
    vlVec3 x = f->t.x[p];
    if (!f->t.edge[p]) continue;
    vlVec3 n = f->flat.gradient(f->flat.data, x);
    info->samples++;
    bool thin = ends_behind(f, x, n, DEPTH * f->t.h), narrow = !thin && ends_behind(f, x, n, -DEPTH * f->t.h);
    if ((thin && !info->thin) || (narrow && !info->narrow && !info->thin)) info->first_thin = x;
    info->thin += thin;
    info->narrow += narrow;
  }
}

static void clear(vlTriangles *t)
{
  free(t->x);
  free(t->edge);
  free(t->tri);
  *t = (vlTriangles){0};
}

/* The triangles at h, with *info. */
static vlCode fill(Fill *f, double h, double area, vlStuffInfo *info, vlStatus *status)
{
  vlSection section;
  f->t.h = h;
  *info = (vlStuffInfo){.cell = h};
  vlCode code = vl_section_quads(&section, f->flat, lattice_box(f->bounds, h), h, status);
  if (!code) code = split(&f->t, &section, status);
  vl_section_clear(&section);
  if (!code) code = vl_triangles_tidy(&f->t, status);
  if (!code && !f->t.tri_count)
    code = vl_fail(status, VL_ERROR_MESH,
                   "cell is %g m: no triangle of that size fits into the section; it needs a smaller one", h);
  if (!code) code = fit_area(f, area, status);
  if (!code) code = count_pieces(f, info, status);
  if (!code) find_thin(f, info);
  if (!code) info->missing = 1.0 - triangles_area(f, f->t.x) / area;
  if (code) clear(&f->t);
  return code;
}

/* Without a cell: as many squares as are good to step, more where the section is thin. */
static vlCode fill_well(Fill *f, double *cell, vlStuffInfo *info, vlStatus *status)
{
  vlVec3 size = vl_sub(f->bounds.hi, f->bounds.lo);
  double h = *cell > 0.0 ? *cell : fmax(size.x, size.y) / FIRST, area = 0.0;
  vlCode code = own_area(&area, f, h, status);
  if (!code && !(area > 0.0)) code = vl_fail(status, VL_ERROR_SCENE, "nothing of the shape is in the slab, at z = 0");
  if (code || *cell > 0.0) return code ? code : fill(f, h, area, info, status);
  for (h = sqrt(area / QUADS);; h *= 0.5) {
    bool last = 4.0 * area / (h * h) > QUADS_MOST;
    code = own_area(&area, f, h, status);
    vlStatus quiet = {0};
    if (!code) code = fill(f, h, area, info, last ? status : &quiet);
    if (last || (code && code != VL_ERROR_MESH)) break;
    if (!code && !vl_stuff_is_coarse(info)) break;
    if (!code) clear(&f->t);
  }
  *cell = h;
  return code;
}

static void add_prism(vlTetMesh *mesh, const int corner[3], int top)
{
  int a = corner[0], b = corner[1], c = corner[2];
  for (int k = 0; k < 2; k++) { /* sorted, in two rounds */
    if (a > b) {
      int s = a;
      a = b;
      b = s;
    }
    if (b > c) {
      int s = b;
      b = c;
      c = s;
    }
  }
  const int tet[3][4] = {{a, b, c, c + top}, {a, b, b + top, c + top}, {a, a + top, b + top, c + top}};
  for (int k = 0; k < 3; k++) {
    int *t = mesh->tet[mesh->tet_count];
    for (int i = 0; i < 4; i++) t[i] = tet[k][i];
    if (vl_tetmesh_tet_volume(mesh, mesh->tet_count) < 0.0) {
      t[2] = tet[k][3];
      t[3] = tet[k][2];
    }
    mesh->tet_count++;
  }
}

/* Points that no triangle has are left out. */
static vlCode extrude(vlTetMesh *mesh, const Fill *f, double thickness, vlStatus *status)
{
  int *number = malloc(((size_t)f->t.point_count + 1) * sizeof *number), used = 0;
  if (!number) return vl_fail_memory(status, (size_t)f->t.point_count * sizeof *number, "a section");
  for (int p = 0; p < f->t.point_count; p++) number[p] = -1;
  for (int t = 0; t < f->t.tri_count; t++)
    for (int k = 0; k < 3; k++) number[f->t.tri[t][k]] = 0;
  for (int p = 0; p < f->t.point_count; p++)
    if (number[p] == 0) number[p] = used++;
  vlCode code = vl_tetmesh_create(mesh, 2 * used, 3 * f->t.tri_count, status);
  for (int p = 0; p < f->t.point_count && !code; p++)
    for (int end = 0; end < 2 && number[p] >= 0; end++)
      mesh->node[number[p] + end * used] = vl_vec(f->t.x[p].x, f->t.x[p].y, (end - 0.5) * thickness);
  mesh->tet_count = 0;
  for (int t = 0; t < f->t.tri_count && !code; t++) {
    const int *c = f->t.tri[t];
    add_prism(mesh, (const int[3]){number[c[0]], number[c[1]], number[c[2]]}, used);
  }
  free(number);
  return code;
}

static vlCode check_bounds(vlBox3 box, vlStatus *status)
{
  for (int a = 0; a < 2; a++)
    if (!isfinite(box.hi.v[a] - box.lo.v[a]))
      return vl_fail(status, VL_ERROR_SCENE, "the shape has no end along %c; a body must be bounded", 'x' + a);
  if (vl_box_is_empty(box)) return vl_fail(status, VL_ERROR_SCENE, "the shape is empty: its parts have nothing in common");
  return VL_OK;
}

vlCode vl_section_fill(vlTetMesh *mesh, const vlShape *shape, double *cell, double thickness, vlStuffInfo *info,
                       vlStatus *status)
{
  vlSdf *sdf = NULL;
  Fill f = {0};
  *mesh = (vlTetMesh){0};
  *info = (vlStuffInfo){0};
  vlCode code = vl_sdf_create(&sdf, shape, status);
  const vlRegion region = {region_distance, region_gradient, sdf};
  f.sdf = sdf;
  f.flat = vl_region_flat(&region);
  if (!code) f.bounds = vl_sdf_bounds(sdf);
  if (!code) code = check_bounds(f.bounds, status);
  if (!code) code = fill_well(&f, cell, info, status);
  if (!code) code = extrude(mesh, &f, thickness, status);
  if (!code) code = vl_tetmesh_check(mesh, "of the section", NULL, status);
  if (code) vl_tetmesh_clear(mesh);
  clear(&f.t);
  vl_sdf_destroy(&sdf);
  return code;
}
