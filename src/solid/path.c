/* The paths of scripted bodies.
 *
 * An entry of a motion turns the body by R about a point a and moves it by d, x -> a + R (x - a) + d; entries are applied
 * one after the other, the first first. R and d are functions of s = t - start, kept between 0 and end - start:
 *
 *     slide  d = velocity s            sway   d = amplitude (sin(2 pi frequency s + phase) - sin phase)
 *     spin   R by rate s about axis    swing  R by angle times the same sines
 *
 * keys   Places and angles are cubics between keys with the slopes of [fritsch1984], zero at the first and the last key:
 *        once differentiable, and between two keys never beyond them. Where the keys do not name the same axes in the same
 *        order there are no angles to speak of; then orientations are unit quaternions on the cumulative cubic of
 *        [kim1995], which turns the short way from key to key.
 * In: the scene's motion and a time. Out: the pose. */
#include "solid/path.h"

#include <math.h>

/* One entry at one time. */
typedef struct Move {
  vlQuat turn;
  vlVec3 shift; /* m */
} Move;

/* Slope at key k of values f at times t, from the secants on both sides; zero at the ends and where f turns back. */
static double slope_at(const double *t, const double *f, int count, int k)
{
  if (k == 0 || k == count - 1) return 0.0;
  double h0 = t[k] - t[k - 1], h1 = t[k + 1] - t[k], d0 = (f[k] - f[k - 1]) / h0, d1 = (f[k + 1] - f[k]) / h1;
  if (!(d0 * d1 > 0.0)) return 0.0;
  double w = (h0 + 2.0 * h1) / (3.0 * (h0 + h1)); /* harmonic mean, weighted */
  return d0 * d1 / (w * d1 + (1.0 - w) * d0);
}

/* A number of key k: position along an axis (0..2), or the angle of a turn (3...). */
static double number_of(const vlKeyDef *key, int which)
{
  return which < 3 ? key->position.v[which] : key->rotate.angle[which - 3];
}

/* Between keys k and k + 1, s of the way. */
static double between(const vlMotionDef *m, int which, int k, double s)
{
  double t[4], f[4], h = m->keys[k + 1].time - m->keys[k].time;
  int first = k > 0 ? k - 1 : 0, last = k + 2 < m->key_count ? k + 2 : m->key_count - 1;
  for (int i = first; i <= last; i++) {
    t[i - first] = m->keys[i].time;
    f[i - first] = number_of(&m->keys[i], which);
  }
  int a = k - first, count = last - first + 1;
  /* ends of what was copied are ends of the keys, or not looked at */
  double d0 = slope_at(t, f, count, a), d1 = slope_at(t, f, count, a + 1), r = 1.0 - s;
  return r * r * ((1.0 + 2.0 * s) * f[a] + s * h * d0) + s * s * ((3.0 - 2.0 * s) * f[a + 1] - r * h * d1);
}

static vlVec3 axis_turn(int axis, double angle)
{
  vlVec3 turn = vl_vec(0, 0, 0);
  turn.v[axis] = angle;
  return turn;
}

static vlQuat turn_of(const vlTurns *turns)
{
  vlQuat q = vl_quat_identity();
  for (int i = 0; i < turns->count; i++) q = vl_quat_multiply(vl_quat_turn(axis_turn(turns->axis[i], turns->angle[i])), q);
  return q;
}

static bool same_axes(const vlMotionDef *m)
{
  const vlTurns *first = &m->keys[0].rotate;
  for (int k = 1; k < m->key_count; k++) {
    const vlTurns *turns = &m->keys[k].rotate;
    if (turns->count != first->count) return false;
    for (int i = 0; i < turns->count; i++)
      if (turns->axis[i] != first->axis[i]) return false;
  }
  return true;
}

/* From key k to the next, the short way, as seen from the body. */
static vlVec3 turn_between(const vlMotionDef *m, int k)
{
  vlQuat a = turn_of(&m->keys[k].rotate), b = turn_of(&m->keys[k + 1].rotate);
  return vl_quat_vector(vl_quat_multiply(vl_quat_inverse(a), b));
}

/* rad/s: angular velocity at a key, as seen from the body. */
static vlVec3 spin_at(const vlMotionDef *m, int k)
{
  if (k == 0 || k == m->key_count - 1) return vl_vec(0, 0, 0);
  double h0 = m->keys[k].time - m->keys[k - 1].time, h1 = m->keys[k + 1].time - m->keys[k].time;
  vlVec3 sum = vl_scale(turn_between(m, k - 1), h1 / h0);
  return vl_scale(vl_axpy(sum, h0 / h1, turn_between(m, k)), 1.0 / (h0 + h1));
}

