/* The contact problem of a step; see contact_solve.h.
 *
 * Which contacts close, stick and slip is found with the loads held, one contact after the other over and over (projected
 * Gauss-Seidel on G): forces keep to their cones at every moment. The rows that turn out to be equalities are then solved
 * exactly, together with the pressure. Two equal rows (corner on corner) would make G singular, and rows that contradict
 * each other (a node squeezed between two bodies) would want forces without bound; so contacts yield a little: by a
 * thousandth of what the force would do to the bodies. A contact that is too deep already is pushed out by a part of its
 * depth in each step, at a limited speed.
 *
 * At the step's end a node is at base + reach v (elastic_step.c), so the gap there is gap + n.(base - x) + reach C_n v. */
#include "solid/contact_solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "linear/solve.h"

static const double COMPLIANCE = 1e-3; /* part of G's diagonal */
static const double PUSH_OUT = 0.2;    /* part of a depth that is mended in a step */
static const double FASTEST = 0.05;    /* cells in a step: of pushing out */

enum { SWEEPS = 60 };

void vl_contact_solve_clear(vlContactSolve *s)
{
  vl_contacts_clear(&s->contacts);
  void *arrays[] = {s->first_row, s->g,     s->target, s->force,  s->slip, s->touched,
                    s->reply,     s->state, s->active, s->factor, s->right};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  *s = (vlContactSolve){0};
}

/* C_row v */
static double row_velocity(const vlContactSolve *s, int contact, int axis, const vlVec3 *v)
{
  const vlContact *c = &s->contacts.list[contact];
  vlVec3 u = vl_vec(0, 0, 0);
  for (int k = 0; k < 4 && c->node[k] >= 0; k++) u = vl_axpy(u, c->weight[k], v[c->node[k]]);
  return vl_dot(u, c->frame[axis]);
}

static int rows_of(const vlContact *c) { return c->friction > 0.0 ? 3 : 1; }

static vlCode reserve(vlContactSolve *s, vlStatus *status)
{
  size_t contacts = (size_t)s->contacts.count, rows = 0, nodes = (size_t)s->first_node[s->body_count];
  for (int c = 0; c < s->contacts.count; c++) rows += (size_t)rows_of(&s->contacts.list[c]);
  s->rows = (int)rows;
  bool ok = true;
  if (rows + 1 > s->row_room || contacts + 1 > s->row_room) {
    size_t room = rows + rows / 2 + 16;
    void **arrays[] = {(void **)&s->first_row, (void **)&s->g,      (void **)&s->target,
                       (void **)&s->force,     (void **)&s->slip,   (void **)&s->state,
                       (void **)&s->active,    (void **)&s->factor, (void **)&s->right};
    size_t sizes[] = {sizeof(int), room * sizeof(double), sizeof(double),        sizeof(double), sizeof(double),
                      1,           sizeof(int),           room * sizeof(double), sizeof(double)};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
      free(*arrays[i]);
      ok = (*arrays[i] = malloc(room * sizes[i])) && ok;
    }
    s->row_room = ok ? room : 0;
  }
  void *touched = s->touched, *reply = s->reply;
  ok = vl_array_reserve(&touched, &s->body_room, (size_t)s->body_count + 1, sizeof *s->touched) && ok;
  s->touched = touched;
  ok = vl_array_reserve(&reply, &s->reply_room, nodes + 1, sizeof *s->reply) && ok;
  s->reply = reply;
  return ok ? VL_OK : vl_fail_memory(status, rows * rows * sizeof(double) + nodes * sizeof(vlVec3), "contacts");
}

/* load += C^T f of one row */
static void add_force(const vlContact *c, int axis, double f, vlVec3 *load)
{
  for (int k = 0; k < 4 && c->node[k] >= 0; k++)
    load[c->node[k]] = vl_axpy(load[c->node[k]], f * c->weight[k], c->frame[axis]);
}

