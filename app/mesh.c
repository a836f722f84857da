/* velella mesh: tells what the surface in a file is, fills it with tetrahedra, writes them, and tells how good they are.
 *
 * What was made goes to standard output as text or as one JSON object; stages and doubts go to standard error. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "command.h"
#include "files/json.h"
#include "files/tet_file.h"
#include "mesh/stuff.h"
#include "mesh/tetmesh.h"
#include "progress.h"
#include "words.h"

enum { HOLES_SHOWN = 5 };

/* What the file holds, scaled. */
typedef struct Surface {
  int vertices, triangles;
  vlBox3 extents; /* m */
  double volume;  /* m3 inside; of an open one without meaning */
  vlTriMeshDefects defects;
  vlHole hole[HOLES_SHOWN]; /* the largest */
  int holes;
} Surface;

typedef struct Result {
  Surface surface;
  vlTetMesh mesh;
  vlStuffOptions options;
  vlStuffInfo info;
  vlTetQuality quality;
  double shape_volume; /* m3; NaN: not known */
  double seconds;
} Result;

static void tell(void *user, vlLogLevel level, const char *line)
{
  (void)user;
  if (level == VL_LOG_INFO) fprintf(stderr, "velella: %s\n", line);
}

static vlShape shape_of(const vlOptions *options)
{
  vlShape shape = vl_shape_default(VL_SHAPE_MESH);
  shape.file = (char *)options->words[0];
  shape.repair = options->repair;
  if (options->scale > 0.0) shape.scale = (vlVec3){{options->scale, options->scale, options->scale}};
  return shape;
}

static vlCode look(Surface *s, const vlOptions *options, vlStatus *status)
{
  vlTriMesh *mesh = NULL;
  vlShape shape = shape_of(options);
  vlCode code = vl_shape_mesh(&mesh, &shape, status);
  if (!code) code = vl_trimesh_weld(mesh, 0.0, status);
  if (!code) {
    vlMeshPlace place = vl_mesh_place(&shape, vl_trimesh_bounds(mesh));
    for (int i = 0; i < mesh->vertex_count; i++) mesh->x[i] = vl_mesh_placed(place, mesh->x[i]);
    code = vl_trimesh_check(mesh, &s->defects, status);
  }
  if (!code) code = vl_trimesh_holes(mesh, s->hole, HOLES_SHOWN, &s->holes, status);
  if (!code) {
    s->vertices = mesh->vertex_count;
    s->triangles = mesh->triangle_count;
    s->extents = vl_trimesh_bounds(mesh);
    s->volume = fabs(vl_trimesh_volume(mesh));
  }
  vl_trimesh_destroy(&mesh);
  return code;
}

static bool is_closed(const Surface *s) { return s->defects.open_edges == 0 && s->defects.bad_edges == 0; }

static void print_surface(const Surface *s, const vlOptions *options)
{
  vlVec3 size = vl_sub(s->extents.hi, s->extents.lo), lo = s->extents.lo, hi = s->extents.hi;
  printf("surface          %s: %d triangles, %d vertices\n", options->words[0], s->triangles, s->vertices);
  printf("extents          %.4g x %.4g x %.4g m, from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m\n", size.x, size.y, size.z,
         lo.x, lo.y, lo.z, hi.x, hi.y, hi.z);
  if (is_closed(s))
    printf("closed           yes; volume %.6g m3\n", s->volume);
  else
    printf("closed           no: %d open edges in %d hole%s, %d bad edges (of three or more triangles, or of two that face "
           "opposite ways)\n",
           s->defects.open_edges, s->holes, s->holes == 1 ? "" : "s", s->defects.bad_edges);
  for (int i = 0; i < s->holes && i < HOLES_SHOWN; i++) {
    vlVec3 middle = vl_scale(vl_add(s->hole[i].box.lo, s->hole[i].box.hi), 0.5);
    printf("%-15s  %d edges around (%.4g, %.4g, %.4g) m, %.3g m across\n", i ? "" : "holes", s->hole[i].edges, middle.x,
           middle.y, middle.z, vl_norm(vl_sub(s->hole[i].box.hi, s->hole[i].box.lo)));
  }
  if (s->holes > HOLES_SHOWN) printf("%-15s  and %d more\n", "", s->holes - HOLES_SHOWN);
}

