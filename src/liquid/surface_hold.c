/* The drawn surface encloses what the particles stand for.
 *
 * The averaged distance sees every particle, and so sheets and drops thinner than a cell come out about a cell thick. Nodes
 * of a lattice could not show them any thinner; vertices can. Each vertex is pulled towards the middle of the particles
 * around it (of the open space around it, beside walls): over flat liquid that is straight down, in a sheet it ends in its
 * middle, in a drop at its centre, so that sides which approach each other never cross. The part of the pull that each
 * vertex follows is found from volumes:
 *
 *   part += excess / gain,      excess: drawn less that of the particles, gain: what the pull would take away:
 *
 * what a cell has too much is shared out among the vertices around it in proportion to their gain, a few times over. What
 * vertices sweep is known exactly, prism by prism. Over thick liquid DEAD of the pull is left alone: there the number of
 * particles is chance, and level water stays as calm as it is. Then the same in larger and larger bins, where vertices of
 * thick liquid make up for what is missing or crowded below them. Everything is continuous in the particles. */
#include "liquid/surface_hold.h"

#include <stdlib.h>

#include "base/status.h"

static const double MOST_IN = 0.95, MOST_OUT = 0.5; /* parts of the pull */
static const double DEAD = 0.25;                    /* part of the pull over thick liquid: an eighth of a cell */
static const double DEAD_SCALE = 0.1;               /* the same in the smallest bins, and less in larger ones */
static const double FOLDED = 0.02;                  /* of a triangle's area: what has less left of it folds over */
static const double LEAST = 0.05; /* cells: where less than this could be taken away from a bin's base there is no surface */
static const double MISSING = 0.003, MUCH = 0.01; /* of the volume: nothing is done about this, everything about that */
static const double ON_WALL = 0.05;               /* cells: what is as near to a wall moves along it */
static const double LEAST_FINE = 0.003;           /* cells^3: the same of a cell */
enum { FINE_TURNS = 4, AGAIN_TURNS = 2, SCALE_TURNS = 2, UNFOLD_TURNS = 4, ROUNDS = 7, SCALE = 4, LAYER = 8 };

typedef struct Hold {
  const vlSurfaceLattice *lattice;
  vlTriMesh *mesh;
  vlSurfaceBins bins;
  vlVec3 *from;                /* cells: places from which vertices are pulled [vertex_count] */
  vlVec3 *pull;                /* cells [vertex_count] */
  vlVec3 *away;                /* from the nearest solid, near it [vertex_count] */
  vlVec3 *now;                 /* cells [vertex_count] */
  vlVec3 *next;                /* cells [vertex_count] */
  double *room;                /* cells: to the nearest solid [vertex_count] */
  double *part;                /* of the pull that a vertex follows [vertex_count] */
  double *bulk;                /* 1: thick liquid below it, 0: a sheet or a drop [vertex_count] */
  double *gain;                /* cells^3: what moving by the whole pull would take away [vertex_count] */
  int layers, *first_triangle; /* layers of LAYER cells along z; triangles of layers that do not touch [layers + 1] */
} Hold;

static double smooth_step(double lo, double hi, double x)
{
  double t = fmin(fmax((x - lo) / (hi - lo), 0.0), 1.0);
  return t * t * (3.0 - 2.0 * t);
}

/* Cells: distance of x to solids by that of the lattice's nodes around it, and the way from them; more than a cell where it
 * does not matter. *none: nothing is closed within the kernel's reach. */
static double solid_near(const vlSurfaceLattice *lattice, vlVec3 x, vlVec3 *away, bool *none)
{
  vlSurfaceCube cube;
  int node[3], r = lattice->in->refine;
  double t[3], d = 0.0;
  *away = vl_vec(0, 0, 0);
  *none = true;
  for (int a = 0; a < 3; a++) {
    int n = lattice->in->grid->n[a];
    double u = fmin(fmax(x.v[a], 0.0), n) * r;
    node[a] = (int)fmin(u, n * r - 1.0);
    t[a] = u - node[a]++;
    *none = *none && (n == 1 || (x.v[a] > VL_KERNEL_RADIUS && x.v[a] < n - VL_KERNEL_RADIUS));
  }
  if (!lattice->in->solid) return VL_KERNEL_RADIUS;
  vl_surface_cube_load(lattice, node, &cube);
  for (int c = 0; c < 8; c++) {
    double w[3];
    for (int a = 0; a < 3; a++) w[a] = c >> a & 1 ? t[a] : 1.0 - t[a];
    d -= w[0] * w[1] * w[2] * cube.solid[c];
    *none = *none && cube.solid[c] <= -VL_KERNEL_RADIUS;
    for (int a = 0; a < 3; a++) away->v[a] -= (c >> a & 1 ? 1.0 : -1.0) * w[(a + 1) % 3] * w[(a + 2) % 3] * cube.solid[c];
  }
  return d;
}

