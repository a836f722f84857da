/* Tables of elastic bodies: a file for each, what its columns say, and no line twice after a run went on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "files/file.h"
#include "frames/series.h"
#include "place.h"
#include "two_bodies.h"

static char *read_table(const Place *place, const char *name)
{
  char *path = vl_path_join(place->folder, name), *text = NULL;
  size_t length;
  vlStatus status = {0};
  if (vl_file_read(path, 1 << 20, &text, &length, &status)) fail_msg("%s", status.message);
  free(path);
  return text;
}

static void remove_in(const Place *place, const char *name)
{
  char *path = vl_path_join(place->folder, name);
  if (remove(path)) fail_msg("there is no %s", path);
  free(path);
}

/* That of the tables, once they are gone, and the tables of the run as a whole. */
static void remove_folder(const Place *place)
{
  remove_in(place, "bodies");
  remove_in(place, "series.csv");
  remove_in(place, "timings.csv");
  remove_in(place, "walls.csv");
}

static void steps(vlSeries *series, vlSim *sim, int count)
{
  vlStatus status = {0};
  for (int i = 0; i < count; i++) {
    move_bodies(sim, 1);
    if (vl_series_add(series, &(vlStepInfo){0}, &status)) fail_msg("%s", status.message);
  }
}

static int lines_in(const char *text)
{
  int lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

/* Value of the column `name` in the last line. */
static double last_value(const char *text, const char *name)
{
  const char *line = text;
  size_t length = strlen(name);
  int column = 0;
  for (; *line && strncmp(line, name, length) != 0; line++) column += *line == ',';
  assert_true(*line);
  for (const char *c = text; *c; c++)
    if (*c == '\n' && c[1]) line = c + 1;
  for (; column > 0; column--) line = strchr(line, ',') + 1;
  return strtod(line, NULL);
}

static void test_columns(void **state)
{
  const Place *place = *state;
  vlSim *sim = two_bodies_start();
  vlStatus status = {0};
  vlSeries *series = NULL;
  if (vl_series_create(&series, sim, place->folder, &status)) fail_msg("%s", status.message);
  steps(series, sim, 6);
  vl_series_destroy(&series);
  static const char *const files[] = {"bodies/beam.csv", "bodies/block.csv"};
  for (int i = 0; i < 2; i++) {
    char *text = read_table(place, files[i]);
    vlBodyInfo info = vl_sim_body(sim, i).info;
    static const char header[] = "step,time [s],center_x [m],center_y [m],center_z [m],rotation_x [rad],";
    assert_int_equal(strncmp(text, header, strlen(header)), 0);
    assert_int_equal(lines_in(text), 7);
    const struct {
      const char *name;
      double value;
    } wanted[] = {{"step", 6},
                  {"time [s]", vl_sharp(sim)->state.time},
                  {"center_z [m]", info.center.z},
                  {"rotation_y [rad]", info.rotation.y},
                  {"momentum_x [kg m/s]", info.momentum.x},
                  {"angular_momentum_z [kg m2/s]", info.angular_momentum.z},
                  {"load_force_x [N]", info.load_force.x},
                  {"load_torque_z [N m]", info.load_torque.z},
                  {"contact_force_y [N]", info.contact_force.y},
                  {"reaction_y [N]", info.reaction.y},
                  {"kinetic_energy [J]", info.kinetic_energy},
                  {"elastic_energy [J]", info.elastic_energy},
                  {"potential_energy [J]", info.potential_energy},
                  {"volume [m3]", info.volume},
                  {"inverted", 0},
                  {"velocity_y [m/s]", info.velocity.y},
                  {"angular_velocity_z [rad/s]", info.angular_velocity.z},
                  {"mass [kg]", info.mass}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
      assert_true(last_value(text, wanted[k].name) == wanted[k].value); /* all digits */
    free(text);
    remove_in(place, files[i]);
  }
  assert_true(vl_sim_body(sim, 0).info.reaction.y > 1.0); /* the beam hangs, the block falls */
  assert_true(vl_sim_body(sim, 1).info.reaction.y == 0.0);
  remove_folder(place);
  vl_sim_destroy(&sim);
}

/* Cut back to a step and gone on: the same bytes as in one go. */
static void test_going_on(void **state)
{
  const Place *place = *state;
  vlSim *sim = two_bodies_start(), *again = two_bodies_start();
  vlStatus status = {0};
  vlSeries *series = NULL;
  assert_int_equal(vl_series_create(&series, sim, place->folder, &status), VL_OK);
  steps(series, sim, 5);
  vl_series_destroy(&series);
  char *whole = read_table(place, "bodies/beam.csv");

  move_bodies(again, 3);
  assert_int_equal(vl_series_create(&series, again, place->folder, &status), VL_OK);
  assert_int_equal(vl_series_keep(series, 3, &status), VL_OK);
  char *kept = read_table(place, "bodies/beam.csv");
  assert_int_equal(lines_in(kept), 4);
  steps(series, again, 2);
  vl_series_destroy(&series);
  char *joined = read_table(place, "bodies/beam.csv");
  assert_string_equal(joined, whole);
  free(whole);
  free(kept);
  free(joined);
  remove_in(place, "bodies/beam.csv");
  remove_in(place, "bodies/block.csv");
  remove_folder(place);
  vl_sim_destroy(&sim);
  vl_sim_destroy(&again);
}

/* A program may give any name; a file gets one that stays in its folder. */
static void test_names(void **state)
{
  const Place *place = *state;
  vlScene scene;
  two_bodies_scene(&scene);
  strcpy(scene.bodies[0].name, "../a b");
  scene.bodies[1].name[0] = '\0';
  vlSim *sim = two_bodies(&scene, 1);
  vlStatus status = {0};
  vlSeries *series = NULL;
  assert_int_equal(vl_series_create(&series, sim, place->folder, &status), VL_OK);
  vl_series_destroy(&series);
  remove_in(place, "bodies/body_0.csv");
  remove_in(place, "bodies/bodies[1].csv");
  remove_folder(place);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

static void test_no_bodies(void **state)
{
  const Place *place = *state;
  vlScene scene;
  vlStatus status = {0};
  vlSeries *series = NULL;
  vl_scene_default(&scene);
  scene.grid.cells = 8;
  scene.liquid.has_level = true;
  scene.liquid.level = 0.2;
  vlSim *sim = two_bodies(&scene, 1);
  assert_int_equal(vl_series_create(&series, sim, place->folder, &status), VL_OK);
  assert_int_equal(vl_series_add(series, &(vlStepInfo){0}, &status), VL_OK);
  assert_int_equal(vl_series_keep(series, 1, &status), VL_OK);
  vl_series_destroy(&series);
  remove_in(place, "series.csv");
  remove_in(place, "timings.csv");
  remove_in(place, "walls.csv"); /* and there is nothing else */
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_columns, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_going_on, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_names, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_no_bodies, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
