/* The liquid's surface: a closed mesh of the region that is liquid, open and in the domain.
 *
 * Signs at the lattice's nodes (surface_lattice.c) decide the topology as in dual marching cubes [nielson2004]: every
 * crossed lattice edge becomes a polygon between vertices of the four cubes around it, one vertex for each sheet of the
 * surface in a cube. Where two sheets would share an edge between the same two vertices each receives a point of its own on
 * the side between the cubes, which keeps the surface a manifold. Vertices are placed by surface_cube.c.
 *
 * Every pass runs over node blocks in their own order, each into its own range of the mesh: threads do not change it. */
#include "liquid/surface.h"

#include <limits.h>
#include <stdlib.h>

#include "base/status.h"
#include "liquid/surface_cube.h"

enum { LANES = VL_BLOCK, FLAG_SHIFT = 13, NONE = -1 };

typedef struct Piece {
  int64_t first_vertex, first_triangle;
  uint16_t first[LANES]; /* first vertex of every cube in the piece; from FLAG_SHIFT on a bit for each pinched lower side */
  int vertices, triangles;
} Piece;

typedef struct Builder {
  vlSurfaceLattice lattice;
  Piece *pieces;     /* of each node block [nodes.count] */
  vlCube cubes[256]; /* without ambiguous sides, by their inside corners */
} Builder;

/* Inside bits of a block's rows and those around it: bit l + 1 of row [k + 1][j + 1] is lane l, from -1 to 16. */
typedef struct View {
  const Builder *builder;
  vlBlockPosition at;
  uint32_t row[3][3];
} View;

/* False when all nodes of the block's cubes and of those below are alike. */
static bool look(View *view, const Builder *builder, int block)
{
  const vlSurfaceLattice *lattice = &builder->lattice;
  vlBlockPosition p = lattice->nodes.at[block];
  const int *n = lattice->nodes.n;
  uint32_t any = 0, all = 0x3ffff;
  view->builder = builder;
  view->at = p;
  for (int k = -1; k <= 1; k++)
    for (int j = -1; j <= 1; j++) {
      uint32_t row = 0;
      if (p.j + j >= 0 && p.j + j < n[1] && p.k + k >= 0 && p.k + k < n[2]) {
        row = (uint32_t)vl_surface_lattice_inside(lattice, p.bx, p.j + j, p.k + k) << 1;
        if (p.bx > 0) row |= (uint32_t)vl_surface_lattice_inside(lattice, p.bx - 1, p.j + j, p.k + k) >> (LANES - 1);
        if (p.bx + 1 < lattice->nodes.columns)
          row |= (uint32_t)(vl_surface_lattice_inside(lattice, p.bx + 1, p.j + j, p.k + k) & 1) << (LANES + 1);
      }
      view->row[k + 1][j + 1] = row;
      any |= row;
      all &= row;
    }
  return any != 0 && all != 0x3ffff;
}

static bool inside(const View *view, const int n[3]) { return view->row[n[2] + 1][n[1] + 1] >> (n[0] + 1) & 1; }

static int corners(const View *view, const int n[3])
{
  int bits = 0;
  for (int c = 0; c < 8; c++) bits |= inside(view, (int[3]){n[0] + (c & 1), n[1] + (c >> 1 & 1), n[2] + (c >> 2)}) << c;
  return bits;
}

/* Lattice node of local node n; along x local nodes run from -1 to 16, along y and z from -1 to 1. */
static void lattice_node(const View *view, const int n[3], int node[3])
{
  node[0] = view->at.bx * LANES + n[0];
  node[1] = view->at.j + n[1];
  node[2] = view->at.k + n[2];
}

/* The cube at local node n. */
static vlCube cube_at(const View *view, const int n[3])
{
  int bits = corners(view, n), node[3], joined = 0;
  if (vl_cube_ambiguous_sides(bits)) {
    vlSurfaceCube values;
    lattice_node(view, n, node);
    vl_surface_cube_load(&view->builder->lattice, node, &values);
    joined = vl_surface_cube_joined(&values, bits);
  }
  if (!joined) return view->builder->cubes[bits];
  vlCube cube;
  vl_cube_build(&cube, bits, joined);
  return cube;
}

