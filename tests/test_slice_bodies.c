/* Slices of a run with an elastic body: a body in the place of a solid gives the same cells, areas, patches and outline;
 * velocities and mesh on the plane against a field and a box by hand; every mistake with its message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "body_frame.h"
#include "slice_run.h"

/* Rounding of areas that are sums over some tens of triangles. */
static const double ROUNDING = 1e-11;

static void body_path(const SliceRun *r, char path[static 128]) { run_path(r, "bodies/bodies_00003.vtu", path); }

/* The box of slice_run.h as a body instead of a solid, moved by `shift` along x. */
static void write_body(const SliceRun *r, bool quadratic, double shift)
{
  const int cells[3] = {3, 2, 4};
  vlBox3 box = {vl_vec(run_box[0] + shift, run_box[1], -0.05),
                vl_vec(run_box[2] + shift, run_box[3], RUN_NZ * run_dx + 0.05)};
  BodyFrame f = {0};
  char path[128];
  add_box(&f, box, cells, quadratic);
  body_path(r, path);
  write_bodies(&f, path, 0.75);
  clear_bodies(&f);
}

static void make_body_run(SliceRun *r, bool quadratic)
{
  char path[128];
  make_run(r, false);
  vl_slice_run_close(&r->run);
  run_path(r, "solids.vtp", path);
  unlink(path);
  run_path(r, "bodies", path);
  assert_int_equal(vl_folder_create(path, NULL), VL_OK);
  run_path(r, "run.json", path);
  write_text(path, "{\"grid\": {\"cells\": [12, 10, 8], \"dx\": 0.1, \"origin\": [0, 0, 0]}, \"bodies\": [{\"name\": "
                   "\"block\"}], \"scene\": {\"name\": \"body\"}}\n");
  write_body(r, quadratic, 0.0);
  open_run(r);
}

static void remove_body_run(SliceRun *r)
{
  char path[128];
  body_path(r, path);
  unlink(path);
  run_path(r, "bodies", path);
  rmdir(path);
  remove_run(r);
}

static double enclosed(const vlSliceLines *lines)
{
  double area = 0.0;
  for (int l = 0; l < lines->count; l++) {
    int first = lines->first[l], n = lines->first[l + 1] - first;
    assert_true(lines->closed[l]);
    for (int i = 0; i < n; i++) {
      const double *p = lines->x[first + i], *q = lines->x[first + (i + 1) % n];
      area += 0.5 * (p[0] * q[1] - p[1] * q[0]);
    }
  }
  return fabs(area);
}

static double length_of(const vlSliceLines *lines)
{
  double sum = 0.0;
  for (int l = 0; l < lines->count; l++) {
    int first = lines->first[l], n = lines->first[l + 1] - first;
    for (int i = 0; i + !lines->closed[l] < n; i++) {
      const double *p = lines->x[first + i], *q = lines->x[first + (i + 1) % n];
      sum += hypot(p[0] - q[0], p[1] - q[1]);
    }
  }
  return sum;
}

static void assert_close(double a, double b)
{
  if (!(fabs(a - b) <= ROUNDING)) fail_msg("%.17g is not %.17g", a, b);
}

static void compare(const vlSlice *a, const vlSlice *b)
{
  for (int c = 0; c < a->n[0] * a->n[1]; c++) {
    assert_int_equal(a->kind[c], b->kind[c]);
    assert_int_equal(a->unknown[c], b->unknown[c]);
    assert_true(a->open[c] == b->open[c] || fabsf(a->open[c] - b->open[c]) < 1e-6f); /* floats */
    assert_close(a->patch[c].size, b->patch[c].size);
    for (int k = 0; k < 2; k++) {
      assert_close(a->patch[c].area[k], b->patch[c].area[k]);
      assert_close(a->patch[c].center[k], b->patch[c].center[k]);
    }
  }
  for (int d = 0; d < 2; d++)
    for (int i = 0; i < (a->n[0] + (d == 0)) * (a->n[1] + (d == 1)); i++) assert_close(a->area[d][i], b->area[d][i]);
  assert_close(enclosed(&a->solid), enclosed(&b->body));
  assert_int_equal(b->solid.count, 0);
  assert_int_equal(a->body.count + a->mesh.count, 0);
}

static void test_same_as_a_solid(void **state)
{
  (void)state;
  for (int quadratic = 0; quadratic < 2; quadratic++)
    for (int axis = 0; axis < 3; axis++) {
      SliceRun solid, body;
      make_run(&solid, false);
      make_body_run(&body, quadratic);
      vlSlice *a = cut_run(&solid, axis, 0.43), *b = cut_run(&body, axis, 0.43);
      compare(a, b);
      vl_slice_destroy(&a);
      vl_slice_destroy(&b);
      remove_body_run(&body);
      remove_run(&solid);
    }
}

