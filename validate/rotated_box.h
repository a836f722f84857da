/* Flow in a square container that is turned against the grid: u* = curl psi + grad q is projected, and the exact projection
 * is curl psi, since psi = 0 on the walls.
 *
 * The square has side 0.6 in a box of 1 x 1; psi = sin(kX) sin(kY) / k in its own coordinates X, Y from a corner, k =
 * pi/0.6, or psi = sin2(kX) sin2(kY) / k, which has no flow along the walls; q is smooth in the coordinates of the box.
 * Errors are those of the velocity at faces that carry flow and whose centre lies in the square, as in poisson_problems.h.
 * How small the smallest cut cells are is chance: largest errors are the worst of several positions of the square, fractions
 * of a cell apart, and mean errors the mean of them. */
#ifndef VL_VALIDATE_ROTATED_BOX_H
#define VL_VALIDATE_ROTATED_BOX_H

#include "base/vec.h"
#include "engine/sharp/sharp.h"

typedef struct RotatedBox {
  int cells;       /* along the box */
  double angle;    /* radians */
  double shift[2]; /* cells: of its middle */
  vlWeightsKind weights;
  bool squared; /* psi of the second kind */
} RotatedBox;

typedef struct RotatedNorms {
  double largest, mean;
  double worst_area, worst_distance; /* open part of the face with the largest error; cells from its centre to the wall */
} RotatedNorms;

static const double rotated_side = 0.6;

/* Coordinates in the square, m from its corner. */
static inline void rotated_local(const RotatedBox *box, double x, double y, double *X, double *Y)
{
  double c = cos(box->angle), s = sin(box->angle), dx = 1.0 / box->cells, rx = x - 0.5 - box->shift[0] * dx,
         ry = y - 0.5 - box->shift[1] * dx;
  *X = c * rx + s * ry + 0.5 * rotated_side;
  *Y = -s * rx + c * ry + 0.5 * rotated_side;
}

/* m: to the nearest wall, positive inside */
static inline double rotated_depth(const RotatedBox *box, double x, double y)
{
  double X, Y;
  rotated_local(box, x, y, &X, &Y);
  return fmin(fmin(X, rotated_side - X), fmin(Y, rotated_side - Y));
}

/* curl psi = (d psi/dy, -d psi/dx), m/s; largest about 1 */
static inline double rotated_flow(const RotatedBox *box, int axis, double x, double y)
{
  double X, Y, k = VL_PI / rotated_side, c = cos(box->angle), s = sin(box->angle);
  rotated_local(box, x, y, &X, &Y);
  double px = cos(k * X) * sin(k * Y), py = sin(k * X) * cos(k * Y);
  if (box->squared) {
    px *= 2.0 * sin(k * X) * sin(k * Y);
    py *= 2.0 * sin(k * X) * sin(k * Y);
  }
  return axis == 0 ? s * px + c * py : -(c * px - s * py);
}

/* grad q, of q = sin(a x + 0.7) cos(b y - 0.4) / hypot(a, b) */
static inline double rotated_slope(int axis, double x, double y)
{
  double a = 2.0 * VL_PI, b = 3.0 * VL_PI, size = hypot(a, b);
  return axis == 0 ? a * cos(a * x + 0.7) * cos(b * y - 0.4) / size : -b * sin(a * x + 0.7) * sin(b * y - 0.4) / size;
}

static inline vlScene rotated_scene(const RotatedBox *box, vlSolidDef *tank)
{
  vlScene scene;
  vl_scene_default(&scene);
  *tank = (vlSolidDef){.name = "square", .container = true, .shape = vl_shape_default(VL_SHAPE_BOX)};
  double dx = 1.0 / box->cells;
  tank->shape.center = vl_vec(0.5 + box->shift[0] * dx, 0.5 + box->shift[1] * dx, 0.0);
  tank->shape.size = vl_vec(rotated_side, rotated_side, 1.0);
  tank->shape.rotation = vl_mat_rotation(2, box->angle);
  scene.pressure.separation = VL_SEPARATION_NO; /* pressure of either sign: without gravity no constant is given */
  scene.liquid.transfer = VL_TRANSFER_STILL;
  scene.grid.origin = vl_vec(0, 0, -0.5 * dx);
  scene.grid.size = vl_vec(1, 1, dx);
  scene.grid.cells = box->cells;
  scene.grid.slab = true;
  scene.liquid.has_level = true;
  scene.liquid.level = 10.0;
  scene.solids = tank;
  scene.solid_count = 1;
  scene.pressure.weights = box->weights;
  return scene;
}

