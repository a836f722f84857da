/* One cube of the liquid's surface.
 *
 * On an edge the liquid reaches from its inside node to the first of: the zero of the linear free-surface distance, the zero
 * of the linear solid distance, the domain's side. A sheet's vertex is the mean of its free crossings, moved to the level
 * surface of the trilinear distance. When a node has just come inside, its crossings and so its vertices all lie at
 * the node: drops start with no size.
 *
 * Where a sheet also crosses walls the vertex minimises
 *   sum_walls (n.(x - c))^2 + free (n_f.(x - c_f))^2 + SOFT |x - c_f|^2,
 * so that the contact line and the walls' edges stay sharp [ju2002]. Free crossings enter as one plane, as their scatter is
 * no feature. */
#include "liquid/surface_lattice.h"

static const double SOFT = 0.02;   /* against 1 for each wall crossing */
static const double MARGIN = 1e-3; /* of an edge: vertices stay this far inside their cubes, so no two coincide */

static double limit(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

void vl_surface_cube_load(const vlSurfaceLattice *lattice, const int node[3], vlSurfaceCube *cube)
{
  for (int a = 0; a < 3; a++) cube->node[a] = node[a];
  for (int c = 0; c < 8; c++) {
    int at[3] = {node[0] + (c & 1), node[1] + (c >> 1 & 1), node[2] + (c >> 2)};
    ptrdiff_t i = vl_surface_lattice_find(lattice, at);
    cube->beyond[c] = vl_surface_lattice_beyond(lattice, at);
    if (i >= 0) {
      cube->liquid[c] = (double)lattice->liquid[i];
      cube->solid[c] = (double)lattice->solid[i];
    } else {
      bool in = vl_surface_lattice_inside(lattice, at[0] / VL_BLOCK, at[1], at[2]) >> at[0] % VL_BLOCK & 1;
      cube->liquid[c] = in ? -VL_KERNEL_RADIUS : VL_KERNEL_RADIUS;
      cube->solid[c] = -VL_KERNEL_RADIUS;
    }
  }
}

/* By the saddle of the bilinear distance on the side [nielson1991]; the two cubes at the side compute it from the same
 * numbers. */
int vl_surface_cube_joined(const vlSurfaceCube *cube, int inside)
{
  int joined = 0, ambiguous = vl_cube_ambiguous_sides(inside);
  for (int side = 0; ambiguous >> side; side++) {
    if (!(ambiguous >> side & 1)) continue;
    int axis = side / 2, low = (side % 2) << axis, b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3;
    int corner[4] = {low, low | b, low | b | c, low | c};
    double f[4];
    for (int k = 0; k < 4; k++) f[k] = cube->beyond[corner[k]] ? 1.0 : fmax(cube->liquid[corner[k]], cube->solid[corner[k]]);
    double saddle = f[0] * f[2] - f[1] * f[3];
    bool first_inside = inside >> corner[0] & 1;
    if (first_inside ? saddle > 0.0 : saddle < 0.0) joined |= 1 << side;
  }
  return joined;
}

/* Part of the edge from corner `in` to corner `out` that is liquid; *wall: whether it ends at a wall. */
static double liquid_part(const vlSurfaceCube *cube, int in, int out, bool *wall)
{
  *wall = true;
  if (cube->beyond[out]) return 0.0;
  double free = 1.0, solid = 1.0;
  if (cube->liquid[out] >= 0.0) free = cube->liquid[in] / (cube->liquid[in] - cube->liquid[out]);
  if (cube->solid[out] >= 0.0) solid = cube->solid[in] / (cube->solid[in] - cube->solid[out]);
  *wall = cube->solid[out] >= 0.0 && solid <= free;
  double part = free < solid ? free : solid;
  return limit(part, 0.0, 1.0);
}

typedef struct Crossing {
  double at[3]; /* 0..1 in the cube */
  bool wall, beyond;
  int axis, side; /* of the edge; 1: liquid below */
} Crossing;

static Crossing crossing_of(const vlSurfaceCube *cube, int inside, int edge)
{
  int from = vl_cube_edge_corner(edge), axis = edge / 4, to = from | 1 << axis;
  bool up = inside >> from & 1;
  Crossing c = {.axis = axis, .side = up ? 1 : -1, .beyond = cube->beyond[up ? to : from]};
  double part = liquid_part(cube, up ? from : to, up ? to : from, &c.wall);
  for (int a = 0; a < 3; a++) c.at[a] = from >> a & 1;
  c.at[axis] = up ? part : 1.0 - part;
  return c;
}

/* Value and slope (per edge) at a place in the cube of the trilinear function with these corner values. */
static double trilinear(const double f[8], const double at[3], vlVec3 *slope)
{
  double value = 0.0;
  *slope = vl_vec(0, 0, 0);
  for (int c = 0; c < 8; c++) {
    double w[3], d[3];
    for (int a = 0; a < 3; a++) {
      w[a] = c >> a & 1 ? at[a] : 1.0 - at[a];
      d[a] = c >> a & 1 ? 1.0 : -1.0;
    }
    value += w[0] * w[1] * w[2] * f[c];
    for (int a = 0; a < 3; a++) slope->v[a] += d[a] * w[(a + 1) % 3] * w[(a + 2) % 3] * f[c];
  }
  return value;
}

/* Place in cells, within the domain. */
static vlVec3 to_cells(const vlSurfaceLattice *lattice, const vlSurfaceCube *cube, const double at[3])
{
  double h = 1.0 / lattice->in->refine;
  vlVec3 x;
  for (int a = 0; a < 3; a++) {
    double n = lattice->in->grid->n[a], u = (cube->node[a] - 1 + limit(at[a], MARGIN, 1.0 - MARGIN)) * h;
    x.v[a] = limit(u, 0.0, n);
  }
  return x;
}

vlVec3 vl_surface_cube_crossing(const vlSurfaceLattice *lattice, const vlSurfaceCube *cube, int inside, int edge)
{
  return to_cells(lattice, cube, crossing_of(cube, inside, edge).at);
}

/* Normal equations of planes, relative to a start. */
typedef struct Planes {
  double a[3][3], b[3];
} Planes;

static void add_plane(Planes *p, vlVec3 n, double distance, double weight)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) p->a[i][j] += weight * n.v[i] * n.v[j];
    p->b[i] += weight * n.v[i] * distance;
  }
}

