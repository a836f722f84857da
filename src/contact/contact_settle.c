/* Which contacts close, stick and slip, for given loads.
 *
 * First one contact after the other over and over (projected Gauss-Seidel on G): forces keep to their cones at every moment,
 * and whatever the contacts are, it comes near. Rows that say nearly the same (a node on a node) converge slowly, so the set
 * is then revised by what its equalities, solved exactly, say: closed contacts that pull are opened, open ones that close
 * too far are closed, those that want more friction than there is slip, and those that friction would drive stick
 * (the primal-dual active set). A set that turns out to fit its forces stays.
 * In: velocities without contact. Out: states, and how much contacts that slip give way to friction. */
#include <math.h>

#include "contact/contact_large.h"
#include "contact/contact_rows.h"

enum { SWEEPS = 100, SWEEPS_OF_MANY = 20, REVISIONS = 6 };

/* Velocity of a row under the forces of `settled`, where settling keeps them. */
static double settled_velocity(const vlContactSolve *s, int row)
{
  const vlContactIsland *island = &s->island[s->island_of[row]];
  const int *member = s->member + island->first;
  const double *f = s->settled;
  if (island->large)
    return s->without[row] + VL_CONTACT_COMPLIANCE * s->diagonal[row] * f[row] + vl_contact_large_velocity(s, row);
  const double *g = vl_contact_g(s, row);
  double sum = s->without[row] + VL_CONTACT_COMPLIANCE * g[s->place[row]] * f[row];
  for (int j = 0; j < island->rows; j++) sum += g[j] * f[member[j]];
  return sum;
}

static void set_force(vlContactSolve *s, int row, double force)
{
  if (s->island[s->island_of[row]].large) vl_contact_large_push(s, row, force - s->settled[row]);
  s->settled[row] = force;
}

/* One contact against all others as they push now: f_n >= 0, then |f_t| <= mu f_n. Returns the largest change of velocity.
 */
static double settle_one(vlContactSolve *s, int c)
{
  int first = s->first_row[c], last = s->first_row[c + 1];
  const double *f = s->settled;
  double change = 0.0, before[3] = {0.0, 0.0, 0.0};
  for (int r = first; r < last; r++) {
    double own = vl_contact_diagonal(s, r) * (1.0 + VL_CONTACT_COMPLIANCE);
    before[r - first] = f[r];
    double next = own > 0.0 ? f[r] + (s->target[r] - settled_velocity(s, r)) / own : f[r];
    set_force(s, r, r == first ? fmax(next, 0.0) : next);
  }
  if (last - first == 3) {
    double most = s->contacts.list[c].friction * f[first], size = hypot(f[first + 1], f[first + 2]);
    for (int r = first + 1; r < last && size > most; r++) set_force(s, r, f[r] * (most / size));
  }
  for (int r = first; r < last; r++) change = fmax(change, vl_contact_diagonal(s, r) * fabs(f[r] - before[r - first]));
  return change;
}

static unsigned char state_of(const vlContactSolve *s, int c)
{
  const double *f = &s->settled[s->first_row[c]];
  if (!(f[0] > 0.0)) return VL_CONTACT_OPEN;
  if (vl_contact_rows(&s->contacts.list[c]) == 1) return VL_CONTACT_STICK;
  return hypot(f[1], f[2]) < (1.0 - 1e-6) * s->contacts.list[c].friction * f[0] ? VL_CONTACT_STICK : VL_CONTACT_SLIP;
}

/* m/s: how fast a contact slips under the forces as they are. */
static double slip_of(const vlContactSolve *s, int c)
{
  int first = s->first_row[c];
  return hypot(settled_velocity(s, first + 1), settled_velocity(s, first + 2));
}