/* reply = S^-1 reply on the bodies that are marked. A factored S always solves. */
static void solve_bodies(const vlContactSolve *s, const bool *marked)
{
  vlStatus ignored;
  for (int b = 0; b < s->body_count; b++)
    if (marked[b]) (void)vl_elastic_solve(s->body[b], s->reply + s->first_node[b], s->reply + s->first_node[b], &ignored);
}

static void number_rows(vlContactSolve *s)
{
  int row = 0;
  memset(s->touched, 0, (size_t)s->body_count * sizeof *s->touched);
  for (int c = 0; c < s->contacts.count; c++) {
    s->first_row[c] = row;
    row += rows_of(&s->contacts.list[c]);
    for (int side = 0; side < 2; side++)
      if (s->contacts.list[c].body[side] >= 0) s->touched[s->contacts.list[c].body[side]] = true;
  }
  s->first_row[s->contacts.count] = row;
}

/* S^-1 C^T of one row on the bodies of its contact, into reply; all other nodes of the reply are not valid. */
static void find_reply(vlContactSolve *s, const vlContact *c, int axis)
{
  vlStatus ignored;
  for (int side = 0; side < 2; side++) {
    if (c->body[side] < 0) continue;
    vlVec3 *own = s->reply + s->first_node[c->body[side]];
    memset(own, 0, (size_t)s->body[c->body[side]]->node_count * sizeof *own);
  }
  add_force(c, axis, 1.0, s->reply);
  for (int side = 0; side < 2; side++) {
    if (c->body[side] < 0) continue;
    vlVec3 *own = s->reply + s->first_node[c->body[side]];
    (void)vl_elastic_solve(s->body[c->body[side]], own, own, &ignored);
  }
}

/* C_row v over the nodes that belong to one of two bodies. */
static double shared_velocity(const vlContact *c, int axis, const vlContact *with, const vlVec3 *v)
{
  double sum = 0.0;
  for (int k = 0; k < 4 && c->node[k] >= 0; k++) {
    int body = c->body[k > 0];
    if (body == with->body[0] || body == with->body[1]) sum += c->weight[k] * vl_dot(c->frame[axis], v[c->node[k]]);
  }
  return sum;
}

/* G = C S^-1 C^T, one column after the other; the lower triangle is computed and stored on both sides. */
static void build_g(vlContactSolve *s)
{
  size_t n = (size_t)s->rows;
  for (int j = 0; j < s->contacts.count; j++)
    for (int rj = s->first_row[j]; rj < s->first_row[j + 1]; rj++) {
      const vlContact *b = &s->contacts.list[j];
      find_reply(s, b, rj - s->first_row[j]);
      for (int i = j; i < s->contacts.count; i++)
        for (int ri = s->first_row[i]; ri < s->first_row[i + 1]; ri++) {
          double value = shared_velocity(&s->contacts.list[i], ri - s->first_row[i], b, s->reply);
          s->g[(size_t)ri * n + (size_t)rj] = s->g[(size_t)rj * n + (size_t)ri] = value;
        }
    }
}

/* Rows that the states make equalities: all of contacts that stick, the normal of those that slip. */
static void factor_active(vlContactSolve *s)
{
  size_t n = (size_t)s->rows;
  s->active_count = 0;
  for (int c = 0; c < s->contacts.count; c++) {
    int first = s->first_row[c], last = s->state[c] == VL_CONTACT_OPEN   ? first
                                        : s->state[c] == VL_CONTACT_SLIP ? first + 1
                                                                         : s->first_row[c + 1];
    for (int r = first; r < last; r++) /* a row that nothing answers to, all of it held, is no unknown */
      if (s->g[(size_t)r * n + (size_t)r] > 0.0) s->active[s->active_count++] = r;
  }
  size_t m = (size_t)s->active_count;
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j <= i; j++) s->factor[i * m + j] = s->g[(size_t)s->active[i] * n + (size_t)s->active[j]];
    s->factor[i * m + i] *= 1.0 + COMPLIANCE;
  }
  if (!vl_dense_factor(s->factor, s->active_count)) { /* bodies so ill-shaped that nothing can be said: no contact */
    memset(s->state, VL_CONTACT_OPEN, (size_t)s->contacts.count);
    s->active_count = 0;
  }
}

