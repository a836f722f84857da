/* Dual contouring in the plane [ju2002], and a prism over it.
 *
 * Every square of a lattice has one point: where the section's boundary passes through it the vertex of its sheet
 * (contour_vertex.c), of a region that is flat along z; else its middle. Around each node inside the section the points of
 * its four squares make a quad; all quads together are the section, and where a node inside has one outside beside it the
 * side of its quad is a piece of the boundary. A square with two nodes inside across from each other holds two pieces of
 * boundary and has a point for each. The quads are the lids of the prism, at both ends, and pieces of boundary its sides.
 *
 *     3 --- 2      corners of a square; crossings on sides 01 12 32 03
 *     |  p  |
 *     0 --- 1
 *
 * Far from the boundary little is needed: squares of nodes whose middle is farther from it than they reach have one sign,
 * and lids need no point whose squares on all sides are inside. In a row of such quads the points that are left above and
 * below lie on two lines, and triangles between them fill the row. What a section costs follows its boundary, and its rows.
 * signed distance -> triangles, closed, in an order that depends on the lattice alone. */
#include "mesh/contour.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/contour_lattice.h"

enum { TILE = 64, NONE = -1 };

typedef struct Lattice {
  vlClipped clipped;     /* the section in its box, the same for all z */
  int n[2];              /* nodes along x and y */
  bool full;             /* every square that a quad reaches has its point, and it lies in the square */
  unsigned char *inside; /* [n[1]][n[0]] */
  int (*point)[2];       /* of each square, the second where there are two; NONE: not used [n[1]][n[0]] */
  vlVec3 *x;             /* m: of points [count] */
  int count;
} Lattice;

static double flat_distance(const void *data, vlVec3 x)
{
  const vlRegion *region = data;
  return region->distance(region->data, vl_vec(x.x, x.y, 0.0));
}

/* Zero where the plane only touches the region. */
static vlVec3 flat_gradient(const void *data, vlVec3 x)
{
  const vlRegion *region = data;
  vlVec3 g = region->gradient(region->data, vl_vec(x.x, x.y, 0.0));
  g.z = 0.0;
  return vl_norm(g) > 1e-6 ? vl_unit(g) : vl_vec(0, 0, 0);
}

vlRegion vl_region_flat(const vlRegion *region) { return (vlRegion){flat_distance, flat_gradient, region}; }

static vlVec3 node_place(const Lattice *l, int i, int j)
{
  return vl_axpy(l->clipped.origin, l->clipped.h, vl_vec(i, j, 0));
}

static bool is_inside(const Lattice *l, int i, int j)
{
  return i >= 0 && j >= 0 && i < l->n[0] && j < l->n[1] && l->inside[i + l->n[0] * j];
}

/* Signs of m^2 nodes from (i, j) on, m a power of two, quartered where they may differ. The margin is for distances that are
 * 1-Lipschitz only nearly. */
static void sample(Lattice *l, int i, int j, int m)
{
  if (i >= l->n[0] || j >= l->n[1]) return;
  double half = 0.5 * (m - 1);
  double d = vl_clipped_distance(&l->clipped, vl_axpy(node_place(l, i, j), half * l->clipped.h, vl_vec(1, 1, 0)));
  if (m > 1 && fabs(d) <= 1.1 * half * sqrt(2.0) * l->clipped.h) {
    for (int k = 0; k < 4; k++) sample(l, i + (k & 1) * m / 2, j + (k >> 1) * m / 2, m / 2);
    return;
  }
  for (int b = j; b < j + m && b < l->n[1]; b++)
    for (int a = i; a < i + m && a < l->n[0]; a++) l->inside[a + l->n[0] * b] = d < 0.0;
}

static void sample_all(Lattice *l)
{
  int wide = (l->n[0] + TILE - 1) / TILE, high = (l->n[1] + TILE - 1) / TILE;
#pragma omp parallel for schedule(dynamic, 1)
  for (int t = 0; t < wide * high; t++) sample(l, t % wide * TILE, t / wide * TILE, TILE);
}

static bool in_square(const Lattice *l, int i, int j, vlVec3 x)
{
  vlVec3 low = node_place(l, i, j), high = node_place(l, i + 1, j + 1);
  return x.x >= low.x && x.x <= high.x && x.y >= low.y && x.y <= high.y;
}

/* The point for the boundary around the corners of the mask in the square at (i, j). */
static vlVec3 boundary_point(const Lattice *l, int i, int j, const bool corner[4])
{
  static const struct {
    int at[2], axis;
  } side[4] = {{{0, 0}, 0}, {{1, 0}, 1}, {{0, 1}, 0}, {{0, 0}, 1}}; /* from corner c to c + 1, by its lower node */
  vlCrossing crossing[4];
  int count = 0;
  for (int c = 0; c < 4; c++)
    if (corner[c] != corner[(c + 1) % 4])
      crossing[count++] = vl_clipped_crossing(&l->clipped, (int[3]){i + side[c].at[0], j + side[c].at[1], 0}, side[c].axis);
  vlVec3 x = vl_clipped_vertex(&l->clipped, (int[3]){i, j, 0}, crossing, count), middle = vl_vec(0, 0, 0);
  if (!l->full || in_square(l, i, j, x)) return x;
  for (int c = 0; c < count; c++) middle = vl_axpy(middle, 1.0 / count, crossing[c].x);
  return middle;
}