/* Solution of (a + SOFT) x = b. */
static vlVec3 solve(const Planes *p)
{
  vlVec3 row[3], b = vl_vec(p->b[0], p->b[1], p->b[2]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) row[i].v[j] = p->a[i][j] + (i == j ? SOFT : 0.0);
  double det = vl_dot(row[0], vl_cross(row[1], row[2]));
  return vl_vec(vl_dot(b, vl_cross(row[1], row[2])) / det, vl_dot(row[0], vl_cross(b, row[2])) / det,
                vl_dot(row[0], vl_cross(row[1], b)) / det);
}

/* Moves a place to the level surface of the free distance, along its slope. */
static void project(const vlSurfaceCube *cube, double at[3])
{
  vlVec3 slope;
  double value = trilinear(cube->liquid, at, &slope), squared = vl_dot(slope, slope) + 1e-12;
  double step = value / squared, length = fabs(step) * sqrt(squared);
  if (length > 0.25) step *= 0.25 / length;
  for (int a = 0; a < 3; a++) at[a] -= step * slope.v[a];
}

vlVec3 vl_surface_cube_vertex(const vlSurfaceLattice *lattice, const vlSurfaceCube *cube, const vlCube *sheets, int sheet)
{
  Crossing crossing[12];
  int count = 0, free = 0;
  double mean[3] = {0}, free_mean[3] = {0};
  vlVec3 free_slope = vl_vec(0, 0, 0), slope;
  for (int e = 0; e < 12; e++) {
    if (sheets->sheet[e] != sheet) continue;
    Crossing c = crossing[count++] = crossing_of(cube, sheets->inside, e);
    for (int a = 0; a < 3; a++) mean[a] += c.at[a];
    if (c.wall) continue;
    free++;
    for (int a = 0; a < 3; a++) free_mean[a] += c.at[a];
    trilinear(cube->liquid, c.at, &slope);
    free_slope = vl_add(free_slope, slope);
  }
  for (int a = 0; a < 3; a++) mean[a] = free ? free_mean[a] / free : mean[a] / count;
  if (free) project(cube, mean);
  if (free == count) return to_cells(lattice, cube, mean);
  Planes planes = {0};
  if (free) add_plane(&planes, vl_unit(free_slope), 0.0, free);
  for (int i = 0; i < count; i++) {
    if (!crossing[i].wall) continue;
    vlVec3 n = vl_vec(0, 0, 0), d;
    n.v[crossing[i].axis] = crossing[i].side;
    if (!crossing[i].beyond) {
      trilinear(cube->solid, crossing[i].at, &n);
      n = vl_unit(n);
    }
    for (int a = 0; a < 3; a++) d.v[a] = crossing[i].at[a] - mean[a];
    add_plane(&planes, n, vl_dot(n, d), 1.0);
  }
  vlVec3 move = solve(&planes);
  for (int a = 0; a < 3; a++) mean[a] += move.v[a];
  return to_cells(lattice, cube, mean);
}
