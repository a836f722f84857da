/* Which cells are pressure unknowns, and the matrix between them.
 *
 * A cell is an unknown if its centre lies in liquid (the level set is continued into solids) and at least one of its faces
 * inside the domain is open; liquid cells with all faces (almost) closed are orphans and left out. With area fractions a_f =
 * A_f/dx2: both sides unknown:      w_f = a_f liquid against air:      a_f/theta on the diagonal, theta the distance to the
 * surface in cells [gibou2002] Faces on the domain's sides carry no weight. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "pressure/pressure.h"

vlCode vl_pressure_create(vlPressure **pressure, const vlGrid *grid, vlStatus *status)
{
  *pressure = calloc(1, sizeof **pressure);
  if (!*pressure) return vl_fail_memory(status, sizeof **pressure, "the pressure solve");
  vlCode code = vl_stencil_create(&(*pressure)->stencil, grid->n, status);
  if (!code) code = vl_multigrid_create(&(*pressure)->multigrid, grid->n, status);
  if (code) vl_pressure_destroy(pressure);
  return code;
}

void vl_pressure_destroy(vlPressure **pressure)
{
  if (!pressure || !*pressure) return;
  vlPressure *s = *pressure;
  vl_stencil_clear(&s->stencil);
  vl_multigrid_destroy(&s->multigrid);
  vl_coupling_clear(&s->coupling);
  vl_sealed_clear(&s->sealed);
  vl_woodbury_clear(&s->woodbury);
  free(s->active);
  free(s->surface);
  free(s->parted);
  free(s->stale);
  free(s->bounded);
  free(s->bounded_work);
  free(s->null_start);
  free(s->null_cell);
  vl_stencil_vector_free(s->b);
  vl_stencil_vector_free(s->p);
  vl_aligned_free(s->work);
  free(s->label);
  free(s->region);
  free(s);
  *pressure = NULL;
}

/* Largest open area among the faces of a cell that lie inside the domain. */
static double widest_face(const vlFluid *fluid, const int cell[3], ptrdiff_t at)
{
  const vlGrid *g = fluid->grid;
  double widest = 0.0;
  for (int a = 0; a < 3; a++) {
    if (cell[a] > 0) widest = fmax(widest, fluid->area[a][at]);
    if (cell[a] < g->n[a] - 1) widest = fmax(widest, fluid->area[a][at + g->stride[a]]);
  }
  return widest;
}

static vlCode find_unknowns(vlPressure *pressure, const vlFluid *fluid, vlStatus *status)
{
  const vlBlocks *wet = fluid->wet;
  size_t blocks_wet = (size_t)wet->count + 1;
  bool room = vl_array_reserve((void **)&pressure->active, &pressure->active_capacity, blocks_wet, sizeof *pressure->active);
  room =
      vl_array_reserve((void **)&pressure->parted, &pressure->parted_capacity, blocks_wet, sizeof *pressure->parted) && room;
  if (!room) return vl_fail_memory(status, (size_t)wet->count * 4, "the pressure solve");
  memset(pressure->parted, 0, blocks_wet * sizeof *pressure->parted);
  double least = VL_PRESSURE_ORPHAN * fluid->grid->dx * fluid->grid->dx;
  int orphans = 0;
#pragma omp parallel for schedule(static) reduction(+ : orphans)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(fluid->grid, p);
    int width = vl_blocks_width(wet, p), bits = 0;
    for (int l = 0; l < width; l++) {
      if (!(fluid->phi[at + l] < 0.0)) continue;
      if (widest_face(fluid, (const int[3]){p.bx * VL_BLOCK + l, p.j, p.k}, at + l) > least)
        bits |= 1 << l;
      else
        orphans++;
    }
    pressure->active[b] = (unsigned short)bits;
  }
  pressure->orphans = orphans;

  vlBlocks *blocks = &pressure->stencil.blocks;
  vl_blocks_begin(blocks);
  for (int b = 0; b < wet->count && room; b++)
    if (pressure->active[b]) room = vl_blocks_append(blocks, wet->at[b].bx, wet->at[b].j, wet->at[b].k);
  vl_blocks_end(blocks);
  return room ? VL_OK : vl_fail_memory(status, (size_t)wet->count * sizeof(vlBlockPosition), "the pressure solve");
}

