/* Dual contouring of a region on a lattice of cubes [ju2002], one vertex for every sheet of the surface in a cube.
 *
 * Signs at the lattice nodes alone decide the topology: every crossed lattice edge becomes a polygon between the
 * vertices of the four cubes around it, so each directed edge of the result meets its opposite whatever the region is.
 * Where two sheets would share one edge between the same two vertices, each receives its own point on the side between the
 * cubes, which keeps the surface a manifold. Vertices minimise the distance to the tangent planes at the crossings
 * (contour_vertex.c), so flat faces, edges and corners are reproduced.
 *
 * The distance is 1-Lipschitz: blocks of 8^3 nodes, and groups of 8^3 blocks, whose middle is farther from the surface than
 * their half diagonal are not sampled. The region is cut by `box`; the lattice reaches past it, so the cut is closed
 * by caps in the sides of the box. Nodes lie 0.37, 0.41 and 0.43 of a cube off whole steps from the box's lower corner. */
#include "mesh/contour.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/contour_cube.h"
#include "mesh/contour_vertex.h"

enum { SIDE = 8, NODES = SIDE * SIDE * SIDE, WINDOW = SIDE + 2, INSIDE = -1, OUTSIDE = -2, NONE = -1, FLAG_SHIFT = 13 };

/* A block of cubes that holds a piece of the surface. */
typedef struct {
  size_t block;
  int64_t first_vertex, first_triangle, vertices, triangles;
} Piece;

typedef struct {
  vlClipped clipped; /* region, box, cube side, place of node (0,0,0) */
  size_t blocks[3], block_count;
  int *signs_of;                 /* INSIDE, OUTSIDE or index into signs [block_count] */
  int *piece_of;                 /* NONE or index into pieces [block_count] */
  unsigned char (*signs)[NODES]; /* 1: node is inside */
  Piece *pieces;
  int sampled_count, piece_count;
  uint16_t (*cubes)[NODES]; /* first vertex of every cube in its piece; above FLAG_SHIFT a bit for each lower side that is
                               pinched; shape [piece_count] */
  vlCubeTable table;
} Lattice;

static void block_corner(const Lattice *l, size_t block, int corner[3])
{
  corner[0] = SIDE * (int)(block % l->blocks[0]);
  corner[1] = SIDE * (int)(block / l->blocks[0] % l->blocks[1]);
  corner[2] = SIDE * (int)(block / (l->blocks[0] * l->blocks[1]));
}

/* +1 or -1 when all of the n^3 nodes from `corner` on lie outside or inside, 0 when that is not certain. The margin is for
 * distances that are 1-Lipschitz only nearly. */
static int uniform_sign(const Lattice *l, const int corner[3], int n)
{
  const vlClipped *c = &l->clipped;
  double half = 0.5 * (n - 1);
  vlVec3 middle;
  for (int a = 0; a < 3; a++) middle.v[a] = c->origin.v[a] + (corner[a] + half) * c->h;
  double d = vl_clipped_distance(c, middle), reach = 1.1 * half * sqrt(3.0) * c->h;
  if (n == 1) return d < 0.0 ? -1 : 1;
  return d < -reach ? -1 : d > reach ? 1 : 0;
}

static vlCode lay_out(Lattice *l, vlStatus *status)
{
  static const double shift[3] = {0.37, 0.41, 0.43};
  vlClipped *c = &l->clipped;
  double count = 1.0;
  for (int a = 0; a < 3; a++) {
    double nodes = ceil((c->box.hi.v[a] - c->box.lo.v[a]) / c->h + 1.0 + shift[a]) + 2.0;
    if (!(nodes < INT_MAX - SIDE))
      return vl_fail(status, VL_ERROR_SCENE, "contouring: the box holds too many cubes of side %g m", c->h);
    c->origin.v[a] = c->box.lo.v[a] - (1.0 + shift[a]) * c->h;
    l->blocks[a] = ((size_t)nodes + SIDE - 1) / SIDE;
    count *= (double)l->blocks[a];
  }
  if (count > INT_MAX) return vl_fail(status, VL_ERROR_SCENE, "contouring: the box holds too many cubes of side %g m", c->h);
  l->block_count = l->blocks[0] * l->blocks[1] * l->blocks[2];
  l->signs_of = malloc(l->block_count * sizeof *l->signs_of);
  l->piece_of = malloc(l->block_count * sizeof *l->piece_of);
  if (!l->signs_of || !l->piece_of) return vl_fail_memory(status, l->block_count * 8, "the contouring lattice");
  return VL_OK;
}