/* u* on all faces but those of the box's sides. */
static inline void rotated_fill(vlSim *sim, const RotatedBox *box)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  for (int j = 0; j < g->n[1]; j++)
    for (int i = 0; i < g->n[0]; i++)
      for (int a = 0; a < 2; a++) {
        vlVec3 x = vl_grid_center(g, i, j, 0);
        x.v[a] -= 0.5 * g->dx;
        vl_sharp(sim)->work.u[a][vl_grid_at(g, i, j, 0)] =
            (a == 0 ? i : j) == 0 ? 0.0 : rotated_flow(box, a, x.x, x.y) + rotated_slope(a, x.x, x.y);
      }
}

static inline void rotated_measure(vlSim *sim, const RotatedBox *box, RotatedNorms *norms)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  double sum = 0.0, full = g->dx * g->dx;
  int count = 0;
  *norms = (RotatedNorms){0};
  for (int j = 0; j < g->n[1]; j++)
    for (int i = 0; i < g->n[0]; i++)
      for (int a = 0; a < 2; a++) {
        int b = vl_blocks_find(&vl_sharp(sim)->work.wet, i / VL_BLOCK, j, 0);
        vlVec3 x = vl_grid_center(g, i, j, 0);
        x.v[a] -= 0.5 * g->dx;
        double depth = rotated_depth(box, x.x, x.y);
        if (b < 0 || depth < 0.0) continue;
        vlLink link = vl_links_at(&vl_sharp(sim)->work.pressure->links, &fluid, b * VL_BLOCK + i % VL_BLOCK, a);
        if (link.kind != VL_LINK_INNER) continue;
        double error = fabs(vl_sharp(sim)->work.u[a][vl_grid_at(g, i, j, 0)] - rotated_flow(box, a, x.x, x.y));
        sum += error;
        count++;
        if (error <= norms->largest) continue;
        norms->largest = error;
        norms->worst_area = link.area / full;
        norms->worst_distance = depth / g->dx;
      }
  norms->mean = sum / count;
}

static inline vlCode rotated_project(const RotatedBox *box, RotatedNorms *norms, vlStatus *status)
{
  vlSolidDef tank;
  vlScene scene = rotated_scene(box, &tank);
  vlSim *sim = NULL;
  vlPressureSolve result = {0};
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  if (code) return code;
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  vlPressure *pressure = vl_sharp(sim)->work.pressure;
  rotated_fill(sim, box);
  code = vl_pressure_assemble(pressure, &fluid, status);
  if (!code) {
    vl_pressure_rhs(pressure, &fluid, vl_sharp(sim)->work.u, NULL, 1.0, 1.0);
    code = vl_pressure_solve(pressure, VL_SOLVER_MULTIGRID, (vlSolveOptions){1e-11, 300}, &result, status);
  }
  if (!code) {
    vl_pressure_store(pressure, &fluid, vl_sharp(sim)->state.p);
    vl_pressure_apply(pressure, &fluid, vl_sharp(sim)->state.p, vl_sharp(sim)->work.u, NULL, vl_sharp(sim)->work.u);
    rotated_measure(sim, box, norms);
  }
  vl_sim_destroy(&sim);
  return code;
}

/* Worst and mean over positions that fill a cell evenly: powers of the plastic number. */
static inline vlCode rotated_worst(RotatedBox box, int positions, RotatedNorms *worst, vlStatus *status)
{
  static const double step = 0.7548776662466927;
  double mean = 0.0;
  *worst = (RotatedNorms){0};
  for (int p = 1; p <= positions; p++) {
    RotatedNorms norms;
    box.shift[0] = fmod(0.5 + step * p, 1.0) - 0.5;
    box.shift[1] = fmod(0.5 + step * step * p, 1.0) - 0.5;
    vlCode code = rotated_project(&box, &norms, status);
    if (code) return code;
    mean += norms.mean / positions;
    if (norms.largest > worst->largest) *worst = norms;
  }
  worst->mean = mean;
  return VL_OK;
}

#endif
