/* Memory follows the liquid: a ball of water that flies through a long box needs no more at the end than where it began, and
 * vl_sim_facts tells what the process really takes. What is given back changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>

#include "api.h"

/* Sanitizers keep memory that was freed: then only what the simulation itself holds is looked at. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
enum { MEASURED = false };
#else
enum { MEASURED = true };
#endif

/* Bytes of this process in memory, without its code and what the heap keeps of freed memory. */
static double resident(void)
{
  unsigned long total, pages, files;
  malloc_trim(0);
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lu %lu %lu", &total, &pages, &files), 3);
  fclose(file);
  return (double)(pages - files) * (double)sysconf(_SC_PAGESIZE);
}

/* A ball 0.3 m across that flies along an axis of a box 4.48 m long. */
static vlSim *throw_ball(int axis)
{
  double size[3] = {0.48, 0.48, 0.48}, velocity[3] = {0, 0, 0};
  char text[400];
  size[axis] = 4.48;
  velocity[axis] = 8.0;
  snprintf(text, sizeof text,
           "grid: {size: [%g, %g, %g], dx: 0.016}\n"
           "gravity: [0, 0, 0]\n"
           "liquid: {shapes: [{shape: sphere, center: [0.24, 0.24, 0.24], radius: 0.15}], velocity: [%g, %g, %g]}\n",
           size[0], size[1], size[2], velocity[0], velocity[1], velocity[2]);
  return start_text(text);
}

static double middle_of(const vlSim *sim, int axis)
{
  vlParticleView p = vl_sim_particles(sim);
  double sum = 0.0;
  for (size_t i = 0; i < p.count; i++) sum += (double)p.x[axis][i];
  return sum / (double)p.count * p.dx;
}

static void assert_within(double found, double wanted, double part) { assert_near(found, wanted, part * wanted); }

/* Along y and z; along x a row of this box is shorter than a page. */
static void test_flying_ball(void **state)
{
  (void)state;
  for (int axis = 1; axis < 3; axis++) {
    double before = resident();
    vlSim *sim = throw_ball(axis);
    step(sim, 3);
    double first = resident() - before, counted = vl_sim_facts(sim).bytes, most = counted;
    while (middle_of(sim, axis) < 4.24) {
      step(sim, 5);
      most = fmax(most, vl_sim_facts(sim).bytes);
    }
    double last = resident() - before, end = vl_sim_facts(sim).bytes;
    print_message("axis %d: %.2f MB, counted %.2f, at most %.2f; at the end %.2f, counted %.2f\n", axis, 1e-6 * first,
                  1e-6 * counted, 1e-6 * most, 1e-6 * last, 1e-6 * end);
    assert_true(counted > 3e6 && most < 1.3 * counted);
    if (MEASURED) {
      assert_true(last < 1.3 * first);
      assert_within(counted, first, 0.2);
      assert_within(end, last, 0.2);
    }
    vl_sim_destroy(&sim);
  }
}

/* Fields are zero where the ball was, and full where it is. */
static void test_fields(void **state)
{
  (void)state;
  vlSim *sim = throw_ball(2);
  while (middle_of(sim, 2) < 2.0) step(sim, 5);
  for (int kind = 0; kind < VL_FIELD_AREA_X; kind++) {
    vlFieldView f = vl_sim_field(sim, (vlFieldKind)kind);
    int there = 0;
    for (int k = 0; k < f.n[2]; k++)
      for (int j = 0; j < f.n[1]; j++)
        for (int i = 0; i < f.n[0]; i++) {
          double value = f.data[i * f.stride[0] + j * f.stride[1] + k * f.stride[2]], z = k * f.dx;
          if (z < 1.6) assert_true(value == 0.0);
          there += fabs(z - 2.0) < 0.2 && value != 0.0;
        }
    if (kind != VL_FIELD_PRESSURE) assert_true(there > 1000); /* it flies freely */
  }
  vl_sim_destroy(&sim);
}

/* Flown on from a checkpoint, in memory that nobody has written: the same bits, also beside solids and into them. */
static void test_resumed(void **state)
{
  (void)state;
  const char *text = "grid: {size: [0.4, 0.4, 3], dx: 0.025}\n"
                     "liquid: {shapes: [{shape: sphere, center: [0.2, 0.25, 0.2], radius: 0.1}], velocity: [0, 1, 5]}\n"
                     "solids: [{shape: box, center: [0.2, 0.03, 1.5], size: [1, 0.06, 4]}, {shape: sphere, center: [0.2, "
                     "0.1, 2.5], radius: 0.12}]\n";
  char path[] = "/tmp/vl_follows_XXXXXX";
  vlStatus status = {0};
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  vlSim *through = start_text(text), *resumed = start_text(text);
  while (middle_of(through, 2) < 1.5) step(through, 1);
  if (vl_sim_save(through, path, &status) || vl_sim_resume(resumed, path, &status)) fail_msg("%s", status.message);
  unlink(path);
  for (int s = 0; s < 60; s++) {
    step(through, 1);
    step(resumed, 1);
    assert_same(through, resumed);
  }
  assert_true(middle_of(through, 2) > 2.0);
  vl_sim_destroy(&through);
  vl_sim_destroy(&resumed);
}

/* Water at rest: nothing is given back. */
static void test_pool(void **state)
{
  (void)state;
  vlSim *sim = start_text("grid: {size: [1, 1, 1], cells: 32}\nliquid: {level: 0.5}\n");
  step(sim, 3);
  double first = vl_sim_facts(sim).bytes;
  for (int s = 0; s < 20; s++) {
    step(sim, 1);
    assert_true(vl_sim_facts(sim).bytes >= first);
  }
  vlFieldView p = vl_sim_field(sim, VL_FIELD_PRESSURE), open = vl_sim_field(sim, VL_FIELD_OPEN);
  for (int k = 0; k < 32; k++)
    for (int j = 0; j < 15; j++)
      for (int i = 0; i < 32; i++) {
        ptrdiff_t at = i * p.stride[0] + j * p.stride[1] + k * p.stride[2];
        assert_near(p.data[at], 9810.0 * (0.5 - (j + 0.5) / 32.0), 100.0);
        assert_true(open.data[at] == 1.0);
      }
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flying_ball), cmocka_unit_test(test_fields),
                                     cmocka_unit_test(test_resumed), cmocka_unit_test(test_pool)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
