/* Time steps of an elastic body. Both schemes say what acceleration and position at the step's end (1) are, given v1:
 *
 *     a1 = alpha (v1 - v_past)        x1 = base + v1 / alpha
 *
 * backward Euler [zarifi2017, eq. 5]: alpha = 1/dt, v_past = v0, base = x0. BDF2, with r = dt / dt_old:
 *
 *     alpha = (1 + 2r) / ((1 + r) dt)      v_past = ((1 + r) v0 - r^2/(1 + r) v_old) / (alpha dt)      base: the same of x
 *
 * M a1 + D v1 + f_el(x1) = f, D = tau_m M + tau_k K, with f_el linear once rotations are fixed, becomes S v1 = -w + J^T p:
 *
 *     S = (alpha + tau_m) M + (1/alpha + tau_k) K            [zarifi2017, eq. 6, 22]
 *     w = - alpha M v_past - M g - f + f_el(base)
 *
 * To which liquid that goes along with the surface adds alpha (carried) in S, -alpha (carried) v_past and its weight in w.
 *
 * The neo-Hookean f_el is not linear; f_el(x_g) + K(x_g) (x - x_g) stands for it, about the guess x_g.
 *
 * Leapfrog (body.h: kick; docs/theory/time.md) has the velocities of the steps' middles, v1 = v0 + kick a, x1 = x0 + dt v1,
 * and elastic forces at the step's beginning, where alone second order lets them be: at 0.4 x1 + 0.3 x0 + 0.2 x_-1 + 0.1
 * x_-2, which is x0 but for the acceleration's share, or
 *
 *     x_f = x0 + dt (0.4 v1 - 0.3 v0 - 0.1 v_-1)
 *
 * whatever the steps' lengths. Of such means it is one that is stable for any dt and lets motions die out that are faster
 * than the step, by 0.64 in a step. The velocity of the damping is a mean of v1 and v_-1.
 *
 * Backward Euler has x_g = x0 and takes rotations from there as the paper does; BDF2 from x_g = x0 + dt ((1 + r/2) v0 - r/2
 * v_old), since what is a step late would make it first order. Where that guess turns or strains a point by much, the step
 * is too long for it, and backward Euler takes over for the step. BDF2 rather than the trapezoidal rule: pressure and
 * velocity belong to the step's end, where the liquid is incompressible, and motions faster than the step die out instead of
 * ringing. */
#include <assert.h>
#include <string.h>

#include "base/status.h"
#include "solid/elastic_parts.h"

/* Of a deformation gradient in a step of BDF2, for each model: turns of 20 and 4 degrees. */
static const double largest_change[] = {[VL_ELASTIC_COROTATIONAL] = 0.5, [VL_ELASTIC_NEO_HOOKEAN] = 0.1};

typedef struct Scheme {
  double alpha;    /* 1/s */
  double now, old; /* past = now * (0) + old * (old) */
  double ratio;    /* dt / dt_old; 0: no history is used */
  double reach;    /* s: x1 = base + reach v1 */
  /* Elastic forces act at x_f = base + ahead v1 - behind v0 - before v_old, damping by late v_old + (1 - late) v1. */
  double ahead, behind, before; /* s */
  double late;
} Scheme;

static Scheme implicit(double alpha, double now, double old, double ratio)
{
  return (Scheme){.alpha = alpha, .now = now, .old = old, .ratio = ratio, .reach = 1.0 / alpha, .ahead = 1.0 / alpha};
}

static Scheme backward_euler(double dt) { return implicit(1.0 / dt, 1.0, 0.0, 0.0); }

/* Forces as backward Euler has them: where the step is too long for the motion. */
static Scheme heavy_leapfrog(double kick, double dt)
{
  return (Scheme){.alpha = 1.0 / kick, .now = 1.0, .reach = dt, .ahead = dt};
}

/* r: dt / dt_old; 0: nothing is known of before. */
static Scheme leapfrog(double kick, double dt, double r)
{
  Scheme s = heavy_leapfrog(kick, dt);
  s.ahead = 0.4 * dt;
  s.behind = r > 0.0 ? 0.3 * dt : 0.4 * dt;
  s.before = r > 0.0 ? 0.1 * dt : 0.0;
  s.late = r / (r + 3.0);
  s.ratio = r;
  return s;
}

static bool leaps(const vlElastic *b) { return b->body.kick > 0.0; }

/* A step over twice the last one starts anew: BDF2 is no longer stable from 2.4 on. */
static Scheme choose_scheme(const vlElastic *b, double dt)
{
  double r = b->dt_old > 0.0 ? dt / b->dt_old : 0.0;
  if (leaps(b)) return leapfrog(b->body.kick, dt, r);
  if (b->options.scheme != VL_ELASTIC_BDF2 || !(r > 0.0) || r > 2.0) return backward_euler(dt);
  double scale = (1.0 + 2.0 * r) / (1.0 + r); /* alpha dt */
  return implicit(scale / dt, (1.0 + r) / scale, -r * r / (1.0 + r) / scale, r);
}

