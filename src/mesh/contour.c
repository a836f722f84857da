/* Dual contouring of a region on a lattice of cubes [ju2002], one vertex for every sheet of the surface in a cube.
 *
 * Signs at the lattice nodes (contour_lattice.c) and at the middles of ambiguous sides decide the topology: every crossed
 * lattice edge becomes a polygon between the vertices of the four cubes around it, so each directed edge of the result meets
 * its opposite whatever the region is. Where two sheets would share one edge between the same two vertices, each
 * receives its own point on the side between the cubes, which keeps the surface a manifold. Vertices minimise the
 * distance to the tangent planes at the crossings (contour_vertex.c), so flat faces, edges and corners are reproduced.
 *
 * Every pass runs over blocks in their own order, each into its own range of the mesh: threads do not change it. */
#include "mesh/contour.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/contour_lattice.h"

enum { SIDE = VL_LATTICE_SIDE, NODES = VL_LATTICE_NODES, NONE = -1, FLAG_SHIFT = 13 };

/* A block of cubes that holds a piece of the surface. */
typedef struct {
  size_t block;
  int64_t first_vertex, first_triangle, vertices, triangles;
} Piece;

typedef struct {
  vlLattice lattice;
  int *piece_of; /* NONE or index into pieces [block_count] */
  Piece *pieces;
  int piece_count;
  uint16_t (*first)[NODES]; /* first vertex of every cube in its piece; from FLAG_SHIFT on a bit for each lower side that
                               is pinched [piece_count] */
} Surface;

static void cube_node(int cube, int n[3])
{
  n[0] = cube % SIDE;
  n[1] = cube / SIDE % SIDE;
  n[2] = cube / (SIDE * SIDE);
}

/* A block is a piece when one of its cubes has corners on both sides. */
static bool has_surface(const vlBlockView *view)
{
  unsigned char first = view->inside[vl_block_node((int[3]){0, 0, 0})];
  for (int k = 0; k <= SIDE; k++)
    for (int j = 0; j <= SIDE; j++)
      for (int i = 0; i <= SIDE; i++)
        if (view->inside[vl_block_node((int[3]){i, j, k})] != first) return true;
  return false;
}

static vlCode find_pieces(Surface *s, vlStatus *status)
{
  const vlLattice *l = &s->lattice;
  s->piece_of = malloc(l->block_count * sizeof *s->piece_of);
  if (!s->piece_of) return vl_fail_memory(status, l->block_count * sizeof *s->piece_of, "the contouring lattice");
#pragma omp parallel for schedule(dynamic, 64)
  for (long b = 0; b < (long)l->block_count; b++) {
    vlBlockView view;
    s->piece_of[b] = vl_block_view(&view, l, (size_t)b) && has_surface(&view) ? 0 : NONE;
  }
  for (size_t b = 0; b < l->block_count; b++)
    if (s->piece_of[b] != NONE) s->piece_of[b] = s->piece_count++;
  size_t count = (size_t)s->piece_count;
  s->pieces = calloc(count + 1, sizeof *s->pieces);
  s->first = malloc((count + 1) * sizeof *s->first);
  if (!s->pieces || !s->first)
    return vl_fail_memory(status, count * (sizeof *s->pieces + sizeof *s->first), "contouring cubes");
  for (size_t b = 0; b < l->block_count; b++)
    if (s->piece_of[b] != NONE) s->pieces[s->piece_of[b]].block = b;
  return VL_OK;
}

/* Numbers the vertices of a piece: for each cube its sheets, then two for each pinched lower side. */
static void number_vertices(Surface *s, int p)
{
  vlBlockView view;
  vl_block_view(&view, &s->lattice, s->pieces[p].block);
  int count = 0;
  for (int i = 0, n[3]; i < NODES; i++) {
    cube_node(i, n);
    vlCube cube = vl_block_cube(&view, n);
    int flags = 0, first = count, ambiguous = vl_cube_ambiguous_sides(cube.inside);
    count += cube.count;
    for (int a = 0; a < 3; a++) {
      if (!(ambiguous >> 2 * a & 1)) continue;
      vlCube below = vl_block_cube(&view, (int[3]){n[0] - (a == 0), n[1] - (a == 1), n[2] - (a == 2)});
      if (!vl_cube_side_pinched(&below, &cube, a)) continue;
      flags |= 1 << a;
      count += 2;
    }
    s->first[p][i] = (uint16_t)(first | flags << FLAG_SHIFT);
  }
  s->pieces[p].vertices = count;
}