/* What is on a wall stays there: how much of a pull is left on the last ON_WALL before it. */
static double left_at(double room) { return fmin(1.0, fmax(room, 0.0) / ON_WALL); }

static void pull_vertex(Hold *h, int v)
{
  const vlSurfaceInput *in = h->lattice->in;
  const vlGrid *g = in->grid;
  vlVec3 from = h->from[v], pull = vl_vec(0, 0, 0), away;
  double liquid[4], solid[4] = {0}, x[3], full = in->kernel->full;
  bool none;
  h->bulk[v] = 0.0;
  h->pull[v] = pull;
  double d = solid_near(h->lattice, from, &away, &none);
  h->room[v] = d > 1.0 ? VL_KERNEL_RADIUS : fmax(d, 0.0);
  h->away[v] = away = d > 1.0 ? vl_vec(0, 0, 0) : vl_unit(away);
  for (int a = 0; a < 3; a++) x[a] = g->n[a] == 1 ? 0.5 : from.v[a];
  vl_kernel_liquid(g, in->particles, x, liquid);
  if (liquid[3] <= 0.0) return;
  if (!none) vl_kernel_solid(g, in->open, x, solid);
  double space = full - solid[3];
  for (int a = 0; a < 3; a++) {
    double n = g->n[a], room = n > 1 ? fmin(from.v[a], n - from.v[a]) : 0.0;
    pull.v[a] = (liquid[a] / liquid[3] + (space > 0.05 * full ? solid[a] / space : 0.0)) * left_at(room);
  }
  h->pull[v] = vl_axpy(pull, (left_at(h->room[v]) - 1.0) * vl_dot(pull, away), away);
  h->bulk[v] = smooth_step(0.6, 0.9, 2.0 * liquid[3] / (in->per_cell * fmax(space, 0.05 * full)));
}

static double tetrahedron(vlVec3 a, vlVec3 b, vlVec3 c, vlVec3 d)
{
  return vl_dot(vl_sub(b, a), vl_cross(vl_sub(c, a), vl_sub(d, a))) / 6.0;
}

/* Volume that a triangle gains by moving. The sides of its prism are cut along diagonals that its neighbours choose, too: by
 * the number of the vertex. So the sum over a closed mesh is what its volume gains. */
static double swept(const int tri[3], const vlVec3 *from, const vlVec3 *to)
{
  int s = tri[0] < tri[1] ? (tri[0] < tri[2] ? 0 : 2) : (tri[1] < tri[2] ? 1 : 2);
  int a = tri[s], b = tri[(s + 1) % 3], c = tri[(s + 2) % 3];
  double volume = tetrahedron(from[a], to[a], to[b], to[c]);
  if (b < c) return volume + tetrahedron(from[a], from[b], from[c], to[c]) + tetrahedron(from[a], from[b], to[c], to[b]);
  return volume + tetrahedron(from[a], from[b], from[c], to[b]) + tetrahedron(from[a], from[c], to[c], to[b]);
}

static void sweep_layer(Hold *h, int layer)
{
  for (int t = h->first_triangle[layer]; t < h->first_triangle[layer + 1]; t++) {
    const int *tri = h->mesh->tri[t];
    vlVec3 middle = vl_vec(0, 0, 0);
    for (int c = 0; c < 3; c++) middle = vl_axpy(middle, 1.0 / 6.0, vl_add(h->now[tri[c]], h->next[tri[c]]));
    vl_surface_bins_add(&h->bins, h->bins.excess, middle, swept(tri, h->now, h->next));
  }
}

/* Vertices go on to `next`; what they sweep goes to the bins. */
static void move(Hold *h)
{
  for (int odd = 0; odd < 2; odd++)
#pragma omp parallel for schedule(dynamic, 1)
    for (int layer = odd; layer < h->layers; layer += 2) sweep_layer(h, layer);
  vlVec3 *now = h->now;
  h->now = h->next;
  h->next = now;
}

static vlVec3 area_of(const int tri[3], const vlVec3 *x)
{
  return vl_scale(vl_cross(vl_sub(x[tri[1]], x[tri[0]]), vl_sub(x[tri[2]], x[tri[0]])), 0.5);
}