static vlVec3 past(Scheme s, vlVec3 now, vlVec3 old) { return vl_axpy(vl_scale(now, s.now), s.old, old); }

double vl_elastic_velocity_to(const vlElastic *b, double dt, int node, int axis, double target)
{
  Scheme s = choose_scheme(b, dt);
  return (target - past(s, b->body.x[node], b->x_old[node]).v[axis]) / s.reach;
}

void vl_elastic_restart(vlElastic *b) { b->dt_old = 0.0; }

void vl_elastic_halt(vlBody *body)
{
  vlElastic *b = (vlElastic *)body;
  for (int i = 0; i < body->node_count; i++) body->v[i] = b->v_old[i] = vl_vec(0, 0, 0);
  vl_elastic_restart(b);
}

/* Where forces are made linear, into b->scratch. */
static const vlVec3 *predict(vlElastic *b, Scheme s, double dt)
{
  if (s.ratio == 0.0) return b->body.x;
  for (int i = 0; i < b->body.node_count; i++) {
    vlVec3 v = vl_axpy(vl_scale(b->body.v[i], 1.0 + 0.5 * s.ratio), -0.5 * s.ratio, b->v_old[i]);
    b->scratch[i] = vl_axpy(b->body.x[i], dt, v);
  }
  return b->scratch;
}

/* Velocities of the held unknowns, and their share S_fp v_p of w in the rows of the free ones. */
static void move_held(vlElastic *b)
{
  bool moving = false;
  for (int i = 0; i < 3 * b->body.node_count; i++) {
    double v = b->body.held[i] ? b->held_velocity[i] : 0.0;
    b->body.given[i / 3].v[i % 3] = v;
    moving |= v != 0.0;
  }
  if (!moving) return;
  vl_elastic_stiffness_apply(b, b->body.given, b->scratch);
  for (int i = 0; i < 3 * b->body.node_count; i++) {
    if (b->body.held[i]) continue;
    double carried = vl_mat_apply(b->carried[i / 3], b->body.given[i / 3]).v[i % 3];
    b->body.w[i / 3].v[i % 3] += b->stiffness_share * b->scratch[i / 3].v[i % 3] + b->carried_share * carried;
  }
}

/* The liquid that goes along: w -= alpha (carried) v_past + its weight. */
static void carry(vlElastic *b, Scheme s)
{
  b->carried_share = s.alpha;
  for (int i = 0; i < b->body.node_count; i++) {
    vlVec3 kept = vl_mat_apply(b->carried[i], past(s, b->body.v[i], b->v_old[i]));
    b->body.w[i] = vl_sub(vl_axpy(b->body.w[i], -s.alpha, kept), b->carried_weight[i]);
  }
}

/* Of f_el(x_f) and the damping K v what does not depend on v1, as a function that is linear about the guess, into w: f_el
 * itself, or f_el(guess) + K (x_f - guess). The guess may be b->scratch, which is then overwritten. */
static void find_force(vlElastic *b, Scheme s, const vlVec3 *guess)
{
  double before = s.before - b->material.stiffness_damping * s.late;
  bool linear = b->material.model == VL_ELASTIC_COROTATIONAL && s.behind == 0.0 && before == 0.0;
  vl_elastic_force(b, linear ? b->body.base : guess, b->body.w);
  if (linear) return;
  for (int i = 0; i < b->body.node_count; i++) {
    vlVec3 moved = vl_axpy(vl_scale(b->body.v[i], -s.behind), -before, b->v_old[i]);
    b->scratch[i] = vl_add(vl_sub(b->body.base[i], guess[i]), moved);
  }
  vl_elastic_stiffness_apply(b, b->scratch, b->body.given);
  for (int i = 0; i < b->body.node_count; i++) b->body.w[i] = vl_add(b->body.w[i], b->body.given[i]);
}

/* w = - alpha M v_past - M g - f + f_el and damping so far as they are known, without what is held */
static void build_w(vlElastic *b, Scheme s, const vlVec3 *guess, vlVec3 gravity)
{
  double slowed = b->material.mass_damping * s.late;
  find_force(b, s, guess);
  for (int i = 0; i < b->body.node_count; i++) {
    vlVec3 impulse = vl_axpy(gravity, s.alpha, past(s, b->body.v[i], b->v_old[i]));
    if (slowed > 0.0) impulse = vl_axpy(impulse, -slowed, b->v_old[i]);
    b->body.w[i] = vl_sub(vl_axpy(b->body.w[i], -b->mass[i], impulse), b->body.force[i]);
  }
}

