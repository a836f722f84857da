/* An elastic body of a scene.
 *
 * It is meshed, turned and moved (body_shape.c): its form at rest X. With the centre of mass c and the
 * rotation Q of its axes it starts at
 *
 *     x = c + Q diag(stretch) Q^T (X - c)        v = velocity + spin x (x - c)
 *
 * In a slab it is a section across its thickness, one cuboid or prism deep, whose nodes are held along z: plane strain.
 * How far it has turned is the rotation R that carries its form at rest nearest to its present one, in the sense of least
 * squares weighted with mass: the polar part of
 *
 *     A = sum_i m_i (x_i - c) (X_i - C)^T        c, C: centres of mass now and at rest
 *
 * scaled by sum_i m_i |X_i - C|^2, so that its size is 1 whatever the body's.
 * In: a definition in the scene. Out: a kind of body. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/words.h"
#include "solid/body_shape.h"
#include "solid/elastic_parts.h"
#include "solid/pins.h"

static const double TOO_MUCH = 0.05; /* share of a body's volume that is worth a word */

static vlCode make_body(vlElastic **body, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  const vlElasticMaterial material = {
      .density = def->density,
      .young = def->young,
      .poisson = def->poisson,
      .mass_damping = def->mass_damping,
      .stiffness_damping = def->stiffness_damping,
      .model = def->model == VL_MODEL_NEO_HOOKEAN ? VL_ELASTIC_NEO_HOOKEAN : VL_ELASTIC_COROTATIONAL,
  };
  const vlElasticOptions options = {
      def->element == VL_ELEMENT_QUADRATIC ? VL_ELASTIC_QUADRATIC : VL_ELASTIC_LINEAR,
      def->scheme == VL_SCHEME_BDF2 ? VL_ELASTIC_BDF2 : VL_ELASTIC_BACKWARD_EULER,
  };
  vlTetMesh mesh;
  vlCode code = vl_body_fill(&mesh, stuffed, scene, def, status);
  if (!code) code = vl_elastic_create(body, &mesh, material, options, def->file ? def->file : "its mesh", status);
  vl_tetmesh_clear(&mesh);
  return code;
}

static vlVec3 mass_center(const vlElastic *b, const vlVec3 *x)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  double mass = 0.0;
  for (int i = 0; i < b->body.node_count; i++) {
    sum = vl_axpy(sum, b->mass[i], x[i]);
    mass += b->mass[i];
  }
  return vl_scale(sum, 1.0 / mass);
}

/* First positions and velocities. */
static void start(vlElastic *b, const vlBodyDef *def)
{
  vlVec3 c = mass_center(b, b->body.x);
  vlMat3 Q = def->rotation, back = vl_mat_transpose(Q);
  bool stretched = def->stretch.x != 1.0 || def->stretch.y != 1.0 || def->stretch.z != 1.0;
  for (int i = 0; i < b->body.node_count; i++) {
    vlVec3 r = vl_mat_apply(back, vl_sub(b->body.rest[i], c));
    for (int a = 0; a < 3; a++) r.v[a] *= def->stretch.v[a];
    if (stretched) b->body.x[i] = vl_add(c, vl_mat_apply(Q, r));
    b->body.v[i] = vl_add(def->velocity, vl_cross(def->spin, vl_sub(b->body.x[i], c)));
  }
  vl_elastic_restart(b);
}

static vlCode create(vlBody **body, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlElastic *b = NULL;
  vlStuffInfo stuffed;
  vlCode code = make_body(&b, &stuffed, scene, def, status);
  if (code) return code;
  *body = &b->body;
  b->stuffed = stuffed;
  b->body.missing = stuffed.missing;
  b->elastic_first = scene->coupling.kind == VL_COUPLING_DAMPING_ONLY;
  start(b, def);
  return VL_OK;
}

