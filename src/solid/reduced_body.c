/* A reduced body of a scene: what makes it a kind of body.
 *
 * It is meshed, turned and moved as an elastic one (body_shape.c) and starts from its form at rest X, c its centre of mass
 * and Q the rotation of its axes, at
 *
 *     x = c + Q diag(stretch) Q^T (X - c)        v = velocity + spin x (x - c)
 *
 * which are affine and so are in its space exactly. Mass, momenta and kinetic energy are those of its matrix G, that is of
 * its grains; how far it has turned is the rotation nearest to the mean deformation gradient. Pins are clamps (see
 * reduced_inverse.c), pushes accelerate it as a whole. In: a definition in the scene. Out: a kind of body. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/words.h"
#include "grid/grid.h"
#include "solid/body_shape.h"
#include "solid/pins.h"
#include "solid/reduced_parts.h"

static const double TOO_MUCH = 0.05; /* share of a body's volume that is worth a word */

/* First place and motion. */
static void start(vlReduced *b, const vlBodyDef *def)
{
  vlMat3 Q = def->rotation, stretch = vl_mat_identity(),
         turn = {{{0, -def->spin.z, def->spin.y}, {def->spin.z, 0, -def->spin.x}, {-def->spin.y, def->spin.x, 0}}};
  for (int a = 0; a < 3; a++) stretch.m[a][a] = def->stretch.v[a];
  vlMat3 linear = vl_mat_multiply(vl_mat_multiply(Q, stretch), vl_mat_transpose(Q));
  bool plain = def->stretch.x == 1.0 && def->stretch.y == 1.0 && def->stretch.z == 1.0;
  if (plain) linear = vl_mat_identity();
  vlVec3 c = vl_reduced_whole(b, (const double(*)[4])b->q, (const double(*)[4])b->rate, b->force).center;
  vl_reduced_set_affine(b, c, linear, c, vl_mat_multiply(turn, linear), def->velocity);
  vl_reduced_follow(b);
}

static vlCode create(vlBody **body, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlGrid grid;
  vlTetMesh mesh;
  vlStuffInfo stuffed;
  vlReduced *b = NULL;
  const vlReducedMaterial material = {def->density, def->young, def->poisson, def->mass_damping};
  vlCode code = vl_grid_create(&grid, &scene->grid, status);
  if (code) return code;
  int particles = scene->liquid.particles > 0 ? scene->liquid.particles : 2;
  const vlReducedOptions options = {def->handles, def->clusters, 0, grid.dx / particles, grid.origin};
  bool plain = def->stretch.x == 1.0 && def->stretch.y == 1.0 && def->stretch.z == 1.0;
  code = vl_body_fill(&mesh, &stuffed, scene, def, status);
  if (!code && plain) /* before it has grains: one that is too large has too many */
    code = vl_body_check_inside(vl_tetmesh_bounds(&mesh), scene, def, status);
  if (!code) code = vl_reduced_create(&b, &mesh, material, options, def->file ? def->file : "its mesh", status);
  vl_tetmesh_clear(&mesh);
  if (code) return code;
  *body = &b->body;
  b->stuffed = stuffed;
  b->body.missing = stuffed.missing;
  start(b, def);
  return VL_OK;
}

static void free_all(void *const *array, size_t count)
{
  for (size_t i = 0; i < count; i++) free(array[i]);
}

static void destroy(vlBody *body)
{
  vlReduced *b = (vlReduced *)body;
  vlGrains *g = &b->grains;
  void *of_nodes[] = {b->node_volume, b->start,   b->of,     b->weight,  b->node_start,
                      b->pin,         b->clamped, b->target, b->carried, b->linear};
  void *of_grains[] = {g->rest,       g->x,       g->v,          g->push,        g->touch,        g->wanted,
                       g->dilation,   g->depth,   g->stop,       g->room,        g->drag,         g->borne,
                       g->normal,     g->against, b->grain_node, b->grain_share, b->grain_normal, b->node_grain,
                       b->twin_start, b->twin_of, b->twin};
  void *of_clusters[] = {b->cluster, b->block_start, b->block_handle, b->block, b->cluster_volume, b->turned};
  void *of_handles[] = {b->handle,     b->gram,  b->stiffness, b->free_projection, b->q,      b->rate,  b->next,  b->force,
                        b->held_force, b->moved, b->gone,      b->pushed,          b->fallen, b->borne, b->pieces};
  free_all(of_nodes, sizeof of_nodes / sizeof *of_nodes);
  free_all(of_grains, sizeof of_grains / sizeof *of_grains);
  free_all(of_clusters, sizeof of_clusters / sizeof *of_clusters);
  free_all(of_handles, sizeof of_handles / sizeof *of_handles);
  for (int a = 0; a < 3; a++) free(b->own_inverse[a]), free(b->own_projection[a]);
  vl_reduced_grabs_clear(b);
}

static vlCode hold(vlBody *body, vlStatus *status) { return vl_pins_find(body, ((vlReduced *)body)->pin, status); }

static int pinned(const vlBody *body) { return vl_pins_count(body, ((const vlReduced *)body)->pin); }

