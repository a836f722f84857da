/* Dual contouring of a region on a lattice of cubes [ju2002]: contour_mesh.c over the signs of contour_lattice.c. The region
 * at the middles of ambiguous sides decides which of their corners are joined. Vertices minimise the distance to the tangent
 * planes at the crossings (contour_vertex.c), so flat faces, edges and corners are reproduced. */
#include "mesh/contour.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/contour_lattice.h"

enum { SIDE = VL_LATTICE_SIDE, NODES = VL_LATTICE_NODES, WINDOW = VL_LATTICE_WINDOW, NONE = -1, CORNERS = SIDE + 1 };

typedef struct {
  vlLattice lattice;
  int *piece_of;  /* NONE or the piece that a block is [block_count] */
  size_t *pieces; /* blocks of cubes that hold a part of the surface [piece_count] */
  int piece_count;
} Surface;

/* A block, and the crossings on the edges of its cubes, each found once; [axis][lower node], nodes 0..8. */
typedef struct {
  const Surface *surface;
  vlBlockView block;
  vlCrossing at[3][CORNERS * CORNERS * CORNERS];
  bool known[3][CORNERS * CORNERS * CORNERS];
} View;

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
  s->pieces = malloc(((size_t)s->piece_count + 1) * sizeof *s->pieces);
  if (!s->pieces) return vl_fail_memory(status, (size_t)s->piece_count * sizeof *s->pieces, "contouring cubes");
  for (size_t b = 0; b < l->block_count; b++)
    if (s->piece_of[b] != NONE) s->pieces[s->piece_of[b]] = b;
  return VL_OK;
}

static void look(const void *data, int piece, vlContourPass *pass)
{
  View view;
  view.surface = data;
  memset(view.known, 0, sizeof view.known);
  vl_block_view(&view.block, &view.surface->lattice, view.surface->pieces[piece]);
  vl_contour_pass(pass, piece, &view);
}

static void cube_node(int cube, int n[3])
{
  n[0] = cube % SIDE;
  n[1] = cube / SIDE % SIDE;
  n[2] = cube / (SIDE * SIDE);
}

static int cube_inside(const void *view, const int n[3])
{
  const unsigned char *at = ((const View *)view)->block.inside + vl_block_node(n);
  int inside = 0;
  for (int i = 0; i < 8; i++) inside |= at[(i & 1) + WINDOW * ((i >> 1 & 1) + WINDOW * (i >> 2))] << i;
  return inside;
}

static int cube_joined(const void *view, const int n[3], int inside)
{
  return vl_block_joined(&((const View *)view)->block, n, vl_cube_ambiguous_sides(inside));
}

static ptrdiff_t find_cube(const void *data, const int n[3])
{
  const View *view = data;
  ptrdiff_t block = (ptrdiff_t)view->block.block, step = 1;
  int local[3];
  for (int a = 0; a < 3; a++) {
    if (n[a] < 0) block -= step;
    local[a] = n[a] < 0 ? SIDE - 1 : n[a];
    step *= (ptrdiff_t)view->surface->lattice.blocks[a];
  }
  return (ptrdiff_t)view->surface->piece_of[block] * NODES + local[0] + SIDE * (local[1] + SIDE * local[2]);
}

static vlCrossing edge_crossing(View *view, const int n[3], int edge)
{
  int from = vl_cube_edge_corner(edge), axis = edge / 4, start[3], global[3];
  for (int a = 0; a < 3; a++) {
    start[a] = n[a] + (from >> a & 1);
    global[a] = view->block.corner[a] + start[a];
  }
  int i = start[0] + CORNERS * (start[1] + CORNERS * start[2]);
  if (!view->known[axis][i]) view->at[axis][i] = vl_clipped_crossing(&view->surface->lattice.clipped, global, axis);
  view->known[axis][i] = true;
  return view->at[axis][i];
}

static void place_vertices(void *data, const int n[3], const vlCube *cube, vlVec3 *x)
{
  View *view = data;
  const int *corner = view->block.corner, global[3] = {corner[0] + n[0], corner[1] + n[1], corner[2] + n[2]};
  for (int k = 0; k < cube->count; k++) {
    vlCrossing sheet[12];
    int count = 0;
    for (int e = 0; e < 12; e++)
      if (cube->sheet[e] == k) sheet[count++] = edge_crossing(view, n, e);
    x[k] = vl_clipped_vertex(&view->surface->lattice.clipped, global, sheet, count);
  }
}

static vlVec3 middle(void *view, const int n[3], const vlCube *cube, const int edges[2])
{
  (void)cube;
  vlVec3 x = edge_crossing(view, n, edges[0]).x, y = edge_crossing(view, n, edges[1]).x;
  return vl_scale(vl_add(x, y), 0.5);
}

vlCode vl_contour(vlTriMesh **mesh, vlRegion region, vlBox3 box, double h, vlStatus *status)
{
  *mesh = NULL;
  Surface s = {0};
  vlCode code = vl_lattice_create(&s.lattice, (vlClipped){.region = region, .box = box, .h = h}, status);
  if (!code) code = find_pieces(&s, status);
  if (!code) {
    const vlContourSource source = {.name = "a contoured surface",
                                    .pieces = s.piece_count,
                                    .cubes = NODES,
                                    .chunk = 4,
                                    .data = &s,
                                    .look = look,
                                    .node = cube_node,
                                    .inside = cube_inside,
                                    .joined = cube_joined,
                                    .find = find_cube,
                                    .place = place_vertices,
                                    .middle = middle};
    code = vl_contour_mesh(mesh, &source, status);
  }
  vl_lattice_clear(&s.lattice);
  free(s.piece_of);
  free(s.pieces);
  return code;
}