/* First vertex of the cube at local node n (-1..7), and the flags of its pinched lower sides. */
static int64_t first_vertex(const Surface *s, const vlBlockView *view, const int n[3], int *flags)
{
  ptrdiff_t block = (ptrdiff_t)view->block, step = 1;
  int local[3];
  for (int a = 0; a < 3; a++) {
    if (n[a] < 0) block -= step;
    local[a] = n[a] < 0 ? SIDE - 1 : n[a];
    step *= (ptrdiff_t)s->lattice.blocks[a];
  }
  int piece = s->piece_of[block], entry = s->first[piece][local[0] + SIDE * (local[1] + SIDE * local[2])];
  *flags = entry >> FLAG_SHIFT;
  return s->pieces[piece].first_vertex + (entry & ((1 << FLAG_SHIFT) - 1));
}

/* The point on the lower side across `axis` of the cube at n for the line through `edge`; NONE if the side is not pinched.
 */
static int64_t side_vertex(const Surface *s, const vlBlockView *view, const int n[3], int axis, int edge)
{
  int flags, pairs[2][2];
  int64_t vertex = first_vertex(s, view, n, &flags);
  if (!(flags >> axis & 1)) return NONE;
  vlCube cube = vl_block_cube(view, n);
  vertex += cube.count;
  for (int a = 0; a < axis; a++) vertex += 2 * (flags >> a & 1);
  vl_cube_side_pairs(&cube, 2 * axis, pairs);
  return pairs[0][0] == edge || pairs[0][1] == edge ? vertex : vertex + 1;
}

/* The polygon around the lattice edge along `axis` from local node n, counter-clockwise seen from outside: four to eight
 * vertices. *start: where its fan begins; a fan from a point of a pinched side joins no two cubes across that side. */
static int polygon(const Surface *s, const vlBlockView *view, const int n[3], int axis, int64_t vertex[8], int *start)
{
  static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}}; /* steps down along the axes b, c */
  int b = (axis + 1) % 3, c = (axis + 2) % 3, count = 0;
  bool up = view->inside[vl_block_node(n)]; /* inside at the lower end: the surface faces up the axis */
  for (int k = 0; k < 4; k++) {
    const int *here = around[up ? k : 3 - k], *next = around[up ? (k + 1) % 4 : (6 - k) % 4];
    int at[3] = {n[0], n[1], n[2]}, flags;
    at[b] -= here[0];
    at[c] -= here[1];
    vlCube cube = vl_block_cube(view, at);
    vertex[count++] = first_vertex(s, view, at, &flags) + cube.sheet[4 * axis + here[0] + 2 * here[1]];
    /* The next cube lies across axis b or c; the upper of the two knows about the side between them. */
    bool across_b = here[0] != next[0];
    int upper[3] = {n[0], n[1], n[2]}, edge = 4 * axis + (across_b ? 2 * here[1] : here[0]);
    upper[across_b ? c : b] -= here[across_b ? 1 : 0];
    int64_t point = side_vertex(s, view, upper, across_b ? b : c, edge);
    if (point == NONE) continue;
    *start = count;
    vertex[count++] = point;
  }
  return count;
}

/* Counts the triangles of a piece, or writes them when there is a mesh. */
static int64_t make_triangles(const Surface *s, int p, vlTriMesh *mesh)
{
  static const int step[3] = {1, VL_LATTICE_WINDOW, VL_LATTICE_WINDOW * VL_LATTICE_WINDOW};
  vlBlockView view;
  vl_block_view(&view, &s->lattice, s->pieces[p].block);
  int64_t count = 0, first = s->pieces[p].first_triangle, v[8];
  for (int i = 0, n[3]; i < NODES; i++) {
    cube_node(i, n);
    int at = vl_block_node(n);
    for (int a = 0; a < 3; a++) {
      if (view.inside[at] == view.inside[at + step[a]]) continue;
      int start = 0, size = polygon(s, &view, n, a, v, &start);
      if (mesh && size == 4) {
        const vlVec3 *x = mesh->x;
        start = vl_norm(vl_sub(x[v[1]], x[v[3]])) < vl_norm(vl_sub(x[v[0]], x[v[2]])); /* the shorter diagonal */
      }
      for (int t = 1; mesh && t < size - 1; t++) {
        int *tri = mesh->tri[first + count + t - 1];
        tri[0] = (int)v[start];
        tri[1] = (int)v[(start + t) % size];
        tri[2] = (int)v[(start + t + 1) % size];
      }
      count += size - 2;
    }
  }
  return count;
}