/* A velocity that is linear in space comes out as it is, in floats, at the cells whose middles lie in the box. */
static void test_velocity(void **state)
{
  (void)state;
  SliceRun r;
  make_body_run(&r, false);
  for (int axis = 0; axis < 3; axis++) {
    vlSlice *s = cut_run(&r, axis, 0.43);
    for (int j = 0; j < s->n[1]; j++)
      for (int i = 0; i < s->n[0]; i++) {
        vlVec3 x;
        x.v[axis] = 0.43;
        x.v[s->u] = (i + 0.5) * run_dx;
        x.v[s->v] = (j + 0.5) * run_dx;
        bool inside = x.x > run_box[0] && x.x < run_box[2] && x.y > run_box[1] && x.y < run_box[3];
        bool on_side = fabs(x.x - run_box[0]) < 1e-9 || fabs(x.x - run_box[2]) < 1e-9 || fabs(x.y - run_box[1]) < 1e-9 ||
                       fabs(x.y - run_box[3]) < 1e-9;
        int at = i + s->n[0] * j;
        if (on_side) continue;
        assert_int_equal(s->in_body[at], inside);
        vlVec3 v = frame_velocity(x);
        assert_true(fabs(s->body_velocity[2 * at] - (inside ? v.v[s->u] : 0.0)) < 1e-5);
        assert_true(fabs(s->body_velocity[2 * at + 1] - (inside ? v.v[s->v] : 0.0)) < 1e-5);
      }
    /* the fastest of liquid and body sets the scale of arrows */
    vlSliceRange range = vl_slice_range_empty();
    const double all[4] = {0.0, 0.0, s->n[0] * run_dx, s->n[1] * run_dx};
    vl_slice_range_add(&range, s, all);
    for (int c = 0; c < s->n[0] * s->n[1]; c++)
      assert_true(hypot(s->body_velocity[2 * c], s->body_velocity[2 * c + 1]) <= range.speed);
    vl_slice_destroy(&s);
  }
  remove_body_run(&r);
}

/* One cuboid of six tetrahedra about its diagonal, a x b on the plane: from the diagonal's point six inner faces lead to the
 * sides, two along each axis that add up to a + b, and two that add up to the diagonal of the rectangle. */
static void test_mesh(void **state)
{
  (void)state;
  SliceRun r;
  make_body_run(&r, false);
  const int one[3] = {1, 1, 1};
  char path[128];
  BodyFrame f = {0};
  add_box(&f, (vlBox3){vl_vec(run_box[0], run_box[1], -0.05), vl_vec(run_box[2], run_box[3], 0.85)}, one, false);
  body_path(&r, path);
  write_bodies(&f, path, 0.75);
  for (double z = 0.05; z < 0.8; z += 0.22) {
    vlSlice *s = cut_run(&r, VL_Z, z);
    double a = run_box[2] - run_box[0], b = run_box[3] - run_box[1];
    assert_close(length_of(&s->body), 2.0 * (a + b));
    assert_close(length_of(&s->mesh), 3.0 * (a + b) + hypot(a, b));
    vl_slice_destroy(&s);
  }
  clear_bodies(&f);
  remove_body_run(&r);
}

static void refuse(const SliceRun *r, const char *text)
{
  vlStatus status = {0};
  vlSlice *s;
  assert_int_equal(vl_slice_create(&s, &r->run, 3, VL_Z, NAN, &status), VL_ERROR_FILE);
  assert_null(s);
  if (!strstr(status.message, text)) fail_msg("no '%s' in: %s", text, status.message);
}

static void test_errors(void **state)
{
  (void)state;
  SliceRun r;
  char path[128];
  make_body_run(&r, false);
  body_path(&r, path);
  write_body(&r, false, 0.02);
  refuse(&r, "its file of bodies is another frame's");
  assert_int_equal(truncate(path, 2000), 0);
  refuse(&r, "bodies_00003.vtu is damaged");
  unlink(path);
  refuse(&r, "has bodies but no");
  refuse(&r, "bodies/bodies_00003.vtu");
  refuse(&r, "output.bodies: yes");
  remove_body_run(&r);
}

/* In engine immersed a body that yields is in the medium, here half in the solid: it is shown and cuts nothing. */
static void test_medium(void **state)
{
  (void)state;
  static const char *const engines[] = {"immersed", "sharp"};
  SliceRun solid, r;
  char path[128], text[256];
  make_run(&solid, false);
  make_run(&r, false);
  run_path(&r, "bodies", path);
  assert_int_equal(vl_folder_create(path, NULL), VL_OK);
  write_body(&r, false, 0.3);
  vlSlice *alone = cut_run(&solid, 2, 0.43), *with = NULL;
  for (int e = 0; e < 2; e++) {
    vl_slice_run_close(&r.run);
    run_path(&r, "run.json", path);
    snprintf(text, sizeof text,
             "{\"engine\": \"%s\", \"grid\": {\"cells\": [12, 10, 8], \"dx\": 0.1, \"origin\": [0, 0, 0]}, \"bodies\": "
             "[{\"name\": \"block\"}], \"scene\": {\"name\": \"body\"}}\n",
             engines[e]);
    write_text(path, text);
    open_run(&r);
    if (e == 1) { /* there it would have cut cells that the frame knows as open */
      assert_int_equal(vl_slice_create(&with, &r.run, 3, 2, 0.43, NULL), VL_ERROR_FILE);
      continue;
    }
    with = cut_run(&r, 2, 0.43);
    for (int c = 0; c < RUN_NX * RUN_NY; c++) {
      assert_int_equal(with->kind[c], alone->kind[c]);
      assert_close(with->open[c], alone->open[c]);
      assert_close(with->patch[c].size, alone->patch[c].size);
    }
    assert_close(enclosed(&with->body), (run_box[2] - run_box[0]) * (run_box[3] - run_box[1]));
    vl_slice_destroy(&with);
  }
  vl_slice_destroy(&alone);
  remove_run(&solid);
  remove_body_run(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_a_solid), cmocka_unit_test(test_velocity),
                                     cmocka_unit_test(test_mesh), cmocka_unit_test(test_errors),
                                     cmocka_unit_test(test_medium)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