/* Whether all nodes from (i, j) to (i + m, j + m) are inside. */
static bool all_inside(const Lattice *l, int i, int j, int m)
{
  for (int b = j; b <= j + m; b++)
    for (int a = i; a <= i + m; a++)
      if (!is_inside(l, a, b)) return false;
  return true;
}

static void place_points(Lattice *l)
{
  for (int j = 0; j < l->n[1] - 1; j++)
    for (int i = 0; i < l->n[0] - 1; i++) {
      int *point = l->point[i + l->n[0] * j];
      bool in[4] = {is_inside(l, i, j), is_inside(l, i + 1, j), is_inside(l, i + 1, j + 1), is_inside(l, i, j + 1)};
      int sum = in[0] + in[1] + in[2] + in[3];
      point[0] = point[1] = NONE;
      if (sum == 0 || (!l->full && all_inside(l, i - 1, j - 1, 3))) continue;
      point[0] = l->count;
      if (sum == 4) {
        l->x[l->count++] = vl_scale(vl_add(node_place(l, i, j), node_place(l, i + 1, j + 1)), 0.5);
      } else if (sum == 2 && in[0] == in[2]) { /* two nodes across from each other, apart */
        bool first[4] = {in[0], in[1], false, false}, second[4] = {false, false, in[2], in[3]};
        l->x[l->count++] = boundary_point(l, i, j, first);
        point[1] = l->count;
        l->x[l->count++] = boundary_point(l, i, j, second);
      } else {
        l->x[l->count++] = boundary_point(l, i, j, in);
      }
    }
}

/* The point of the square at (i, j) that belongs to its corner c. */
static int point_of(const Lattice *l, int i, int j, int c)
{
  const int *point = l->point[i + l->n[0] * j];
  return point[1] != NONE && c >= 2 ? point[1] : point[0];
}

/* Points around the node (i, j), counter-clockwise from the square at its lower left. */
static void quad_of(const Lattice *l, int i, int j, int quad[4])
{
  quad[0] = point_of(l, i - 1, j - 1, 2);
  quad[1] = point_of(l, i, j - 1, 3);
  quad[2] = point_of(l, i, j, 0);
  quad[3] = point_of(l, i - 1, j, 1);
}

static double area(vlVec3 a, vlVec3 b, vlVec3 c) { return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y); }

/* Only counted while the mesh has no room. */
static void add(vlTriMesh *mesh, int a, int b, int c)
{
  int *t = mesh->tri ? mesh->tri[mesh->triangle_count] : NULL;
  mesh->triangle_count++;
  if (!t) return;
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

/* Both lids of one quad, split where neither half is turned over, if there is such a way. */
static void add_lids(vlTriMesh *mesh, const vlVec3 *x, const int q[4], int top)
{
  double even = fmin(area(x[q[0]], x[q[1]], x[q[2]]), area(x[q[0]], x[q[2]], x[q[3]])),
         odd = fmin(area(x[q[1]], x[q[2]], x[q[3]]), area(x[q[1]], x[q[3]], x[q[0]]));
  int s = odd > even;
  for (int k = 1; k < 3; k++) {
    int a = q[s], b = q[(s + k) % 4], c = q[(s + k + 1) % 4];
    add(mesh, a + top, b + top, c + top);
    add(mesh, a, c, b);
  }
}

/* The next square after (i, j) along x, up to i = last, that has a point; last + 1: there is none. */
static int next_point(const Lattice *l, int i, int j, int last)
{
  do i++;
  while (i <= last && l->point[i + l->n[0] * j][0] == NONE);
  return i;
}

/* Both lids of the quads of nodes from (first, j) to (last, j), all of whose points are middles of squares: the points that
 * there are lie on two lines. */
static void add_row(const Lattice *l, vlTriMesh *mesh, int first, int last, int j)
{
  int below = first - 1, above = first - 1, top = l->count;
  while (below < last || above < last) {
    int b = next_point(l, below, j - 1, last), a = next_point(l, above, j, last);
    int p = l->point[below + l->n[0] * (j - 1)][0], q = l->point[above + l->n[0] * j][0], r;
    if (b <= a) {
      r = l->point[b + l->n[0] * (j - 1)][0];
      below = b;
    } else {
      r = l->point[a + l->n[0] * j][0];
      above = a;
    }
    add(mesh, p + top, r + top, q + top);
    add(mesh, p, q, r);
  }
}

static void add_quad(const Lattice *l, vlTriMesh *mesh, int i, int j)
{
  static const int beside[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}; /* across the quad's side from point k to k + 1 */
  int q[4], top = l->count;
  quad_of(l, i, j, q);
  add_lids(mesh, l->x, q, top);
  for (int k = 0; k < 4; k++) {
    if (is_inside(l, i + beside[k][0], j + beside[k][1])) continue;
    int a = q[k], b = q[(k + 1) % 4];
    add(mesh, a, b, b + top);
    add(mesh, a, b + top, a + top);
  }
}

/* Points below; those l->count further on are the same above. */
static void add_triangles(const Lattice *l, vlTriMesh *mesh)
{
  mesh->triangle_count = 0;
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      if (!is_inside(l, i, j)) continue;
      int last = i;
      while (all_inside(l, last - 1, j - 1, 2)) last++;
      if (last > i) {
        add_row(l, mesh, i, last - 1, j);
        i = last - 1;
      } else {
        add_quad(l, mesh, i, j);
      }
    }
}