static void destroy(vlBody *body)
{
  vlElastic *b = (vlElastic *)body;
  vl_elastic_system_destroy(&b->system);
  vl_elastic_grabs_destroy(&b->grabs);
  void *arrays[] = {b->mass,          b->gradient,       b->volume,   b->pin,           b->row,
                    b->x_old,         b->v_old,          b->rotation, b->held_velocity, b->turned,
                    b->tangent,       b->corner_force,   b->scratch,  b->carried,       b->carried_weight,
                    b->carried_least, b->carried_wanted, b->excess};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

static void doubt(const vlBody *body, vlBox3 box, vlLog log)
{
  const vlBodyDef *def = body->def;
  const vlStuffInfo *info = &((const vlElastic *)body)->stuffed;
  if (vl_stuff_is_coarse(info))
    vl_log(log, VL_LOG_WARNING,
           "body '%.63s' is thin for tetrahedra of cell %g m, first at (%g, %g, %g) m of its own coordinates: parts of it "
           "may be missing or joined; a smaller cell keeps them",
           def->name, info->cell, info->first_thin.x, info->first_thin.y, info->first_thin.z);
  if (info->pieces > 1)
    vl_log(log, VL_LOG_WARNING, "body '%.63s' consists of %d pieces that do not hang together", def->name, info->pieces);
  if (info->missing > TOO_MUCH)
    vl_log(log, VL_LOG_WARNING,
           "body '%.63s' has %.1f %% less volume, and so less mass, than its shape: tetrahedra of cell %g m cut off that "
           "much; a smaller cell keeps it",
           def->name, 100.0 * info->missing, info->cell);
  vl_pins_doubt(body, ((const vlElastic *)body)->pin, box, log);
}

/* I^-1 of a spin or torque about the centre; 0 where the body has no extent to turn. */
static vlVec3 mean_omega(const vlElastic *b, vlVec3 center, vlVec3 spin)
{
  vlMat3 inertia = {0}, inverse;
  for (int i = 0; i < b->body.node_count; i++) {
    vlVec3 x = vl_sub(b->body.x[i], center);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) inertia.m[r][c] += b->mass[i] * ((r == c ? vl_dot(x, x) : 0.0) - x.v[r] * x.v[c]);
  }
  return vl_mat_inverse(inertia, &inverse) ? vl_mat_apply(inverse, spin) : vl_vec(0, 0, 0);
}

/* The torque as forces m alpha x r, which have no sum, alpha = I^-1 T. */
static void add_torque(vlElastic *b, double mass)
{
  vlVec3 center = vl_vec(0, 0, 0);
  for (int i = 0; i < b->body.node_count; i++) center = vl_axpy(center, b->mass[i] / mass, b->body.x[i]);
  vlVec3 alpha = mean_omega(b, center, b->body.control.torque);
  for (int i = 0; i < b->body.node_count; i++)
    b->body.force[i] = vl_axpy(b->body.force[i], b->mass[i], vl_cross(alpha, vl_sub(b->body.x[i], center)));
}

static void drive(vlBody *body, double time, double dt)
{
  vlElastic *b = (vlElastic *)body;
  vl_elastic_move_pins(b, time, dt);
  if (body->def->push_count == 0 && !body->control.pushed) return;
  vlVec3 push = vl_body_push(body, time, dt);
  double mass = 0.0;
  for (int i = 0; i < body->node_count; i++) mass += b->mass[i];
  for (int i = 0; i < body->node_count; i++) body->force[i] = vl_scale(push, b->mass[i] / mass);
  if (body->control.pushed) add_torque(b, mass);
}

static double mass_part(const vlBody *body, int node)
{
  const vlElastic *b = (const vlElastic *)body;
  return b->mass_share * b->mass[node] + b->carried_share * b->carried_least[node]; /* the matrix has no less */
}

static vlVec3 best_rotation(const vlElastic *b, vlVec3 now)
{
  vlVec3 rest = mass_center(b, b->body.rest);
  vlMat3 A = {0}, R = vl_mat_identity();
  double size = 0.0;
  for (int i = 0; i < b->body.node_count; i++) {
    vlVec3 x = vl_sub(b->body.x[i], now), X = vl_sub(b->body.rest[i], rest);
    size += b->mass[i] * vl_dot(X, X);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) A.m[r][c] += b->mass[i] * x.v[r] * X.v[c];
  }
  for (int i = 0; i < 9; i++) A.m[i / 3][i % 3] /= size;
  vl_mat_polar(A, &R); /* a body shrunk to a point has not turned */
  return vl_rotation_vector(R);
}

static vlBodyMeasure measure(const vlBody *body, vlVec3 gravity)
{
  const vlElastic *b = (const vlElastic *)body;
  const vlVec3 *x = body->x, *v = body->v;
  vlBodyMeasure m = {.elastic = vl_elastic_energy(b, x), .volume = vl_body_enclosed(body)};
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 mv = vl_scale(v[i], b->mass[i]);
    m.mass += b->mass[i];
    m.kinetic += 0.5 * vl_dot(mv, v[i]);
    m.potential -= b->mass[i] * vl_dot(gravity, x[i]);
    m.momentum = vl_add(m.momentum, mv);
    m.angular_momentum = vl_add(m.angular_momentum, vl_cross(x[i], mv));
    m.center = vl_axpy(m.center, b->mass[i], x[i]);
    m.reaction = vl_add(m.reaction, body->reaction[i]);
  }
  m.center = vl_scale(m.center, 1.0 / m.mass);
  m.rotation = best_rotation(b, m.center);
  for (int i = 0; i < body->node_count; i++) m.spin = vl_axpy(m.spin, b->mass[i], vl_cross(vl_sub(x[i], m.center), v[i]));
  m.omega = mean_omega(b, m.center, m.spin);
  return m;
}

