/* What holds reduced bodies, hands and pins; small and broken ones; materials; the same bits for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>

#include "linear/solve.h"
#include "moving.h"
#include "reduced_bodies.h"
#include "scene/scene.h"
#include "solid/body_set.h"
#include "solid/grab.h"

/* A hand closes about a point of the bar. */
static void close_hand(vlReduced *b, vlVec3 point, double radius)
{
  vlStatus status = {0};
  vlGrab grab = {.hold = {.drag = -1, .rate = vl_grab_rate(0.08)}};
  double distance;
  assert_int_equal(vl_grab_close(&grab, &b->body, point, radius, &distance, &status), VL_OK);
  assert_int_equal(vl_grab_add(&b->body, &grab, &status), VL_OK);
}

/* The answer with hands is that of a matrix made anew with them; a hand holds, and leaves nothing when it lets go. */
static void test_grabs(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  vlStatus status = {0};
  size_t n = (size_t)b->size;
  assert_int_equal(vl_reduced_build(b, DT, &status), VL_OK);
  double *before = malloc(n * n * sizeof *before), *A = malloc(n * n * sizeof *A), *right = malloc(n * sizeof *right);
  double(*r)[4] = calloc(n, sizeof *r), (*x)[4] = calloc(n, sizeof *x);
  memcpy(before, b->inverse[0], n * n * sizeof *before);
  close_hand(b, vl_vec(1, 2, 3), 0.3);
  close_hand(b, vl_vec(3, 2.5, 3.5), 0.4);
  vl_grabs_aim(&b->body, 0.0, DT);
  assert_int_equal(vl_reduced_grabs_begin(b, DT, &status), VL_OK);
  const vlReducedGrabs *g = &b->grabs;
  double most = 0.0;
  for (size_t i = 0; i < n * n; i++) {
    A[i] = vl_reduced_inertia(b, DT) * b->gram[i] + vl_reduced_lambda(b) * b->stiffness[i];
    for (size_t h = 0; h < 2; h++) A[i] += g->weight[h] * g->row[h * n + i / n] * g->row[h * n + i % n];
  }
  random_rows(r, b->size, 13);
  for (size_t i = 0; i < n; i++) right[i] = r[i][2];
  assert_true(vl_dense_factor(A, b->size));
  vl_dense_solve(A, b->size, right);
  vl_reduced_answer(b, (Rows)r, x);
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(right[i]));
  for (size_t i = 0; i < n; i++) assert_true(fabs(x[i][2] - right[i]) < 1e-9 * most); /* condition 1e6 */
  vl_grab_remove(&b->body, 0);
  vlGrab *hand = b->body.control.grab;
  vlVec3 target = vl_add(vl_grab_held(hand, &b->body), vl_vec(0.1, 0.2, 0));
  hand->hold.from = hand->hold.to = target;
  for (int s = 0; s < 200; s++) {
    vl_grabs_aim(&b->body, s * DT, DT);
    step_alone(b, DT, none);
    for (int i = 0; i < b->size; i++)
      for (int c = 0; c < 3; c++) b->rate[i][c] *= 0.9;
  }
  assert_true(vl_norm(vl_sub(vl_grab_held(hand, &b->body), target)) < 0.01 * 0.22);
  assert_true(vl_reduced_is_grabbed(b));
  vl_grab_remove(&b->body, 0);
  step_alone(b, DT, none);
  assert_false(vl_reduced_is_grabbed(b));
  assert_memory_equal(before, b->inverse[0], n * n * sizeof *before);
  free(before);
  free(A);
  free(right);
  free(r);
  free(x);
  drop(b);
}