/* Crossings on the edges of a piece's cubes, each found once; [axis][lower node], nodes 0..8. */
enum { CORNERS = SIDE + 1 };
typedef struct {
  vlCrossing at[3][CORNERS * CORNERS * CORNERS];
  bool known[3][CORNERS * CORNERS * CORNERS];
} Crossings;

static vlCrossing edge_crossing(const vlBlockView *view, Crossings *found, const int n[3], int edge)
{
  int from = vl_cube_edge_corner(edge), axis = edge / 4, start[3], global[3];
  for (int a = 0; a < 3; a++) {
    start[a] = n[a] + (from >> a & 1);
    global[a] = view->corner[a] + start[a];
  }
  int i = start[0] + CORNERS * (start[1] + CORNERS * start[2]);
  if (!found->known[axis][i]) found->at[axis][i] = vl_clipped_crossing(&view->lattice->clipped, global, axis);
  found->known[axis][i] = true;
  return found->at[axis][i];
}

/* Positions of the vertices of a piece, in the order of number_vertices. */
static void place_vertices(const Surface *s, int p, vlTriMesh *mesh)
{
  vlBlockView view;
  Crossings found;
  vl_block_view(&view, &s->lattice, s->pieces[p].block);
  memset(found.known, 0, sizeof found.known);
  vlVec3 *out = mesh->x + s->pieces[p].first_vertex;
  for (int i = 0, n[3]; i < NODES; i++) {
    cube_node(i, n);
    vlCube cube = vl_block_cube(&view, n);
    int global[3] = {view.corner[0] + n[0], view.corner[1] + n[1], view.corner[2] + n[2]};
    for (int k = 0; k < cube.count; k++) {
      vlCrossing sheet[12];
      int count = 0;
      for (int e = 0; e < 12; e++)
        if (cube.sheet[e] == k) sheet[count++] = edge_crossing(&view, &found, n, e);
      *out++ = vl_clipped_vertex(&s->lattice.clipped, global, sheet, count);
    }
    for (int a = 0; a < 3; a++) {
      int pairs[2][2];
      if (!(s->first[p][i] >> (FLAG_SHIFT + a) & 1)) continue;
      vl_cube_side_pairs(&cube, 2 * a, pairs);
      for (int k = 0; k < 2; k++) {
        vlVec3 x = edge_crossing(&view, &found, n, pairs[k][0]).x, y = edge_crossing(&view, &found, n, pairs[k][1]).x;
        *out++ = vl_scale(vl_add(x, y), 0.5);
      }
    }
  }
}

static vlCode build_mesh(Surface *s, vlTriMesh **mesh, vlStatus *status)
{
  int64_t vertices = 0, triangles = 0;
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < s->piece_count; p++) number_vertices(s, p);
  for (int p = 0; p < s->piece_count; p++) {
    s->pieces[p].first_vertex = vertices;
    vertices += s->pieces[p].vertices;
  }
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < s->piece_count; p++) s->pieces[p].triangles = make_triangles(s, p, NULL);
  for (int p = 0; p < s->piece_count; p++) {
    s->pieces[p].first_triangle = triangles;
    triangles += s->pieces[p].triangles;
  }
  if (triangles > INT_MAX || vertices > INT_MAX)
    return vl_fail(status, VL_ERROR_SCENE, "contouring: the surface has %lld triangles, at most %d are possible",
                   (long long)triangles, INT_MAX);
  vlTriMesh *m = *mesh = vl_trimesh_create((int)vertices, (int)triangles);
  size_t bytes = (size_t)triangles * sizeof *m->tri + (size_t)vertices * sizeof *m->x;
  if (!m) return vl_fail_memory(status, bytes, "a contoured surface");
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < s->piece_count; p++) place_vertices(s, p, m);
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < s->piece_count; p++) make_triangles(s, p, m);
  return VL_OK;
}

vlCode vl_contour(vlTriMesh **mesh, vlRegion region, vlBox3 box, double h, vlStatus *status)
{
  *mesh = NULL;
  Surface s = {0};
  vlCode code = vl_lattice_create(&s.lattice, (vlClipped){.region = region, .box = box, .h = h}, status);
  if (!code) code = find_pieces(&s, status);
  if (!code) code = build_mesh(&s, mesh, status);
  vl_lattice_clear(&s.lattice);
  free(s.piece_of);
  free(s.pieces);
  free(s.first);
  return code;
}
