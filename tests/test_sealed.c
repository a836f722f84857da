/* The levels of liquid that bodies seal off: an elastic box full of water, with the correction around a preconditioner that
 * knows nothing, on real geometry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh/tetmesh.h"
#include "wet_body.h"

enum { SIDE = 5 }; /* cuboids along the box, the inner ones empty */

/* The tetrahedra of a box of 0.6 m whose cuboids touch its surface. */
static vlBodyDef hollow_box(vlTetMesh *mesh)
{
  vlStatus status = {0};
  vlBodyDef body = turned_box(vl_vec(0.5, 0.5, 0.5), vl_vec(0.6, 0.6, 0.6), SIDE);
  assert_int_equal(
      vl_tetmesh_box(mesh, (vlBox3){vl_vec(0.2, 0.2, 0.2), vl_vec(0.8, 0.8, 0.8)}, (const int[]){SIDE, SIDE, SIDE}, &status),
      VL_OK);
  int *number = malloc((size_t)mesh->node_count * sizeof *number), nodes = 0, tets = 0;
  assert_non_null(number);
  for (int i = 0; i < mesh->node_count; i++) number[i] = -1;
  for (int t = 0; t < mesh->tet_count; t++) {
    vlVec3 middle = vl_vec(0, 0, 0);
    for (int k = 0; k < 4; k++) middle = vl_axpy(middle, 0.25, mesh->node[mesh->tet[t][k]]);
    if (fabs(middle.x - 0.5) < 0.18 && fabs(middle.y - 0.5) < 0.18 && fabs(middle.z - 0.5) < 0.18) continue;
    for (int k = 0; k < 4; k++) mesh->tet[tets][k] = mesh->tet[t][k], number[mesh->tet[t][k]] = 0;
    tets++;
  }
  for (int i = 0; i < mesh->node_count; i++)
    if (number[i] == 0) {
      number[i] = nodes;
      mesh->node[nodes++] = mesh->node[i];
    }
  for (int t = 0; t < tets; t++)
    for (int k = 0; k < 4; k++) mesh->tet[t][k] = number[mesh->tet[t][k]];
  free(number);
  body.shape = VL_BODY_MESH;
  body.nodes = mesh->node;
  body.node_count = nodes;
  body.tets = mesh->tet;
  body.tet_count = tets;
  body.center = vl_vec(0, 0, 0);
  body.rotation = vl_mat_rotation(0, 0.0);
  return body;
}

typedef struct Case {
  vlTetMesh mesh;
  vlBodyDef body;
  vlShape water[2];
  vlPinDef floor;
  vlSim *sim;
  vlPressure *pressure;
  size_t n;
} Case;

/* Water in a light box whose bottom is held, and a drop in the air outside. */
static void begin(Case *c)
{
  vlStatus status = {0};
  c->body = hollow_box(&c->mesh);
  c->body.density = 100.0;
  c->body.young = 2e4;
  c->floor = vl_pin_default(VL_SHAPE_BOX);
  c->floor.region.size = vl_vec(2, 0.5, 2);
  c->body.pins = &c->floor;
  c->body.pin_count = 1;
  c->water[0] = vl_shape_default(VL_SHAPE_BOX);
  c->water[0].center = vl_vec(0.5, 0.5, 0.5);
  c->water[0].size = vl_vec(0.45, 0.45, 0.45);
  c->water[1] = ball(vl_vec(0.1, 0.1, 0.1), 0.09);
  vlScene scene = coupled_scene(30, &c->body);
  scene.liquid.shapes = c->water;
  scene.liquid.shape_count = 2;
  c->sim = start(&scene);
  vlFluid fluid = vl_sharp_fluid(vl_sharp(c->sim));
  c->pressure = vl_sharp(c->sim)->work.pressure;
  assert_int_equal(vl_body_step_begin(vl_sharp(c->sim), &(vlStep){.dt = 0.005}, &status), VL_OK);
  assert_int_equal(vl_pressure_assemble(c->pressure, &fluid, &status), VL_OK);
  c->pressure->coupling.scale = 1.0;
  c->n = vl_stencil_length(&c->pressure->stencil);
  assert_int_equal(c->pressure->sealed_count, 1);
}