/* A heavy one and a light one, dragged through air and water at half a metre a second, stay near the hand. */
static void test_dragged(void **state)
{
  (void)state;
  static const struct {
    const char *engine;
    double density, from, to;
  } runs[] = {{"immersed", 300, 0.15, 0.4}, {"immersed", 3000, 0.4, 0.2}, {"sharp", 300, 0.15, 0.4}};
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{engine: %s, grid: {size: [0.6, 0.6, 0.32], cells: 15}, liquid: {level: 0.28}, time: {dt_fixed: 1/60 s}, bodies: "
        "[{name: box, reduced: yes, shape: box, size: [0.16, 0.16, 0.16], center: [0.2, %g, 0.16], cells: [4, 4, 4], "
        "young: 1e5, density: %g}], drags: [{body: box, point: [0.2, %g, 0.16], path: [{time: 0.1 s, position: [0.2, %g, "
        "0.16]}, {time: 0.7 s, position: [0.35, %g, 0.16]}]}]}",
        runs[k].engine, runs[k].from, runs[k].density, runs[k].from + 0.08, runs[k].from + 0.08, runs[k].to + 0.08);
    vlStatus status = {0};
    vlScene scene;
    if (vl_scene_parse(&scene, text, strlen(text), "drag.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
    vlSim *sim = start(&scene, 1);
    double worst = 0.0, pull = 0.0;
    while (vl_sim_time(sim) < 0.95) {
      one_step(sim, 1.0);
      vlGrabView view = vl_sim_grab_at(sim, 0);
      worst = fmax(worst, vl_norm(vl_sub(view.held, view.target)));
      pull = view.force.y;
    }
    print_message("%s, %g kg/m3: held to %.2f mm; pull %.2f N in the end\n", runs[k].engine, runs[k].density, 1e3 * worst,
                  pull);
    assert_true(worst < 0.015);
    vl_sim_destroy(&sim);
    vl_scene_clear(&scene);
  }
}

/* A bar of a scene held at one end by a pin sags, and the pin carries what it weighs; moved, its end goes along. */
static void test_pinned(void **state)
{
  (void)state;
  const char *text =
      "{grid: {size: [3, 2, 1], cells: 30}, bodies: [{name: bar, reduced: yes, handles: 9, shape: box, center: [1, "
      "1, 0.5], size: [1.6, 0.4, 0.4], cells: [12, 3, 3], young: 1e6, density: 500, mass_damping: 5, pins: [{shape: "
      "halfspace, "
      "center: [0.3, 1, 0.5], normal: [1, 0, 0], velocity: [0.5, 0, 0], start: 2}]}]}";
  vlScene scene;
  vlBodySet bodies;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, text, strlen(text), "bar.yaml", NULL, 0, &status) ||
      vl_bodies_create(&bodies, &scene, (vlLog){0}, &status))
    fail_msg("%s", status.message);
  vlBody *body = bodies.body[0];
  vlReduced *b = (vlReduced *)body;
  assert_string_equal(body->type->name, "reduced");
  assert_int_equal(body->type->pinned(body), 16);
  vlGrains *g = body->type->grains(body);
  vlVec3 *to = room(g->count);
  for (int s = 0; s < 180; s++) {
    vl_bodies_drive(&bodies, s * DT, DT);
    assert_int_equal(body->type->predict(body, DT, vl_vec(0, -9.81, 0), &status), VL_OK);
    for (int p = 0; p < g->count; p++) to[p] = vl_axpy(g->x[p], DT, g->wanted[p]);
    assert_int_equal(body->type->settle(body, to, DT, &status), VL_OK);
    if (s != 118) continue;
    vlBodyMeasure m = vl_body_measure(body, vl_vec(0, -9.81, 0));
    assert_true(fabs(m.reaction.y / (m.mass * 9.81) - 1.0) < 0.02); /* it has come nearly to rest */
    assert_true(m.center.y < 0.9999 && m.center.y > 0.8);
  }
  for (int v = 0; v < body->node_count; v++) {
    if (!b->clamped[3 * v]) continue;
    vlVec3 goal = vl_add(body->first[v], vl_vec(0.5, 0, 0));
    assert_true(vl_norm(vl_sub(body->x[v], goal)) < 2e-3); /* a thousandth of what the bar would do */
  }
  free(to);
  vl_bodies_clear(&bodies);
  vl_scene_clear(&scene);
}