/* Sets signs_of to INSIDE, OUTSIDE or 0 (to be sampled) for a group of 8^3 blocks. */
static void classify_group(Lattice *l, const size_t group[3])
{
  int corner[3], sign;
  for (int a = 0; a < 3; a++) corner[a] = (int)group[a] * SIDE * SIDE;
  sign = uniform_sign(l, corner, SIDE * SIDE);
  for (int i = 0; i < NODES; i++) {
    size_t b[3] = {group[0] * SIDE + i % SIDE, group[1] * SIDE + i / SIDE % SIDE, group[2] * SIDE + i / (SIDE * SIDE)};
    if (b[0] >= l->blocks[0] || b[1] >= l->blocks[1] || b[2] >= l->blocks[2]) continue;
    size_t block = b[0] + l->blocks[0] * (b[1] + l->blocks[1] * b[2]);
    block_corner(l, block, corner);
    int own = sign ? sign : uniform_sign(l, corner, SIDE);
    l->signs_of[block] = own < 0 ? INSIDE : own > 0 ? OUTSIDE : 0;
  }
}

/* Signs of n^3 nodes of a block from local node `at` on, halving n where the sign may change. */
static void sample(const Lattice *l, unsigned char signs[NODES], const int corner[3], const int at[3], int n)
{
  int global[3] = {corner[0] + at[0], corner[1] + at[1], corner[2] + at[2]}, sign = uniform_sign(l, global, n);
  if (sign == 0 && n > 1) {
    for (int i = 0; i < 8; i++)
      sample(l, signs, corner, (int[3]){at[0] + (i & 1) * n / 2, at[1] + (i >> 1 & 1) * n / 2, at[2] + (i >> 2) * n / 2},
             n / 2);
    return;
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) memset(&signs[at[0] + SIDE * (at[1] + j + SIDE * (at[2] + k))], sign < 0, (size_t)n);
}

static vlCode sample_signs(Lattice *l, vlStatus *status)
{
  size_t groups[3];
  for (int a = 0; a < 3; a++) groups[a] = (l->blocks[a] + SIDE - 1) / SIDE;
  long group_count = (long)(groups[0] * groups[1] * groups[2]);
#pragma omp parallel for schedule(dynamic, 1)
  for (long g = 0; g < group_count; g++) {
    size_t i = (size_t)g;
    classify_group(l, (size_t[3]){i % groups[0], i / groups[0] % groups[1], i / (groups[0] * groups[1])});
  }
  for (size_t b = 0; b < l->block_count; b++)
    if (l->signs_of[b] == 0) l->signs_of[b] = l->sampled_count++;
  l->signs = malloc((size_t)l->sampled_count * sizeof *l->signs + 1);
  if (!l->signs) return vl_fail_memory(status, (size_t)l->sampled_count * sizeof *l->signs, "the contouring lattice");
#pragma omp parallel for schedule(dynamic, 16)
  for (long b = 0; b < (long)l->block_count; b++) {
    if (l->signs_of[b] < 0) continue;
    int corner[3];
    block_corner(l, (size_t)b, corner);
    sample(l, l->signs[l->signs_of[b]], corner, (int[3]){0, 0, 0}, SIDE);
  }
  return VL_OK;
}