static void doubt(const vlBody *body, vlBox3 box, vlLog log)
{
  const vlReduced *b = (const vlReduced *)body;
  const vlBodyDef *def = body->def;
  if (vl_stuff_is_coarse(&b->stuffed))
    vl_log(
        log, VL_LOG_WARNING,
        "body '%.63s' is thin for tetrahedra of cell %g m: parts of it may be missing or joined; a smaller cell keeps them",
        def->name, b->stuffed.cell);
  if (b->stuffed.pieces > 1)
    vl_log(log, VL_LOG_WARNING, "body '%.63s' consists of %d pieces that do not hang together", def->name,
           b->stuffed.pieces);
  if (b->stuffed.missing > TOO_MUCH)
    vl_log(log, VL_LOG_WARNING,
           "body '%.63s' has %.1f %% less volume, and so less mass, than its shape; a smaller cell keeps it", def->name,
           100.0 * b->stuffed.missing);
  const vlBodyDef plain = vl_body_default();
  if (def->handles != plain.handles && b->handle_count < def->handles)
    vl_log(log, VL_LOG_WARNING,
           "body '%.63s' has %d handles instead of %d: there are no more for its %d grains and %d nodes", def->name,
           b->handle_count, def->handles, b->grains.count, body->node_count);
  if (def->stiffness_damping != plain.stiffness_damping)
    vl_log(log, VL_LOG_WARNING, "body '%.63s' is reduced: without effect: stiffness_damping", def->name);
  vl_pins_doubt(body, b->pin, box, log);
}

static void drive(vlBody *body, double time, double dt)
{
  vlReduced *b = (vlReduced *)body;
  for (int i = 0; i < 3 * body->node_count; i++) {
    bool held = b->pin[i] >= 0 && !vl_pin_over(body, b->pin[i], time, dt);
    b->stale = b->stale || held != b->clamped[i];
    b->clamped[i] = held;
    b->target[i] = held ? vl_pin_target(body, b->pin[i], i, time, dt) : 0.0;
  }
  b->push = b->turning = vl_vec(0, 0, 0);
  if (body->def->push_count == 0 && !body->control.pushed) return;
  b->push = vl_scale(vl_body_push(body, time, dt), 1.0 / (b->grains.mass * b->grains.count));
  if (!body->control.pushed) return;
  vlMat3 inverse;
  vlReducedWhole w = vl_reduced_whole(b, (const double(*)[4])b->q, (const double(*)[4])b->rate, b->force);
  if (vl_mat_inverse(w.inertia, &inverse)) b->turning = vl_mat_apply(inverse, body->control.torque);
}

static void halt(vlBody *body)
{
  vlReduced *b = (vlReduced *)body;
  memset(b->rate, 0, (size_t)b->size * sizeof *b->rate);
  vl_reduced_follow(b);
}

static void make(vlBody *body, vlBodyMaterial m)
{
  vlReduced *b = (vlReduced *)body;
  b->material = (vlReducedMaterial){m.density, m.young, m.poisson, m.mass_damping};
  b->grains.mass = m.density * b->volume / b->grains.count;
  b->stale = true;
}

static vlGrains *grains(vlBody *body) { return &((vlReduced *)body)->grains; }

/* det F > 0 where the volume is: at rest it is above 0 everywhere. */
static int inverted(const vlBody *body)
{
  int count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (int e = 0; e < body->element_count; e++) {
    const int *n = body->node + 4 * (size_t)e;
    vlVec3 at = body->x[n[0]], a = vl_sub(body->x[n[1]], at), b = vl_sub(body->x[n[2]], at), c = vl_sub(body->x[n[3]], at);
    count += !(vl_dot(vl_cross(a, b), c) > 0.0);
  }
  return count;
}

/* lambda (F - R) F^T / det F: of its own rotation, so that it is symmetric. */
static void stress(const vlBody *body, int element, double out[6])
{
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  const vlReduced *b = (const vlReduced *)body;
  vlMat3 F = vl_reduced_deformation(b, element, body->x), R = vl_mat_identity();
  double J = fmax(vl_mat_determinant(F), 0.01), lambda = vl_reduced_lambda(b);
  vl_mat_polar(F, &R);
  for (int k = 0; k < 6; k++) {
    int r = pair[k][0], c = pair[k][1];
    double sum = 0.0;
    for (int i = 0; i < 3; i++) sum += 0.5 * ((F.m[r][i] - R.m[r][i]) * F.m[c][i] + (F.m[c][i] - R.m[c][i]) * F.m[r][i]);
    out[k] = lambda * sum / J;
  }
}

static double element_volume(const vlBody *body, int element)
{
  vlVec3 g[4];
  return vl_reduced_gradients((const vlReduced *)body, element, g);
}

