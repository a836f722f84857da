/* Topology of dual contouring: every crossed lattice edge becomes a polygon between vertices of the four cubes around it,
 * one vertex for each sheet of the surface in a cube, so each directed edge of the result meets its
 * opposite whatever the signs are. Where two sheets would share one edge between the same two vertices, each receives its
 * own point on the side between the cubes, which keeps the surface a manifold.
 *
 * Every pass runs over pieces in their own order, each into its own range of the mesh: threads do not change it. */
#include "mesh/contour.h"

#include <limits.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"

enum { NONE = -1, FLAG_SHIFT = 13 };

typedef struct Piece {
  int64_t first_vertex, first_triangle;
  int vertices, triangles;
} Piece;

struct vlContourPass {
  const vlContourSource *source;
  Piece *pieces;   /* [pieces] */
  uint16_t *first; /* first vertex of every cube in its piece; from FLAG_SHIFT on a bit for each lower side that is pinched
                      [pieces][cubes] */
  vlTriMesh *mesh; /* NULL: triangles are only counted */
  void (*run)(vlContourPass *pass, int piece, void *view);
  vlCube cubes[256]; /* without joined sides, by their inside corners */
};

void vl_contour_pass(vlContourPass *pass, int piece, void *view) { pass->run(pass, piece, view); }

static vlCube cube_at(const vlContourPass *pass, const void *view, const int n[3])
{
  int inside = pass->source->inside(view, n);
  int joined = vl_cube_ambiguous_sides(inside) ? pass->source->joined(view, n, inside) : 0;
  if (!joined) return pass->cubes[inside];
  vlCube cube;
  vl_cube_build(&cube, inside, joined);
  return cube;
}

/* Numbers the vertices of a piece: for each cube its sheets, then two for each pinched lower side. */
static void number_vertices(vlContourPass *pass, int piece, void *view)
{
  const vlContourSource *source = pass->source;
  int count = 0;
  for (int i = 0, n[3]; i < source->cubes; i++) {
    source->node(i, n);
    vlCube cube = cube_at(pass, view, n);
    int flags = 0, first = count, ambiguous = vl_cube_ambiguous_sides(cube.inside);
    count += cube.count;
    for (int a = 0; a < 3; a++) {
      if (!(ambiguous >> 2 * a & 1)) continue;
      vlCube below = cube_at(pass, view, (int[3]){n[0] - (a == 0), n[1] - (a == 1), n[2] - (a == 2)});
      if (!vl_cube_side_pinched(&below, &cube, a)) continue;
      flags |= 1 << a;
      count += 2;
    }
    pass->first[(size_t)piece * (size_t)source->cubes + (size_t)i] = (uint16_t)(first | flags << FLAG_SHIFT);
  }
  pass->pieces[piece].vertices = count;
}

/* First vertex of the cube at n, and the flags of its pinched lower sides. */
static int64_t first_vertex(const vlContourPass *pass, const void *view, const int n[3], int *flags)
{
  ptrdiff_t at = pass->source->find(view, n);
  int entry = pass->first[at];
  *flags = entry >> FLAG_SHIFT;
  return pass->pieces[at / pass->source->cubes].first_vertex + (entry & ((1 << FLAG_SHIFT) - 1));
}

/* The point on the lower side across `axis` of the cube at n for the line through `edge`; NONE if the side is not pinched.
 */
static int64_t side_vertex(const vlContourPass *pass, const void *view, const int n[3], int axis, int edge)
{
  int flags, pairs[2][2];
  int64_t vertex = first_vertex(pass, view, n, &flags);
  if (!(flags >> axis & 1)) return NONE;
  vlCube cube = cube_at(pass, view, n);
  vertex += cube.count;
  for (int a = 0; a < axis; a++) vertex += 2 * (flags >> a & 1);
  vl_cube_side_pairs(&cube, 2 * axis, pairs);
  return pairs[0][0] == edge || pairs[0][1] == edge ? vertex : vertex + 1;
}

/* The polygon around the lattice edge along `axis` from node n, counter-clockwise seen from outside: four to eight vertices.
 * up: n is inside, the surface faces up the axis. *start: where its fan begins; a fan from a point of a pinched side joins
 * no two cubes across that side. */