/* q_a exp(w1 b1) exp(w2 b2) exp(w3 b3) with the cumulative Bernstein polynomials b. */
static vlQuat turn_on_curve(const vlMotionDef *m, int k, double s)
{
  double h = m->keys[k + 1].time - m->keys[k].time, r = 1.0 - s;
  vlQuat a = turn_of(&m->keys[k].rotate), b = turn_of(&m->keys[k + 1].rotate);
  vlVec3 w1 = vl_scale(spin_at(m, k), h / 3.0), w3 = vl_scale(spin_at(m, k + 1), h / 3.0);
  vlQuat rest = vl_quat_multiply(vl_quat_inverse(a), b);
  rest = vl_quat_multiply(vl_quat_inverse(vl_quat_turn(w1)), vl_quat_multiply(rest, vl_quat_inverse(vl_quat_turn(w3))));
  vlQuat q = vl_quat_multiply(a, vl_quat_turn(vl_scale(w1, 1.0 - r * r * r)));
  q = vl_quat_multiply(q, vl_quat_turn(vl_scale(vl_quat_vector(rest), s * s * (3.0 - 2.0 * s))));
  return vl_quat_multiply(q, vl_quat_turn(vl_scale(w3, s * s * s)));
}

static Move keys_at(const vlMotionDef *m, vlVec3 center, double time)
{
  Move move = {vl_quat_identity(), vl_vec(0, 0, 0)};
  int last = m->key_count - 1, k = 0;
  while (k < last - 1 && m->keys[k + 1].time <= time) k++;
  double s = 0.0;
  if (last > 0) s = (time - m->keys[k].time) / (m->keys[k + 1].time - m->keys[k].time);
  s = fmin(fmax(s, 0.0), 1.0);
  const vlTurns *turns = &m->keys[k].rotate;
  if (m->keys[0].has_position)
    for (int a = 0; a < 3; a++) move.shift.v[a] = (last > 0 ? between(m, a, k, s) : number_of(&m->keys[0], a)) - center.v[a];
  if (!m->keys[0].has_rotate) return move;
  if (last == 0 || !same_axes(m)) {
    move.turn = last == 0 ? turn_of(turns) : turn_on_curve(m, k, s);
    return move;
  }
  for (int i = 0; i < turns->count; i++)
    move.turn = vl_quat_multiply(vl_quat_turn(axis_turn(turns->axis[i], between(m, 3 + i, k, s))), move.turn);
  return move;
}

static Move move_at(const vlMotionDef *m, vlVec3 center, double time)
{
  Move move = {vl_quat_identity(), vl_vec(0, 0, 0)};
  double s = fmax(fmin(time, m->end) - m->start, 0.0);
  double sines = sin(2.0 * VL_PI * m->frequency * s + m->phase) - sin(m->phase);
  switch (m->kind) {
  case VL_MOTION_SLIDE:
    move.shift = vl_scale(m->velocity, s);
    break;
  case VL_MOTION_SWAY:
    move.shift = vl_scale(m->amplitude, sines);
    break;
  case VL_MOTION_SPIN:
    move.turn = vl_quat_turn(vl_scale(vl_unit(m->axis), m->rate * s));
    break;
  case VL_MOTION_SWING:
    move.turn = vl_quat_turn(vl_scale(vl_unit(m->axis), m->angle * sines));
    break;
  default:
    return keys_at(m, center, time);
  }
  return move;
}

vlPath vl_path_of(const vlScene *scene, const vlBodyDef *def)
{
  vlVec3 center = def->center;
  if (scene->grid.slab) center.z = 0.0;
  return (vlPath){def->motion, def->motion_count, center};
}

vlPose vl_path_pose(const vlPath *path, vlVec3 rest_center, double time)
{
  vlPose pose = {rest_center, vl_quat_identity()};
  vlVec3 center = path->center;
  for (int i = 0; i < path->count; i++) {
    const vlMotionDef *m = &path->motion[i];
    Move move = move_at(m, path->center, time);
    vlVec3 pivot = m->has_about ? m->about : center, to = vl_add(pivot, move.shift);
    vlMat3 R = vl_quat_matrix(move.turn);
    pose.center = vl_add(to, vl_mat_apply(R, vl_sub(pose.center, pivot)));
    center = vl_add(to, vl_mat_apply(R, vl_sub(center, pivot)));
    pose.turn = vl_quat_multiply(move.turn, pose.turn);
  }
  pose.turn = vl_quat_unit(pose.turn);
  return pose;
}

vlVec3 vl_path_place(vlPose pose, vlVec3 rest) { return vl_add(pose.center, vl_mat_apply(vl_quat_matrix(pose.turn), rest)); }

