/* Cells and memory of a large grid without building it.
 *
 * The part of the box that is liquid at the start is found at points of a coarse lattice: below the level or in a shape of
 * the liquid, in no solid, and in a container where there are any. Memory goes by liquid cells and their particles; the two
 * constants are fitted to trials of built-in scenes with 96 to 300 cells along their box, where the estimate was 20 % too
 * low to 70 % too high. So only what would not fit with 0.6 of it is refused; and a trial is not made where the whole box
 * full of liquid could take 0.4 of the memory, since a machine that runs out of it stops more than this program.
 *
 * In: a scene. Out: numbers, or an error that names grid.cells or grid.dx. */
#include "estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/excerpt.h"
#include "files/machine.h"
#include "mesh/sdf.h"
#include "words.h"

enum { SAMPLES = 48 };                                         /* of the lattice, along a side */
static const double LARGE = 256.0 * 256.0 * 256.0, SLOW = 1e6; /* cells: not tried; seconds to build */
static const double CELL_BYTES = 500.0, PARTICLE_BYTES = 48.0, AFFINE_BYTES = 36.0;
static const double SURELY = 0.6;            /* part of the estimate that is needed in any case */
static const double TRIED = 0.4, FITS = 0.8; /* parts of the memory: a trial stays below, a run may take */

typedef struct Shapes {
  vlSdf **sdf; /* liquid, then solids [count] */
  int count, liquid;
} Shapes;

static void clear_shapes(Shapes *shapes)
{
  for (int i = 0; shapes->sdf && i < shapes->count; i++) vl_sdf_destroy(&shapes->sdf[i]);
  free(shapes->sdf);
}

static vlCode make_shapes(Shapes *shapes, const vlScene *scene, vlStatus *status)
{
  shapes->liquid = scene->liquid.shape_count;
  shapes->count = shapes->liquid + scene->solid_count;
  shapes->sdf = calloc((size_t)shapes->count + 1, sizeof(vlSdf *));
  vlCode code = shapes->sdf ? VL_OK : vl_fail_memory(status, sizeof(vlSdf *), "the scene's shapes");
  for (int i = 0; i < shapes->count && code == VL_OK; i++) {
    int solid = i - shapes->liquid;
    const vlShape *shape = solid < 0 ? &scene->liquid.shapes[i] : &scene->solids[solid].shape;
    code = vl_sdf_create(&shapes->sdf[i], shape, status);
    if (code != VL_OK) vl_status_locate(status, scene->path, scene->text, shape->where);
  }
  return code;
}

static bool is_liquid(const vlScene *scene, const Shapes *shapes, vlVec3 x)
{
  bool wet = scene->liquid.has_level && x.y < scene->liquid.level, contained = true, any = false;
  for (int i = 0; i < shapes->liquid && !wet; i++) wet = vl_sdf_distance(shapes->sdf[i], x) < 0.0;
  for (int i = 0; i < scene->solid_count && wet; i++) {
    bool inside = vl_sdf_distance(shapes->sdf[shapes->liquid + i], x) < 0.0;
    if (scene->solids[i].container) {
      contained = any ? contained || inside : inside;
      any = true;
    } else if (inside) {
      wet = false;
    }
  }
  return wet && contained;
}

static double liquid_part(const vlScene *scene, const vlGrid *grid, const Shapes *shapes)
{
  int m[3], hits = 0;
  for (int a = 0; a < 3; a++) m[a] = grid->n[a] < SAMPLES ? grid->n[a] : SAMPLES;
  for (int k = 0; k < m[2]; k++)
    for (int j = 0; j < m[1]; j++)
      for (int i = 0; i < m[0]; i++) {
        const int at[3] = {i, j, k};
        vlVec3 x;
        for (int a = 0; a < 3; a++) x.v[a] = grid->origin.v[a] + (at[a] + 0.5) / m[a] * grid->n[a] * grid->dx;
        if (scene->grid.slab) x.z = 0.0;
        hits += is_liquid(scene, shapes, x);
      }
  return (double)hits / ((double)m[0] * m[1] * m[2]);
}

static double bytes_per_cell(const vlScene *scene)
{
  const vlLiquidDef *liquid = &scene->liquid;
  if (liquid->transfer == VL_TRANSFER_STILL) return CELL_BYTES;
  double particles = pow(liquid->particles, scene->grid.slab ? 2 : 3);
  return CELL_BYTES + particles * (PARTICLE_BYTES + (liquid->transfer == VL_TRANSFER_APIC ? AFFINE_BYTES : 0.0));
}

static vlCode refuse(const vlEstimate *e, const vlScene *scene, double memory, vlStatus *status)
{
  char need[VL_WORDS_ROOM], have[VL_WORDS_ROOM], given[64], fitting[64];
  double coarser = pow(e->bytes / (FITS * memory), scene->grid.slab ? 1.0 / 2.0 : 1.0 / 3.0);
  const int *n = e->grid.n;
  if (scene->grid.dx > 0.0) {
    snprintf(given, sizeof given, "grid.dx: %g m", scene->grid.dx);
    snprintf(fitting, sizeof fitting, "the smallest that fits is about %.2g m", 1.05 * scene->grid.dx * coarser);
  } else {
    snprintf(given, sizeof given, "grid.cells: %d", scene->grid.cells);
    snprintf(fitting, sizeof fitting, "the largest that fits is about %.0f", floor(scene->grid.cells / coarser));
  }
  return vl_fail(status, VL_ERROR_MEMORY,
                 "%s makes %d x %d x %d cells, about %.2g of them liquid, which take about %s of memory; this machine has "
                 "%s\n%s",
                 given, n[0], n[1], n[2], e->liquid_cells, vl_words_bytes(e->bytes, need), vl_words_bytes(memory, have),
                 fitting);
}

bool vl_estimate_is_large(const vlEstimate *estimate) { return !isnan(estimate->liquid_cells); }

vlCode vl_estimate_make(vlEstimate *e, const vlScene *scene, vlStatus *status)
{
  double memory = vl_machine_describe().memory, each = bytes_per_cell(scene);
  *e = (vlEstimate){.liquid_cells = NAN};
  vlCode code = vl_grid_create(&e->grid, &scene->grid, status);
  if (code != VL_OK) return code;
  const int *n = e->grid.n;
  e->cells = (double)n[0] * n[1] * n[2];
  if (e->cells >= LARGE || e->cells * each > TRIED * memory) {
    Shapes shapes = {0};
    code = make_shapes(&shapes, scene, status);
    if (code == VL_OK) e->liquid_cells = e->cells * liquid_part(scene, &e->grid, &shapes);
    if (code == VL_OK) e->bytes = e->liquid_cells * each;
    if (code == VL_OK && SURELY * e->bytes > memory) code = refuse(e, scene, memory, status);
    clear_shapes(&shapes);
  }
  return code;
}

void vl_estimate_tell(const vlEstimate *e, const char *what)
{
  const int *n = e->grid.n;
  if (e->cells > SLOW) fprintf(stderr, "velella: %s %d x %d x %d cells ...\n", what, n[0], n[1], n[2]);
}