static vlCode make(Result *result, const vlOptions *options, vlStatus *status)
{
  vlShape shape = shape_of(options);
  if (options->threads) omp_set_num_threads(options->threads);
  result->options.cell = options->cell;
  result->options.uniform = options->uniform;
  if (!options->quiet) result->options.log = (vlLog){.write = tell};
  double begun = vl_wall_seconds();
  vlCode code = vl_stuff_shape(&result->mesh, &shape, &result->options, &result->info, &result->shape_volume, status);
  result->seconds = vl_wall_seconds() - begun;
  if (code == VL_OK) result->quality = vl_tet_quality(&result->mesh);
  if (code == VL_ERROR_MESH && !options->repair && strstr(status->message, "`repair: true`")) {
    size_t used = strlen(status->message); /* it speaks of scenes */
    snprintf(status->message + used, sizeof status->message - used, "; here that is --repair");
  }
  return code;
}

/* How much of the shape's volume is missing, as a share; NaN: not known. */
static double missing(const Result *r) { return 1.0 - r->quality.volume / r->shape_volume; }

static void warn(const Result *r, const char *name)
{
  const vlStuffInfo *info = &r->info;
  if (vl_stuff_is_coarse(info))
    fprintf(
        stderr,
        "velella: warning: %s is thin for a cell of %g m at %lld of %lld places, first near (%g, %g, %g) m, and has gaps "
        "as narrow at %lld: parts may be missing or joined there. A smaller --cell keeps them\n",
        name, r->options.cell, (long long)info->thin, (long long)info->samples, info->first_thin.x, info->first_thin.y,
        info->first_thin.z, (long long)info->narrow);
  if (info->crumbs || info->torn)
    fprintf(
        stderr,
        "velella: warning: %d place%s that hung together by a point or an edge alone %s set apart, %d crumb%s smaller than "
        "a cell left out\n",
        info->torn, info->torn == 1 ? "" : "s", info->torn == 1 ? "was" : "were", info->crumbs,
        info->crumbs == 1 ? "" : "s");
  if (info->pieces > 1)
    fprintf(stderr, "velella: warning: the mesh has %d pieces that do not hang together\n", info->pieces);
  if (missing(r) > 0.05) fprintf(stderr, "velella: warning: %.0f %% of the volume is missing\n", 100.0 * missing(r));
}

static void print_bins(const char *title, const int64_t *count, double width, const char *unit)
{
  int64_t most = 1;
  for (int i = 0; i < VL_QUALITY_BINS; i++)
    if (count[i] > most) most = count[i];
  for (int i = 0; i < VL_QUALITY_BINS; i++) {
    if (!count[i]) continue;
    int bar = (int)(40.0 * (double)count[i] / (double)most);
    printf("%-15s  %5.3g to %-5.3g%s  %9lld  %.*s\n", title, i * width, (i + 1) * width, unit, (long long)count[i], bar,
           "########################################");
    title = "";
  }
}

static void print_text(const Result *r, const vlOptions *options)
{
  const vlTetQuality *q = &r->quality;
  char time[VL_WORDS_ROOM];
  if (options->out) printf("mesh             %s\n", options->out);
  printf("cell             %g m%s\n", r->options.cell, r->options.uniform ? ", everywhere" : " at the surface");
  printf("nodes            %d\n", r->mesh.node_count);
  printf("tetrahedra       %d\n", r->mesh.tet_count);
  printf("pieces           %d\n", r->info.pieces);
  printf("volume           %.6g m3", q->volume);
  if (isfinite(r->shape_volume)) printf(", %.3g %% less than the surface's", 100.0 * missing(r));
  printf("\nedges            %.4g to %.4g m\n", q->edge_least, q->edge_most);
  printf("dihedral angles  %.2f to %.2f degrees\n", q->dihedral_least, q->dihedral_most);
  printf("radius ratio     %.3f at least, %.3f on average\n", q->ratio_least, q->ratio_mean);
  print_bins("angles", q->dihedral_count, 180.0 / VL_QUALITY_BINS, " degrees");
  print_bins("ratios", q->ratio_count, 1.0 / VL_QUALITY_BINS, "");
  printf("time             %s\n", vl_words_duration(r->seconds, time));
}

