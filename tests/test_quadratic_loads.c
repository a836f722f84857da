/* Bodies of quadratic elements and what pushes them: even pressure comes to their nodes as their shape functions have it,
 * and the liquid they push aside is the same sum turned round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elastic_bodies.h"
#include "grids.h"
#include "wet_body.h"

static const vlVec3 SIZE = {.v = {0.6, 0.5, 0.4}};

static vlElastic *new_quadratic(int n)
{
  return new_body(SIZE, n, n, n, rubber, VL_ELASTIC_QUADRATIC, VL_ELASTIC_BACKWARD_EULER);
}

static vlPatches cut(vlElastic *e, const vlGrid *grid)
{
  vlStatus status = {0};
  vlPatches patches = {0};
  vlBody *list[] = {&e->body};
  const vlBodySet set = {.body = list, .count = 1, .first_node = (int[]){0, e->body.node_count}};
  assert_int_equal(vl_patches_update(&patches, &set, 0, 1, grid, &status), VL_OK);
  return patches;
}

/* The same pieces with weights that are linear in each drawn triangle. */
static vlPatches cut_linear(vlElastic *e, const vlGrid *grid)
{
  e->body.curved = false;
  vlPatches patches = cut(e, grid);
  e->body.curved = true;
  return patches;
}

/* m2: pressure 1 in all cells. */
static vlVec3 *even_load(const vlElastic *e, const vlPatches *patches)
{
  vlVec3 *load = new_vectors(e, 0);
  for (int q = 0; q < patches->count; q++)
    for (int k = 0; k < patches->patch[q].nodes; k++) {
      const vlPatch *p = &patches->patch[q];
      load[p->node[k]] = vl_axpy(load[p->node[k]], p->b[k], p->s);
    }
  return load;
}

static vlVec3 weighted(const vlPatch *p, const vlVec3 *x)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int k = 0; k < p->nodes; k++) sum = vl_axpy(sum, p->b[k], x[p->node[k]]);
  return sum;
}

/* A box in any place of any grid, cells smaller and larger than its faces: corners get nothing, middles of edges A/3 of each
 * face beside them. */
static void test_even_pressure(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int place = 0; place < 8; place++) {
    vlElastic *e = new_quadratic(2);
    vlMat3 turn = place % 4 ? random_rotation(&seed) : vl_mat_identity();
    vlGrid grid = make_grid(3 + 5 * place, 4 + 5 * place, 3 + 5 * place, 2.4 / (3 + 5 * place), vl_vec(-1.2, -1.2, -1.2));
    for (int i = 0; i < e->body.node_count; i++) e->body.x[i] = vl_mat_apply(turn, e->body.rest[i]);
    vlPatches patches = cut(e, &grid);
    vlVec3 *load = even_load(e, &patches), *wanted = new_vectors(e, 0);
    for (int f = 0; f < e->body.triangle_count; f += 4) {
      const int(*t)[3] = (const int(*)[3])(e->body.triangle + f);
      const vlVec3 *x = e->body.x;
      vlVec3 third = vl_scale(vl_cross(vl_sub(x[t[1][0]], x[t[0][0]]), vl_sub(x[t[2][0]], x[t[0][0]])), -1.0 / 6.0);
      for (int m = 0; m < 3; m++) wanted[t[3][m]] = vl_add(wanted[t[3][m]], third);
    }
    for (int i = 0; i < e->body.node_count; i++) assert_true(vl_norm(vl_sub(load[i], wanted[i])) <= 1e-14);
    free(load);
    free(wanted);
    vl_patches_clear(&patches);
    free_body(e);
  }
}

static vlVec3 bend(vlVec3 X)
{
  return vl_vec(X.x + 0.2 * sin(3.0 * X.z), X.y + 0.3 * sin(3.0 * X.x + 0.2 * sin(3.0 * X.z)), X.z);
}

/* A body bent and dented, its nodes in the middle of no edge: weights add up to 1, cells close, and turned as a whole it
 * takes from every cell what its drawn triangles take, so that even pressure neither moves nor turns it. */