static double element_volume(const vlBody *body, int element) { return ((const vlElastic *)body)->volume[element]; }

static int describe(const vlBody *body, vlBodyFact facts[VL_BODY_FACTS])
{
  const vlBodyDef *def = body->def;
  const vlElasticMaterial *m = &((const vlElastic *)body)->material;
  bool leaps = body->scene->time.scheme == VL_TIME_LEAPFROG;
  const char *scheme = leaps ? vl_word(vl_time_scheme_words, VL_TIME_LEAPFROG) : vl_word(vl_scheme_words, def->scheme);
  const vlBodyFact own[] = {{.name = "element", .word = vl_word(vl_element_words, def->element)},
                            {.name = "scheme", .word = scheme},
                            {.name = "model", .word = vl_word(vl_model_words, def->model)},
                            {.name = "young", .number = m->young},
                            {.name = "poisson", .number = m->poisson},
                            {.name = "mass_damping", .number = m->mass_damping},
                            {.name = "stiffness_damping", .number = m->stiffness_damping}};
  int count = sizeof own / sizeof *own;
  for (int i = 0; i < count; i++) facts[i] = own[i];
  return count;
}

/* What is held belongs to the pins: where the scene's are others since, what they say now counts. */
static int state(vlBody *body, vlBodyArray list[VL_BODY_ARRAYS])
{
  vlElastic *b = (vlElastic *)body;
  size_t nodes = (size_t)body->node_count, points = (size_t)body->element_count * (size_t)b->points;
  const vlBodyArray own[] = {
      {"x_old", b->x_old, sizeof *b->x_old, nodes, VL_BODY_KEPT, VL_NUMBERS_PLACE},
      {"v_old", b->v_old, sizeof *b->v_old, nodes, VL_BODY_KEPT, VL_NUMBERS_SPEED},
      {"dt_old", &b->dt_old, sizeof b->dt_old, 1, VL_BODY_KEPT, VL_NUMBERS_LEAST_0},
      {"rotation", b->rotation, sizeof *b->rotation, points, VL_BODY_TRIED, VL_NUMBERS_ROTATION},
      {"pin", b->pin, sizeof *b->pin, 3 * nodes, VL_BODY_PINS, VL_NUMBERS_INT},
      {"held", body->held, sizeof *body->held, 3 * nodes, VL_BODY_OF_PINS, VL_NUMBERS_BOOL},
      {"held_velocity", b->held_velocity, sizeof *b->held_velocity, 3 * nodes, VL_BODY_OF_PINS, VL_NUMBERS_SPEED},
      {"row", b->row, sizeof *b->row, 3 * nodes, VL_BODY_OF_PINS, VL_NUMBERS_INT}};
  int count = vl_body_state(body, list);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) list[count++] = own[i];
  return count;
}

static vlCode restored(vlBody *body, bool same_pins, double time, vlStatus *status)
{
  (void)time;
  return vl_elastic_system_restore(((vlElastic *)body)->system, (vlElastic *)body, same_pins, status);
}

const vlBodyType vl_elastic_type = {.name = "elastic",
                                    .grabbed = true,
                                    .create = create,
                                    .hold = vl_elastic_hold_pins,
                                    .destroy = destroy,
                                    .doubt = doubt,
                                    .pinned = vl_elastic_pinned,
                                    .drive = drive,
                                    .carry = vl_elastic_carry,
                                    .begin = vl_elastic_begin,
                                    .solve = vl_elastic_solve,
                                    .finish = vl_elastic_finish,
                                    .matrix = vl_elastic_matrix,
                                    .mass_part = mass_part,
                                    .measure = measure,
                                    .inverted = vl_elastic_inverted,
                                    .halt = vl_elastic_halt,
                                    .make = vl_elastic_make,
                                    .describe = describe,
                                    .stress = vl_elastic_stress,
                                    .element_volume = element_volume,
                                    .bytes = vl_elastic_bytes,
                                    .modes = vl_elastic_modes,
                                    .state = state,
                                    .restored = restored};