static int contact_of(const vlContactSolve *s, int row)
{
  int lo = 0, hi = s->contacts.count;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (s->first_row[mid] <= row)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

/* v += S^-1 reply, for a reply that holds forces. */
static void add_reply(vlContactSolve *s, vlVec3 *v)
{
  solve_bodies(s, s->touched);
  for (int b = 0; b < s->body_count; b++)
    for (int i = s->first_node[b]; i < s->first_node[b + 1] && s->touched[b]; i++) v[i] = vl_add(v[i], s->reply[i]);
}

/* Forces of the active rows that make C v = target (0 where none is given), stored where asked, and what they do to v. */
static void enforce(vlContactSolve *s, const double *target, double *force, vlVec3 *v)
{
  for (int i = 0; i < s->active_count; i++) {
    int row = s->active[i], contact = contact_of(s, row);
    s->right[i] = (target ? target[row] : 0.0) - row_velocity(s, contact, row - s->first_row[contact], v);
  }
  vl_dense_solve(s->factor, s->active_count, s->right);
  memset(s->reply, 0, (size_t)s->first_node[s->body_count] * sizeof *s->reply);
  for (int i = 0; i < s->active_count; i++) {
    int row = s->active[i], contact = contact_of(s, row);
    add_force(&s->contacts.list[contact], row - s->first_row[contact], s->right[i], s->reply);
    if (force) force[row] = s->right[i];
  }
  add_reply(s, v);
}

void vl_contact_solve_correct(vlContactSolve *s, vlVec3 *y)
{
  if (s->active_count > 0) enforce(s, NULL, NULL, y);
}

void vl_contact_solve_forces(vlContactSolve *s, vlVec3 *v)
{
  bool slips = false;
  if (s->contacts.count == 0) return;
  memset(s->reply, 0, (size_t)s->first_node[s->body_count] * sizeof *s->reply);
  for (int c = 0; c < s->contacts.count; c++) {
    int first = s->first_row[c];
    for (int r = first; r < s->first_row[c + 1]; r++) {
      bool known = r > first && s->state[c] == VL_CONTACT_SLIP; /* friction of contacts that slip */
      s->force[r] = known ? s->slip[r] : 0.0;
      if (known) add_force(&s->contacts.list[c], r - first, s->force[r], s->reply);
      slips = slips || known;
    }
  }
  if (slips) add_reply(s, v);
  if (s->active_count > 0) enforce(s, s->target, s->force, v);
}

/* Velocity of a row under the forces of `slip`, where settling keeps them. */
static double settled_velocity(const vlContactSolve *s, const double *without, int row)
{
  const double *g = s->g + (size_t)row * (size_t)s->rows, *f = s->slip;
  double sum = without[row] + COMPLIANCE * g[row] * f[row];
  for (int j = 0; j < s->rows; j++) sum += g[j] * f[j];
  return sum;
}

/* One contact against all others as they push now: f_n >= 0, then |f_t| <= mu f_n. Returns the largest change of velocity.
 */
static double settle_one(vlContactSolve *s, const double *without, int c)
{
  int first = s->first_row[c], last = s->first_row[c + 1];
  double *f = s->slip, change = 0.0, before[3] = {0.0, 0.0, 0.0};
  for (int r = first; r < last; r++) {
    double own = s->g[(size_t)r * (size_t)s->rows + (size_t)r] * (1.0 + COMPLIANCE);
    before[r - first] = f[r];
    if (own > 0.0) f[r] += (s->target[r] - settled_velocity(s, without, r)) / own;
    if (r == first) f[r] = fmax(f[r], 0.0);
  }
  if (last - first == 3) {
    double most = s->contacts.list[c].friction * f[first], size = hypot(f[first + 1], f[first + 2]);
    for (int r = first + 1; r < last && size > most; r++) f[r] *= most / size;
  }
  for (int r = first; r < last; r++)
    change = fmax(change, s->g[(size_t)r * (size_t)s->rows + (size_t)r] * fabs(f[r] - before[r - first]));
  return change;
}

static unsigned char state_of(const vlContactSolve *s, int c)
{
  const double *f = &s->slip[s->first_row[c]];
  if (!(f[0] > 0.0)) return VL_CONTACT_OPEN;
  if (rows_of(&s->contacts.list[c]) == 1) return VL_CONTACT_STICK;
  return hypot(f[1], f[2]) < (1.0 - 1e-6) * s->contacts.list[c].friction * f[0] ? VL_CONTACT_STICK : VL_CONTACT_SLIP;
}

bool vl_contact_solve_settle(vlContactSolve *s, const vlVec3 *v)
{
  double *without = s->right, scale = 0.0;
  for (int c = 0; c < s->contacts.count; c++)
    for (int r = s->first_row[c]; r < s->first_row[c + 1]; r++) {
      without[r] = row_velocity(s, c, r - s->first_row[c], v);
      scale = fmax(scale, fabs(s->target[r] - without[r]));
    }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0.0;
    for (int c = 0; c < s->contacts.count; c++) change = fmax(change, settle_one(s, without, c));
    if (change <= 1e-6 * scale) break;
  }
  bool same = true;
  for (int c = 0; c < s->contacts.count; c++) {
    unsigned char now = state_of(s, c);
    same = same && now == s->state[c];
    s->state[c] = now;
  }
  if (!same) factor_active(s);
  s->settled = same;
  return same;
}