static void test_turning(void **state)
{
  (void)state;
  for (int place = 0; place < 3; place++) {
    vlElastic *e = new_quadratic(2);
    for (int i = 0; i < e->body.node_count; i++) e->body.x[i] = bend(e->body.rest[i]);
    shake(e, 0.02, 7);
    vlGrid grid = make_grid(5 + 6 * place, 5 + 6 * place, 5 + 6 * place, 2.4 / (5 + 6 * place), vl_vec(-1.2, -1.2, -1.2));
    vlPatches patches = cut(e, &grid), drawn = cut_linear(e, &grid);
    assert_int_equal(patches.count, drawn.count);
    double unlike = 0.0;
    vlVec3 force = vl_vec(0, 0, 0), torque = force;
    for (int q = 0; q < patches.count; q++) {
      const vlPatch *p = &patches.patch[q], *d = &drawn.patch[q];
      double sum = 0.0;
      for (int k = 0; k < p->nodes; k++) sum += p->b[k];
      assert_true(fabs(sum - 1.0) <= 1e-13);
      assert_memory_equal(&p->s, &d->s, sizeof p->s);
      vlVec3 c = weighted(p, e->body.x), flat = weighted(d, e->body.x);
      unlike = fmax(unlike, vl_norm(vl_sub(c, flat)));
      assert_true(vl_norm(vl_cross(vl_sub(c, flat), p->s)) <= 1e-14);
      force = vl_add(force, p->s);
      torque = vl_add(torque, vl_cross(c, p->s));
    }
    assert_true(unlike > 1e-3 && vl_norm(force) <= 1e-13 && vl_norm(torque) <= 1e-13);
    vl_patches_clear(&patches);
    vl_patches_clear(&drawn);
    free_body(e);
  }
}

/* m3/s: into the bent body at v = (0, y2, 0), whose exact rate is the integral of its divergence 2 y. bend keeps volumes. */
static double flux_error(int n, bool linear)
{
  vlElastic *e = new_quadratic(n);
  vlVec3 *v = new_vectors(e, 0);
  vlGrid grid = make_grid(24, 24, 24, 0.1, vl_vec(-1.2, -1.2, -1.2));
  double exact = 0.0, flux = 0.0;
  for (int i = 0; i < e->body.node_count; i++) {
    vlVec3 x = e->body.x[i] = bend(e->body.rest[i]);
    v[i] = vl_vec(0, x.y * x.y, 0);
  }
  vlPatches patches = linear ? cut_linear(e, &grid) : cut(e, &grid);
  for (int q = 0; q < patches.count; q++) flux -= vl_dot(patches.patch[q].s, weighted(&patches.patch[q], v));
  enum { FINE = 200 };
  for (int i = 0; i < FINE * FINE; i++) {
    vlVec3 X = vl_vec((i % FINE + 0.5) / FINE * SIZE.x, 0.5 * SIZE.y, (i / FINE + 0.5) / FINE * SIZE.z);
    exact += 2.0 * bend(X).y * SIZE.x * SIZE.y * SIZE.z / (FINE * FINE);
  }
  vl_patches_clear(&patches);
  free(v);
  free_body(e);
  return fabs(flux - exact) / exact;
}

/* Of second order where faces curve, as the drawn triangles are, but better than by linear weights. */
static void test_order(void **state)
{
  (void)state;
  double coarse = flux_error(3, false), fine = flux_error(6, false);
  assert_true(fine < 1e-3 && coarse > 3.3 * fine && fine < 0.5 * flux_error(6, true));
}

/* A bar that may only grow shorter, one element across, stands under even pressure: y = -p y/E in all of it. With linear
 * weights loads come where the elements do not expect them, and nodes of its top are off by a fifth. */
static double uneven(bool linear)
{
  vlStatus status = {0};
  const double p = 1.0;
  vlElasticMaterial soft = rubber;
  soft.poisson = 0.0;
  vlElastic *e = new_body(vl_vec(0.2, 0.4, 0.2), 1, 2, 1, soft, VL_ELASTIC_QUADRATIC, VL_ELASTIC_BACKWARD_EULER);
  vlGrid grid = make_grid(20, 20, 20, 0.05, vl_vec(-0.41, -0.43, -0.37));
  for (int i = 0; i < e->body.node_count; i++) {
    vl_elastic_hold(e, i, 0, 0.0);
    vl_elastic_hold(e, i, 2, 0.0);
    if (e->body.rest[i].y == 0.0) vl_elastic_hold(e, i, 1, 0.0);
  }
  vlPatches patches = linear ? cut_linear(e, &grid) : cut(e, &grid);
  vlVec3 *load = even_load(e, &patches);
  for (int i = 0; i < e->body.node_count; i++) load[i] = vl_scale(load[i], p);
  if (vl_body_begin(&e->body, 1e6, vl_vec(0, 0, 0), &status) || vl_body_finish(&e->body, load, &status))
    fail_msg("%s", status.message);
  double most = 0.0;
  for (int i = 0; i < e->body.node_count; i++) {
    double exact = -p * e->body.rest[i].y / soft.young, got = e->body.x[i].y - e->body.rest[i].y;
    most = fmax(most, fabs(got - exact) * soft.young / (p * 0.4));
  }
  free(load);
  vl_patches_clear(&patches);
  free_body(e);
  return most;
}

static void test_bar(void **state)
{
  (void)state;
  assert_true(uneven(false) <= 1e-9 && uneven(true) > 0.02);
}

