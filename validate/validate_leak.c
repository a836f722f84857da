/* Nothing leaks.
 *  - A shell full of water is thrown at the floor: the cavity inside its mesh keeps its volume, which water without air
 *    cannot change, and no particle is outside. The shell with air in it (scene shell_small) is held to the particles alone.
 *  - A glass and a soft cup (scene cup_small) hold sloshing water for 20 s.
 *  - Water at 10 m/s, in steps of two cells, against walls two cells thick with an empty chamber behind: straight, oblique,
 *    elastic, and a piston that is pushed through the water.
 * A particle is counted where it has no business: outside of the shell, below and beside the cups, behind the wall, and
 * deeper than half a cell in any solid or body. The counts asked for are zero. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "mesh/bvh.h"
#include "report.h"

enum { SAMPLES = 600, SETTINGS = 4 };

static const double INSIDE = 0.5; /* cells: what interpolated distances may be off at edges */

static const char straight[] = "grid: {size: [1, 0.75, 0.5], cells: 32}\n"
                               "liquid:\n"
                               "  shapes: [{shape: box, center: [0.25, 0.3, 0.25], size: [0.4, 0.6, 1]}]\n"
                               "  velocity: [10, 0, 0]\n"
                               "solids: [{shape: box, center: [0.7, 0.4, 0.25], size: [0.0625, 3, 3]}]\n"
                               "time: {cfl: 2}\n";
static const char elastic[] = "grid: {size: [1, 0.75, 0.5], cells: 32}\n"
                              "liquid:\n"
                              "  shapes: [{shape: box, center: [0.25, 0.3, 0.25], size: [0.4, 0.6, 1]}]\n"
                              "  velocity: [10, 0, 0]\n"
                              "bodies:\n"
                              "  - shape: box\n"
                              "    center: [0.7, 0.375, 0.25]\n"
                              "    size: [0.0625, 0.75, 0.5]\n"
                              "    cells: [1, 12, 8]\n"
                              "    young: 2 MPa\n"
                              "    pins:\n"
                              "      - {shape: box, center: [0.7, 0, 0.25], size: [0.2, 0.01, 1]}\n"
                              "      - {shape: box, center: [0.7, 0.75, 0.25], size: [0.2, 0.01, 1]}\n"
                              "      - {shape: box, center: [0.7, 0.375, 0], size: [0.2, 1, 0.01]}\n"
                              "      - {shape: box, center: [0.7, 0.375, 0.5], size: [0.2, 1, 0.01]}\n"
                              "time: {cfl: 2}\n";
static const char piston[] = "grid: {size: [1, 1, 0.5], cells: 32}\n"
                             "liquid: {shapes: [{shape: box, center: [0.65, 0.2, 0.25], size: [0.7, 0.4, 1]}]}\n"
                             "bodies:\n"
                             "  - shape: box\n"
                             "    center: [0.2, 0.5, 0.25]\n"
                             "    size: [0.0625, 1, 0.5]\n"
                             "    cells: [1, 8, 4]\n"
                             "    pins: [{shape: box, center: [0.2, 0.5, 0.25], size: [0.3, 3, 3], velocity: [2, 0, 0], "
                             "end: 0.2 s}]\n"
                             "time: {cfl: 2}\n";

/* What a case is about and what is seen of it at one time. */
typedef struct Watch {
  const vlSim *sim;
  vlBodyView body;    /* as it lies; its name is NULL without one */
  int *piece, pieces; /* of each surface triangle, where they hang together */
  vlBvh *tree[2];     /* of the first two pieces */
  vlTriMesh surface[2];
  vlVec3 place, back; /* of a wall: a point in it, and the way through it */
  double farthest;    /* m: of the body at rest, that way */
} Watch;

/* A particle at x has no business there. */
typedef bool Astray(const Watch *watch, vlVec3 x);

typedef struct Case {
  const char *title, *scene, *text; /* the text of a scene, or a built-in one */
  const char *setting[SETTINGS];
  double end; /* s */
  Astray *astray;
  vlVec3 place, back;
} Case;

typedef struct Outcome {
  double t[SAMPLES], change[SAMPLES]; /* s; of the cavity's volume */
  int count;
  double worst, cfl, thinnest; /* change; cells a step; cells between the two surfaces of a shell */
  size_t most, particles;      /* astray at any time; at the start */
  int64_t stuck, rescued, missing, steps;
} Outcome;

