/* The contact problem of a step; see contact_solve.h. Which contacts close is found in contact_settle.c, G's parts are laid
 * out and factored in contact_islands.c.
 *
 * The rows that are equalities are solved exactly, together with the pressure. Two equal rows (corner on corner) would make
 * G singular, and rows that contradict each other (a node squeezed between two bodies) would want forces without bound; so
 * contacts yield a little: by a thousandth of what the force would do to the bodies. A contact that is too deep already is
 * pushed out by a part of its depth in each step, at a limited speed.
 *
 * At the step's end a node is at base + reach v (elastic_step.c), so the gap there is gap + n.(base - x) + reach C_n v. */
#include "contact/contact_solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "contact/contact_large.h"
#include "contact/contact_rows.h"

static const double PUSH_OUT = 0.2; /* part of a depth that is mended in a step */
static const double FASTEST = 0.05; /* cells in a step: of pushing out */

/* Of a contact's node k, and how many bodies there are. */
static int body_of(const vlContact *c, int k) { return c->body[k >= c->own]; }
static int bodies_of(const vlContact *c) { return c->body[1] < 0 || c->body[1] == c->body[0] ? 1 : 2; }

void vl_contact_solve_clear(vlContactSolve *s)
{
  vl_contacts_clear(&s->contacts);
  vl_contact_large_clear(s);
  void *arrays[] = {s->first_row, s->contact_of, s->target,  s->force,      s->settled,       s->yielding,
                    s->touched,   s->reply,      s->island,  s->island_of,  s->place,         s->member,
                    s->g,         s->joined,     s->state,   s->active,     s->unknown,       s->factor,
                    s->right,     s->gathered,   s->without, s->kept_state, s->kept_yielding, s->diagonal};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  *s = (vlContactSolve){0};
}

/* The largest of them hold doubles; the others get as much. */
static bool reserve_rows(vlContactSolve *s, size_t room)
{
  void **all[] = {(void **)&s->first_row,     (void **)&s->contact_of, (void **)&s->target,    (void **)&s->force,
                  (void **)&s->settled,       (void **)&s->yielding,   (void **)&s->island_of, (void **)&s->place,
                  (void **)&s->member,        (void **)&s->state,      (void **)&s->active,    (void **)&s->unknown,
                  (void **)&s->right,         (void **)&s->gathered,   (void **)&s->without,   (void **)&s->kept_state,
                  (void **)&s->kept_yielding, (void **)&s->diagonal};
  bool ok = true;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    free(*all[i]);
    ok = (*all[i] = malloc(room * sizeof(double))) && ok;
  }
  s->row_room = ok ? room : 0;
  return ok;
}

/* Room for all but the islands' matrices. */
static bool reserve(vlContactSolve *s)
{
  size_t rows = 0, bodies = (size_t)s->bodies->count + 1, nodes = (size_t)s->bodies->first_node[s->bodies->count];
  for (int c = 0; c < s->contacts.count; c++) rows += (size_t)vl_contact_rows(&s->contacts.list[c]);
  s->rows = (int)rows;
  return (rows + 1 <= s->row_room || reserve_rows(s, rows + rows / 2 + 16)) &&
         vl_array_reserve((void **)&s->touched, &s->body_room, bodies, sizeof *s->touched) &&
         vl_array_reserve((void **)&s->joined, &s->joined_room, bodies, sizeof *s->joined) &&
         vl_array_reserve((void **)&s->island, &s->island_room, bodies, sizeof *s->island) &&
         vl_array_reserve((void **)&s->reply, &s->reply_room, nodes + 1, sizeof *s->reply);
}

/* load += C^T f of one row */
static void add_force(const vlContactSolve *s, int row, double f, vlVec3 *load)
{
  const vlContact *c = &s->contacts.list[s->contact_of[row]];
  for (int k = 0; k < c->count; k++) load[c->node[k]] = vl_axpy(load[c->node[k]], f * c->weight[k], vl_contact_axis(s, row));
}