/* For one block: a bit for each cell whose neighbour below / above along an axis is marked. */
typedef struct Neighbours {
  unsigned lower[3], upper[3];
} Neighbours;

static unsigned bits_at(const vlBlocks *wet, const unsigned short *bits, int bx, int j, int k)
{
  int b = vl_blocks_find(wet, bx, j, k);
  return b < 0 ? 0u : bits[b];
}

static Neighbours neighbours(const vlBlocks *wet, const unsigned short *bits, vlBlockPosition p)
{
  unsigned own = bits_at(wet, bits, p.bx, p.j, p.k), left = bits_at(wet, bits, p.bx - 1, p.j, p.k) >> (VL_BLOCK - 1),
           right = bits_at(wet, bits, p.bx + 1, p.j, p.k) & 1u;
  return (Neighbours){
      .lower = {own << 1 | left, bits_at(wet, bits, p.bx, p.j - 1, p.k), bits_at(wet, bits, p.bx, p.j, p.k - 1)},
      .upper = {own >> 1 | right << (VL_BLOCK - 1), bits_at(wet, bits, p.bx, p.j + 1, p.k),
                bits_at(wet, bits, p.bx, p.j, p.k + 1)}};
}

/* Weight towards one neighbour: *link between unknowns, *fixed to the surface. `face` and `other` are field indices. */
static void face_weight(const vlFluid *fluid, int axis, ptrdiff_t cell, ptrdiff_t face, ptrdiff_t other, bool liquid,
                        bool parted, double *link, double *fixed)
{
  double fraction = fluid->area[axis][face] / (fluid->grid->dx * fluid->grid->dx);
  *link = *fixed = 0.0;
  if (liquid && !parted)
    *link = fraction;
  else if (parted)
    *fixed = fraction; /* zero at its centre */
  else if (fraction > 0.0 && fluid->phi[other] >= 0.0)
    *fixed = fraction / vl_pressure_theta(fluid->phi[cell], fluid->phi[other], fluid->theta_min);
}

static void assemble_block(vlPressure *pressure, const vlFluid *fluid, int b)
{
  const vlGrid *g = fluid->grid;
  vlStencil *s = &pressure->stencil;
  vlBlockPosition p = s->blocks.at[b];
  unsigned own = bits_at(fluid->wet, pressure->active, p.bx, p.j, p.k), surface = 0;
  Neighbours near = neighbours(fluid->wet, pressure->active, p), parted = neighbours(fluid->wet, pressure->parted, p);
  own &= ~bits_at(fluid->wet, pressure->parted, p.bx, p.j, p.k);
  ptrdiff_t at = vl_blocks_field(g, p);
  for (int l = 0; l < VL_BLOCK; l++) {
    if (!(own >> l & 1u)) continue;
    size_t i = (size_t)b * VL_BLOCK + (size_t)l;
    const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
    double links = 0.0, fixed = 0.0;
    for (int a = 0; a < 3; a++) {
      double link, to_surface;
      if (cell[a] > 0) {
        face_weight(fluid, a, at + l, at + l, at + l - g->stride[a], near.lower[a] >> l & 1u, parted.lower[a] >> l & 1u,
                    &link, &to_surface);
        s->w[a][i] = link;
        links += link;
        fixed += to_surface;
      }
      if (cell[a] < g->n[a] - 1) {
        face_weight(fluid, a, at + l, at + l + g->stride[a], at + l + g->stride[a], near.upper[a] >> l & 1u,
                    parted.upper[a] >> l & 1u, &link, &to_surface);
        links += link;
        fixed += to_surface;
      }
    }
    s->diagonal[i] = links + fixed;
    if (fixed > 0.0) surface |= 1u << l;
  }
  pressure->surface[b] = (unsigned short)surface;
}