static vlBodyDef soft_box(vlVec3 size)
{
  vlBodyDef body = turned_box(vl_vec(0.52, 0.45, 0.48), size, 2);
  body.element = VL_ELEMENT_QUADRATIC;
  return body;
}

/* Body and liquid move together: no pressure beyond round-off; with shares of faces 2e-10, as of linear elements. */
static void test_free_stream(void **state)
{
  (void)state;
  vlBodyDef body = soft_box(vl_vec(0.3, 0.25, 0.35));
  body.velocity = vl_vec(0.6, -0.3, 0.45);
  vlScene scene = coupled_scene(20, &body);
  assert_true(free_stream(&scene, body.velocity) <= 1e-12);
  scene.pressure.weights = VL_WEIGHTS_VOLUME;
  assert_true(free_stream(&scene, body.velocity) <= 1e-9);
}

/* v . J^T p = p . J v of a body that a splash has bent. */
static void assert_adjoint(const vlSim *sim)
{
  const vlCoupling *c = &vl_sharp(sim)->work.pressure->coupling;
  size_t n = vl_stencil_length(&vl_sharp(sim)->work.pressure->stencil), nodes = (size_t)vl_bodies_nodes(c->bodies);
  double *p = calloc(n, sizeof *p), *flux = calloc(n, sizeof *flux), by_nodes = 0.0, by_cells = 0.0, size = 0.0;
  vlVec3 *v = calloc(nodes, sizeof *v), *load = calloc(nodes, sizeof *load);
  uint64_t seed = 9;
  assert_true(p && flux && v && load && c->rows > 50);
  for (size_t i = 0; i < n; i++) p[i] = random_unit(&seed);
  for (size_t i = 0; i < nodes; i++) v[i] = vl_vec(random_unit(&seed), random_unit(&seed), random_unit(&seed));
  vl_coupling_load(c, p, load);
  vl_coupling_flux(c, v, 1.0, NULL, flux);
  for (size_t i = 0; i < nodes; i++) by_nodes += vl_dot(v[i], load[i]), size += vl_norm(v[i]) * vl_norm(load[i]);
  for (size_t i = 0; i < n; i++) by_cells += p[i] * flux[i];
  assert_true(fabs(by_nodes - by_cells) <= 1e-13 * size);
  free(p);
  free(flux);
  free(v);
  free(load);
}

/* A soft body falls into water and bends: what it gains of momentum is the impulse of pressure, weight and nothing else; so
 * for the liquid. */