/* As coarse a lattice as may be: few grains, or a layer of them, or one alone. It still falls as it should. */
static void test_small(void **state)
{
  (void)state;
  const double spacing[] = {0.3, 0.5, 0.9, 5.0};
  for (int k = 0; k < 4; k++) {
    vlTetMesh mesh;
    vlStatus status = {0};
    assert_int_equal(vl_tetmesh_box(&mesh, (vlBox3){vl_vec(1, 2, 3), vl_vec(3, 2.5, 3.5)}, (const int[]){8, 2, 2}, &status),
                     0);
    vlReduced *b = reduce(&mesh, soft, 99, 1000, spacing[k]);
    vl_tetmesh_clear(&mesh);
    assert_true(b->grains.count >= 1 && b->handle_count >= 1 &&
                (b->handle_count == 1 || b->grains.count >= 12 * b->handle_count));
    assert_int_equal(b->cluster_count, b->body.element_count); /* no more tetrahedra than clusters */
    vl_reduced_set_affine(b, b->center, vl_mat_identity(), b->center, (vlMat3){{{0, 0, 1}, {0, 0, 0}, {-1, 0, 0}}}, none);
    vl_reduced_follow(b);
    vlVec3 start = vl_scale(whole(b).momentum, 1.0 / whole(b).mass);
    for (int s = 0; s < 30; s++) step_alone(b, DT, vl_vec(0, -9.81, 0));
    vlVec3 v = vl_scale(whole(b).momentum, 1.0 / whole(b).mass);
    assert_true(vl_norm(vl_sub(vl_sub(v, start), vl_vec(0, -9.81 * 30 * DT, 0))) < 1e-8);
    assert_true(vl_reduced_energy(b) < 0.5 * whole(b).kinetic); /* some strain of what flings it outwards */
    drop(b);
  }
}

/* Two boxes that hang together nowhere: handles of one do not move the other. */
static void test_pieces(void **state)
{
  (void)state;
  for (int handles = 1; handles <= 4; handles += 3) {
    vlTetMesh one, mesh;
    vlStatus status = {0};
    assert_int_equal(vl_tetmesh_box(&one, (vlBox3){vl_vec(0, 0, 0), vl_vec(1, 1, 1)}, (const int[]){3, 3, 3}, &status), 0);
    int n = one.node_count, t = one.tet_count;
    assert_int_equal(vl_tetmesh_create(&mesh, 2 * n, 2 * t, &status), 0);
    for (int i = 0; i < 2 * n; i++) mesh.node[i] = vl_add(one.node[i % n], vl_vec(i < n ? 0 : 1.1, 0, 0));
    for (int i = 0; i < 8 * t; i++) mesh.tet[i / 4][i % 4] = one.tet[i / 4 % t][i % 4] + (i < 4 * t ? 0 : n);
    vlReduced *b = reduce(&mesh, soft, handles, 1000, 0.1);
    assert_int_equal(b->handle_count, handles);
    for (int v = 0; v < 2 * n && handles > 1; v++)
      for (int64_t e = b->start[v]; e < b->start[v + 1]; e++)
        assert_true((b->handle[b->of[e]].x + b->center.x > 1.05) == (v >= n));
    step_alone(b, DT, vl_vec(0, -9.81, 0));
    assert_true(fabs(b->body.v[2 * n - 1].y + 9.81 * DT) < 1e-12);
    vl_tetmesh_clear(&one);
    vl_tetmesh_clear(&mesh);
    drop(b);
  }
}

