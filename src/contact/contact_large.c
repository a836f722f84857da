/* Islands of contacts with many more rows than their bodies have ways to move.
 *
 * Bodies that overlap may touch at thousands of points while they are made of a hundred nodes. G = C S^-1 C^T over the rows
 * is dense then, and of low rank; the bodies' side is small. With D what contacts yield,
 *
 *     (D + C S^-1 C^T)^-1 = D^-1 - D^-1 C M^-1 C^T D^-1,     M = S + C^T D^-1 C
 *
 * (Woodbury), so that a factor costs coordinates cubed instead of rows cubed, and C stays sparse. Coordinates are the
 * velocities of an elastic body's free nodes, S its matrix; or the modes of a body that has some, S the identity. While
 * settling, one force after the other changes, and z = S^-1 C^T f follows by a column of S^-1 C^T each time. In: contacts
 * with numbered rows, bodies that have begun. Out: what contact_islands.c asks of an island. */
#include "contact/contact_large.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/contact_rows.h"
#include "linear/solve.h"

enum { MANY = 600 };                         /* rows: with fewer, G itself is no trouble */
static const size_t MOST_REPLIES = 1u << 25; /* numbers: with more, replies are made anew each time */

struct vlContactLarge {
  int coords;       /* of all bodies */
  int *base;        /* first coordinate of each body; -1: it has none here [bodies] */
  int *own;         /* coordinates of each body [bodies] */
  int **of;         /* elastic bodies: coordinate, from the body's first, of each unknown, -1 held; NULL: modes [bodies] */
  double **inverse; /* elastic bodies: S^-1 [own][own]; NULL: modes [bodies] */
  /* C by rows of the island: */
  int *start, *column; /* [rows + 1], [start[rows]] */
  double *value;
  size_t *reply_at; /* S^-1 C^T of each row on its elastic bodies begins here among the replies; NULL: too many [rows] */
  double *replies;
  double *S, *M;       /* [coords][coords], lower triangles: S, and M factored */
  double *z, *scratch; /* [coords] */
};

static int coords_of(const vlBody *body)
{
  const int *unknown;
  return body->mode_count > 0 ? body->mode_count : body->type->matrix ? body->type->matrix(body, &unknown)->rows : 0;
}

static void destroy(vlContactLarge *l, int bodies)
{
  if (!l) return;
  for (int b = 0; b < bodies; b++) {
    if (l->of) free(l->of[b]);
    if (l->inverse) free(l->inverse[b]);
  }
  void *arrays[] = {l->base,     l->own,     l->of, l->inverse, l->start, l->column, l->value,
                    l->reply_at, l->replies, l->S,  l->M,       l->z,     l->scratch};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(l);
}

void vl_contact_large_clear(vlContactSolve *s)
{
  for (int i = 0; i < s->island_count; i++) {
    destroy(s->island[i].large, s->large_bodies);
    s->island[i].large = NULL;
  }
}

static bool create(vlContactSolve *s, vlContactIsland *island, int coords)
{
  size_t n = (size_t)coords, bodies = (size_t)s->bodies->count, rows = (size_t)island->rows;
  vlContactLarge *l = island->large = calloc(1, sizeof *l);
  if (!l) return false;
  l->base = malloc(bodies * sizeof *l->base);
  l->own = calloc(bodies, sizeof *l->own);
  l->of = calloc(bodies, sizeof *l->of);
  l->inverse = calloc(bodies, sizeof *l->inverse);
  l->start = malloc((rows + 1) * sizeof *l->start);
  l->S = calloc(n * n, sizeof *l->S);
  l->M = malloc(n * n * sizeof *l->M);
  l->z = calloc(n, sizeof *l->z);
  l->scratch = malloc(n * sizeof *l->scratch);
  return l->base && l->own && l->of && l->inverse && l->start && l->S && l->M && l->z && l->scratch;
}

/* Bodies' places among the coordinates. */
static void place_bodies(const vlContactSolve *s, vlContactLarge *l, const int *of_body, int i)
{
  for (int b = 0; b < s->bodies->count; b++) {
    l->base[b] = of_body[b] == i ? l->coords : -1;
    if (of_body[b] == i) l->coords += l->own[b] = coords_of(s->bodies->body[b]);
  }
}