static int root(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Numbers the pieces of the body's surface, and finds how far back it reaches. */
static void find_pieces(Watch *w)
{
  const vlBodyView *b = &w->body;
  int *parent = malloc((size_t)b->node_count * sizeof *parent), *number = malloc((size_t)b->node_count * sizeof *number);
  w->piece = malloc((size_t)b->triangle_count * sizeof *w->piece);
  if (!parent || !number || !w->piece) abort();
  for (int i = 0; i < b->node_count; i++) parent[i] = i, number[i] = -1;
  for (int t = 0; t < b->triangle_count; t++)
    for (int k = 1; k < 3; k++) parent[root(parent, b->triangles[t][k])] = root(parent, b->triangles[t][0]);
  for (int t = 0; t < b->triangle_count; t++) {
    int r = root(parent, b->triangles[t][0]);
    if (number[r] < 0) number[r] = w->pieces++;
    w->piece[t] = number[r];
  }
  w->farthest = -INFINITY;
  for (int i = 0; i < b->node_count; i++) w->farthest = fmax(w->farthest, vl_dot(b->rest[i], w->back));
  free(parent);
  free(number);
}

/* Trees over the surfaces as they lie now. */
static void look(Watch *w)
{
  vlStatus status = {0};
  w->body = vl_sim_body(w->sim, 0);
  if (!w->body.name) return;
  if (!w->piece) find_pieces(w);
  for (int s = 0; s < w->pieces && s < 2; s++) {
    vlTriMesh *m = &w->surface[s];
    if (!m->tri) m->tri = malloc((size_t)w->body.triangle_count * sizeof *m->tri);
    if (!m->tri) abort();
    m->x = (vlVec3 *)w->body.x;
    m->vertex_count = w->body.node_count;
    m->triangle_count = 0;
    for (int t = 0; t < w->body.triangle_count; t++)
      if (w->piece[t] == s) memcpy(m->tri[m->triangle_count++], w->body.triangles[t], sizeof *m->tri);
    vl_bvh_destroy(&w->tree[s]);
    if (vl_bvh_create(&w->tree[s], m, &status)) abort();
  }
}

static void forget(Watch *w)
{
  for (int s = 0; s < 2; s++) {
    vl_bvh_destroy(&w->tree[s]);
    free(w->surface[s].tri);
  }
  free(w->piece);
}

/* Of a shell: which of its two surfaces is the inner one. */
static int inner_surface(const Watch *w) { return vl_trimesh_volume(&w->surface[0]) < 0.0 ? 0 : 1; }

static bool outside_shell(const Watch *w, vlVec3 x) { return vl_bvh_winding(w->tree[1 - inner_surface(w)], x) < 0.5; }

/* Beside or below the cups of scene cup_small, which stand in the middle of either half of the box. */
static bool outside_cups(const Watch *w, vlVec3 x)
{
  (void)w;
  double beside = hypot(fabs(x.x - 0.195) - 0.0975, x.z - 0.0975);
  return beside > 0.11 || x.y < 0.01; /* the soft one bulges by less than 2 cm */
}

static bool behind_wall(const Watch *w, vlVec3 x) { return vl_dot(vl_sub(x, w->place), w->back) > 0.0; }

/* Nearest to the back of a plate, as it lies now. */
static bool behind_plate(const Watch *w, vlVec3 x)
{
  const vlBodyView *b = &w->body;
  vlClosest c = vl_bvh_closest(w->tree[0], x);
  if (vl_dot(vl_sub(x, c.point), c.normal) <= 0.0) return false;
  for (int k = 0; k < 3; k++)
    if (vl_dot(b->rest[b->triangles[c.triangle][k]], w->back) < w->farthest - 1e-6) return false;
  return true;
}

static size_t count_astray(const Watch *w, Astray *astray)
{
  vlParticleView p = vl_sim_particles(w->sim);
  size_t count = 0;
  for (size_t i = 0; i < p.count; i++) {
    vlVec3 x = vl_axpy(p.origin, p.dx, vl_vec((double)p.x[0][i], (double)p.x[1][i], (double)p.x[2][i]));
    count += astray(w, x) || vl_sharp_solid_distance(w->sim, x) < -INSIDE * p.dx;
  }
  return count;
}

/* Cells between the inner surface of a shell and the outer one, where it is thinnest. */
static double thickness(const Watch *w)
{
  int inner = inner_surface(w);
  double least = INFINITY;
  for (int t = 0; t < w->surface[inner].triangle_count; t++)
    least = fmin(least, vl_bvh_closest(w->tree[1 - inner], w->body.x[w->surface[inner].tri[t][0]]).distance);
  return least / vl_sharp(w->sim)->grid.dx;
}

static vlSim *start(const Report *report, const Case *c)
{
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlSetting setting[SETTINGS];
  int count = 0;
  while (count < SETTINGS && c->setting[count]) setting[count].text = c->setting[count], count++;
  vlCode code = c->text ? vl_scene_parse(&scene, c->text, strlen(c->text), c->title, setting, count, &status)
                        : vl_scene_load(&scene, c->scene, setting, count, &status);
  if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
  if (code) report_stop(report, c->title, status.message);
  vl_scene_clear(&scene);
  return sim;
}

static void add_sample(Outcome *o, Watch *w, const Case *c, double volume)
{
  look(w);
  size_t astray = count_astray(w, c->astray);
  o->most = astray > o->most ? astray : o->most;
  if (w->pieces < 2 || o->count == SAMPLES) return;
  o->t[o->count] = vl_sim_time(w->sim);
  o->change[o->count] = vl_trimesh_volume(&w->surface[inner_surface(w)]) / volume - 1.0;
  o->worst = fmax(o->worst, fabs(o->change[o->count]));
  o->thinnest = fmin(o->thinnest, thickness(w));
  o->count++;
}

static void run(const Report *report, const Case *c, Outcome *o)
{
  vlStatus status = {0};
  vlSim *sim = start(report, c);
  Watch w = {.sim = sim, .place = c->place, .back = c->back};
  *o = (Outcome){.thinnest = INFINITY};
  look(&w);
  double volume = w.pieces > 1 ? vl_trimesh_volume(&w.surface[inner_surface(&w)]) : 0.0, next = 0.0;
  o->particles = vl_sim_particles(sim).count;
  while (vl_sim_time(sim) < c->end - 1e-9) {
    vlStepInfo info;
    if (vl_sim_step(sim, fmin(1.0 / 30.0, c->end - vl_sim_time(sim)), &info, &status))
      report_stop(report, c->title, status.message);
    o->steps++;
    o->stuck += info.stuck;
    o->rescued += info.rescued;
    o->cfl = fmax(o->cfl, info.dt * info.max_speed / vl_sharp(sim)->grid.dx);
    if (info.time < next && c->end > 2.0)
      continue; /* long runs are looked at ten times a second, short ones in every step */
    next += 0.1;
    add_sample(o, &w, c, volume);
  }
  o->missing = (int64_t)o->particles - (int64_t)vl_sim_particles(sim).count;
  printf("  %s: %zu particles, %lld steps, up to %.1f cells a step, %lld stuck, %lld rescued\n", c->title, o->particles,
         (long long)o->steps, o->cfl, (long long)o->stuck, (long long)o->rescued);
  forget(&w);
  vl_sim_destroy(&sim);
}

static void check_particles(Report *report, const Case *c, const Outcome *o)
{
  char what[128], resolution[48];
  snprintf(resolution, sizeof resolution, "%zu particles", o->particles);
  report_resolution(report, resolution, c->end / (double)o->steps);
  snprintf(what, sizeof what, "%s: particles astray at any time", c->title);
  report_at_most(report, what, (double)o->most, 0.0);
  snprintf(what, sizeof what, "%s: particles lost", c->title);
  report_at_most(report, what, fabs((double)o->missing), 0.0);
}

int main(int argc, char **argv)
{
  static Outcome outcome;
  static const char full[] = "liquid.shapes[0].radius=0.15", stiff[] = "bodies[0].young=200 kPa",
                    turned[] = "solids[0].rotate=y 25, z 20";
  const vlVec3 middle = {{0.7, 0.4, 0.25}}, along = {{1, 0, 0}}, against = {{-1, 0, 0}}, aslant = {{0.8517, 0.31, -0.4226}};
  const Case cases[] = {
      {.title = "full shell", .scene = "shell_small", .setting = {full, stiff}, .end = 1.5, .astray = outside_shell},
      {.title = "shell with air", .scene = "shell_small", .end = 1.5, .astray = outside_shell},
      {.title = "glass and soft cup", .scene = "cup_small", .end = 20.0, .astray = outside_cups},
      {.title = "straight wall", .text = straight, .end = 0.6, .astray = behind_wall, .place = middle, .back = along},
      {.title = "oblique wall",
       .text = straight,
       .setting = {turned},
       .end = 0.6,
       .astray = behind_wall,
       .place = middle,
       .back = aslant},
      {.title = "elastic wall", .text = elastic, .end = 0.6, .astray = behind_plate, .back = along},
      {.title = "piston", .text = piston, .end = 0.3, .astray = behind_plate, .back = against},
  };
  Report report = report_begin("leak", argc, argv);
  Plot plot = {.title = "A shell full of water", .x_label = "t, s", .y_label = "change of the cavity's volume, 1e-6"};
  report_title("Nothing leaks", "conservation: no particle where none can get");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    if (argc > 2 && !strstr(cases[k].title, argv[2])) continue; /* a second argument picks cases by a word */
    run(&report, &cases[k], &outcome);
    check_particles(&report, &cases[k], &outcome);
    if (k > 0) continue;
    report_at_least(&report, "full shell: thinnest wall, cells", outcome.thinnest, 1.8);
    report_at_most(&report, "full shell: change of the cavity's volume", outcome.worst, 1e-4);
    for (int i = 0; i < outcome.count; i++) outcome.change[i] *= 1e6;
    plot_add(&plot, (PlotSeries){outcome.t, outcome.change, outcome.count, "simulated", .color = 0});
    report_plot(&report, &plot, 1);
  }
  return report_end(&report);
}