double vl_path_way(const vlPath *path, const vlVec3 *rest, int count, double time, double dt)
{
  enum { SAMPLES = 16 };
  double way = 0.0;
  vlPose before = vl_path_pose(path, vl_vec(0, 0, 0), time);
  for (int i = 1; i <= SAMPLES; i++) {
    vlPose pose = vl_path_pose(path, vl_vec(0, 0, 0), time + dt * i / SAMPLES);
    double most = 0.0;
    for (int n = 0; n < count; n++)
      most = fmax(most, vl_norm(vl_sub(vl_path_place(pose, rest[n]), vl_path_place(before, rest[n]))));
    way += most;
    before = pose;
  }
  return way;
}

static vlMotionProblem problem(const char *text, const char *key, int index) { return (vlMotionProblem){text, key, index}; }

/* rad: no less than the turn from a key to the next. */
static double turn_at_most(const vlTurns *a, const vlTurns *b)
{
  double sum = 0.0;
  if (a->count != b->count) return VL_PI;
  for (int i = 0; i < a->count; i++) {
    if (a->axis[i] != b->axis[i]) return VL_PI; /* the short way */
    sum += fabs(b->angle[i] - a->angle[i]);
  }
  return sum;
}

static vlMotionProblem key_problem(const vlMotionDef *m, bool slab, int k)
{
  const vlKeyDef *key = &m->keys[k], *first = &m->keys[0];
  if (!isfinite(key->time)) return problem("a time is a finite number", "time", k);
  if (k > 0 && !(key->time > m->keys[k - 1].time)) return problem("times of keys must ascend", "time", k);
  if (!key->has_position && !key->has_rotate) return problem("a key needs a position, a rotate, or both", "position", k);
  if (key->has_position != first->has_position) return problem("all keys need a position, or none", "position", k);
  if (key->has_rotate != first->has_rotate) return problem("all keys need a rotate, or none", "rotate", k);
  if (!vl_finite(key->position)) return problem("every entry must be finite", "position", k);
  if (key->rotate.count < 0 || key->rotate.count > VL_TURNS) return problem("too many turns", "rotate", k);
  if (slab && key->position.z != 0.0) return problem("the z entry must be 0 in a slab", "position", k);
  for (int i = 0; i < key->rotate.count; i++) {
    if (key->rotate.axis[i] < 0 || key->rotate.axis[i] > 2) return problem("axes are 0, 1 and 2", "rotate", k);
    if (!isfinite(key->rotate.angle[i])) return problem("angles are finite numbers", "rotate", k);
    if (slab && key->rotate.axis[i] != 2) return problem("in a slab bodies turn about z only", "rotate", k);
  }
  if (k > 0 && turn_at_most(&m->keys[k - 1].rotate, &key->rotate) > VL_FASTEST_TURN * (key->time - m->keys[k - 1].time))
    return problem("from the key before it turns faster than 1e5 rad/s", "rotate", k);
  return problem(NULL, NULL, -1);
}

/* The vectors of an entry that lie in the plane of a slab. */
static vlMotionProblem vector_problem(const vlMotionDef *m, bool slab)
{
  const vlVec3 vectors[] = {m->velocity, m->amplitude, m->about};
  static const char *const names[] = {"velocity", "amplitude", "about"};
  for (int i = 0; i < 3; i++) {
    if (!vl_finite(vectors[i])) return problem("every entry must be finite", names[i], -1);
    if (slab && vectors[i].z != 0.0) return problem("the z entry must be 0 in a slab", names[i], -1);
  }
  return problem(NULL, NULL, -1);
}

vlMotionProblem vl_motion_problem(const vlMotionDef *m, bool slab)
{
  double length = vl_norm(m->axis);
  bool turning = m->kind == VL_MOTION_SPIN || m->kind == VL_MOTION_SWING;
  if ((int)m->kind < 0 || m->kind >= VL_MOTION_KIND_COUNT) return problem("there is no such motion", "move", -1);
  if (turning && (!(length > 0.0) || !isfinite(length))) return problem("a direction must not have length zero", "axis", -1);
  if (turning && slab && (m->axis.x != 0.0 || m->axis.y != 0.0))
    return problem("the x and y entries must be 0 in a slab: bodies turn about z only", "axis", -1);
  if (!isfinite(m->start) || !(m->end > m->start)) return problem("it must be after the start", "end", -1);
  if (!isfinite(m->rate) || !isfinite(m->angle) || !isfinite(m->frequency) || !isfinite(m->phase))
    return problem("rate, angle, frequency and phase must be finite", "move", -1);
  if (m->kind == VL_MOTION_SPIN && fabs(m->rate) > VL_FASTEST_TURN)
    return problem("1e5 rad/s is the fastest possible", "rate", -1);
  vlMotionProblem found = vector_problem(m, slab);
  if (!found.text && m->kind == VL_MOTION_KEYS && m->key_count < 1) found = problem("one key or more is needed", "keys", -1);
  for (int k = 0; k < m->key_count && m->kind == VL_MOTION_KEYS && !found.text; k++) found = key_problem(m, slab, k);
  return found;
}