/* Numbers the vertices of a block: for each cube its sheets, then two for each pinched lower side. */
static void number_vertices(Builder *builder, int block)
{
  View view;
  Piece *piece = &builder->pieces[block];
  *piece = (Piece){0};
  if (!look(&view, builder, block)) return;
  for (int l = 0; l < LANES; l++) {
    int n[3] = {l, 0, 0}, bits = corners(&view, n), flags = 0, first = piece->vertices;
    if (bits != 0 && bits != 255) {
      vlCube cube = cube_at(&view, n);
      int ambiguous = vl_cube_ambiguous_sides(bits);
      piece->vertices += cube.count;
      for (int a = 0; a < 3; a++) {
        if (!(ambiguous >> 2 * a & 1)) continue;
        vlCube below = cube_at(&view, (int[3]){l - (a == 0), -(a == 1), -(a == 2)});
        if (!vl_cube_side_pinched(&below, &cube, a)) continue;
        flags |= 1 << a;
        piece->vertices += 2;
      }
    }
    piece->first[l] = (uint16_t)(first | flags << FLAG_SHIFT);
  }
}

/* First vertex of the cube at local node n, and the flags of its pinched lower sides. */
static int64_t first_vertex(const View *view, const int n[3], int *flags)
{
  int node[3];
  lattice_node(view, n, node);
  ptrdiff_t at = vl_surface_lattice_find(&view->builder->lattice, node);
  const Piece *piece = &view->builder->pieces[at / LANES];
  int entry = piece->first[at % LANES];
  *flags = entry >> FLAG_SHIFT;
  return piece->first_vertex + (entry & ((1 << FLAG_SHIFT) - 1));
}

/* The point on the lower side across `axis` of the cube at n for the line through `edge`; NONE if the side is not pinched.
 */
static int64_t side_vertex(const View *view, const int n[3], int axis, int edge)
{
  int flags, pairs[2][2];
  int64_t vertex = first_vertex(view, n, &flags);
  if (!(flags >> axis & 1)) return NONE;
  vlCube cube = cube_at(view, n);
  vertex += cube.count;
  for (int a = 0; a < axis; a++) vertex += 2 * (flags >> a & 1);
  vl_cube_side_pairs(&cube, 2 * axis, pairs);
  return pairs[0][0] == edge || pairs[0][1] == edge ? vertex : vertex + 1;
}

/* The polygon around the lattice edge along `axis` from local node n, counter-clockwise seen from outside: four to eight
 * vertices. *start: where its fan begins; a fan from a point of a pinched side joins no two cubes across that side. */
static int polygon(const View *view, const int n[3], int axis, int64_t vertex[8], int *start)
{
  static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}}; /* steps down along the axes b, c */
  int b = (axis + 1) % 3, c = (axis + 2) % 3, count = 0;
  bool up = inside(view, n); /* liquid at the lower end: the surface faces up the axis */
  for (int k = 0; k < 4; k++) {
    const int *here = around[up ? k : 3 - k], *next = around[up ? (k + 1) % 4 : (6 - k) % 4];
    int at[3] = {n[0], n[1], n[2]}, flags;
    at[b] -= here[0];
    at[c] -= here[1];
    vlCube cube = cube_at(view, at);
    vertex[count++] = first_vertex(view, at, &flags) + cube.sheet[4 * axis + here[0] + 2 * here[1]];
    /* the next cube lies across axis b or c; the upper of the two knows about the side between them */
    bool across_b = here[0] != next[0];
    int upper[3] = {n[0], n[1], n[2]}, edge = 4 * axis + (across_b ? 2 * here[1] : here[0]);
    upper[across_b ? c : b] -= here[across_b ? 1 : 0];
    int64_t point = side_vertex(view, upper, across_b ? b : c, edge);
    if (point == NONE) continue;
    *start = count;
    vertex[count++] = point;
  }
  return count;
}

/* Counts the triangles of a block, or writes them when there is a mesh. */
static int make_triangles(const Builder *builder, int block, vlTriMesh *mesh)
{
  View view;
  int count = 0;
  int64_t v[8];
  if (!look(&view, builder, block)) return 0;
  for (int l = 0; l < LANES; l++)
    for (int a = 0; a < 3; a++) {
      int n[3] = {l, 0, 0}, start = 0;
      if (inside(&view, n) == inside(&view, (int[3]){l + (a == 0), a == 1, a == 2})) continue;
      int size = polygon(&view, n, a, v, &start);
      if (mesh && size == 4) {
        const vlVec3 *x = mesh->x;
        start = vl_norm(vl_sub(x[v[1]], x[v[3]])) < vl_norm(vl_sub(x[v[0]], x[v[2]])); /* the shorter diagonal */
      }
      for (int t = 1; mesh && t < size - 1; t++) {
        int *tri = mesh->tri[builder->pieces[block].first_triangle + count + t - 1];
        tri[0] = (int)v[start];
        tri[1] = (int)v[(start + t) % size];
        tri[2] = (int)v[(start + t + 1) % size];
      }
      count += size - 2;
    }
  return count;
}