/* A body of neither modes nor matrix has no coordinates: contacts with it are solved by its answers. */
static bool has_coords(const vlContactSolve *s, const int *of_body, int i)
{
  for (int b = 0; b < s->bodies->count; b++)
    if (of_body[b] == i && coords_of(s->bodies->body[b]) == 0 && !s->bodies->body[b]->type->matrix) return false;
  return true;
}

bool vl_contact_large_find(vlContactSolve *s, const int *of_body)
{
  bool ok = true;
  s->large_bodies = s->bodies->count;
  for (int i = 0; i < s->island_count && ok; i++) {
    int coords = 0;
    for (int b = 0; b < s->bodies->count && s->island[i].rows > MANY; b++)
      if (of_body[b] == i) coords += coords_of(s->bodies->body[b]);
    if (s->island[i].rows > MANY && !has_coords(s, of_body, i)) continue;
    if (s->island[i].rows <= MANY || 2 * coords > s->island[i].rows || coords == 0) continue;
    ok = create(s, &s->island[i], coords);
    if (ok) place_bodies(s, s->island[i].large, of_body, i);
  }
  return ok;
}

/* S of an elastic body without what is held, and its inverse. */
static bool take_matrix(const vlBody *body, vlContactLarge *l, int b)
{
  const int *unknown;
  const vlCsr *S = body->type->matrix(body, &unknown);
  size_t n = (size_t)S->rows, all = (size_t)l->coords, base = (size_t)l->base[b];
  int *of = l->of[b] = malloc((3 * (size_t)body->node_count + 1) * sizeof *of);
  double *inverse = l->inverse[b] = calloc(n * n + 1, sizeof *inverse), *factor = calloc(n * n + 1, sizeof *factor);
  bool ok = of && inverse && factor;
  for (int u = 0; u < 3 * body->node_count && ok; u++) of[u] = -1;
  for (int r = 0; r < S->rows && ok; r++) {
    if (!body->held[unknown[r]]) of[unknown[r]] = r;
    for (int64_t e = S->start[r]; e < S->start[r + 1]; e++)
      if (S->column[e] <= r)
        l->S[(base + (size_t)r) * all + base + (size_t)S->column[e]] = factor[(size_t)r * n + (size_t)S->column[e]] =
            S->value[e];
  }
  ok = ok && vl_dense_factor(factor, S->rows);
  for (size_t k = 0; k < n && ok; k++) {
    inverse[k * n + k] = 1.0;
    vl_dense_solve(factor, S->rows, inverse + k * n);
  }
  free(factor);
  return ok;
}

static bool take_body(const vlBody *body, vlContactLarge *l, int b)
{
  if (body->mode_count == 0) return take_matrix(body, l, b);
  for (int k = l->base[b]; k < l->base[b] + l->own[b]; k++) l->S[(size_t)k * (size_t)l->coords + (size_t)k] = 1.0;
  return true;
}

/* C_row on one body of its contact, into `value`: an entry for each coordinate of the body that it has to do with. */
static int take_row(const vlContactSolve *s, const vlContactLarge *l, int row, int b, int *column, double *value)
{
  const vlContact *c = &s->contacts.list[s->contact_of[row]];
  const vlBody *body = s->bodies->body[b];
  vlVec3 axis = vl_contact_axis(s, row);
  int count = 0;
  for (int m = 0; m < body->mode_count; m++) {
    column[count] = l->base[b] + m;
    value[count++] = 0.0;
  }
  for (int k = 0; k < c->count; k++) {
    int node = c->node[k] - s->bodies->first_node[b];
    if (node < 0 || node >= body->node_count) continue;
    for (int m = 0; m < body->mode_count; m++) value[m] += c->weight[k] * vl_dot(axis, body->type->mode(body, m, node));
    for (int a = 0; a < 3 && body->mode_count == 0; a++) {
      if (l->of[b][3 * node + a] < 0) continue;
      column[count] = l->base[b] + l->of[b][3 * node + a];
      value[count++] = c->weight[k] * axis.v[a];
    }
  }
  return count;
}

/* The most entries of a row: three for each of its nodes, or six modes of each of two bodies. */
enum { ENTRIES = 3 * VL_CONTACT_NODES > 12 ? 3 * VL_CONTACT_NODES : 12 };