/* What each vertex could take away, and its field; weight: of the vertices, NULL: all alike. */
static void find_gains(Hold *h, const double *weight)
{
  int vertices = h->mesh->vertex_count;
  for (int v = 0; v < vertices; v++) h->gain[v] = 0.0;
  for (int t = 0; t < h->mesh->triangle_count; t++) {
    const int *tri = h->mesh->tri[t];
    vlVec3 area = area_of(tri, h->now);
    for (int c = 0; c < 3; c++) h->gain[tri[c]] -= vl_dot(area, h->pull[tri[c]]) / 3.0;
  }
  vl_surface_bins_zero(&h->bins, h->bins.gain);
  for (int v = 0; v < vertices; v++)
    if (h->gain[v] > 0.0)
      vl_surface_bins_add(&h->bins, h->bins.gain, h->now[v], weight ? weight[v] * h->gain[v] : h->gain[v]);
}

static double beyond(double x, double dead) { return x > dead ? x - dead : x < -dead ? x + dead : 0.0; }

static void follow(Hold *h, int v, double change)
{
  h->part[v] = fmin(fmax(h->part[v] + change, -MOST_OUT), MOST_IN);
  vlVec3 from = h->from[v], x = vl_axpy(from, h->part[v], h->pull[v]);
  double towards = -vl_dot(vl_sub(x, from), h->away[v]);
  x = vl_axpy(x, fmax(0.0, towards - MOST_IN * h->room[v]), h->away[v]);
  for (int a = 0; a < 3; a++) {
    double n = h->lattice->in->grid->n[a], least = (1.0 - MOST_IN) * from.v[a], most = n - (1.0 - MOST_IN) * (n - from.v[a]);
    x.v[a] = fmin(fmax(x.v[a], least), most);
  }
  h->next[v] = x;
}

static void turn_fine(Hold *h, double weight)
{
  find_gains(h, NULL);
  vl_surface_bins_share(&h->bins, LEAST_FINE);
#pragma omp parallel for schedule(static)
  for (int v = 0; v < h->mesh->vertex_count; v++)
    follow(h, v, weight * beyond(vl_surface_bins_at(&h->bins, h->now[v]), DEAD * h->bulk[v]));
  move(h);
}

static void turn_scale(Hold *h, vlSurfaceScale *scale, double weight)
{
  double dead = DEAD_SCALE * SCALE / scale->size;
  find_gains(h, h->bulk);
  vl_surface_scale_share(scale, &h->bins, LEAST * scale->size * scale->size);
#pragma omp parallel for schedule(static)
  for (int v = 0; v < h->mesh->vertex_count; v++)
    follow(h, v, weight * h->bulk[v] * beyond(vl_surface_scale_at(scale, h->now[v]), dead));
  move(h);
}

/* Where triangles have turned over, their vertices go back half of the way: `kept` of it. */
static void unfold(Hold *h)
{
  double *kept = h->gain;
  for (int v = 0; v < h->mesh->vertex_count; v++) kept[v] = 1.0;
  for (int t = 0; t < h->mesh->triangle_count; t++) {
    const int *tri = h->mesh->tri[t];
    vlVec3 before = area_of(tri, h->from), after = area_of(tri, h->now);
    double same = smooth_step(0.0, FOLDED, vl_dot(before, after) / (vl_dot(before, before) + 1e-12));
    for (int c = 0; c < 3; c++) kept[tri[c]] = fmin(kept[tri[c]], 0.5 + 0.5 * same);
  }
  for (int v = 0; v < h->mesh->vertex_count; v++) follow(h, v, (kept[v] - 1.0) * h->part[v]);
  move(h);
}

static vlCode turn_scales(Hold *h, double weight, vlStatus *status)
{
  const int *n = h->lattice->in->grid->n;
  int widest = n[0] > n[1] ? n[0] : n[1];
  widest = widest > n[2] ? widest : n[2];
  vlCode code = VL_OK;
  for (int size = SCALE; size < widest && !code; size *= SCALE) {
    vlSurfaceScale scale = {0};
    code = vl_surface_scale_create(&scale, &h->bins, size, status);
    for (int i = 0; i < SCALE_TURNS && !code; i++) turn_scale(h, &scale, weight);
    vl_surface_scale_clear(&scale);
  }
  return code;
}

/* The middle of the cube that the vertex at x belongs to; a vertex on a side of the domain is of a cube beyond it. */
static vlVec3 cube_of(const vlSurfaceInput *in, vlVec3 x)
{
  double h = 1.0 / in->refine;
  vlVec3 middle;
  for (int a = 0; a < 3; a++) {
    double n = in->grid->n[a], u = x.v[a];
    middle.v[a] = u <= 0.0 ? -0.5 * h : u >= n ? n + 0.5 * h : (floor(u / h) + 0.5) * h;
  }
  return middle;
}