static vlVec3 to_metres(const vlGrid *g, vlVec3 x) { return vl_axpy(g->origin, g->dx, x); }

/* Positions of the vertices of a block, in the order of number_vertices. */
static void place_vertices(const Builder *builder, int block, vlTriMesh *mesh)
{
  View view;
  const vlSurfaceLattice *lattice = &builder->lattice;
  const Piece *piece = &builder->pieces[block];
  vlVec3 *out = mesh->x + piece->first_vertex;
  if (!piece->vertices || !look(&view, builder, block)) return;
  for (int l = 0; l < LANES; l++) {
    int n[3] = {l, 0, 0}, bits = corners(&view, n), node[3];
    if (bits == 0 || bits == 255) continue;
    vlSurfaceCube values;
    vlCube cube = cube_at(&view, n);
    lattice_node(&view, n, node);
    vl_surface_cube_load(lattice, node, &values);
    for (int s = 0; s < cube.count; s++)
      *out++ = to_metres(lattice->in->grid, vl_surface_cube_vertex(lattice, &values, &cube, s));
    for (int a = 0; a < 3; a++) {
      int pairs[2][2];
      if (!(piece->first[l] >> (FLAG_SHIFT + a) & 1)) continue;
      vl_cube_side_pairs(&cube, 2 * a, pairs);
      for (int i = 0; i < 2; i++) {
        vlVec3 x = vl_surface_cube_crossing(lattice, &values, bits, pairs[i][0]);
        vlVec3 y = vl_surface_cube_crossing(lattice, &values, bits, pairs[i][1]);
        *out++ = to_metres(lattice->in->grid, vl_scale(vl_add(x, y), 0.5));
      }
    }
  }
}

static vlCode build(Builder *builder, vlTriMesh **mesh, vlStatus *status)
{
  int blocks = builder->lattice.nodes.count;
  int64_t vertices = 0, triangles = 0;
  builder->pieces = malloc(((size_t)blocks + 1) * sizeof *builder->pieces);
  if (!builder->pieces) return vl_fail_memory(status, (size_t)blocks * sizeof *builder->pieces, "the liquid's surface");
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < blocks; b++) number_vertices(builder, b);
  for (int b = 0; b < blocks; b++) {
    builder->pieces[b].first_vertex = vertices;
    vertices += builder->pieces[b].vertices;
  }
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < blocks; b++) builder->pieces[b].triangles = make_triangles(builder, b, NULL);
  for (int b = 0; b < blocks; b++) {
    builder->pieces[b].first_triangle = triangles;
    triangles += builder->pieces[b].triangles;
  }
  if (triangles > INT_MAX || vertices > INT_MAX)
    return vl_fail(status, VL_ERROR_SCENE, "the liquid's surface has %lld triangles, at most %d are possible",
                   (long long)triangles, INT_MAX);
  vlTriMesh *m = *mesh = vl_trimesh_create((int)vertices, (int)triangles);
  if (!m)
    return vl_fail_memory(status, (size_t)triangles * sizeof *m->tri + (size_t)vertices * sizeof *m->x,
                          "the liquid's surface");
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < blocks; b++) place_vertices(builder, b, m);
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < blocks; b++) make_triangles(builder, b, m);
  return VL_OK;
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

vlCode vl_surface_create(vlSurface *out, const vlSurfaceInput *in, vlStatus *status)
{
  *out = (vlSurface){0};
  if (in->refine != 1 && in->refine != 2)
    return vl_fail(status, VL_ERROR_SCENE, "the liquid's surface: refine is %d; it must be 1 or 2", in->refine);
  Builder *builder = calloc(1, sizeof *builder);
  if (!builder) return vl_fail_memory(status, sizeof *builder, "the liquid's surface");
  for (int i = 0; i < 256; i++) vl_cube_build(&builder->cubes[i], i, 0);
  vlCode code = vl_surface_lattice_create(&builder->lattice, in, status);
  if (!code) code = build(builder, &out->mesh, status);
  if (!code) code = add_velocity(out, in, status);
  if (code) vl_surface_clear(out);
  vl_surface_lattice_clear(&builder->lattice);
  free(builder->pieces);
  free(builder);
  return code;
}

void vl_surface_clear(vlSurface *surface)
{
  vl_trimesh_destroy(&surface->mesh);
  free(surface->velocity);
  *surface = (vlSurface){0};
}