/* A material of twice the density and stiffness moves alike; one that is wrong is refused. */
static void test_material(void **state)
{
  (void)state;
  vlReduced *a = new_bar(soft), *b = new_bar(soft);
  const vlMat3 L = {{{1.2, 0.1, 0}, {0, 0.9, 0}, {0, 0, 1}}}, zero = {0};
  vl_body_make(&b->body, (vlBodyMaterial){2 * soft.density, 2 * soft.young, soft.poisson, 0, 0});
  for (int k = 0; k < 2; k++) {
    vl_reduced_set_affine(k ? b : a, a->center, L, a->center, zero, none);
    vl_reduced_follow(k ? b : a);
    for (int s = 0; s < 20; s++) step_alone(k ? b : a, DT, none);
  }
  assert_true(largest_gap(a->body.x, b->body.x, a->body.node_count) < 1e-11);
  assert_true(fabs(whole(b).mass / whole(a).mass - 2.0) < 1e-12);
  b->body.type->halt(&b->body);
  for (int i = 0; i < b->body.node_count; i++) assert_true(vl_norm(b->body.v[i]) == 0.0);
  drop(a);
  drop(b);
  vlTetMesh mesh;
  vlStatus status = {0};
  assert_int_equal(vl_tetmesh_box(&mesh, (vlBox3){none, vl_vec(1, 1, 1)}, (const int[]){1, 1, 1}, &status), VL_OK);
  const vlReducedMaterial wrong[] = {{-1, 1e5, 0.3, 0}, {1, NAN, 0.3, 0}, {1, 1e5, 0.46, 0}, {1, 1e5, 0.3, -1}};
  for (int k = 0; k < 4; k++)
    assert_int_equal(vl_reduced_create(&a, &mesh, wrong[k], (vlReducedOptions){.handles = 1, .clusters = 1, .spacing = 0.1},
                                       "it", &status),
                     VL_ERROR_SCENE);
  vl_tetmesh_clear(&mesh);
}

/* Grains that are nowhere: the step fails and the body is as it was. */
static void test_lost(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft), *other = new_bar(soft);
  vlStatus status = {0};
  vlGrains *g = &b->grains;
  vlVec3 *to = room(g->count);
  for (int s = 0; s < 3; s++) step_alone(b, DT, vl_vec(0, -9.81, 0));
  for (int s = 0; s < 3; s++) step_alone(other, DT, vl_vec(0, -9.81, 0));
  assert_int_equal(b->body.type->predict(&b->body, DT, none, &status), VL_OK);
  for (int p = 0; p < g->count; p++) to[p] = p == 17 ? vl_vec(NAN, 0, 0) : g->x[p];
  assert_int_equal(b->body.type->settle(&b->body, to, DT, &status), VL_ERROR_SOLVER);
  assert_memory_equal(b->body.x, other->body.x, (size_t)b->body.node_count * sizeof *b->body.x);
  assert_memory_equal(g->v, other->grains.v, (size_t)g->count * sizeof *g->v);
  free(to);
  drop(b);
  drop(other);
}

/* Preparation and steps have the same bits for any number of threads. */
static void test_threads(void **state)
{
  (void)state;
  int before = omp_get_max_threads();
  vlReduced *body[3];
  for (int k = 0; k < 3; k++) {
    omp_set_num_threads(k + 1);
    body[k] = new_bar(soft);
    const vlMat3 L = {{{1.2, 0.1, 0}, {0, 0.9, 0}, {0, 0.2, 1}}}, turn = {{{0, -1, 0}, {1, 0, 2}, {0, -2, 0}}};
    vl_reduced_set_affine(body[k], body[k]->center, L, body[k]->center, turn, none);
    vl_reduced_follow(body[k]);
    for (int s = 0; s < 10; s++) step_alone(body[k], DT, vl_vec(0, -9.81, 0));
    size_t n = (size_t)body[k]->size;
    assert_memory_equal(body[k]->gram, body[0]->gram, n * n * sizeof(double));
    assert_memory_equal(body[k]->stiffness, body[0]->stiffness, n * n * sizeof(double));
    assert_memory_equal(body[k]->q, body[0]->q, n * sizeof *body[k]->q);
    assert_memory_equal(body[k]->body.v, body[0]->body.v, (size_t)body[k]->body.node_count * sizeof(vlVec3));
    assert_memory_equal(body[k]->grains.normal, body[0]->grains.normal, (size_t)body[k]->grains.count * sizeof(vlVec3));
    assert_true(vl_reduced_energy(body[k]) == vl_reduced_energy(body[0]));
  }
  for (int k = 0; k < 3; k++) drop(body[k]);
  omp_set_num_threads(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grabs),   cmocka_unit_test(test_dragged), cmocka_unit_test(test_pinned),
      cmocka_unit_test(test_small),   cmocka_unit_test(test_pieces),  cmocka_unit_test(test_material),
      cmocka_unit_test(test_threads), cmocka_unit_test(test_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
