/* Dual contouring in the plane [ju2002], and a prism over it.
 *
 * Every square of a lattice has one point: where the section's boundary passes through it the point that fits the tangents
 * at the crossings of the square's sides best (up to a square outside, if it lies on the boundary: a corner that no square
 * with a node inside holds), else its middle. Around each node inside the section the points of its four
 * squares make a quad; all quads together are the section, and where a node inside has one outside beside it the side of its
 * quad is a piece of the boundary. A square with two nodes inside across from each other holds two pieces of boundary and
 * has a point for each. The quads are the lids of the prism, at both ends, and pieces of boundary its sides.
 *
 *     3 --- 2      corners of a square; crossings on sides 01 12 32 03
 *     |  p  |
 *     0 --- 1
 *
 * signed distance -> triangles, closed, in an order that depends on the lattice alone. */
#include "mesh/sdf.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/contour.h"

enum { BISECTIONS = 50, NONE = -1 };

typedef struct Lattice {
  const vlSdf *sdf;
  vlVec3 origin; /* m: node (0, 0) */
  double h;
  int n[2];        /* nodes along x and y */
  bool *inside;    /* [n[1]][n[0]] */
  int (*point)[2]; /* of each square, the second where there are two; NONE: not used [n[1]][n[0]] */
  vlVec3 *x;       /* m: of points [count] */
  int count;
} Lattice;

static vlVec3 node_place(const Lattice *l, int i, int j) { return vl_axpy(l->origin, l->h, vl_vec(i, j, 0)); }

static bool is_inside(const Lattice *l, int i, int j)
{
  return i >= 0 && j >= 0 && i < l->n[0] && j < l->n[1] && l->inside[i + l->n[0] * j];
}

/* Where the boundary crosses from a, inside, to b. */
static vlVec3 crossing(const Lattice *l, vlVec3 a, vlVec3 b)
{
  for (int k = 0; k < BISECTIONS; k++) {
    vlVec3 middle = vl_scale(vl_add(a, b), 0.5);
    if (vl_sdf_distance(l->sdf, middle) < 0.0)
      a = middle;
    else
      b = middle;
  }
  return b;
}

/* The point for the boundary around the corners of the mask in the square at (i, j). */
static vlVec3 boundary_point(const Lattice *l, int i, int j, const bool corner[4])
{
  static const int at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  vlVec3 x[4], mean = vl_vec(0, 0, 0), lo = node_place(l, i, j), hi = node_place(l, i + 1, j + 1);
  int count = 0;
  for (int c = 0; c < 4; c++) {
    int d = (c + 1) % 4;
    if (corner[c] == corner[d]) continue;
    vlVec3 p = node_place(l, i + at[c][0], j + at[c][1]), q = node_place(l, i + at[d][0], j + at[d][1]);
    x[count] = corner[c] ? crossing(l, p, q) : crossing(l, q, p);
    mean = vl_add(mean, x[count++]);
  }
  mean = vl_scale(mean, 1.0 / count);
  vlQef qef = {0};
  for (int k = 0; k < count; k++) {
    vlVec3 normal = vl_sdf_gradient(l->sdf, x[k]);
    normal.z = 0.0;
    if (!(vl_norm(normal) > 1e-6)) return mean; /* the plane touches it there */
    normal = vl_unit(normal);
    vl_qef_add(&qef, normal, vl_dot(normal, vl_sub(x[k], mean)));
  }
  vl_qef_factor(&qef);
  double smallest = fabs(vl_sdf_distance(l->sdf, mean));
  for (int rank = vl_qef_rank(&qef, 1e-10); rank > 0; rank--) {
    if (rank > 2) continue;
    vlVec3 p = vl_add(mean, vl_qef_solve(&qef, rank));
    p.z = 0.0;
    double d = fabs(vl_sdf_distance(l->sdf, p)), out = 0.0;
    for (int a = 0; a < 2; a++) out = fmax(out, fmax(lo.v[a] - p.v[a], p.v[a] - hi.v[a]));
    if (out <= 0.0 ? d <= 2.0 * smallest || d <= 1e-9 * l->h : out <= l->h && d <= 1e-9 * l->h) return p;
  }
  return mean;
}