static int polygon(const vlContourPass *pass, const void *view, const int n[3], int axis, bool up, int64_t vertex[8],
                   int *start)
{
  static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}}; /* steps down along the axes b, c */
  int b = (axis + 1) % 3, c = (axis + 2) % 3, count = 0;
  for (int k = 0; k < 4; k++) {
    const int *here = around[up ? k : 3 - k], *next = around[up ? (k + 1) % 4 : (6 - k) % 4];
    int at[3] = {n[0], n[1], n[2]}, flags;
    at[b] -= here[0];
    at[c] -= here[1];
    vlCube cube = cube_at(pass, view, at);
    vertex[count++] = first_vertex(pass, view, at, &flags) + cube.sheet[4 * axis + here[0] + 2 * here[1]];
    /* The next cube lies across axis b or c; the upper of the two knows about the side between them. */
    bool across_b = here[0] != next[0];
    int upper[3] = {n[0], n[1], n[2]}, edge = 4 * axis + (across_b ? 2 * here[1] : here[0]);
    upper[across_b ? c : b] -= here[across_b ? 1 : 0];
    int64_t point = side_vertex(pass, view, upper, across_b ? b : c, edge);
    if (point == NONE) continue;
    *start = count;
    vertex[count++] = point;
  }
  return count;
}

/* Counts the triangles of a piece, or writes them when there is a mesh. */
static void make_triangles(vlContourPass *pass, int piece, void *view)
{
  const vlTriMesh *mesh = pass->mesh;
  int count = 0;
  int64_t v[8];
  for (int i = 0, n[3]; i < pass->source->cubes; i++) {
    pass->source->node(i, n);
    int inside = pass->source->inside(view, n);
    for (int a = 0; a < 3; a++) {
      if ((inside & 1) == (inside >> (1 << a) & 1)) continue;
      int start = 0, size = polygon(pass, view, n, a, inside & 1, v, &start);
      if (mesh && size == 4) {
        const vlVec3 *x = mesh->x;
        start = vl_norm(vl_sub(x[v[1]], x[v[3]])) < vl_norm(vl_sub(x[v[0]], x[v[2]])); /* the shorter diagonal */
      }
      for (int t = 1; mesh && t < size - 1; t++) {
        int *tri = mesh->tri[pass->pieces[piece].first_triangle + count + t - 1];
        tri[0] = (int)v[start];
        tri[1] = (int)v[(start + t) % size];
        tri[2] = (int)v[(start + t + 1) % size];
      }
      count += size - 2;
    }
  }
  pass->pieces[piece].triangles = count;
}

/* Positions of the vertices of a piece, in the order of number_vertices. */
static void place_vertices(vlContourPass *pass, int piece, void *view)
{
  const vlContourSource *source = pass->source;
  vlVec3 *out = pass->mesh->x + pass->pieces[piece].first_vertex;
  for (int i = 0, n[3]; i < source->cubes; i++) {
    source->node(i, n);
    vlCube cube = cube_at(pass, view, n);
    if (cube.count == 0) continue;
    source->place(view, n, &cube, out);
    out += cube.count;
    for (int a = 0; a < 3; a++) {
      int pairs[2][2];
      if (!(pass->first[(size_t)piece * (size_t)source->cubes + (size_t)i] >> (FLAG_SHIFT + a) & 1)) continue;
      vl_cube_side_pairs(&cube, 2 * a, pairs);
      for (int k = 0; k < 2; k++) *out++ = source->middle(view, n, &cube, pairs[k]);
    }
  }
}

static void run(vlContourPass *pass, void (*what)(vlContourPass *pass, int piece, void *view))
{
  const vlContourSource *source = pass->source;
  pass->run = what;
#pragma omp parallel for schedule(dynamic, source->chunk)
  for (int p = 0; p < source->pieces; p++) source->look(source->data, p, pass);
}

static vlCode build(vlContourPass *pass, vlTriMesh **mesh, vlStatus *status)
{
  int64_t vertices = 0, triangles = 0;
  const char *name = pass->source->name;
  run(pass, number_vertices);
  for (int p = 0; p < pass->source->pieces; p++) {
    pass->pieces[p].first_vertex = vertices;
    vertices += pass->pieces[p].vertices;
  }
  run(pass, make_triangles);
  for (int p = 0; p < pass->source->pieces; p++) {
    pass->pieces[p].first_triangle = triangles;
    triangles += pass->pieces[p].triangles;
  }
  if (triangles > INT_MAX || vertices > INT_MAX)
    return vl_fail(status, VL_ERROR_SCENE, "%s has %lld triangles, at most %d are possible", name, (long long)triangles,
                   INT_MAX);
  vlTriMesh *m = *mesh = pass->mesh = vl_trimesh_create((int)vertices, (int)triangles);
  if (!m) return vl_fail_memory(status, (size_t)triangles * sizeof *m->tri + (size_t)vertices * sizeof *m->x, name);
  run(pass, place_vertices);
  run(pass, make_triangles);
  return VL_OK;
}