/* reply = S^-1 reply on the bodies that are marked. A factored S always solves. */
static void solve_bodies(const vlContactSolve *s, const bool *marked)
{
  for (int b = 0; b < s->bodies->count; b++)
    if (marked[b])
      vl_body_solve(s->bodies->body[b], s->reply + s->bodies->first_node[b], s->reply + s->bodies->first_node[b]);
}

static void number_rows(vlContactSolve *s)
{
  int row = 0;
  memset(s->touched, 0, (size_t)s->bodies->count * sizeof *s->touched);
  for (int c = 0; c < s->contacts.count; c++) {
    s->first_row[c] = row;
    row += vl_contact_rows(&s->contacts.list[c]);
    for (int side = 0; side < bodies_of(&s->contacts.list[c]); side++) s->touched[s->contacts.list[c].body[side]] = true;
  }
  s->first_row[s->contacts.count] = row;
}

/* S^-1 C^T of one row on the bodies of its contact, into reply; all other nodes of the reply are not valid. */
static void find_reply(vlContactSolve *s, int row)
{
  const vlContact *c = &s->contacts.list[s->contact_of[row]];
  for (int side = 0; side < bodies_of(c); side++) {
    vlVec3 *own = s->reply + s->bodies->first_node[c->body[side]];
    memset(own, 0, (size_t)s->bodies->body[c->body[side]]->node_count * sizeof *own);
  }
  add_force(s, row, 1.0, s->reply);
  for (int side = 0; side < bodies_of(c); side++) {
    vlVec3 *own = s->reply + s->bodies->first_node[c->body[side]];
    vl_body_solve(s->bodies->body[c->body[side]], own, own);
  }
}

/* C_row v over the nodes that belong to one of two bodies. */
static double shared_velocity(const vlContactSolve *s, int row, const vlContact *with, const vlVec3 *v)
{
  const vlContact *c = &s->contacts.list[s->contact_of[row]];
  double sum = 0.0;
  for (int k = 0; k < c->count; k++) {
    int body = body_of(c, k);
    if (body == with->body[0] || body == with->body[1]) sum += c->weight[k] * vl_dot(vl_contact_axis(s, row), v[c->node[k]]);
  }
  return sum;
}

/* G = C S^-1 C^T, one column after the other over the rows of its island; the lower triangle is computed and stored on both
 * sides. */
static void build_g(vlContactSolve *s)
{
  for (int rj = 0; rj < s->rows; rj++) {
    const vlContactIsland *island = &s->island[s->island_of[rj]];
    if (island->large) continue;
    const vlContact *b = &s->contacts.list[s->contact_of[rj]];
    find_reply(s, rj);
    for (int place = s->place[s->first_row[s->contact_of[rj]]]; place < island->rows; place++) {
      int ri = s->member[island->first + place];
      double value = shared_velocity(s, ri, b, s->reply);
      vl_contact_g(s, ri)[s->place[rj]] = vl_contact_g(s, rj)[place] = value;
    }
    s->diagonal[rj] = vl_contact_g(s, rj)[s->place[rj]];
  }
}

/* v += S^-1 reply, for a reply that holds forces. */
static void add_reply(vlContactSolve *s, vlVec3 *v)
{
  solve_bodies(s, s->touched);
  for (int b = 0; b < s->bodies->count; b++)
    for (int i = s->bodies->first_node[b]; i < s->bodies->first_node[b + 1] && s->touched[b]; i++)
      v[i] = vl_add(v[i], s->reply[i]);
}

/* Forces of the active rows that make C v = target (0 where none is given), stored where asked, and what they do to v. */
static void enforce(vlContactSolve *s, const double *target, double *force, vlVec3 *v)
{
  for (int i = 0; i < s->active_count; i++)
    s->right[i] = (target ? target[s->active[i]] : 0.0) - vl_contact_velocity(s, s->active[i], v);
  vl_contact_solve_unknowns(s, s->right);
  memset(s->reply, 0, (size_t)s->bodies->first_node[s->bodies->count] * sizeof *s->reply);
  for (int i = 0; i < s->active_count; i++) {
    add_force(s, s->active[i], s->right[i], s->reply);
    if (force) force[s->active[i]] = s->right[i];
  }
  add_reply(s, v);
}