/* The body moves as if nothing but its own elasticity acted, v**; then S = (alpha + tau_m) M + tau_k K and w = - alpha M v**
 * are left for the loads [zarifi2017, sec. 5, "damping only", after robinson-mosher2009]. */
static vlCode move_first(vlElastic *b, Scheme s, const vlVec3 *guess, vlVec3 gravity, vlStatus *status)
{
  assert(!leaps(b)); /* the scene's check refuses it */
  b->mass_share = s.alpha;
  b->stiffness_share = 1.0 / s.alpha;
  b->carried_share = 0.0;
  build_w(b, s, guess, gravity);
  move_held(b);
  vlCode code = vl_elastic_system_factor(b->system, b, status);
  for (int i = 0; i < b->body.node_count && !code; i++) b->body.w[i] = vl_scale(b->body.w[i], -1.0);
  if (code) return code;
  vl_body_solve(&b->body, b->body.w, b->body.w);
  b->mass_share = s.alpha + b->material.mass_damping;
  b->stiffness_share = b->material.stiffness_damping;
  for (int i = 0; i < b->body.node_count; i++)
    b->body.w[i] = vl_scale(vl_add(b->body.w[i], b->body.given[i]), -s.alpha * b->mass[i]);
  carry(b, s);
  move_held(b);
  return VL_OK;
}

vlCode vl_elastic_begin(vlBody *body, double dt, vlVec3 gravity, vlStatus *status)
{
  assert(dt > 0.0);
  vlElastic *b = (vlElastic *)body;
  Scheme s = choose_scheme(b, dt);
  b->body.dt = 0.0;
  vl_elastic_grabs_rest(b);
  b->body.yields = memchr(body->held, false, 3 * (size_t)body->node_count * sizeof *body->held) != NULL;
  const vlVec3 *guess = predict(b, s, dt);
  if (s.ratio > 0.0 && vl_elastic_change(b, b->body.x, guess) > largest_change[b->material.model]) {
    s = leaps(b) ? heavy_leapfrog(b->body.kick, dt) : backward_euler(dt);
    guess = b->body.x;
  }
  if (leaps(b)) guess = b->body.x;
  b->body.inverted = vl_elastic_linearise(b, guess);
  b->body.span = s.reach;
  for (int i = 0; i < b->body.node_count; i++) b->body.base[i] = past(s, b->body.x[i], b->x_old[i]);
  vl_elastic_system_stiffness(b->system, b);
  vlCode code = VL_OK;
  if (b->elastic_first) {
    code = move_first(b, s, guess, gravity, status);
  } else {
    b->mass_share = s.alpha + (1.0 - s.late) * b->material.mass_damping;
    b->stiffness_share = s.ahead + (1.0 - s.late) * b->material.stiffness_damping;
    build_w(b, s, guess, gravity);
    carry(b, s);
    move_held(b);
  }
  if (!code) code = vl_elastic_system_factor(b->system, b, status);
  if (!code) code = vl_elastic_grabs_begin(b, status);
  if (!code) b->body.dt = dt;
  return code;
}

/* Residual of the held rows: S v + w - load, where w holds no share of other held unknowns. */
static void find_reactions(vlElastic *b, const vlVec3 *v, const vlVec3 *load)
{
  vl_elastic_stiffness_apply(b, v, b->body.reaction);
  for (int i = 0; i < 3 * b->body.node_count; i++) {
    int n = i / 3, axis = i % 3;
    double S_v = b->stiffness_share * b->body.reaction[n].v[axis] + b->mass_share * b->mass[n] * v[n].v[axis] +
                 b->carried_share * vl_mat_apply(b->carried[n], v[n]).v[axis];
    b->body.reaction[n].v[axis] = b->body.held[i] ? S_v + b->body.w[n].v[axis] - (load ? load[n].v[axis] : 0.0) : 0.0;
  }
  vl_elastic_grabs_finish(b, v);
}

vlCode vl_elastic_finish(vlBody *body, const vlVec3 *load, vlStatus *status)
{
  assert(body->dt > 0.0);
  vlElastic *b = (vlElastic *)body;
  vlVec3 *v = b->scratch;
  vl_body_velocity(body, load, v);
  for (int i = 0; i < body->node_count; i++)
    if (!vl_finite(v[i]))
      return vl_fail(status, VL_ERROR_SOLVER, "node %d of an elastic body has lost its velocity: not finite", i);
  find_reactions(b, v, load);
  memcpy(b->x_old, body->x, (size_t)body->node_count * sizeof *body->x);
  memcpy(b->v_old, body->v, (size_t)body->node_count * sizeof *body->v);
  memcpy(body->v, v, (size_t)body->node_count * sizeof *body->v);
  for (int i = 0; i < body->node_count; i++) body->x[i] = vl_axpy(body->base[i], body->span, v[i]);
  b->dt_old = body->dt;
  body->dt = 0.0;
  return VL_OK;
}