static void place_points(Lattice *l)
{
  for (int j = 0; j < l->n[1] - 1; j++)
    for (int i = 0; i < l->n[0] - 1; i++) {
      int *point = l->point[i + l->n[0] * j];
      bool in[4] = {is_inside(l, i, j), is_inside(l, i + 1, j), is_inside(l, i + 1, j + 1), is_inside(l, i, j + 1)};
      int sum = in[0] + in[1] + in[2] + in[3];
      point[0] = point[1] = NONE;
      if (sum == 0) continue;
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

static void add(vlTriMesh *mesh, int a, int b, int c)
{
  int *t = mesh->tri[mesh->triangle_count++];
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

/* Both lids of one quad, split where neither half is turned over, if there is such a way. */
static void add_lids(vlTriMesh *mesh, const int q[4], int top)
{
  const vlVec3 *x = mesh->x;
  double even = fmin(area(x[q[0]], x[q[1]], x[q[2]]), area(x[q[0]], x[q[2]], x[q[3]])),
         odd = fmin(area(x[q[1]], x[q[2]], x[q[3]]), area(x[q[1]], x[q[3]], x[q[0]]));
  int s = odd > even;
  for (int k = 1; k < 3; k++) {
    int a = q[s], b = q[(s + k) % 4], c = q[(s + k + 1) % 4];
    add(mesh, a + top, b + top, c + top);
    add(mesh, a, c, b);
  }
}

/* Nodes below; those `top` further on are the same above. The mesh has room for 12 triangles at each node inside. */
static void build(const Lattice *l, vlTriMesh *mesh, double thickness)
{
  static const int beside[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}; /* across the quad's side from point k to k + 1 */
  int top = l->count;
  for (int p = 0; p < l->count; p++) {
    mesh->x[p] = vl_vec(l->x[p].x, l->x[p].y, -0.5 * thickness);
    mesh->x[p + top] = vl_vec(l->x[p].x, l->x[p].y, 0.5 * thickness);
  }
  mesh->triangle_count = 0;
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      int q[4];
      if (!is_inside(l, i, j)) continue;
      quad_of(l, i, j, q);
      add_lids(mesh, q, top);
      for (int k = 0; k < 4; k++) {
        if (is_inside(l, i + beside[k][0], j + beside[k][1])) continue;
        int a = q[k], b = q[(k + 1) % 4];
        add(mesh, a, b, b + top);
        add(mesh, a, b + top, a + top);
      }
    }
}

vlCode vl_section_prism(vlTriMesh **mesh, const vlSdf *sdf, vlBox3 box, double h, double thickness, vlStatus *status)
{
  *mesh = NULL;
  Lattice l = {.sdf = sdf, .origin = vl_vec(box.lo.x, box.lo.y, 0.0), .h = h};
  double wide[2];
  for (int a = 0; a < 2; a++) wide[a] = ceil((box.hi.v[a] - box.lo.v[a]) / h - 1e-6) + 1.0;
  if (wide[0] * wide[1] > 1e8)
    return vl_fail(status, VL_ERROR_SCENE, "a section of %g by %g m is too large for squares of %g m", box.hi.x - box.lo.x,
                   box.hi.y - box.lo.y, h);
  for (int a = 0; a < 2; a++) l.n[a] = (int)wide[a];
  size_t nodes = (size_t)l.n[0] * (size_t)l.n[1];
  int count = 0;
  l.inside = malloc(nodes * sizeof *l.inside);
  l.point = malloc(nodes * sizeof *l.point);
  l.x = malloc(2 * nodes * sizeof *l.x);
  vlCode code = l.inside && l.point && l.x ? VL_OK : vl_fail_memory(status, nodes * sizeof *l.x, "a section");
  for (size_t i = 0; i < nodes && !code; i++) {
    bool edge = i % (size_t)l.n[0] == 0 || (i + 1) % (size_t)l.n[0] == 0 || i / (size_t)l.n[0] == 0 ||
                i / (size_t)l.n[0] == (size_t)l.n[1] - 1; /* round-off must not open it */
    vlVec3 x = node_place(&l, (int)(i % (size_t)l.n[0]), (int)(i / (size_t)l.n[0]));
    l.inside[i] = !edge && vl_sdf_distance(sdf, x) < 0.0;
    count += l.inside[i];
  }
  if (!code) {
    place_points(&l);
    *mesh = vl_trimesh_create(2 * l.count, 12 * count);
    if (!*mesh) code = vl_fail_memory(status, (size_t)count * 12 * 3 * sizeof(int), "a section");
  }
  if (!code) build(&l, *mesh, thickness);
  free(l.inside);
  free(l.point);
  free(l.x);
  return code;
}