void vl_contact_solve_active(const vlContactSolve *s, const vlVec3 *v, double *rows)
{
  for (int i = 0; i < s->active_count; i++) rows[i] = vl_contact_velocity(s, s->active[i], v);
}

void vl_contact_solve_correct(vlContactSolve *s, vlVec3 *y)
{
  if (s->active_count > 0) enforce(s, NULL, NULL, y);
}

void vl_contact_solve_forces(vlContactSolve *s, vlVec3 *v)
{
  for (int r = 0; r < s->rows; r++) s->force[r] = 0.0;
  if (s->active_count > 0) enforce(s, s->target, s->force, v);
}

/* m/s: by how much contact c breaks what its normal must obey, and its friction. */
static void find_broken(const vlContactSolve *s, int c, const vlVec3 *v, double *normal, double *friction)
{
  int first = s->first_row[c];
  const double *f = &s->force[first];
  double own = vl_contact_diagonal(s, first);
  *normal = *friction = 0.0;
  if (s->state[c] == VL_CONTACT_OPEN) {
    if (own > 0.0) *normal = s->target[first] - vl_contact_velocity(s, first, v);
    return;
  }
  *normal = -own * f[0];
  if (s->first_row[c + 1] - first < 3) return;
  own = fmax(vl_contact_diagonal(s, first + 1), vl_contact_diagonal(s, first + 2));
  *friction = own * (hypot(f[1], f[2]) - s->contacts.list[c].friction * fmax(f[0], 0.0));
}

double vl_contact_solve_error(const vlContactSolve *s, const vlVec3 *v)
{
  double most = 0.0, normal, friction;
  for (int c = 0; c < s->contacts.count; c++) {
    find_broken(s, c, v, &normal, &friction);
    most = fmax(most, fmax(normal, friction));
  }
  return most;
}

/* With f_t = -v_t / yielding, mu f_n is reached where yielding = |v_t| / (mu f_n), which is the present one times |f_t| /
 * (mu f_n): nearer in every turn, whatever the liquid adds to the bodies' inertia. */
bool vl_contact_solve_slide(vlContactSolve *s, const vlVec3 *v)
{
  enum { FARTHEST = 10 };
  const double FASTER = 1.5; /* at 2 it would not converge where the bodies hardly resist */
  double normal, friction;
  for (int c = 0; c < s->contacts.count; c++) {
    find_broken(s, c, v, &normal, &friction);
    if (normal > s->still) return false;
  }
  for (int c = 0; c < s->contacts.count; c++) {
    int first = s->first_row[c];
    if (s->state[c] == VL_CONTACT_OPEN || s->first_row[c + 1] - first < 3) continue;
    find_broken(s, c, v, &normal, &friction);
    double size = hypot(s->force[first + 1], s->force[first + 2]),
           most = fmax(s->contacts.list[c].friction * fmax(s->force[first], 0.0), 1e-12 * size);
    if (s->state[c] == VL_CONTACT_SLIP && size > 0.0)
      s->yielding[c] *= pow(fmin(fmax(size / most, 1.0 / FARTHEST), FARTHEST), FASTER);
    else if (friction > s->still) {
      s->yielding[c] = friction / most;
      s->state[c] = VL_CONTACT_SLIP;
    }
  }
  vl_contact_solve_factor(s);
  return true;
}

static bool pulls(const vlContactSolve *s, int c)
{
  int first = s->first_row[c];
  return s->state[c] != VL_CONTACT_OPEN && -vl_contact_diagonal(s, first) * s->force[first] > s->still;
}

bool vl_contact_solve_let_go(vlContactSolve *s)
{
  bool any = false;
  for (int c = 0; c < s->contacts.count; c++) {
    if (!pulls(s, c)) continue;
    s->state[c] = VL_CONTACT_OPEN;
    any = true;
  }
  if (any) vl_contact_solve_factor(s);
  return any;
}

