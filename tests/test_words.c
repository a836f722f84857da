/* Words of enums: every value of every enum has one, no two the same, and a word finds its value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/words.h"
#include "velella/scene.h"

static void words_find_their_values(void **state)
{
  (void)state;
  const struct {
    const char *const *words;
    int count;
  } lists[] = {
      {vl_shape_words, VL_SHAPE_KIND_COUNT},
      {vl_body_shape_words, VL_BODY_SHAPE_COUNT},
      {vl_motion_words, VL_MOTION_KIND_COUNT},
      {vl_probe_words, VL_PROBE_KIND_COUNT},
      {vl_transfer_words, VL_TRANSFER_KIND_COUNT},
      {vl_integrator_words, VL_INTEGRATOR_KIND_COUNT},
      {vl_axis_words, 3},
      {vl_format_words, 2},
      {vl_solver_words, VL_SOLVER_KIND_COUNT},
      {vl_guess_words, VL_GUESS_KIND_COUNT},
      {vl_density_words, VL_DENSITY_KIND_COUNT},
      {vl_coupling_words, VL_COUPLING_KIND_COUNT},
      {vl_weights_words, VL_WEIGHTS_KIND_COUNT},
      {vl_separation_words, VL_SEPARATION_KIND_COUNT},
      {vl_body_mass_words, VL_RIGID_MASS_KIND_COUNT},
      {vl_element_words, VL_ELEMENT_KIND_COUNT},
      {vl_scheme_words, VL_SCHEME_KIND_COUNT},
      {vl_model_words, VL_MODEL_KIND_COUNT},
      {vl_material_words, VL_MATERIAL_KIND_COUNT},
      {vl_sky_words, VL_SKY_KIND_COUNT},
      {vl_coloring_words, VL_COLORING_KIND_COUNT},
      {vl_side_words, 2},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    for (int v = 0; v < lists[i].count; v++) {
      assert_non_null(lists[i].words[v]);
      assert_ptr_equal(vl_word(lists[i].words, v), lists[i].words[v]);
      assert_int_equal(vl_word_find(lists[i].words, lists[i].words[v]), v);
    }
    assert_null(lists[i].words[lists[i].count]);
    assert_string_equal(vl_word(lists[i].words, lists[i].count), "unknown");
    assert_string_equal(vl_word(lists[i].words, -1), "unknown");
    assert_int_equal(vl_word_find(lists[i].words, "cubic"), -1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(words_find_their_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
