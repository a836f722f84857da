/* The cells of one layer of the grid, as the program saw them.
 *
 * Fields are copied from the frame; cells outside of its box are air. Open areas come from the cuts. A cell is solid when
 * nothing of it is open, cut when a part of its volume or of one of its faces is, and liquid when its centre is. Its patch
 * is the sum of the pieces of the surface of solids and bodies in it, the same pieces that the cuts are made of. */
#include "figures/slice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cut/cuts.h"
#include "figures/slice_parts.h"
#include "files/file.h"
#include "files/read_vtk.h"

/* Parts of an area or a volume closer than this to 0 or 1 are taken for it. */
static const double PART_SNAP = 1e-9;
/* pressure/: a cell whose faces are all less open than this has no pressure. */
static const double ORPHAN = 1e-8;
/* Open volumes in frames are floats. */
static const double FRAME_ROUNDING = 1e-6;
static const int FIGURE_AXES[3][2] = {{2, 1}, {0, 2}, {0, 1}};

static bool partial(double part) { return part > PART_SNAP && part < 1.0 - PART_SNAP; }

static vlCode choose_layer(vlSlice *s, const vlGrid *g, double position, vlStatus *status)
{
  double lo = g->origin.v[s->axis], hi = lo + g->n[s->axis] * g->dx;
  s->layer = g->n[s->axis] / 2;
  s->position = lo + (s->layer + 0.5) * g->dx;
  if (isnan(position)) return VL_OK;
  if (!(position >= lo && position <= hi))
    return vl_fail(status, VL_ERROR_USAGE, "the plane %c = %g m is outside of the domain, where %c is from %g m to %g m",
                   'x' + s->axis, position, 'x' + s->axis, lo, hi);
  int layer = (int)floor((position - lo) / g->dx);
  s->layer = layer < g->n[s->axis] ? layer : g->n[s->axis] - 1;
  s->position = position;
  return VL_OK;
}

static vlCode allocate(vlSlice *s, vlStatus *status)
{
  size_t cells = (size_t)s->n[0] * (size_t)s->n[1], faces = cells + (size_t)s->n[0] + (size_t)s->n[1];
  s->kind = calloc(cells, sizeof *s->kind);
  s->unknown = calloc(cells, sizeof *s->unknown);
  s->pressure = calloc(cells, sizeof *s->pressure);
  s->phi = calloc(cells, sizeof *s->phi);
  s->open = calloc(cells, sizeof *s->open);
  s->velocity = calloc(cells, 2 * sizeof *s->velocity);
  s->patch = calloc(cells, sizeof *s->patch);
  s->in_body = calloc(cells, sizeof *s->in_body);
  s->body_velocity = calloc(cells, 2 * sizeof *s->body_velocity);
  for (int a = 0; a < 2; a++) s->area[a] = calloc(faces, sizeof *s->area[a]);
  bool room =
      s->kind && s->unknown && s->pressure && s->phi && s->open && s->velocity && s->patch && s->in_body && s->body_velocity;
  return room && s->area[0] && s->area[1] ? VL_OK : vl_fail_memory(status, cells * sizeof *s->patch, "a slice");
}

/* Grid index of the figure's cell (i, j). */
static void place_of(const vlSlice *s, int i, int j, int cell[3])
{
  cell[s->axis] = s->layer;
  cell[s->u] = i;
  cell[s->v] = j;
}

static bool any_closed(const vlVti *box, const float *open)
{
  size_t cells = 1;
  for (int a = 0; a < 3; a++) cells *= (size_t)(box->hi[a] - box->lo[a]);
  for (size_t c = 0; c < cells; c++)
    if (open[c] < 1.0f) return true;
  return false;
}

/* Does the frame belong to this run, and are its solids there to be shown? */
static vlCode check_fields(const vlSliceRun *run, const char *path, const vlVti *box, const float *open, vlStatus *status)
{
  const vlGrid *g = &run->grid;
  bool fits = fabs(box->dx - g->dx) <= 1e-12 * g->dx;
  for (int a = 0; a < 3; a++) fits = fits && box->lo[a] >= 0 && box->hi[a] <= g->n[a];
  if (!fits)
    return vl_fail(status, VL_ERROR_FILE, "%s does not fit the run's grid of %d x %d x %d cells of %g m", path, g->n[0],
                   g->n[1], g->n[2], g->dx);
  if (!run->solids_known && !run->has_bodies && any_closed(box, open))
    return vl_fail(status, VL_ERROR_FILE,
                   "the run in %s has solids but no solids.vtp, which slices show; set output.solids: yes in its scene and "
                   "run it again",
                   run->folder);
  return VL_OK;
}