static void finish(Case *c)
{
  vl_sim_destroy(&c->sim);
  vl_tetmesh_clear(&c->mesh);
}

static void apply_halves(void *data, const double *x, double *y)
{
  const vlPressure *pressure = data;
  for (size_t i = 0; i < vl_stencil_length(&pressure->stencil); i++)
    y[i] = pressure->stencil.diagonal[i] > 0.0 ? x[i] / pressure->stencil.diagonal[i] : 0.0;
}

static vlOperator corrected(Case *c)
{
  vlStatus status = {0};
  vlOperator inner = {.n = c->n, .apply = apply_halves, .data = c->pressure}, result;
  assert_int_equal(vl_sealed_prepare(&c->pressure->sealed, &c->pressure->coupling, c->pressure->region,
                                     c->pressure->sealed_count, inner, &result, &status),
                   VL_OK);
  assert_true(result.data != inner.data);
  return result;
}

/* A Z of the sealed water, by the whole operator. */
static void apply_whole(Case *c, const double *x, double *y)
{
  vl_stencil_apply(&c->pressure->stencil, x, y);
  vl_coupling_add(&c->pressure->coupling, NULL, x, y);
}

/* M^-1 A is the identity on the constant of the sealed water, to the round-off of S^-1 (condition about 1e6). */
static void test_level_exact(void **state)
{
  (void)state;
  Case c = {0};
  begin(&c);
  vlOperator m = corrected(&c);
  double *x = vl_stencil_vector_create((size_t)c.pressure->stencil.blocks.count), *ax = calloc(c.n, sizeof *ax),
         *z = calloc(c.n, sizeof *z);
  assert_true(x && ax && z);
  int cells = 0;
  for (size_t i = 0; i < c.n; i++) {
    bool sealed = c.pressure->region[i] == VL_REGION_SEALED;
    x[i] = sealed ? 3.0 : 0.0;
    cells += sealed;
  }
  assert_true(cells > 500);
  apply_whole(&c, x, ax);
  m.apply(m.data, ax, z);
  for (size_t i = 0; i < c.n; i++) assert_true(fabs(z[i] - x[i]) <= 1e-9 * 3.0);
  vl_stencil_vector_free(x);
  free(ax);
  free(z);
  finish(&c);
}

static void fill(const Case *c, double *x, uint64_t seed)
{
  for (size_t i = 0; i < c->n; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = c->pressure->stencil.diagonal[i] > 0.0 ? (double)(seed >> 40) * 0x1p-24 - 0.5 : 0.0;
  }
}

/* The corrected preconditioner is symmetric and positive where the inner one is. */
static void test_symmetric(void **state)
{
  (void)state;
  Case c = {0};
  begin(&c);
  vlOperator m = corrected(&c);
  double *x = calloc(4 * c.n, sizeof *x), *y = x + c.n, *mx = y + c.n, *my = mx + c.n;
  assert_non_null(x);
  fill(&c, x, 3);
  fill(&c, y, 4);
  m.apply(m.data, x, mx);
  m.apply(m.data, y, my);
  double xx = vl_vector_dot(x, mx, c.n), yy = vl_vector_dot(y, my, c.n);
  assert_true(xx > 0.0 && yy > 0.0);
  assert_true(fabs(vl_vector_dot(y, mx, c.n) - vl_vector_dot(x, my, c.n)) <= 1e-11 * sqrt(xx * yy));
  free(x);
  finish(&c);
}

/* What it is for: without it a light soft box takes more than 300 iterations to 1e-12, with it 40 to 70. */
static void test_iterations(void **state)
{
  (void)state;
  Case c = {0};
  begin(&c);
  for (int s = 0; s < 3; s++) {
    int iterations = step(c.sim).iterations;
    if (iterations > 90) fail_msg("step %d: %d iterations", s + 1, iterations);
  }
  finish(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_level_exact),
      cmocka_unit_test(test_symmetric),
      cmocka_unit_test(test_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