static vlBodyMeasure measure(const vlBody *body, vlVec3 gravity)
{
  const vlReduced *b = (const vlReduced *)body;
  vlBodyMeasure m = {.elastic = vl_reduced_energy(b), .volume = vl_body_enclosed(body), .rotation = vl_reduced_turn(b)};
  double(*scratch)[4] = malloc((size_t)b->size * sizeof *scratch);
  vlMat3 inverse;
  if (!scratch) return m;
  vlReducedWhole w = vl_reduced_whole(b, (const double(*)[4])b->q, (const double(*)[4])b->rate, scratch);
  free(scratch);
  m.kinetic = w.kinetic;
  m.mass = w.mass;
  m.center = w.center;
  m.momentum = w.momentum;
  m.spin = w.spin;
  m.angular_momentum = vl_add(w.spin, vl_cross(w.center, w.momentum));
  m.potential = -w.mass * vl_dot(gravity, w.center);
  if (vl_mat_inverse(w.inertia, &inverse)) m.omega = vl_mat_apply(inverse, w.spin);
  for (int i = 0; i < body->node_count; i++) m.reaction = vl_add(m.reaction, body->reaction[i]);
  return m;
}

static int describe(const vlBody *body, vlBodyFact facts[VL_BODY_FACTS])
{
  const vlReduced *b = (const vlReduced *)body;
  const vlBodyFact own[] = {
      {.name = "handles", .number = b->handle_count},     {.name = "clusters", .number = b->cluster_count},
      {.name = "grains", .number = b->grains.count},      {.name = "young", .number = b->material.young},
      {.name = "poisson", .number = b->material.poisson}, {.name = "mass_damping", .number = b->material.mass_damping}};
  int count = sizeof own / sizeof *own;
  for (int i = 0; i < count; i++) facts[i] = own[i];
  return count;
}

static double bytes(const vlBody *body)
{
  const vlReduced *b = (const vlReduced *)body;
  double n = b->size, nodes = body->node_count, grains_count = b->grains.count,
         blocks = (double)b->block_start[b->cluster_count];
  double matrices = 3.0 + (b->own_inverse[0] ? 1.0 : 0.0);
  for (int a = 0; a < 3; a++) matrices += (a > 0 && b->own_inverse[a]) + (b->own_projection[a] != NULL);
  return sizeof *b + nodes * (14 * sizeof(vlVec3) + 6 * sizeof(bool) + 9 * sizeof(double) + 32) +
         (double)b->start[body->node_count] * (sizeof *b->of + sizeof *b->weight) + n * n * sizeof(double) * matrices +
         blocks * (sizeof *b->block + sizeof *b->block_handle) + (double)b->cluster_count * sizeof *b->turned +
         grains_count * (9 * sizeof(vlVec3) + sizeof *b->grain_node + sizeof *b->grain_share + 4 * sizeof(int)) +
         (double)b->twin_start[b->grains.count] * (sizeof *b->twin + sizeof *b->twin_of) +
         (double)body->element_count * 5 * sizeof(int) + (double)body->triangle_count * sizeof *body->triangle +
         n * (9 + VL_REDUCED_PIECES) * 4 * sizeof(double) + vl_reduced_grabs_bytes(b);
}

static int state(vlBody *body, vlBodyArray list[VL_BODY_ARRAYS])
{
  vlReduced *b = (vlReduced *)body;
  const vlBodyArray own[] = {
      {"q", b->q, sizeof *b->q, (size_t)b->size, VL_BODY_KEPT, VL_NUMBERS_PLACE},
      {"rate", b->rate, sizeof *b->rate, (size_t)b->size, VL_BODY_KEPT, VL_NUMBERS_SPEED},
      {"push", b->grains.push, sizeof *b->grains.push, (size_t)b->grains.count, VL_BODY_KEPT, VL_NUMBERS_OTHER},
      {"touch", b->grains.touch, sizeof *b->grains.touch, (size_t)b->grains.count, VL_BODY_KEPT, VL_NUMBERS_OTHER},
      {"borne", b->grains.borne, sizeof *b->grains.borne, (size_t)b->grains.count, VL_BODY_KEPT, VL_NUMBERS_OTHER},
      {"pin", b->pin, sizeof *b->pin, 3 * (size_t)body->node_count, VL_BODY_PINS, VL_NUMBERS_INT}};
  int count = vl_body_state(body, list);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) list[count++] = own[i];
  return count;
}

static vlCode restored(vlBody *body, bool same_pins, double time, vlStatus *status)
{
  (void)same_pins, (void)time, (void)status;
  vl_reduced_follow((vlReduced *)body);
  return VL_OK;
}

const vlBodyType vl_reduced_type = {.name = "reduced",
                                    .grabbed = true,
                                    .create = create,
                                    .hold = hold,
                                    .destroy = destroy,
                                    .doubt = doubt,
                                    .pinned = pinned,
                                    .drive = drive,
                                    .carry = vl_reduced_carry,
                                    .begin = vl_reduced_begin,
                                    .solve = vl_reduced_solve,
                                    .finish = vl_reduced_finish,
                                    .grains = grains,
                                    .predict = vl_reduced_predict,
                                    .settle = vl_reduced_settle,
                                    .halt = halt,
                                    .make = make,
                                    .describe = describe,
                                    .measure = measure,
                                    .inverted = inverted,
                                    .stress = stress,
                                    .element_volume = element_volume,
                                    .bytes = bytes,
                                    .state = state,
                                    .restored = restored};