/* Signs of the nodes -1..8 of a block; outside beyond the lattice. False when all are equal for certain. */
static bool gather_window(const Lattice *l, size_t block, unsigned char window[WINDOW * WINDOW * WINDOW])
{
  int corner[3], state[27];
  block_corner(l, block, corner);
  bool mixed = false;
  for (int i = 0; i < 27; i++) {
    int d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    bool exists = true;
    ptrdiff_t b = (ptrdiff_t)block + d[0] + (ptrdiff_t)l->blocks[0] * (d[1] + (ptrdiff_t)l->blocks[1] * d[2]);
    for (int a = 0; a < 3; a++) exists &= corner[a] / SIDE + d[a] >= 0 && corner[a] / SIDE + d[a] < (int)l->blocks[a];
    state[i] = exists ? l->signs_of[b] : OUTSIDE;
    mixed |= state[i] >= 0 || state[i] != state[0];
  }
  if (!mixed) return false;
  for (int k = 0, w = 0; k < WINDOW; k++)
    for (int j = 0; j < WINDOW; j++)
      for (int i = 0; i < WINDOW; i++, w++) {
        /* Window node i is local node i - 1: of the block below for 0, above for 9. */
        int from = (i + SIDE - 1) / SIDE + 3 * ((j + SIDE - 1) / SIDE) + 9 * ((k + SIDE - 1) / SIDE);
        int node = (i + SIDE - 1) % SIDE + SIDE * ((j + SIDE - 1) % SIDE + SIDE * ((k + SIDE - 1) % SIDE));
        window[w] = state[from] >= 0 ? l->signs[state[from]][node] : state[from] == INSIDE;
      }
  return true;
}

static int window_at(const int c[3]) { return c[0] + 1 + WINDOW * (c[1] + 1 + WINDOW * (c[2] + 1)); }

/* Configuration of the cube whose lower node is local node c, each -1..7. */
static int configuration(const unsigned char window[], const int c[3])
{
  int at = window_at(c), bits = 0;
  for (int i = 0; i < 8; i++) bits |= window[at + (i & 1) + WINDOW * ((i >> 1 & 1) + WINDOW * (i >> 2))] << i;
  return bits;
}

static void cube_node(int cube, int c[3])
{
  c[0] = cube % SIDE;
  c[1] = cube / SIDE % SIDE;
  c[2] = cube / (SIDE * SIDE);
}

static vlCode find_pieces(Lattice *l, vlStatus *status)
{
#pragma omp parallel for schedule(dynamic, 64)
  for (long b = 0; b < (long)l->block_count; b++) {
    unsigned char window[WINDOW * WINDOW * WINDOW];
    l->piece_of[b] = NONE;
    if (!gather_window(l, (size_t)b, window)) continue;
    for (int i = 0, c[3]; i < NODES && l->piece_of[b] == NONE; i++) {
      cube_node(i, c);
      int bits = configuration(window, c);
      if (bits != 0 && bits != 255) l->piece_of[b] = 0;
    }
  }
  for (size_t b = 0; b < l->block_count; b++)
    if (l->piece_of[b] != NONE) l->piece_of[b] = l->piece_count++;
  size_t count = (size_t)l->piece_count;
  l->pieces = calloc(count + 1, sizeof *l->pieces);
  l->cubes = malloc((count + 1) * sizeof *l->cubes);
  if (!l->pieces || !l->cubes)
    return vl_fail_memory(status, count * (sizeof *l->pieces + sizeof *l->cubes), "the contouring cubes");
  for (size_t b = 0; b < l->block_count; b++)
    if (l->piece_of[b] != NONE) l->pieces[l->piece_of[b]].block = b;
  return VL_OK;
}

/* Numbers the vertices of a piece: for each cube its sheets, then two for each pinched lower side. */
static void number_vertices(Lattice *l, int p)
{
  unsigned char window[WINDOW * WINDOW * WINDOW];
  gather_window(l, l->pieces[p].block, window);
  int count = 0;
  for (int i = 0, c[3]; i < NODES; i++) {
    cube_node(i, c);
    int bits = configuration(window, c), flags = 0, first = count;
    count += l->table.count[bits];
    for (int a = 0; a < 3; a++) {
      int below[3] = {c[0] - (a == 0), c[1] - (a == 1), c[2] - (a == 2)};
      if (!vl_cube_side_pinched(&l->table, configuration(window, below), bits, a)) continue;
      flags |= 1 << a;
      count += 2;
    }
    l->cubes[p][i] = (uint16_t)(first | flags << FLAG_SHIFT);
  }
  l->pieces[p].vertices = count;
}

/* Vertex of the cube at local node c (-1..7) of a piece: `sheet` from 0 on; with axis >= 0 the point of pair `sheet` on the
 * pinched lower side across that axis, NONE when that side is not pinched. */