static bool take_rows(const vlContactSolve *s, const vlContactIsland *island)
{
  vlContactLarge *l = island->large;
  size_t most = (size_t)island->rows * ENTRIES + 1;
  l->column = malloc(most * sizeof *l->column);
  l->value = malloc(most * sizeof *l->value);
  if (!l->column || !l->value) return false;
  l->start[0] = 0;
  for (int k = 0; k < island->rows; k++) {
    int row = s->member[island->first + k], count = l->start[k];
    const int *body = s->contacts.list[s->contact_of[row]].body;
    for (int side = 0; side < 2; side++)
      if (body[side] >= 0 && l->base[body[side]] >= 0 && (side == 0 || body[1] != body[0]))
        count += take_row(s, l, row, body[side], l->column + count, l->value + count);
    l->start[k + 1] = count;
  }
  return true;
}

/* The elastic bodies of a row, of which a contact of a body with itself has one; returns their number. */
static int elastic_bodies(const vlContactSolve *s, const vlContactLarge *l, int row, int found[2])
{
  const int *body = s->contacts.list[s->contact_of[row]].body;
  int count = 0;
  for (int side = 0; side < 2; side++)
    if (body[side] >= 0 && l->base[body[side]] >= 0 && l->inverse[body[side]] && (side == 0 || body[1] != body[0]))
      found[count++] = body[side];
  return count;
}

static bool is_of(const vlContactLarge *l, int b, int column)
{
  return column >= l->base[b] && column < l->base[b] + l->own[b];
}

/* own += f S^-1 C^T of row k on the elastic body b */
static void add_reply(const vlContactLarge *l, int k, int b, double f, double *own)
{
  size_t n = (size_t)l->own[b];
  for (int e = l->start[k]; e < l->start[k + 1]; e++) {
    if (!is_of(l, b, l->column[e])) continue;
    const double *inverse = l->inverse[b] + (size_t)(l->column[e] - l->base[b]) * n;
    double share = f * l->value[e];
    for (size_t i = 0; i < n; i++) own[i] += share * inverse[i];
  }
}

/* The same forces change over and over, so what bodies reply is kept where it does not take too much room. */
static bool keep_replies(const vlContactSolve *s, const vlContactIsland *island)
{
  vlContactLarge *l = island->large;
  int body[2];
  size_t count = 0;
  l->reply_at = malloc(((size_t)island->rows + 1) * sizeof *l->reply_at);
  if (!l->reply_at) return false;
  for (int k = 0; k < island->rows; k++) {
    int bodies = elastic_bodies(s, l, s->member[island->first + k], body);
    l->reply_at[k] = count;
    for (int i = 0; i < bodies; i++) count += (size_t)l->own[body[i]];
  }
  l->replies = count <= MOST_REPLIES ? calloc(count + 1, sizeof *l->replies) : NULL;
  if (!l->replies) {
    free(l->reply_at);
    l->reply_at = NULL;
    return true;
  }
  for (int k = 0; k < island->rows; k++) {
    int bodies = elastic_bodies(s, l, s->member[island->first + k], body);
    double *own = l->replies + l->reply_at[k];
    for (int i = 0; i < bodies; own += l->own[body[i++]]) add_reply(l, k, body[i], 1.0, own);
  }
  return true;
}

/* z += f S^-1 C^T of one row, k in its island. */
static void reply(const vlContactSolve *s, const vlContactLarge *l, int row, int k, double f, double *z)
{
  int body[2], bodies = elastic_bodies(s, l, row, body);
  const double *kept = l->reply_at ? l->replies + l->reply_at[k] : NULL;
  for (int i = 0; i < bodies; i++) {
    double *own = z + l->base[body[i]];
    int n = l->own[body[i]];
    if (!kept) {
      add_reply(l, k, body[i], f, own);
      continue;
    }
    for (int c = 0; c < n; c++) own[c] += f * kept[c];
    kept += n;
  }
  for (int e = l->start[k]; e < l->start[k + 1]; e++) { /* of modes, whose S is the identity */
    bool elastic = false;
    for (int i = 0; i < bodies; i++) elastic = elastic || is_of(l, body[i], l->column[e]);
    if (!elastic) z[l->column[e]] += f * l->value[e];
  }
}

static double dot_row(const vlContactLarge *l, int k, const double *z)
{
  double sum = 0.0;
  for (int e = l->start[k]; e < l->start[k + 1]; e++) sum += l->value[e] * z[l->column[e]];
  return sum;
}