void vl_contact_solve_keep(vlContactSolve *s)
{
  s->kept_pulls = false;
  for (int c = 0; c < s->contacts.count; c++) s->kept_pulls = s->kept_pulls || pulls(s, c);
  memcpy(s->kept_state, s->state, (size_t)s->contacts.count);
  memcpy(s->kept_yielding, s->yielding, (size_t)s->contacts.count * sizeof *s->yielding);
  s->kept_error = s->error;
}

void vl_contact_solve_restore(vlContactSolve *s)
{
  memcpy(s->state, s->kept_state, (size_t)s->contacts.count);
  memcpy(s->yielding, s->kept_yielding, (size_t)s->contacts.count * sizeof *s->yielding);
  vl_contact_solve_factor(s);
}

void vl_contact_solve_add(const vlContactSolve *s, vlVec3 *load)
{
  for (int r = 0; r < s->rows; r++)
    if (s->force[r] != 0.0) add_force(s, r, s->force[r], load);
}

vlVec3 vl_contact_solve_push(const vlContactSolve *s, int body)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int c = 0; c < s->contacts.count; c++) {
    const vlContact *contact = &s->contacts.list[c];
    double share = 0.0;
    for (int k = 0; k < contact->count; k++) share += body_of(contact, k) == body ? contact->weight[k] : 0.0;
    for (int r = s->first_row[c]; r < s->first_row[c + 1]; r++)
      sum = vl_axpy(sum, share * s->force[r], contact->frame[r - s->first_row[c]]);
  }
  return sum;
}

int vl_contact_solve_closed(const vlContactSolve *s)
{
  int closed = 0;
  for (int c = 0; c < s->contacts.count; c++) closed += s->state[c] != VL_CONTACT_OPEN;
  return closed;
}

/* n.(base - x): how the gap changes without velocity; zero for backward Euler. */
static double drift(const vlContactSolve *s, const vlContact *c)
{
  double sum = 0.0;
  for (int k = 0; k < c->count; k++) {
    int b = body_of(c, k), i = c->node[k] - s->bodies->first_node[b];
    sum += c->weight[k] * vl_dot(c->frame[0], vl_sub(s->bodies->body[b]->base[i], s->bodies->body[b]->x[i]));
  }
  return sum;
}

/* s: how long a velocity of the contact lasts, the longest of its bodies'. */
static double reach_of(const vlContactSolve *s, const vlContact *c)
{
  double reach = 0.0;
  for (int k = 0; k < c->count; k++) reach = fmax(reach, s->bodies->body[body_of(c, k)]->span);
  return reach;
}

vlCode vl_contact_solve_begin(vlContactSolve *s, const vlBodySet *bodies, double dt, vlStatus *status)
{
  vl_contact_large_clear(s);
  s->bodies = bodies;
  s->active_count = s->rows = s->island_count = s->turns = 0;
  s->error = 0.0;
  s->kept_error = INFINITY;
  s->still = 1e-3 * bodies->grid->dx / dt;
  vlCode code = vl_contacts_find(&s->contacts, bodies, dt, status);
  if (code || s->contacts.count == 0) return code;
  bool ok = reserve(s);
  if (ok) number_rows(s);
  if (!ok || !vl_contact_islands_find(s)) return vl_fail_memory(status, (size_t)s->rows * sizeof(double), "contacts");
  build_g(s);
  if (!vl_contact_large_build(s)) return vl_fail_memory(status, (size_t)s->rows * 64, "contacts");
  for (int c = 0; c < s->contacts.count; c++) {
    double gap = s->contacts.list[c].gap;
    s->state[c] = VL_CONTACT_OPEN;
    for (int r = s->first_row[c]; r < s->first_row[c + 1]; r++) s->target[r] = s->force[r] = s->settled[r] = 0.0;
    double wanted = gap < 0.0 ? fmin(-PUSH_OUT * gap, FASTEST * bodies->grid->dx) : -gap;
    s->target[s->first_row[c]] = (wanted - drift(s, &s->contacts.list[c])) / reach_of(s, &s->contacts.list[c]);
  }
  vl_contact_solve_factor(s);
  return VL_OK;
}