vlFlowFace vl_pressure_face(const vlPressure *pressure, const vlFluid *fluid, int b, int l, int axis)
{
  const vlGrid *g = fluid->grid;
  vlBlockPosition p = fluid->wet->at[b];
  const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
  ptrdiff_t at = vl_blocks_field(g, p) + l;
  vlFlowFace face = {.area = fluid->area[axis][at]};
  if (cell[axis] == 0 || cell[axis] >= g->n[axis] || face.area <= 0.0)
    return face; /* sides of the domain, also behind a block cut short */
  face.upper = pressure->active[b] >> l & 1u;
  if (axis == 0)
    face.lower = l > 0 ? pressure->active[b] >> (l - 1) & 1u
                       : bits_at(fluid->wet, pressure->active, p.bx - 1, p.j, p.k) >> (VL_BLOCK - 1) & 1u;
  else
    face.lower = bits_at(fluid->wet, pressure->active, p.bx, p.j - (axis == 1), p.k - (axis == 2)) >> l & 1u;
  double below = fluid->phi[at - g->stride[axis]], above = fluid->phi[at];
  /* liquid that is no unknown is an orphan, and the face to it a wall */
  if ((face.lower && !face.upper && above < 0.0) || (face.upper && !face.lower && below < 0.0))
    face.lower = face.upper = false;
  face.distance = g->dx;
  if (face.lower && !face.upper) face.distance *= vl_pressure_theta(below, above, fluid->theta_min);
  if (face.upper && !face.lower) face.distance *= vl_pressure_theta(above, below, fluid->theta_min);
  return face;
}

unsigned vl_pressure_flow(const vlPressure *pressure, const vlFluid *fluid, int b, int axis, unsigned *inner)
{
  const vlGrid *g = fluid->grid;
  vlBlockPosition p = fluid->wet->at[b];
  unsigned own = pressure->active[b],
           lower = axis == 0 ? own << 1 | bits_at(fluid->wet, pressure->active, p.bx - 1, p.j, p.k) >> (VL_BLOCK - 1)
                             : bits_at(fluid->wet, pressure->active, p.bx, p.j - (axis == 1), p.k - (axis == 2));
  unsigned flow = (own | lower) & ((1u << vl_blocks_width(fluid->wet, p)) - 1u);
  if (axis == 0 ? p.bx == 0 : (axis == 1 ? p.j : p.k) == 0) flow &= axis == 0 ? ~1u : 0u; /* sides of the domain */
  const double *area = fluid->area[axis] + vl_blocks_field(g, p);
  for (int l = 0; l < VL_BLOCK && flow; l++)
    if (area[l] <= 0.0) flow &= ~(1u << l);
  *inner = flow & own & lower;
  for (unsigned edge = flow & ~*inner; edge; edge &= edge - 1u) { /* liquid on one side: the other may be an orphan */
    int l = __builtin_ctz(edge);
    vlFlowFace face = vl_pressure_face(pressure, fluid, b, l, axis);
    if (!face.lower && !face.upper) flow &= ~(1u << l);
  }
  return flow;
}

static vlCode reserve_vectors(vlPressure *pressure, vlStatus *status)
{
  size_t count = (size_t)pressure->stencil.blocks.count;
  bool ok = vl_array_reserve((void **)&pressure->surface, &pressure->surface_capacity, count + 1, sizeof *pressure->surface);
  ok = vl_array_reserve((void **)&pressure->stale, &pressure->stale_capacity, count + 1, sizeof *pressure->stale) && ok;
  if (count > pressure->vector_capacity || !pressure->b) {
    size_t blocks = count + count / 8, padded = (blocks + 2) * VL_BLOCK;
    vl_stencil_vector_free(pressure->b);
    vl_stencil_vector_free(pressure->p);
    vl_aligned_free(pressure->work);
    free(pressure->label);
    free(pressure->region);
    pressure->b = vl_stencil_vector_create(blocks);
    pressure->p = vl_stencil_vector_create(blocks);
    pressure->work = vl_aligned_alloc(4 * padded * sizeof(double));
    pressure->label = malloc(padded * sizeof(int));
    pressure->region = malloc(padded * sizeof(int));
    ok = ok && pressure->b && pressure->p && pressure->work && pressure->label && pressure->region;
    pressure->vector_capacity = ok ? blocks : 0;
  }
  return ok ? VL_OK : vl_fail_memory(status, count * VL_BLOCK * 6 * sizeof(double), "the pressure solve");
}