/* Triangles lie in the order of their nodes: layers by the highest vertex so far. */
static void find_layers(Hold *h)
{
  int layer = 0;
  h->first_triangle[0] = 0;
  for (int t = 0; t < h->mesh->triangle_count; t++)
    for (int c = 0; c < 3; c++) {
      double z = h->now[h->mesh->tri[t][c]].z;
      while (layer + 1 < h->layers && z >= (layer + 1) * LAYER) h->first_triangle[++layer] = t;
    }
  while (layer < h->layers) h->first_triangle[++layer] = h->mesh->triangle_count;
}

static vlCode prepare(Hold *h, vlStatus *status)
{
  const vlGrid *g = h->lattice->in->grid;
  size_t count = (size_t)h->mesh->vertex_count + 1;
  vlVec3 **places[] = {&h->from, &h->pull, &h->away, &h->now, &h->next};
  double **numbers[] = {&h->room, &h->part, &h->bulk, &h->gain};
  h->layers = g->n[2] / LAYER + 1;
  bool room = (h->first_triangle = malloc(((size_t)h->layers + 1) * sizeof(int))) != NULL;
  for (int i = 0; i < 5; i++) room = (*places[i] = malloc(count * sizeof(vlVec3))) && room;
  for (int i = 0; i < 4; i++) room = (*numbers[i] = malloc(count * sizeof(double))) && room;
  if (!room) return vl_fail_memory(status, count * (5 * sizeof(vlVec3) + 4 * sizeof(double)), "the liquid's surface");
  for (int v = 0; v < h->mesh->vertex_count; v++) {
    h->next[v] = vl_scale(vl_sub(h->mesh->x[v], g->origin), 1.0 / g->dx);
    h->now[v] = cube_of(h->lattice->in, h->next[v]);
  }
  find_layers(h);
  vlCode code = vl_surface_bins_create(&h->bins, h->lattice, status);
  if (!code) move(h);
  return code;
}

static void clear(Hold *h)
{
  vl_surface_bins_clear(&h->bins);
  free(h->from);
  free(h->pull);
  free(h->away);
  free(h->now);
  free(h->next);
  free(h->room);
  free(h->part);
  free(h->bulk);
  free(h->gain);
  free(h->first_triangle);
}

/* From where vertices are; again: what is a sheet has been told before. */
static void pull_all(Hold *h, bool again)
{
#pragma omp parallel for schedule(dynamic, 256)
  for (int v = 0; v < h->mesh->vertex_count; v++) {
    double bulk = h->bulk[v];
    h->from[v] = h->now[v];
    h->part[v] = 0.0;
    pull_vertex(h, v);
    if (again) h->bulk[v] = bulk;
  }
}

/* Part of the particles' volume by which the drawn one differs. */
static double off(const Hold *h)
{
  const vlSurfaceInput *in = h->lattice->in;
  double drawn = 0.0, wanted = (double)in->particles->count / in->per_cell;
  for (int t = 0; t < h->mesh->triangle_count; t++) {
    const int *tri = h->mesh->tri[t];
    drawn += vl_dot(h->now[tri[0]], vl_cross(h->now[tri[1]], h->now[tri[2]])) / 6.0;
  }
  return wanted > 0.0 ? fabs(drawn / wanted - 1.0) : 0.0;
}

/* The pull ends half a cell below the surface; where much is missing deep below, it begins there anew. */
static vlCode hold(Hold *h, vlStatus *status)
{
  double weight = 1.0;
  vlCode code = VL_OK;
  for (int round = 0; round < ROUNDS && weight > 0.0 && !code; round++) {
    pull_all(h, round > 0);
    for (int i = 0; i < (round == 0 ? FINE_TURNS : AGAIN_TURNS); i++) turn_fine(h, weight);
    code = turn_scales(h, weight, status);
    for (int i = 0; i < UNFOLD_TURNS && !code; i++) unfold(h);
    weight = smooth_step(MISSING, MUCH, off(h));
  }
  return code;
}

vlCode vl_surface_hold(const vlSurfaceLattice *lattice, vlTriMesh *mesh, vlStatus *status)
{
  Hold h = {.lattice = lattice, .mesh = mesh, .bins = {.lattice = lattice}};
  vlCode code = prepare(&h, status);
  if (!code) code = hold(&h, status);
  for (int v = 0; v < mesh->vertex_count && !code; v++) mesh->x[v] = vl_grid_place(lattice->in->grid, h.now[v].v);
  clear(&h);
  return code;
}