static vlCode build(const Lattice *l, vlTriMesh **mesh, double thickness, vlStatus *status)
{
  vlTriMesh counted = {0};
  add_triangles(l, &counted);
  *mesh = vl_trimesh_create(2 * l->count, counted.triangle_count);
  if (!*mesh) return vl_fail_memory(status, (size_t)counted.triangle_count * sizeof *counted.tri, "a section");
  for (int p = 0; p < l->count; p++)
    for (int end = 0; end < 2; end++) (*mesh)->x[p + end * l->count] = vl_vec(l->x[p].x, l->x[p].y, (end - 0.5) * thickness);
  add_triangles(l, *mesh);
  return VL_OK;
}

static vlCode lay_out(Lattice *l, vlBox3 box, vlStatus *status)
{
  double wide[2], h = l->clipped.h;
  for (int a = 0; a < 2; a++) wide[a] = ceil((box.hi.v[a] - box.lo.v[a]) / h) + 1.0;
  if (!(wide[0] * wide[1] <= 1e8))
    return vl_fail(status, VL_ERROR_SCENE, "a section of %g by %g m is too large for squares of %g m", box.hi.x - box.lo.x,
                   box.hi.y - box.lo.y, h);
  for (int a = 0; a < 2; a++) l->n[a] = (int)wide[a];
  size_t nodes = (size_t)l->n[0] * (size_t)l->n[1];
  l->inside = malloc(nodes);
  l->point = malloc(nodes * sizeof *l->point);
  l->x = malloc(2 * nodes * sizeof *l->x);
  return l->inside && l->point && l->x ? VL_OK : vl_fail_memory(status, nodes * 2 * sizeof *l->x, "a section");
}

/* The lattice with its signs and points; `flat` must live as long. */
static vlCode look(Lattice *l, const vlRegion *region, vlBox3 box, double h, bool full, vlStatus *status)
{
  box.lo.z = -INFINITY;
  box.hi.z = INFINITY;
  *l = (Lattice){.clipped = {vl_region_flat(region), box, h, vl_vec(box.lo.x, box.lo.y, 0.0)}, .full = full};
  vlCode code = lay_out(l, box, status);
  if (code) return code;
  sample_all(l);
  place_points(l);
  return VL_OK;
}

static void clear(Lattice *l)
{
  free(l->inside);
  free(l->point);
  free(l->x);
}

vlCode vl_section_prism(vlTriMesh **mesh, vlRegion region, vlBox3 box, double h, double thickness, vlStatus *status)
{
  Lattice l;
  *mesh = NULL;
  vlCode code = look(&l, &region, box, h, false, status);
  if (!code) code = build(&l, mesh, thickness, status);
  clear(&l);
  return code;
}

static bool is_middle(const Lattice *l, int i, int j) { return all_inside(l, i, j, 1); }

vlCode vl_section_quads(vlSection *section, vlRegion region, vlBox3 box, double h, vlStatus *status)
{
  Lattice l;
  *section = (vlSection){0};
  vlCode code = look(&l, &region, box, h, true, status);
  size_t nodes = (size_t)l.n[0] * (size_t)l.n[1], quads = 0;
  for (size_t i = 0; i < nodes && !code; i++) quads += l.inside[i];
  if (!code) section->quad = malloc((quads + 1) * sizeof *section->quad);
  if (!code) section->edge = calloc((size_t)l.count + 1, 1);
  if (!code && (!section->quad || !section->edge))
    code = vl_fail_memory(status, (quads + 1) * sizeof *section->quad, "a section");
  for (int j = 0; j < l.n[1] && !code; j++)
    for (int i = 0; i < l.n[0]; i++) {
      if (is_inside(&l, i, j)) quad_of(&l, i, j, section->quad[section->quad_count++]);
      for (int k = 0; k < 2 && i < l.n[0] - 1 && j < l.n[1] - 1; k++) {
        int p = l.point[i + l.n[0] * j][k];
        if (p != NONE) section->edge[p] = !is_middle(&l, i, j);
      }
    }
  if (!code) {
    section->x = l.x;
    section->point_count = l.count;
    l.x = NULL;
  } else {
    vl_section_clear(section);
  }
  clear(&l);
  return code;
}

void vl_section_clear(vlSection *section)
{
  free(section->x);
  free(section->quad);
  free(section->edge);
  *section = (vlSection){0};
}