typedef struct Unknowns {
  const vlStencil *stencil;
  const vlGrid *grid;
} Unknowns;

/* Beyond the domain's sides there are none. */
static int find_unknown(const void *data, const int cell[3])
{
  const Unknowns *u = data;
  for (int a = 0; a < 3; a++)
    if (cell[a] < 0 || cell[a] >= u->grid->n[a]) return -1;
  int b = vl_blocks_find(&u->stencil->blocks, cell[0] / VL_BLOCK, cell[1], cell[2]);
  int index = b * VL_BLOCK + cell[0] % VL_BLOCK;
  return b >= 0 && u->stencil->diagonal[index] > 0.0 ? index : -1;
}

/* What was prepared for the system as it was. */
static void forget_solve(vlPressure *pressure)
{
  vl_woodbury_forget(&pressure->woodbury);
  pressure->multigrid_ready = pressure->bounds = false;
}

vlCode vl_pressure_assemble(vlPressure *pressure, const vlFluid *fluid, vlStatus *status)
{
  vlCode code = find_unknowns(pressure, fluid, status);
  if (!code) code = vl_stencil_resize(&pressure->stencil, status);
  if (!code) code = reserve_vectors(pressure, status);
  if (code) return code;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < pressure->stencil.blocks.count; b++) assemble_block(pressure, fluid, b);
  vl_stencil_finish(&pressure->stencil);
  forget_solve(pressure);
  pressure->coupled = fluid->bodies && fluid->bodies->count > 0 && !fluid->bodies_given;
  pressure->coupling.bodies = fluid->bodies;
  pressure->coupling.patches = fluid->patches;
  pressure->coupling.contact = fluid->contact;
  Unknowns unknowns = {&pressure->stencil, fluid->grid};
  code = vl_coupling_build(&pressure->coupling, find_unknown, &unknowns, status);
  return code ? code : vl_pressure_find_closed(pressure, status);
}

/* Marks the blocks of the system whose coefficients depend on the cells of a wet block. */
static void mark_stale(vlPressure *pressure, vlBlockPosition p)
{
  static const int way[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  for (int w = 0; w < 7; w++) {
    int b = vl_blocks_find(&pressure->stencil.blocks, p.bx + way[w][0], p.j + way[w][1], p.k + way[w][2]);
    if (b >= 0) pressure->stale[b] = 1;
  }
}

vlCode vl_pressure_part(vlPressure *pressure, const vlFluid *fluid, vlStatus *status)
{
  vlStencil *s = &pressure->stencil;
  memset(pressure->stale, 0, (size_t)s->blocks.count);
  for (int b = 0; b < fluid->wet->count; b++) {
    unsigned short now = fluid->parted ? fluid->parted[b] : 0;
    if (now == pressure->parted[b]) continue;
    pressure->parted[b] = now;
    mark_stale(pressure, fluid->wet->at[b]);
  }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < s->blocks.count; b++) {
    if (!pressure->stale[b]) continue;
    size_t first = (size_t)b * VL_BLOCK, bytes = VL_BLOCK * sizeof(double);
    for (int a = 0; a < 3; a++) memset(s->w[a] + first, 0, bytes);
    memset(s->diagonal + first, 0, bytes);
    assemble_block(pressure, fluid, b);
  }
  vl_stencil_finish(s);
  forget_solve(pressure);
  Unknowns unknowns = {s, fluid->grid};
  return vl_coupling_build(&pressure->coupling, find_unknown, &unknowns, status);
}