vlCode vl_contour_mesh(vlTriMesh **mesh, const vlContourSource *source, vlStatus *status)
{
  *mesh = NULL;
  size_t pieces = (size_t)source->pieces, cubes = pieces * (size_t)source->cubes;
  vlContourPass *pass = calloc(1, sizeof *pass);
  if (!pass) return vl_fail_memory(status, sizeof *pass, source->name);
  pass->source = source;
  pass->pieces = calloc(pieces + 1, sizeof *pass->pieces);
  pass->first = malloc((cubes + 1) * sizeof *pass->first);
  for (int i = 0; i < 256; i++) vl_cube_build(&pass->cubes[i], i, 0);
  vlCode code = pass->pieces && pass->first
                    ? build(pass, mesh, status)
                    : vl_fail_memory(status, pieces * sizeof *pass->pieces + cubes * sizeof *pass->first, source->name);
  free(pass->pieces);
  free(pass->first);
  free(pass);
  return code;
}

/* Sheets of the surface in a cube.
 *
 * The surface cuts each side of a cube in lines between crossed edges. A side with two crossed edges has one line. A side
 * whose inside corners are diagonal has four crossed edges and two lines, around the outside corners if the inside ones
 * are joined, else around the inside corners. The caller decides from the region at the side's middle; both cubes at
 * the side decide alike. The lines join the crossed edges of a cube into loops; each loop is one sheet and receives one
 * vertex, as in dual marching cubes [nielson2004]. Sheets that pass a cube separately, such as both faces of a thin
 * wall, then stay apart, and diagonal walls have no holes. */

static int edge_index(int axis, int s, int t) { return 4 * axis + s + 2 * t; }

int vl_cube_edge_corner(int edge)
{
  int axis = edge / 4, b = (axis + 1) % 3, c = (axis + 2) % 3;
  return (edge & 1) << b | (edge >> 1 & 1) << c;
}

/* Whether the corners around a side are inside, counter-clockwise in the plane of the next two axes. */
static void side_corners(int inside, int side, bool in[4])
{
  int axis = side / 2, low = (side % 2) << axis, b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3;
  int corner[4] = {low, low | b, low | b | c, low | c};
  for (int k = 0; k < 4; k++) in[k] = inside >> corner[k] & 1;
}

int vl_cube_ambiguous_sides(int inside)
{
  int sides = 0;
  for (int side = 0; side < 6; side++) {
    bool in[4];
    side_corners(inside, side, in);
    if (in[0] == in[2] && in[1] == in[3] && in[0] != in[1]) sides |= 1 << side;
  }
  return sides;
}

int vl_cube_side_pairs(const vlCube *cube, int side, int pairs[2][2])
{
  int axis = side / 2, s = side % 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
  /* Edge k runs from corner k to corner k + 1. The other axes of edges along b are (c, axis), along c (axis, b). */
  int edge[4] = {edge_index(b, 0, s), edge_index(c, s, 1), edge_index(b, 1, s), edge_index(c, s, 0)};
  bool in[4];
  side_corners(cube->inside, side, in);
  int crossed[4], count = 0;
  for (int k = 0; k < 4; k++)
    if (in[k] != in[(k + 1) % 4]) crossed[count++] = edge[k];
  if (count == 4) {
    /* The lines run around the corners `first` and `first + 2`. */
    bool joined = cube->joined >> side & 1;
    int first = in[0] != joined ? 0 : 1;
    for (int i = 0; i < 2; i++) {
      int k = first + 2 * i;
      pairs[i][0] = edge[(k + 3) % 4];
      pairs[i][1] = edge[k];
    }
  } else if (count == 2) {
    pairs[0][0] = crossed[0];
    pairs[0][1] = crossed[1];
  }
  return count / 2;
}

void vl_cube_build(vlCube *cube, int inside, int joined)
{
  int root[12];
  bool crossed[12] = {false};
  *cube = (vlCube){.inside = (unsigned char)inside, .joined = (unsigned char)joined};
  for (int e = 0; e < 12; e++) root[e] = e;
  for (int side = 0; side < 6; side++) {
    int pairs[2][2], n = vl_cube_side_pairs(cube, side, pairs);
    for (int i = 0; i < n; i++) {
      int p = root[pairs[i][0]], q = root[pairs[i][1]];
      crossed[pairs[i][0]] = crossed[pairs[i][1]] = true;
      for (int e = 0; e < 12; e++)
        if (root[e] == p || root[e] == q) root[e] = p < q ? p : q;
    }
  }
  for (int e = 0; e < 12; e++) {
    if (!crossed[e])
      cube->sheet[e] = -1;
    else
      cube->sheet[e] = root[e] == e ? (signed char)cube->count++ : cube->sheet[root[e]];
  }
}

bool vl_cube_side_pinched(const vlCube *below, const vlCube *above, int axis)
{
  int up[2][2], down[2][2];
  if (vl_cube_side_pairs(above, 2 * axis, up) < 2 || vl_cube_side_pairs(below, 2 * axis + 1, down) < 2) return false;
  return above->sheet[up[0][0]] == above->sheet[up[1][0]] && below->sheet[down[0][0]] == below->sheet[down[1][0]];
}