static void copy_fields(vlSlice *s, const vlVti *box, const vlVtiArray *array)
{
  const float *pressure = array[0].data, *phi = array[1].data, *velocity = array[2].data, *open = array[3].data;
  for (int j = 0; j < s->n[1]; j++)
    for (int i = 0; i < s->n[0]; i++) {
      size_t to = (size_t)i + (size_t)s->n[0] * (size_t)j;
      int c[3];
      bool inside = true;
      place_of(s, i, j, c);
      for (int a = 0; a < 3; a++) inside = inside && c[a] >= box->lo[a] && c[a] < box->hi[a];
      s->phi[to] = (float)(2.0 * s->dx);
      s->open[to] = NAN;
      if (!inside) continue;
      size_t at = vl_vti_at(box, c[0], c[1], c[2]);
      s->phi[to] = phi[at];
      s->open[to] = open[at];
      s->pressure[to] = pressure[at];
      s->velocity[2 * to] = velocity[3 * at + (size_t)s->u];
      s->velocity[2 * to + 1] = velocity[3 * at + (size_t)s->v];
    }
  s->time = box->time;
}

static vlCode read_fields(vlSlice *s, const vlSliceRun *run, int frame, vlStatus *status)
{
  char name[32];
  snprintf(name, sizeof name, "fields/fields_%05d.vti", frame);
  char *path = vl_path_join(run->folder, name);
  if (!path) return vl_fail_memory(status, strlen(run->folder), "a file's name");
  vlVti box;
  vlVtiArray array[] = {{"pressure", 1, NULL}, {"liquid", 1, NULL}, {"velocity", 3, NULL}, {"open", 1, NULL}};
  vlCode code = vl_vti_read(path, &box, array, 4, status);
  if (code == VL_OK) code = check_fields(run, path, &box, array[3].data, status);
  if (code == VL_OK) copy_fields(s, &box, array);
  vl_vti_clear(array, 4);
  free(path);
  return code;
}

static void fill_areas(vlSlice *s, const vlCuts *cuts)
{
  double full = s->dx * s->dx;
  for (int d = 0; d < 2; d++) {
    int n0 = s->n[0] + (d == 0), n1 = s->n[1] + (d == 1);
    for (int j = 0; j < n1; j++)
      for (int i = 0; i < n0; i++) {
        int c[3];
        place_of(s, i, j, c);
        s->area[d][i + n0 * j] = vl_cuts_open_area(cuts, d == 0 ? s->u : s->v, c[0], c[1], c[2]) / full;
      }
  }
}

/* Kind of a cell from the open parts of its six faces and of its volume, and whether it has a pressure. False when the
 * frame, where it holds the cell, saw another volume. */
static bool classify_cell(vlSlice *s, const vlCuts *cuts, int i, int j)
{
  const vlGrid *g = &cuts->grid;
  double full = s->dx * s->dx, widest = 0.0;
  bool cut = false;
  int c[3];
  place_of(s, i, j, c);
  for (int a = 0; a < 3; a++)
    for (int side = 0; side < 2; side++) {
      int f[3] = {c[0], c[1], c[2]};
      f[a] += side;
      double part = vl_cuts_open_area(cuts, a, f[0], f[1], f[2]) / full;
      cut = cut || partial(part);
      if (f[a] > 0 && f[a] < g->n[a]) widest = fmax(widest, part);
    }
  double lower = vl_cuts_open_area(cuts, 0, c[0], c[1], c[2]); /* along x, as in the frame */
  double volume = fmin(fmax(vl_cuts_cell_volume(cuts, 0, c[0], c[1], c[2], lower) / (full * s->dx), 0.0), 1.0);
  size_t at = (size_t)i + (size_t)s->n[0] * (size_t)j;
  cut = cut || partial(volume);
  bool liquid = s->phi[at] < 0.0f;
  if (!cut && volume < 0.5)
    s->kind[at] = VL_SLICE_SOLID;
  else if (liquid)
    s->kind[at] = cut ? VL_SLICE_CUT_LIQUID : VL_SLICE_LIQUID;
  else
    s->kind[at] = cut ? VL_SLICE_CUT_AIR : VL_SLICE_AIR;
  s->unknown[at] = liquid && widest > ORPHAN;
  bool same = !(fabs(s->open[at] - volume) > FRAME_ROUNDING);
  s->open[at] = (float)volume;
  return same;
}

/* A run that went on with other solids keeps its older frames, but only the new solids' surface. */
static vlCode classify(vlSlice *s, const vlSliceRun *run, const vlCuts *cuts, int frame, vlStatus *status)
{
  for (int j = 0; j < s->n[1]; j++)
    for (int i = 0; i < s->n[0]; i++) {
      if (classify_cell(s, cuts, i, j)) continue;
      int c[3];
      place_of(s, i, j, c);
      return vl_fail(status, VL_ERROR_FILE,
                     "%s/solids.vtp does not hold the solids of frame %d%s: cell (%d, %d, %d) is open to another part",
                     run->folder, frame, run->has_bodies ? ", or its file of bodies is another frame's" : "", c[0], c[1],
                     c[2]);
    }
  return VL_OK;
}

