/* Islands with many more rows than their bodies have ways to move: the same equations, through the bodies' coordinates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/contact_large.h"
#include "contact/contact_rows.h"
#include "engine/sharp/body_step.h"
#include "moving.h"

/* Two elastic boxes, one of them held at a corner, and a ball of thousands of triangles, all in each other. */
static const char *const heap =
    "grid: {cells: 18}\n"
    "bodies:\n"
    "  - {name: a, shape: box, center: [0.5,0.5,0.5], size: [0.3,0.3,0.3], cells: [3,3,3], overlap: yes,\n"
    "     pins: [{shape: sphere, center: [0.35,0.35,0.35], radius: 0.05}]}\n"
    "  - {name: b, shape: box, center: [0.55,0.52,0.5], size: [0.3,0.3,0.3], cells: [3,3,3], overlap: yes}\n"
    "  - {name: c, shape: sphere, rigid: yes, center: [0.5,0.55,0.5], radius: 0.2}\n";

static vlSim *begin(void)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, heap, strlen(heap), "heap.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

static double random_unit(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* velocity = C S^-1 C^T force over all rows, by the bodies themselves */
static void apply_g(vlSharp *sim, const double *force, double *velocity)
{
  vlContactSolve *s = &sim->work.contact;
  const vlBodySet *bodies = &sim->state.bodies;
  vlVec3 *v = calloc((size_t)vl_bodies_nodes(bodies) + 1, sizeof *v);
  for (int r = 0; r < s->rows; r++) {
    const vlContact *c = &s->contacts.list[s->contact_of[r]];
    for (int k = 0; k < c->count; k++)
      v[c->node[k]] = vl_axpy(v[c->node[k]], force[r] * c->weight[k], vl_contact_axis(s, r));
  }
  for (int b = 0; b < bodies->count; b++)
    vl_body_solve(bodies->body[b], v + bodies->first_node[b], v + bodies->first_node[b]);
  for (int r = 0; r < s->rows; r++) velocity[r] = vl_contact_velocity(s, r, v);
  free(v);
}

static void test_same_equations(void **state)
{
  (void)state;
  vlSim *base = begin();
  vlSharp *sim = vl_sharp(base);
  vlContactSolve *s = &sim->work.contact;
  vlStatus status = {0};
  vlStepInfo info = {0};
  vlStep step = {.dt = 0.005, .info = &info};
  int before = vl_sim_enter(base);
  assert_int_equal(vl_body_step_begin(sim, &step, &status), VL_OK);
  assert_int_equal(s->island_count, 1);
  assert_non_null(s->island[0].large);
  assert_true(s->rows > 3000);
  double *f = calloc((size_t)s->rows, sizeof *f), *v = calloc((size_t)s->rows, sizeof *v),
         *x = calloc((size_t)s->rows, sizeof *x);
  uint64_t seed = 5;
  double largest = 0.0;

  /* the diagonal of some rows, then velocities under many forces, given one by one and all at once */
  for (int r = 0; r < s->rows; r += 97) {
    f[r] = 1.0;
    apply_g(sim, f, v);
    assert_true(fabs(s->diagonal[r] - v[r]) <= 1e-10 * v[r]);
    f[r] = 0.0;
  }
  memset(s->settled, 0, (size_t)s->rows * sizeof *s->settled);
  vl_contact_large_settled(s);
  for (int r = 0; r < s->rows; r++) {
    s->settled[r] = f[r] = random_unit(&seed);
    vl_contact_large_push(s, r, f[r]);
  }
  apply_g(sim, f, v);
  for (int r = 0; r < s->rows; r++) largest = fmax(largest, fabs(v[r]));
  for (int r = 0; r < s->rows; r++) assert_true(fabs(vl_contact_large_velocity(s, r) - v[r]) <= 1e-10 * largest);
  vl_contact_large_settled(s);
  for (int r = 0; r < s->rows; r++) assert_true(fabs(vl_contact_large_velocity(s, r) - v[r]) <= 1e-10 * largest);

  /* forces of the active rows that make given velocities */
  assert_true(s->active_count > 100);
  for (int i = 0; i < s->active_count; i++) x[i] = random_unit(&seed) * s->diagonal[s->active[i]];
  memcpy(v, x, (size_t)s->active_count * sizeof *v);
  double *wanted = malloc((size_t)s->active_count * sizeof *wanted), most = 0.0;
  memcpy(wanted, x, (size_t)s->active_count * sizeof *wanted);
  vl_contact_solve_unknowns(s, x);
  memset(f, 0, (size_t)s->rows * sizeof *f);
  for (int i = 0; i < s->active_count; i++) f[s->active[i]] = x[i];
  apply_g(sim, f, v);
  for (int i = 0; i < s->active_count; i++) most = fmax(most, fabs(wanted[i]));
  for (int i = 0; i < s->active_count; i++) {
    int r = s->active[i], c = s->contact_of[r];
    double yields = VL_CONTACT_COMPLIANCE * s->diagonal[r];
    if (s->state[c] == VL_CONTACT_SLIP && r > s->first_row[c]) yields += s->yielding[c];
    assert_true(fabs(v[r] + yields * x[i] - wanted[i]) <= 1e-8 * most);
  }
  free(wanted);
  free(f);
  free(v);
  free(x);
  vl_sim_leave(before);
  vl_sim_destroy(&base);
}

/* A step of thousands of contacts takes no minute: ctest would stop it. */
static void test_steps(void **state)
{
  (void)state;
  vlSim *sim = begin();
  vlStepInfo info = one_step(sim, 0.01);
  assert_true(info.contacts > 100 && info.seconds[VL_STAGE_FORCES] < 30.0);
  for (int s = 0; s < 3; s++) one_step(sim, 0.01);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_equations), cmocka_unit_test(test_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