/* The contacts of one island, until none changes by much as its own velocities go. */
static void sweep(vlContactSolve *s, const vlContactIsland *island)
{
  const int *member = s->member + island->first;
  double scale = 0.0, change = INFINITY;
  for (int k = 0; k < island->rows; k++) scale = fmax(scale, fabs(s->target[member[k]] - s->without[member[k]]));
  int most = island->large ? SWEEPS_OF_MANY : SWEEPS; /* the set is revised anyway */
  for (int i = 0; i < most && change > 1e-6 * scale; i++) {
    change = 0.0;
    for (int k = 0; k < island->rows; k++)
      if (s->first_row[s->contact_of[member[k]]] == member[k])
        change = fmax(change, settle_one(s, s->contact_of[member[k]]));
  }
}

/* All forces of the present set into `settled`. */
static void solve_set(vlContactSolve *s)
{
  for (int r = 0; r < s->rows; r++) s->settled[r] = 0.0;
  vl_contact_large_settled(s);
  for (int i = 0; i < s->active_count; i++) s->right[i] = s->target[s->active[i]] - settled_velocity(s, s->active[i]);
  vl_contact_solve_unknowns(s, s->right);
  for (int i = 0; i < s->active_count; i++) s->settled[s->active[i]] = s->right[i];
  vl_contact_large_settled(s);
}

/* Friction of one closed contact; true if it changes. Were it alone, its tangents would have the velocity (own + yielding) f
 * without friction, and with mu f_n are left (own + yielding) f - own mu f_n. */
static bool revise_friction(vlContactSolve *s, int c, double little)
{
  int first = s->first_row[c];
  const double *f = &s->settled[first];
  double size = hypot(f[1], f[2]), most = s->contacts.list[c].friction * fmax(f[0], 0.0);
  double own = fmax(vl_contact_diagonal(s, first + 1), vl_contact_diagonal(s, first + 2));
  bool slips = s->state[c] == VL_CONTACT_SLIP;
  if (slips ? own * fabs(size - most) <= little : own * (size - most) <= little) return false;
  double left = (own + (slips ? s->yielding[c] : 0.0)) * size - own * most;
  s->state[c] = left > 0.0 ? VL_CONTACT_SLIP : VL_CONTACT_STICK;
  s->yielding[c] = left > 0.0 ? left / fmax(most, 1e-12 * size) : 0.0;
  return true;
}

/* What does not fit the forces in `settled`; true if something changed. */
static bool revise(vlContactSolve *s)
{
  double little = 0.1 * s->still;
  bool changed = false;
  for (int c = 0; c < s->contacts.count; c++) {
    int first = s->first_row[c];
    double own = vl_contact_diagonal(s, first);
    if (!(own > 0.0)) continue;
    if (s->state[c] == VL_CONTACT_OPEN) {
      if (settled_velocity(s, first) >= s->target[first] - little) continue;
      s->state[c] = VL_CONTACT_STICK;
      changed = true;
    } else if (own * s->settled[first] < -little) {
      s->state[c] = VL_CONTACT_OPEN;
      changed = true;
    } else if (vl_contact_rows(&s->contacts.list[c]) == 3) {
      changed = revise_friction(s, c, little) || changed;
    }
  }
  return changed;
}

void vl_contact_solve_settle(vlContactSolve *s, const vlVec3 *v)
{
  for (int r = 0; r < s->rows; r++) s->without[r] = vl_contact_velocity(s, r, v);
  for (int i = 0; i < s->island_count; i++) sweep(s, &s->island[i]);
  for (int c = 0; c < s->contacts.count; c++) {
    s->state[c] = state_of(s, c);
    s->yielding[c] = s->state[c] == VL_CONTACT_SLIP
                         ? slip_of(s, c) / hypot(s->settled[s->first_row[c] + 1], s->settled[s->first_row[c] + 2])
                         : 0.0;
  }
  vl_contact_solve_factor(s);
  for (int turn = 0; turn < REVISIONS; turn++) {
    solve_set(s);
    if (!revise(s)) break;
    vl_contact_solve_factor(s);
  }
}