static void add_bins(vlJson *json, const char *key, const int64_t *count)
{
  vl_json_array(json, key);
  for (int i = 0; i < VL_QUALITY_BINS; i++) vl_json_integer(json, NULL, count[i]);
  vl_json_end(json);
}

static void add_info(vlJson *json, const vlStuffInfo *info)
{
  vl_json_integer(json, "pieces", info->pieces);
  vl_json_integer(json, "samples", info->samples);
  vl_json_integer(json, "thin", info->thin);
  vl_json_integer(json, "narrow", info->narrow);
  if (info->thin || info->narrow) {
    vl_json_array(json, "first_thin");
    for (int a = 0; a < 3; a++) vl_json_number(json, NULL, info->first_thin.v[a]);
    vl_json_end(json);
  }
  vl_json_integer(json, "crumbs", info->crumbs);
  vl_json_integer(json, "torn", info->torn);
}

static void add_vector(vlJson *json, const char *key, vlVec3 v)
{
  vl_json_array(json, key);
  for (int a = 0; a < 3; a++) vl_json_number(json, NULL, v.v[a]);
  vl_json_end(json);
}

static void add_surface(vlJson *json, const Surface *s)
{
  vl_json_integer(json, "triangles", s->triangles);
  vl_json_integer(json, "vertices", s->vertices);
  add_vector(json, "extents_min", s->extents.lo);
  add_vector(json, "extents_max", s->extents.hi);
  vl_json_bool(json, "closed", is_closed(s));
  vl_json_integer(json, "open_edges", s->defects.open_edges);
  vl_json_integer(json, "bad_edges", s->defects.bad_edges);
  vl_json_integer(json, "holes", s->holes);
}

static vlCode print_json(const Result *r, const vlOptions *options, vlStatus *status)
{
  const vlTetQuality *q = &r->quality;
  vlJson json;
  vl_json_begin(&json, false);
  vl_json_object(&json, NULL);
  vl_json_string(&json, "input", options->words[0]);
  vl_json_string(&json, "output", options->out);
  add_surface(&json, &r->surface);
  vl_json_number(&json, "cell", r->options.cell);
  vl_json_bool(&json, "uniform", r->options.uniform);
  vl_json_integer(&json, "nodes", r->mesh.node_count);
  vl_json_integer(&json, "tetrahedra", r->mesh.tet_count);
  vl_json_number(&json, "volume", q->volume);
  if (isfinite(r->shape_volume)) vl_json_number(&json, "surface_volume", r->shape_volume);
  vl_json_number(&json, "edge_min", q->edge_least);
  vl_json_number(&json, "edge_max", q->edge_most);
  vl_json_number(&json, "dihedral_min", q->dihedral_least);
  vl_json_number(&json, "dihedral_max", q->dihedral_most);
  vl_json_number(&json, "ratio_min", q->ratio_least);
  vl_json_number(&json, "ratio_mean", q->ratio_mean);
  add_bins(&json, "dihedral_histogram", q->dihedral_count);
  add_bins(&json, "ratio_histogram", q->ratio_count);
  add_info(&json, &r->info);
  vl_json_number(&json, "seconds", r->seconds);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

vlCode vl_command_mesh(const vlOptions *options, vlStatus *status)
{
  Result result = {0};
  vlCode code = options->out ? vl_tet_file_check_name(options->out, status) : VL_OK;
  if (code == VL_OK) code = look(&result.surface, options, status);
  if (code == VL_OK && !options->json) print_surface(&result.surface, options);
  if (code == VL_OK) code = make(&result, options, status);
  if (code == VL_OK) warn(&result, options->words[0]);
  if (code == VL_OK && options->out) code = vl_tet_file_write(options->out, &result.mesh, status);
  if (code == VL_OK && options->json)
    code = print_json(&result, options, status);
  else if (code == VL_OK)
    print_text(&result, options);
  if (code == VL_OK && !options->out) fprintf(stderr, "velella: nothing was written; --out FILE.msh writes the mesh\n");
  vl_tetmesh_clear(&result.mesh);
  return code;
}