static int64_t vertex_index(const Lattice *l, int p, const unsigned char window[], const int c[3], int axis, int sheet)
{
  ptrdiff_t block = (ptrdiff_t)l->pieces[p].block, step = 1;
  int local[3];
  for (int a = 0; a < 3; a++) {
    if (c[a] < 0) block -= step;
    local[a] = c[a] < 0 ? SIDE - 1 : c[a];
    step *= (ptrdiff_t)l->blocks[a];
  }
  int piece = l->piece_of[block], entry = l->cubes[piece][local[0] + SIDE * (local[1] + SIDE * local[2])];
  int64_t first = l->pieces[piece].first_vertex + (entry & ((1 << FLAG_SHIFT) - 1));
  int flags = entry >> FLAG_SHIFT;
  if (axis < 0) return first + sheet;
  if (!(flags >> axis & 1)) return NONE;
  first += l->table.count[configuration(window, c)];
  for (int a = 0; a < axis; a++) first += 2 * (flags >> a & 1);
  return first + sheet;
}

/* The polygon around the lattice edge along `axis` from local node n, counter-clockwise seen from outside: four to eight
 * vertices. *start: where its fan begins; a fan from a point of a pinched side joins no two cubes across that side. */
static int polygon(const Lattice *l, int p, const unsigned char window[], const int n[3], int axis, int64_t vertex[8],
                   int *start)
{
  int b = (axis + 1) % 3, c = (axis + 2) % 3, count = 0;
  bool outwards = window[window_at(n)]; /* inside at the lower end: the surface faces up the axis */
  static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
  for (int k = 0; k < 4; k++) {
    int i = outwards ? k : 3 - k, j = outwards ? (k + 1) % 4 : (6 - k) % 4, cube[3] = {n[0], n[1], n[2]},
        upper[3] = {n[0], n[1], n[2]};
    cube[b] -= around[i][0];
    cube[c] -= around[i][1];
    int edge = 4 * axis + around[i][0] + 2 * around[i][1];
    vertex[count++] = vertex_index(l, p, window, cube, -1, l->table.sheet[configuration(window, cube)][edge]);
    /* The side between this cube and the next lies across the axis in which they differ. */
    int across = around[i][0] != around[j][0] ? b : c, other = across == b ? c : b, shift = around[i][across == b ? 1 : 0];
    upper[other] -= shift;
    int pairs[2][2], side_edge = 4 * axis + (across == b ? 2 * shift : shift);
    if (vl_cube_side_pairs(configuration(window, upper), across, 0, pairs) < 2) continue;
    int pair = pairs[0][0] == side_edge || pairs[0][1] == side_edge ? 0 : 1;
    int64_t point = vertex_index(l, p, window, upper, across, pair);
    if (point == NONE) continue;
    *start = count;
    vertex[count++] = point;
  }
  return count;
}

