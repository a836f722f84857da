/* Islands of contacts: those that bodies which yield join, each with its own part of G.
 *
 * G = C S^-1 C^T couples two contacts only through a body that both touch and that loads move. Contacts that are joined so,
 * directly or through others, are an island; static solids, the sides of the box and bodies that do not yield join nothing.
 * With rows sorted by island G is made of dense blocks, and so are the equations of the rows whose forces are unknown: room
 * and time are sums over islands of their rows squared and cubed; those of very many rows go another way (contact_large.c).
 * Contacts with numbered rows -> islands and each row's place; states -> active rows, the factors over them. */
#include <assert.h>

#include "base/memory.h"
#include "contact/contact_large.h"
#include "contact/contact_rows.h"
#include "linear/solve.h"

static int root_of(const int *joined, int b)
{
  while (joined[b] != b) b = joined[b];
  return b;
}

/* Parents have smaller numbers than the bodies they stand for. */
static void join_bodies(const vlContactSolve *s, int *joined)
{
  for (int b = 0; b < s->bodies->count; b++) joined[b] = b;
  for (int c = 0; c < s->contacts.count; c++) {
    const int *body = s->contacts.list[c].body;
    if (body[1] < 0 || !s->bodies->body[body[0]]->yields || !s->bodies->body[body[1]]->yields) continue;
    int one = root_of(joined, body[0]), two = root_of(joined, body[1]);
    joined[one > two ? one : two] = one < two ? one : two;
  }
}

/* Of a contact, by that of its body which yields. */
static int island_of(const vlContactSolve *s, const vlContact *c, const int *of_body)
{
  return of_body[s->bodies->body[c->body[0]]->yields ? c->body[0] : c->body[1]];
}

/* The islands of bodies in `joined` replace their parents there. */
static void number_islands(vlContactSolve *s, int *joined)
{
  s->island_count = 0;
  for (int b = 0; b < s->bodies->count; b++) {
    if (joined[b] != b)
      joined[b] = joined[joined[b]];
    else
      joined[b] = s->touched[b] && s->bodies->body[b]->yields ? s->island_count++ : -1;
  }
  for (int i = 0; i < s->island_count; i++) s->island[i] = (vlContactIsland){0};
}

/* Of its part of G. */
static size_t entries_of(const vlContactIsland *island)
{
  return island->large ? 0 : (size_t)island->rows * (size_t)island->rows;
}

static void count_rows(vlContactSolve *s, const int *of_body)
{
  for (int c = 0; c < s->contacts.count; c++)
    for (int r = s->first_row[c]; r < s->first_row[c + 1]; r++) {
      s->contact_of[r] = c;
      s->island_of[r] = island_of(s, &s->contacts.list[c], of_body);
      s->place[r] = s->island[s->island_of[r]].rows++;
    }
}

static void place_rows(vlContactSolve *s)
{
  for (int i = 1; i < s->island_count; i++) {
    const vlContactIsland *before = &s->island[i - 1];
    s->island[i].first = before->first + before->rows;
    s->island[i].at = before->at + entries_of(before);
  }
  for (int r = 0; r < s->rows; r++) s->member[s->island[s->island_of[r]].first + s->place[r]] = r;
}

bool vl_contact_islands_find(vlContactSolve *s)
{
  join_bodies(s, s->joined);
  number_islands(s, s->joined);
  assert(s->island_count > 0); /* every contact has a body that yields */
  count_rows(s, s->joined);
  if (!vl_contact_large_find(s, s->joined)) return false;
  place_rows(s);
  const vlContactIsland *last = &s->island[s->island_count - 1];
  size_t entries = last->at + entries_of(last);
  return vl_array_reserve((void **)&s->g, &s->g_room, entries + 1, sizeof *s->g) &&
         vl_array_reserve((void **)&s->factor, &s->factor_room, entries + 1, sizeof *s->factor);
}

static void list_active(vlContactSolve *s)
{
  s->active_count = 0;
  for (int i = 0; i < s->island_count; i++) s->island[i].active = 0;
  for (int r = 0; r < s->rows; r++) {
    vlContactIsland *island = &s->island[s->island_of[r]];
    if (s->state[s->contact_of[r]] == VL_CONTACT_OPEN) continue;
    if (!(vl_contact_diagonal(s, r) > 0.0)) continue; /* one that nothing answers to, all of it held, is no unknown */
    s->unknown[island->first + island->active++] = s->active_count;
    s->active[s->active_count++] = r;
  }
}

/* Tangents of contacts that slip give way in proportion to their force, by as much as makes it mu f_n at the slip that is
 * expected: friction is against the slip whatever that turns out to be, and takes energy out of light bodies in water too,
 * whose velocities without pressure say little. */
static bool factor_island(vlContactSolve *s, const vlContactIsland *island)
{
  if (island->large) return vl_contact_large_factor(s, island);
  const int *unknown = s->unknown + island->first;
  size_t m = (size_t)island->active;
  double *factor = s->factor + island->at;
  for (size_t i = 0; i < m; i++) {
    int row = s->active[unknown[i]], c = s->contact_of[row];
    const double *g = vl_contact_g(s, row);
    for (size_t j = 0; j <= i; j++) factor[i * m + j] = g[s->place[s->active[unknown[j]]]];
    factor[i * m + i] *= 1.0 + VL_CONTACT_COMPLIANCE;
    if (s->state[c] == VL_CONTACT_SLIP && row > s->first_row[c]) factor[i * m + i] += s->yielding[c];
  }
  return vl_dense_factor(factor, island->active);
}

void vl_contact_solve_factor(vlContactSolve *s)
{
  bool good = true;
  list_active(s);
  for (int i = 0; i < s->island_count; i++) {
    if (factor_island(s, &s->island[i])) continue;
    good = false; /* so ill-shaped that nothing can be said: no contact of it */
    for (int k = 0; k < s->island[i].rows; k++) s->state[s->contact_of[s->member[s->island[i].first + k]]] = VL_CONTACT_OPEN;
  }
  if (!good) list_active(s);
}

void vl_contact_solve_unknowns(const vlContactSolve *s, double *x)
{
  for (int i = 0; i < s->island_count && s->active_count > 0; i++) {
    const vlContactIsland *island = &s->island[i];
    const int *unknown = s->unknown + island->first;
    if (island->large) {
      vl_contact_large_unknowns(s, island, x);
      continue;
    }
    double *own = s->gathered;
    for (int k = 0; k < island->active; k++) own[k] = x[unknown[k]];
    vl_dense_solve(s->factor + island->at, island->active, own);
    for (int k = 0; k < island->active; k++) x[unknown[k]] = own[k];
  }
}