void vl_contact_solve_add(const vlContactSolve *s, vlVec3 *load)
{
  for (int c = 0; c < s->contacts.count; c++) {
    int first = s->first_row[c], last = s->first_row[c + 1];
    double push = s->settled ? s->force[first] : fmax(s->force[first], 0.0);
    double most = s->settled ? INFINITY : s->contacts.list[c].friction * push;
    double size = last - first == 3 ? hypot(s->force[first + 1], s->force[first + 2]) : 0.0;
    if (s->state[c] == VL_CONTACT_OPEN || push == 0.0) continue;
    add_force(&s->contacts.list[c], 0, push, load);
    for (int r = first + 1; r < last; r++)
      add_force(&s->contacts.list[c], r - first, s->force[r] * (size > most ? most / size : 1.0), load);
  }
}

/* n.(base - x): how the gap changes without velocity; zero for backward Euler. */
static double drift(const vlContactSolve *s, const vlContact *c)
{
  double sum = 0.0;
  for (int k = 0; k < 4 && c->node[k] >= 0; k++) {
    int b = c->body[k > 0], i = c->node[k] - s->first_node[b];
    sum += c->weight[k] * vl_dot(c->frame[0], vl_sub(s->body[b]->base[i], s->body[b]->x[i]));
  }
  return sum;
}

vlCode vl_contact_solve_begin(vlContactSolve *s, const vlContactScene *scene, double dt, vlStatus *status)
{
  s->body = scene->body;
  s->first_node = scene->first_node;
  s->body_count = scene->count;
  s->active_count = s->rows = 0;
  vlCode code = vl_contacts_find(&s->contacts, scene, dt, status);
  if (code || s->contacts.count == 0) return code;
  code = reserve(s, status);
  if (code) return code;
  number_rows(s);
  build_g(s);
  for (int c = 0; c < s->contacts.count; c++) {
    double gap = s->contacts.list[c].gap;
    s->state[c] = VL_CONTACT_OPEN;
    for (int r = s->first_row[c]; r < s->first_row[c + 1]; r++) s->target[r] = s->force[r] = s->slip[r] = 0.0;
    double wanted = gap < 0.0 ? fmin(-PUSH_OUT * gap, FASTEST * scene->grid->dx) : -gap;
    s->target[s->first_row[c]] = (wanted - drift(s, &s->contacts.list[c])) / s->body[s->contacts.list[c].body[0]]->reach;
  }
  factor_active(s);
  return VL_OK;
}