/* Counts the triangles of a piece, or writes them when there is a mesh. */
static int64_t make_triangles(const Lattice *l, int p, vlTriMesh *mesh)
{
  unsigned char window[WINDOW * WINDOW * WINDOW];
  gather_window(l, l->pieces[p].block, window);
  static const int step[3] = {1, WINDOW, WINDOW * WINDOW};
  int64_t count = 0, first = l->pieces[p].first_triangle;
  for (int i = 0, n[3]; i < NODES; i++) {
    cube_node(i, n);
    for (int a = 0; a < 3; a++) {
      int at = window_at(n);
      if (window[at] == window[at + step[a]]) continue;
      int64_t v[8];
      int start = 0, size = polygon(l, p, window, n, a, v, &start);
      if (mesh && size == 4) {
        vlVec3 *x = mesh->x;
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

/* Crossings on the edges of a piece's cubes, each found once; at[axis][lower node], nodes 0..8. */
enum { CORNERS = SIDE + 1 };
typedef struct {
  vlCrossing at[3][CORNERS * CORNERS * CORNERS];
  bool known[3][CORNERS * CORNERS * CORNERS];
} Crossings;

static vlCrossing edge_crossing(const Lattice *l, Crossings *found, const int corner[3], const int c[3], int edge)
{
  int from = vl_cube_edge_corner(edge), axis = edge / 4, n[3];
  for (int a = 0; a < 3; a++) n[a] = c[a] + (from >> a & 1);
  int i = n[0] + CORNERS * (n[1] + CORNERS * n[2]);
  if (!found->known[axis][i]) {
    found->at[axis][i] =
        vl_clipped_crossing(&l->clipped, (int[3]){corner[0] + n[0], corner[1] + n[1], corner[2] + n[2]}, axis);
    found->known[axis][i] = true;
  }
  return found->at[axis][i];
}

/* Positions of the vertices of a piece, in the order of number_vertices. */
static void place_vertices(const Lattice *l, int p, vlTriMesh *mesh, Crossings *found)
{
  unsigned char window[WINDOW * WINDOW * WINDOW];
  int corner[3];
  gather_window(l, l->pieces[p].block, window);
  block_corner(l, l->pieces[p].block, corner);
  memset(found->known, 0, sizeof found->known);
  vlVec3 *out = mesh->x + l->pieces[p].first_vertex;
  for (int i = 0, c[3]; i < NODES; i++) {
    cube_node(i, c);
    int bits = configuration(window, c), flags = l->cubes[p][i] >> FLAG_SHIFT;
    for (int s = 0; s < l->table.count[bits]; s++) {
      vlCrossing sheet[12];
      int count = 0;
      for (int e = 0; e < 12; e++)
        if (l->table.sheet[bits][e] == s) sheet[count++] = edge_crossing(l, found, corner, c, e);
      *out++ = vl_clipped_vertex(&l->clipped, (int[3]){corner[0] + c[0], corner[1] + c[1], corner[2] + c[2]}, sheet, count);
    }
    for (int a = 0; a < 3; a++) {
      int pairs[2][2];
      if (!(flags >> a & 1)) continue;
      vl_cube_side_pairs(bits, a, 0, pairs);
      for (int k = 0; k < 2; k++) {
        vlVec3 x = edge_crossing(l, found, corner, c, pairs[k][0]).x, y = edge_crossing(l, found, corner, c, pairs[k][1]).x;
        *out++ = vl_scale(vl_add(x, y), 0.5);
      }
    }
  }
}

static vlCode build_mesh(Lattice *l, vlTriMesh **mesh, vlStatus *status)
{
  int64_t vertices = 0, triangles = 0;
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < l->piece_count; p++) number_vertices(l, p);
  for (int p = 0; p < l->piece_count; p++) {
    l->pieces[p].first_vertex = vertices;
    vertices += l->pieces[p].vertices;
  }
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < l->piece_count; p++) l->pieces[p].triangles = make_triangles(l, p, NULL);
  for (int p = 0; p < l->piece_count; p++) {
    l->pieces[p].first_triangle = triangles;
    triangles += l->pieces[p].triangles;
  }
  if (triangles > INT_MAX || vertices > INT_MAX)
    return vl_fail(status, VL_ERROR_SCENE, "contouring: the surface has %lld triangles, at most %d are possible",
                   (long long)triangles, INT_MAX);
  vlTriMesh *m = *mesh = vl_trimesh_create((int)vertices, (int)triangles);
  if (!m)
    return vl_fail_memory(status, (size_t)triangles * sizeof *m->tri + (size_t)vertices * sizeof *m->x,
                          "a contoured surface");
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < l->piece_count; p++) {
    Crossings found;
    place_vertices(l, p, m, &found);
  }
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < l->piece_count; p++) make_triangles(l, p, m);
  return VL_OK;
}

vlCode vl_contour(vlTriMesh **mesh, vlRegion region, vlBox3 box, double h, vlStatus *status)
{
  *mesh = NULL;
  Lattice l = {.clipped = {.region = region, .box = box, .h = h}};
  vl_cube_table_build(&l.table);
  vlCode code = lay_out(&l, status);
  if (!code) code = sample_signs(&l, status);
  if (!code) code = find_pieces(&l, status);
  if (!code) code = build_mesh(&l, mesh, status);
  free(l.signs_of);
  free(l.piece_of);
  free(l.signs);
  free(l.pieces);
  free(l.cubes);
  return code;
}