static void find_diagonal(vlContactSolve *s, const vlContactIsland *island)
{
  const vlContactLarge *l = island->large;
  for (int k = 0; k < island->rows; k++) {
    int row = s->member[island->first + k];
    memset(l->scratch, 0, (size_t)l->coords * sizeof *l->scratch);
    reply(s, l, row, k, 1.0, l->scratch);
    s->diagonal[row] = dot_row(l, k, l->scratch);
  }
}

bool vl_contact_large_build(vlContactSolve *s)
{
  bool ok = true;
  for (int i = 0; i < s->island_count && ok; i++) {
    vlContactLarge *l = s->island[i].large;
    if (!l) continue;
    for (int b = 0; b < s->bodies->count && ok; b++) ok = l->base[b] < 0 || take_body(s->bodies->body[b], l, b);
    ok = ok && take_rows(s, &s->island[i]) && keep_replies(s, &s->island[i]);
    if (ok) find_diagonal(s, &s->island[i]);
  }
  return ok;
}

double vl_contact_large_velocity(const vlContactSolve *s, int row)
{
  const vlContactLarge *l = s->island[s->island_of[row]].large;
  return dot_row(l, s->place[row], l->z);
}

void vl_contact_large_push(vlContactSolve *s, int row, double force)
{
  const vlContactLarge *l = s->island[s->island_of[row]].large;
  if (force != 0.0) reply(s, l, row, s->place[row], force, l->z);
}

/* z = S^-1 (C^T f) */
void vl_contact_large_settled(vlContactSolve *s)
{
  for (int i = 0; i < s->island_count; i++) {
    const vlContactIsland *island = &s->island[i];
    vlContactLarge *l = island->large;
    if (!l) continue;
    double *load = l->scratch;
    memset(load, 0, (size_t)l->coords * sizeof *load);
    for (int k = 0; k < island->rows; k++) {
      double f = s->settled[s->member[island->first + k]];
      for (int e = l->start[k]; e < l->start[k + 1] && f != 0.0; e++) load[l->column[e]] += f * l->value[e];
    }
    memcpy(l->z, load, (size_t)l->coords * sizeof *load);
    for (int b = 0; b < s->bodies->count; b++) {
      size_t n = (size_t)l->own[b];
      for (size_t r = 0; r < n && l->inverse[b]; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < n; c++) sum += l->inverse[b][r * n + c] * load[(size_t)l->base[b] + c];
        l->z[(size_t)l->base[b] + r] = sum;
      }
    }
  }
}

/* D of an active row: what it yields. */
static double yielding(const vlContactSolve *s, int row)
{
  int c = s->contact_of[row];
  double d = VL_CONTACT_COMPLIANCE * s->diagonal[row];
  return s->state[c] == VL_CONTACT_SLIP && row > s->first_row[c] ? d + s->yielding[c] : d;
}

bool vl_contact_large_factor(vlContactSolve *s, const vlContactIsland *island)
{
  vlContactLarge *l = island->large;
  size_t n = (size_t)l->coords;
  memcpy(l->M, l->S, n * n * sizeof *l->M);
  for (int i = 0; i < island->active; i++) {
    int row = s->active[s->unknown[island->first + i]], k = s->place[row];
    double stiff = 1.0 / yielding(s, row);
    for (int e = l->start[k]; e < l->start[k + 1]; e++)
      for (int q = l->start[k]; q < l->start[k + 1]; q++)
        if (l->column[q] <= l->column[e])
          l->M[(size_t)l->column[e] * n + (size_t)l->column[q]] += stiff * l->value[e] * l->value[q];
  }
  return vl_dense_factor(l->M, l->coords);
}

void vl_contact_large_unknowns(const vlContactSolve *s, const vlContactIsland *island, double *x)
{
  const vlContactLarge *l = island->large;
  const int *unknown = s->unknown + island->first;
  double *load = l->scratch;
  memset(load, 0, (size_t)l->coords * sizeof *load);
  for (int i = 0; i < island->active; i++) {
    int row = s->active[unknown[i]], k = s->place[row];
    double share = x[unknown[i]] / yielding(s, row);
    for (int e = l->start[k]; e < l->start[k + 1]; e++) load[l->column[e]] += share * l->value[e];
  }
  vl_dense_solve(l->M, l->coords, load);
  for (int i = 0; i < island->active; i++) {
    int row = s->active[unknown[i]];
    x[unknown[i]] = (x[unknown[i]] - dot_row(l, s->place[row], load)) / yielding(s, row);
  }
}
