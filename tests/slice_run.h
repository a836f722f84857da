/* A small run made by hand for the tests of slices: a box in a pool, on disk in a folder of its own. */
#ifndef VL_TESTS_SLICE_RUN_H
#define VL_TESTS_SLICE_RUN_H

#include "figures/slice.h"
#include "files/file.h"
#include "files/vtk.h"
#include "solids.h"

/* 12 x 10 x 8 cells of 0.1 m. A box from 0.25 to 0.75 m and 0.25 to 0.65 m goes through all of z; liquid up to 0.5 m. */
enum { RUN_NX = 12, RUN_NY = 10, RUN_NZ = 8, RUN_CELLS = RUN_NX * RUN_NY * RUN_NZ };
static const double run_dx = 0.1, run_level = 0.5;
static const double run_box[4] = {0.25, 0.25, 0.75, 0.65};

typedef struct SliceRun {
  char folder[64];
  vlSliceRun run;
} SliceRun;

static inline void run_path(const SliceRun *r, const char *name, char path[static 128])
{
  snprintf(path, 128, "%s/%s", r->folder, name);
}

static inline void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* Pressure by depth, a speed of 2 m/s along x and -1 m/s along y in the liquid. */
static inline double overlap(double a, double b, double lo, double hi) { return fmax(0.0, fmin(b, hi) - fmax(a, lo)); }

/* outside: everything is solid but the box */
static inline void write_fields(const SliceRun *r, int frame, bool outside)
{
  float *value = calloc(6 * RUN_CELLS, sizeof *value);
  float *p = value, *phi = p + RUN_CELLS, *u = phi + RUN_CELLS, *open = u + 3 * RUN_CELLS;
  for (int c = 0; c < RUN_CELLS; c++) {
    double x = (c % RUN_NX + 0.5) * run_dx, y = (c / RUN_NX % RUN_NY + 0.5) * run_dx, half = 0.5 * run_dx;
    double box = overlap(x - half, x + half, run_box[0], run_box[2]) * overlap(y - half, y + half, run_box[1], run_box[3]);
    phi[c] = (float)(y - run_level);
    p[c] = phi[c] < 0.0f ? (float)(9810.0 * (run_level - y)) : 0.0f;
    u[3 * c] = phi[c] < 0.0f ? 2.0f : 0.0f;
    u[3 * c + 1] = phi[c] < 0.0f ? -1.0f : 0.0f;
    open[c] = (float)(outside ? box / (run_dx * run_dx) : 1.0 - box / (run_dx * run_dx));
  }
  const vlVtkArray list[] = {{"pressure", 1, p}, {"liquid", 1, phi}, {"velocity", 3, u}, {"open", 1, open}};
  char name[40], path[128];
  snprintf(name, sizeof name, "fields/fields_%05d.vti", frame);
  run_path(r, name, path);
  const int lo[3] = {0, 0, 0}, hi[3] = {RUN_NX, RUN_NY, RUN_NZ};
  assert_int_equal(vl_vti_write(path, lo, hi, vl_vec(0, 0, 0), run_dx, 0.25 * frame, list, 4, NULL), VL_OK);
  free(value);
}

static inline void write_solids(const SliceRun *r, bool outside)
{
  char path[128];
  run_path(r, "solids.vtp", path);
  vlTriMesh *mesh =
      make_exact_box(vl_vec(run_box[0], run_box[1], -0.05), vl_vec(run_box[2], run_box[3], RUN_NZ * run_dx + 0.05));
  if (outside) vl_trimesh_flip(mesh);
  assert_int_equal(vl_vtp_write(path, mesh, 0.0, NULL, 0, NULL, 0, NULL), VL_OK);
  vl_trimesh_destroy(&mesh);
}

static inline void open_run(SliceRun *r)
{
  vlStatus status = {0};
  if (vl_slice_run_open(&r->run, r->folder, &status)) fail_msg("%s", status.message);
}

static inline void make_run(SliceRun *r, bool outside)
{
  char path[128];
  *r = (SliceRun){.folder = "/tmp/vl_slice_XXXXXX"};
  assert_non_null(mkdtemp(r->folder));
  run_path(r, "fields", path);
  assert_int_equal(vl_folder_create(path, NULL), VL_OK);
  run_path(r, "run.json", path);
  write_text(
      path,
      "{\"grid\": {\"cells\": [12, 10, 8], \"dx\": 0.1, \"origin\": [0, 0, 0]}, \"scene\": {\"name\": \"<a & b>\"}}\n");
  write_solids(r, outside);
  write_fields(r, 3, outside);
  open_run(r);
}

static inline void remove_run(SliceRun *r)
{
  static const char *const names[] = {"fields/fields_00003.vti", "fields/fields_00007.vti", "solids.vtp", "run.json",
                                      "figure"};
  char path[128];
  vl_slice_run_close(&r->run);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    run_path(r, names[i], path);
    unlink(path);
  }
  run_path(r, "fields", path);
  rmdir(path);
  assert_int_equal(rmdir(r->folder), 0);
}

static inline vlSlice *cut_run(const SliceRun *r, int axis, double position)
{
  vlStatus status = {0};
  vlSlice *slice = NULL;
  if (vl_slice_create(&slice, &r->run, 3, axis, position, &status)) fail_msg("%s", status.message);
  return slice;
}

#endif