static void test_splash(void **state)
{
  (void)state;
  vlBodyDef body = soft_box(vl_vec(0.35, 0.2, 0.25));
  body.velocity = vl_vec(0.3, -0.8, 0.1);
  body.density = 300.0;
  body.young = 2e4;
  vlScene scene = coupled_scene(16, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.53;
  vlSim *sim = start(&scene);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  double *area[3];
  for (int a = 0; a < 3; a++) assert_non_null(area[a] = vl_field_create(&vl_sharp(sim)->grid));
  for (int s = 0; s < 4; s++) {
    for (int a = 0; a < 3; a++) memcpy(area[a], vl_sharp(sim)->work.area[a], vl_sharp(sim)->grid.length * sizeof(double));
    vlVec3 before = vl_body_measure(e, scene.gravity).momentum, *v0 = copy_velocities(sim);
    vlStepInfo info = step(sim);
    vlBodyMeasure after = vl_body_measure(e, scene.gravity);
    vlVec3 push = vl_scale(vl_axpy(info.body_force, after.mass, scene.gravity), info.dt);
    assert_true(vl_norm(vl_sub(vl_sub(after.momentum, before), push)) <= 1e-9 * (vl_norm(after.momentum) + vl_norm(push)));
    vlVec3 all = vl_scale(vl_sub(info.weight, vl_add(info.wall_force, info.body_force)), info.dt);
    vlVec3 liquid = vl_add(liquid_gain(sim, area), layer_gain(sim, v0));
    free(v0);
    assert_true(vl_norm(vl_sub(liquid, all)) <= 1e-9 * (vl_norm(liquid) + info.dt * vl_norm(info.weight)));
    assert_adjoint(sim);
  }
  for (int a = 0; a < 3; a++) vl_field_destroy(&vl_sharp(sim)->grid, &area[a]);
  vl_sim_destroy(&sim);
}

/* Still water lifts a bent body by the weight of what its drawn surface holds, which closes the cells, wherever that cuts
 * them. */
static void test_lift_of_bent_body(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlBodyDef body = soft_box(vl_vec(0.3, 0.25, 0.35));
  vlScene scene = coupled_scene(20, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.93;
  vlSim *sim = start(&scene);
  vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  for (int i = 0; i < e->node_count; i++) {
    e->x[i].y += 0.04 * sin(9.0 * e->x[i].x);
    for (int a = 0; a < 3; a++) vl_elastic_hold((vlElastic *)e, i, a, 0.0);
  }
  vl_elastic_restart((vlElastic *)e);
  assert_int_equal(vl_sharp_rebuild(vl_sharp(sim), &status), VL_OK);
  double lift = 1000.0 * 9.81 * vl_body_enclosed(e);
  vlStepInfo info = step(sim);
  assert_true(fabs(info.body_force.y - lift) <= 1e-9 * lift);
  assert_true(hypot(info.body_force.x, info.body_force.z) <= 1e-9 * lift);
  vl_sim_destroy(&sim);
}

/* m3: sum of x . (x_a cross x_b) / 3 over a curved face, by products of Gauss's points, exact to degree 5. */
static double curved_cone(const vlVec3 x[6])
{
  static const double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417}, share[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  double sum = 0.0;
  for (int g = 0; g < 9; g++) {
    double u = at[g / 3], w = 1.0 - u, b = w * at[g % 3], L[3] = {1.0 - u - b, u, b};
    vlVec3 y = vl_vec(0, 0, 0), along[2] = {y, y};
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3;
      double d[2][3] = {{-1, 1, 0}, {-1, 0, 1}};
      y = vl_axpy(vl_axpy(y, L[i] * (2.0 * L[i] - 1.0), x[i]), 4.0 * L[i] * L[j], x[3 + i]);
      for (int a = 0; a < 2; a++) {
        double middle = 4.0 * (L[i] * d[a][j] + L[j] * d[a][i]);
        along[a] = vl_axpy(vl_axpy(along[a], (4.0 * L[i] - 1.0) * d[a][i], x[i]), middle, x[3 + i]);
      }
    }
    sum += share[g / 3] * share[g % 3] * w * vl_dot(y, vl_cross(along[0], along[1])) / 3.0;
  }
  return sum;
}

/* m3: inside the faces of a shell that face inwards, curved and as they are drawn. */
static void find_cavity(const vlBody *body, vlVec3 middle, double between, double *curved, double *drawn)
{
  *curved = *drawn = 0.0;
  for (int f = 0; f < body->triangle_count; f += 4) {
    const int(*t)[3] = (const int(*)[3])(body->triangle + f);
    if (vl_norm(vl_sub(body->rest[t[0][0]], middle)) >= between) continue;
    vlVec3 x[6];
    for (int i = 0; i < 3; i++) x[i] = body->x[t[i][0]], x[3 + i] = body->x[t[3][i]];
    *curved -= curved_cone(x);
    for (int k = 0; k < 4; k++) *drawn -= vl_dot(body->x[t[k][0]], vl_cross(body->x[t[k][1]], body->x[t[k][2]])) / 6.0;
  }
}

static const char shell[] =
    "grid: {size: [1, 1, 1], cells: 14}\n"
    "liquid: {shapes: [{shape: sphere, center: [0.5, 0.5, 0.5], radius: 0.26}], velocity: [2, 1, 0]}\n"
    "bodies:\n"
    "  - shape: difference\n"
    "    element: quadratic\n"
    "    cell: 16 cm\n"
    "    center: [0.5, 0.5, 0.5]\n"
    "    parts: [{shape: sphere, radius: 0.42}, {shape: sphere, radius: 0.25}]\n"
    "    young: 50 kPa\n"
    "    spin: [0, 4, 6]\n";

/* Water in a spinning shell: what its curved faces enclose stays, to what the turns of the solve leave (1e-8 a step); what
 * is drawn differs by no more than the bend of the faces. */
static void test_sealed(void **state)
{
  (void)state;
  vlVec3 middle = vl_vec(0.5, 0.5, 0.5);
  vlScene scene;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, shell, strlen(shell), "test", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene);
  vl_scene_clear(&scene);
  const vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  double curved, drawn, now, now_drawn;
  find_cavity(body, middle, 0.335, &curved, &drawn);
  assert_true(fabs(curved / drawn - 1.0) <= 1e-13);
  for (int s = 0; s < 5; s++) {
    step(sim);
    assert_int_equal(vl_sharp(sim)->work.pressure->sealed_count, 1);
    find_cavity(body, middle, 0.335, &now, &now_drawn);
    assert_true(fabs(now / curved - 1.0) <= 1e-6 && fabs(now_drawn / drawn - 1.0) <= 0.01);
  }
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_even_pressure),
      cmocka_unit_test(test_turning),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_bar),
      cmocka_unit_test(test_free_stream),
      cmocka_unit_test(test_splash),
      cmocka_unit_test(test_lift_of_bent_body),
      cmocka_unit_test(test_sealed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