/* One piece of the surface, in cell units, into its cell's patch; center: sum of area times place. */
static void add_piece(void *user, const vlClipPiece *piece)
{
  vlSlice *s = user;
  int i = piece->cell[s->u], j = piece->cell[s->v];
  if (piece->cell[s->axis] != s->layer || i < 0 || j < 0 || i >= s->n[0] || j >= s->n[1]) return;
  vlSlicePatch *patch = &s->patch[i + s->n[0] * j];
  double size = vl_norm(piece->area);
  const int axes[2] = {s->u, s->v};
  for (int a = 0; a < 2; a++) {
    patch->area[a] -= piece->area.v[axes[a]];
    patch->center[a] += size * piece->center.v[axes[a]];
  }
  patch->size += size;
}

static void fill_patches(vlSlice *s, const vlSliceRun *run)
{
  const vlGrid *g = &run->grid;
  for (int t = 0; t < run->solids->triangle_count; t++) {
    vlVec3 x[3];
    double lo = INFINITY, hi = -INFINITY;
    for (int c = 0; c < 3; c++)
      for (int a = 0; a < 3; a++) {
        double at = (run->solids->x[run->solids->tri[t][c]].v[a] - g->origin.v[a]) / g->dx;
        x[c].v[a] = vl_clip_snap(at, VL_CLIP_STILL);
        if (a == s->axis) lo = fmin(lo, x[c].v[a]);
        if (a == s->axis) hi = fmax(hi, x[c].v[a]);
      }
    if (hi >= s->layer && lo <= s->layer + 1) vl_clip_triangle(x, g->n, add_piece, s);
  }
  for (size_t c = 0; c < (size_t)s->n[0] * (size_t)s->n[1]; c++)
    for (int a = 0; a < 2; a++) s->patch[c].center[a] = s->lo[a] * s->patch[c].size + s->patch[c].center[a] * s->dx;
}

/* From sums to means. */
static void center_patches(vlSlice *s)
{
  for (size_t c = 0; c < (size_t)s->n[0] * (size_t)s->n[1]; c++)
    for (int a = 0; a < 2 && s->patch[c].size > 0.0; a++) s->patch[c].center[a] /= s->patch[c].size;
}

vlCode vl_slice_create(vlSlice **slice, const vlSliceRun *run, int frame, int axis, double position, vlStatus *status)
{
  const vlGrid *g = &run->grid;
  vlSlice *s = *slice = calloc(1, sizeof *s);
  if (!s) return vl_fail_memory(status, sizeof *s, "a slice");
  *s = (vlSlice){.axis = axis, .u = FIGURE_AXES[axis][0], .v = FIGURE_AXES[axis][1], .dx = g->dx};
  const int axes[2] = {s->u, s->v};
  for (int a = 0; a < 2; a++) {
    s->n[a] = g->n[axes[a]];
    s->lo[a] = g->origin.v[axes[a]];
  }
  s->solid_outside = run->cuts->open_outside == 0.0;
  vlSliceBodies bodies = {0};
  vlCode code = choose_layer(s, g, position, status);
  if (code == VL_OK) code = allocate(s, status);
  if (code == VL_OK) code = read_fields(s, run, frame, status);
  if (code == VL_OK && run->has_bodies) code = vl_slice_bodies_read(&bodies, run, frame, status);
  if (code == VL_OK) {
    const vlCuts *cuts = run->has_bodies ? bodies.cuts : run->cuts;
    fill_areas(s, cuts);
    fill_patches(s, run);
    code = classify(s, run, cuts, frame, status);
  }
  if (code == VL_OK && run->has_bodies) code = vl_slice_bodies_show(s, &bodies, &run->look, status);
  if (code == VL_OK) center_patches(s);
  vl_slice_bodies_clear(&bodies);
  if (code == VL_OK) code = vl_slice_outline(&s->solid, run->solids, axis, s->position, s->u, s->v, status);
  if (code == VL_OK) code = vl_slice_contour(&s->liquid, s->phi, s->n, s->dx, s->lo, status);
  if (code != VL_OK) vl_slice_destroy(slice);
  return code;
}

void vl_slice_destroy(vlSlice **slice)
{
  if (!slice || !*slice) return;
  vlSlice *s = *slice;
  free(s->kind);
  free(s->unknown);
  free(s->pressure);
  free(s->phi);
  free(s->open);
  free(s->velocity);
  free(s->patch);
  free(s->in_body);
  free(s->body_velocity);
  free(s->body_color);
  for (int a = 0; a < 2; a++) free(s->area[a]);
  vl_slice_lines_clear(&s->solid);
  vl_slice_lines_clear(&s->liquid);
  vl_slice_lines_clear(&s->body);
  vl_slice_lines_clear(&s->mesh);
  free(s);
  *slice = NULL;
}
