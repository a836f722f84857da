/* Woodbury's formula for bodies of few modes beside a preconditioner of the liquid: see woodbury.h. Sums over cells run over
 * fixed pieces and are added in order: the same bits for any number of threads. */
#include "pressure/woodbury.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "pressure/pressure.h"

enum { PIECE = 2048, LANES = 8 }; /* cells: 16 KiB of a vector */

void vl_woodbury_clear(vlWoodbury *w)
{
  free(w->row);
  free(w->y);
  free(w->reduced);
  free(w->part);
  free(w->g);
  free(w->c);
  free(w->pool);
  free(w->mean);
  free(w->held);
  *w = (vlWoodbury){0};
}

void vl_woodbury_forget(vlWoodbury *w) { w->ready = false; }

static double dot(const float *y, const double *r, size_t n)
{
  double sum[LANES] = {0.0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (size_t l = 0; l < LANES; l++) sum[l] += (double)y[i + l] * r[i + l];
  for (; i < n; i++) sum[0] += (double)y[i] * r[i];
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* t = (P U)^T r: pieces of r stay near while all columns pass over them. */
static void project(const vlWoodbury *w, const double *r, double *t)
{
  size_t n = w->inner.n, columns = (size_t)w->count;
  int pieces = (int)((n + PIECE - 1) / PIECE);
#pragma omp parallel for schedule(static) if (pieces > 1)
  for (int q = 0; q < pieces; q++) {
    size_t first = (size_t)q * PIECE, size = n - first < PIECE ? n - first : PIECE;
    for (size_t k = 0; k < columns; k++) w->part[(size_t)q * columns + k] = dot(w->y + k * n + first, r + first, size);
  }
  for (size_t k = 0; k < columns; k++) {
    t[k] = 0.0;
    for (int q = 0; q < pieces; q++) t[k] += w->part[(size_t)q * columns + k];
  }
}

/* x -= U c, U with its means taken out */
static void subtract(const vlWoodbury *w, const double *c, double *x)
{
  for (int q = 0; q < w->rows; q++) {
    const vlWoodburyRow *row = &w->row[q];
    double sum = 0.0;
    for (int k = 0; k < VL_WOODBURY_MODES && row->first + k < w->count; k++) sum += row->u[k] * c[row->first + k];
    x[row->at] -= sum;
  }
  for (int pool = 0; pool < w->pools; pool++) {
    double sum = 0.0;
    for (int k = 0; k < w->count; k++) sum += w->mean[(size_t)pool * (size_t)w->count + (size_t)k] * c[k];
    if (sum == 0.0) continue;
#pragma omp parallel for schedule(static) if (w->inner.n > 32768)
    for (size_t i = 0; i < w->inner.n; i++)
      if (w->pool[i] == pool) x[i] += sum;
  }
}

static void apply_woodbury(void *data, const double *r, double *z)
{
  const vlWoodbury *w = data;
  if (w->count == 0) {
    w->inner.apply(w->inner.data, r, z);
    return;
  }
  double t[VL_WOODBURY_MOST], c[VL_WOODBURY_MOST], *reduced = w->reduced + w->inner.pad;
  project(w, r, t);
  for (int i = 0; i < w->count; i++) {
    c[i] = 0.0;
    for (int k = 0; k < w->count; k++) c[i] += w->c[(size_t)i * (size_t)w->count + (size_t)k] * t[k];
  }
  memcpy(reduced, r, w->inner.n * sizeof *r);
  subtract(w, c, reduced);
  w->inner.apply(w->inner.data, reduced, z);
}

vlOperator vl_woodbury_operator(vlWoodbury *w, vlOperator inner)
{
  w->inner = inner;
  return (vlOperator){.n = inner.n, .pad = inner.pad, .apply = apply_woodbury, .data = w};
}

/* A body that may be corrected. */
typedef struct Candidate {
  int body, modes;
  double ratio; /* liquid's density over the body's: about the largest eigenvalue it brings */
} Candidate;

static int by_ratio(const void *a, const void *b)
{
  const Candidate *x = a, *y = b;
  return x->ratio > y->ratio ? -1 : x->ratio < y->ratio ? 1 : x->body - y->body;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Iterations that bodies with so many modes add to a plain solve, measured with bench_rigid for densities 1 to 0.001 and 1
 * to 20 bodies: more of them have eigenvalues alike, which CG takes together. */
static double added_iterations(double ratio, int modes, double tolerance)
{
  return 0.2 * log(1.0 / tolerance) * log1p(ratio) * pow(modes / 6.0, 0.4);
}

/* How many of the list, lightest first, are to be corrected: those that save most iterations beyond the cycles of their
 * columns. */
static int how_many_pay(const Candidate *list, int count, int room, double tolerance)
{
  int all = 0, columns = 0, best = 0;
  double most = 0.0;
  for (int i = 0; i < count; i++) all += list[i].modes;
  double plain = count > 0 ? added_iterations(list[0].ratio, all, tolerance) : 0.0;
  for (int k = 1; k <= count; k++) {
    columns += list[k - 1].modes;
    double left = k < count ? added_iterations(list[k].ratio, all - columns, tolerance) : 0.0;
    if (columns > room || !(plain - left - columns > most)) continue;
    most = plain - left - columns;
    best = k;
  }
  return best;
}

static bool list_bodies(const vlWoodbury *w, const vlWoodburyCase *now, Candidate **list, int *count)
{
  const vlBodySet *bodies = now->coupling->bodies;
  *count = 0;
  *list = malloc(((size_t)bodies->count + 1) * sizeof **list);
  if (!*list) return false;
  for (int b = 0; b < bodies->count && w->use != VL_WOODBURY_NEVER; b++) {
    const vlBody *body = bodies->body[b];
    bool few = body->mode_count > 0 && body->mode_count <= VL_WOODBURY_MODES;
    if (few && now->coupling->wet[b]) (*list)[(*count)++] = (Candidate){b, body->mode_count, now->rho / body->density};
  }
  qsort(*list, (size_t)*count, sizeof **list, by_ratio);
  return true;
}

static bool choose_bodies(vlWoodbury *w, const vlWoodburyCase *now)
{
  Candidate *list;
  int count;
  w->bodies = w->count = 0;
  if (!list_bodies(w, now, &list, &count)) return false;
  if (w->use == VL_WOODBURY_AUTO) count = how_many_pay(list, count, VL_WOODBURY_MOST, now->tolerance);
  for (int i = 0; i < count && w->count + list[i].modes <= VL_WOODBURY_MOST; i++) {
    w->body[w->bodies++] = list[i].body;
    w->count += list[i].modes;
  }
  qsort(w->body, (size_t)w->bodies, sizeof *w->body, by_number);
  free(list);
  return true;
}

/* Whether the columns as they are do for this solve; a tighter one may be worth more of them. */
static bool choice_stands(vlWoodbury *w, const vlWoodburyCase *now)
{
  int bodies = w->bodies, body[VL_WOODBURY_MOST];
  if (!w->ready) return false;
  if (!(now->tolerance < w->tolerance)) return true;
  memcpy(body, w->body, sizeof body);
  w->tolerance = now->tolerance;
  return choose_bodies(w, now) && w->bodies == bodies && memcmp(body, w->body, (size_t)bodies * sizeof *body) == 0;
}

static int slot_of(const vlWoodbury *w, const vlBodySet *bodies, int node)
{
  for (int s = 0; s < w->bodies; s++)
    if (node >= bodies->first_node[w->body[s]] && node < bodies->first_node[w->body[s] + 1]) return s;
  return -1;
}

/* U = sqrt(scale) J N f on the rows of the coupling, a record for each body of a row. */
static bool find_rows(vlWoodbury *w, const vlWoodburyCase *now)
{
  const vlCoupling *c = now->coupling;
  double root = sqrt(c->scale);
  w->rows = w->first[0] = 0;
  for (int s = 0; s < w->bodies; s++) w->first[s + 1] = w->first[s] + c->bodies->body[w->body[s]]->mode_count;
  for (int r = 0; r < c->rows; r++) {
    int before = -1;
    for (int e = c->start[r]; e < c->start[r + 1]; e++) { /* nodes ascend, and so do bodies */
      int s = slot_of(w, c->bodies, c->node[e]);
      if (s < 0) continue;
      const vlBody *body = c->bodies->body[w->body[s]];
      if (s != before) {
        if (!vl_array_reserve((void **)&w->row, &w->row_capacity, (size_t)w->rows + 1, sizeof *w->row)) return false;
        w->row[w->rows++] = (vlWoodburyRow){
            .at = now->place ? now->place[c->cell[r]] : c->cell[r], .cell = c->cell[r], .first = w->first[s]};
      }
      before = s;
      int node = c->node[e] - c->bodies->first_node[w->body[s]];
      for (int k = 0; k < body->mode_count; k++)
        w->row[w->rows - 1].u[k] += root * vl_dot(c->weight[e], body->type->mode(body, k, node));
    }
  }
  return true;
}

/* Pools: connected liquid without air that a corrected body borders, and the columns' means there. */
static bool find_pools(vlWoodbury *w, const vlWoodburyCase *now)
{
  size_t n = w->inner.n, columns = (size_t)w->count;
  w->pools = 0;
  bool any = false;
  for (int q = 0; q < w->rows; q++) any = any || now->region[w->row[q].cell] != VL_REGION_OPEN;
  if (!any) return true;
  if (!vl_array_reserve((void **)&w->pool, &w->pool_capacity, n + 1, sizeof *w->pool)) return false;
  for (size_t i = 0; i < n; i++) w->pool[i] = -1;
  for (int q = 0; q < w->rows; q++) { /* the first cell of a component decides for all */
    int label = now->label[w->row[q].cell], at = now->place ? now->place[label] : label;
    if (now->region[label] != VL_REGION_OPEN && w->pool[at] < 0) w->pool[at] = w->pools++;
  }
  if (!vl_array_reserve((void **)&w->mean, &w->mean_capacity, (size_t)w->pools * (columns + 1), sizeof *w->mean))
    return false;
  memset(w->mean, 0, (size_t)w->pools * (columns + 1) * sizeof *w->mean);
  double *cells = w->mean + (size_t)w->pools * columns; /* how many, behind the means */
  for (size_t i = 0; i < now->cells; i++) {
    int at = now->place ? now->place[i] : (int)i, label = now->label[i];
    if (at < 0 || label < 0) continue;
    w->pool[at] = w->pool[now->place ? now->place[label] : label];
    if (w->pool[at] >= 0) cells[w->pool[at]] += 1.0;
  }
  for (int q = 0; q < w->rows; q++) {
    const vlWoodburyRow *row = &w->row[q];
    int pool = w->pool[row->at];
    for (int k = 0; k < VL_WOODBURY_MODES && pool >= 0 && row->first + k < w->count; k++)
      w->mean[(size_t)pool * columns + (size_t)(row->first + k)] += row->u[k] / cells[pool];
  }
  return true;
}

/* U of one column times a factor, dense. */
static void fill_column(const vlWoodbury *w, int column, double factor, double *x)
{
  double c[VL_WOODBURY_MOST] = {0};
  c[column] = -factor;
  memset(x, 0, w->inner.n * sizeof *x);
  subtract(w, c, x);
}

/* t = U^T z, U with its means taken out */
static void restrict_to(const vlWoodbury *w, const double *z, double *t)
{
  memset(t, 0, (size_t)w->count * sizeof *t);
  for (int q = 0; q < w->rows; q++) {
    const vlWoodburyRow *row = &w->row[q];
    for (int k = 0; k < VL_WOODBURY_MODES && row->first + k < w->count; k++) t[row->first + k] += row->u[k] * z[row->at];
  }
  for (int pool = 0; pool < w->pools; pool++) {
    double sum = 0.0;
    for (size_t i = 0; i < w->inner.n; i++) sum += w->pool[i] == pool ? z[i] : 0.0;
    for (int k = 0; k < w->count; k++) t[k] -= w->mean[(size_t)pool * (size_t)w->count + (size_t)k] * sum;
  }
}

/* P U, and G = U^T P U made symmetric to the last bit. Columns go through the cycle at the size of residuals. */
static void find_columns(vlWoodbury *w, double size)
{
  size_t n = w->inner.n, m = (size_t)w->count;
  double *x = w->reduced + w->inner.pad, *z = w->reduced + n + 2 * w->inner.pad;
  for (int k = 0; k < w->count; k++) {
    double largest = 0.0, *g = w->g + (size_t)k * m;
    float *y = w->y + (size_t)k * n;
    for (int q = 0; q < w->rows; q++)
      if (k >= w->row[q].first && k < w->row[q].first + VL_WOODBURY_MODES)
        largest = fmax(largest, fabs(w->row[q].u[k - w->row[q].first]));
    double factor = largest > 0.0 ? largest / size : 0.0; /* a column of zeros stays one */
    fill_column(w, k, largest > 0.0 ? 1.0 / factor : 0.0, x);
    w->inner.apply(w->inner.data, x, z);
    for (size_t i = 0; i < n; i++) {
      z[i] *= factor;
      y[i] = (float)z[i];
    }
    restrict_to(w, z, g);
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < i; j++) w->g[i * m + j] = w->g[j * m + i] = 0.5 * (w->g[i * m + j] + w->g[j * m + i]);
}

/* Column j of b -= W^T times what was solved for column j of W, which has a column of `rows` entries for each of ours. */
static void take_column(const vlWoodbury *w, size_t rows, const double *W, const double *solved, size_t j, double *b)
{
  size_t m = (size_t)w->count;
  for (size_t i = 0; i < m; i++) {
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++) sum += W[i * rows + r] * solved[r];
    b[i * m + j] -= sum;
  }
}

/* b -= W^T (factor)^-1 W for W with a column of `rows` entries for each of ours, in `work`, which is overwritten. */
static void take_out(const vlWoodbury *w, const double *factor, int rows, const double *W, double *work, double *b)
{
  size_t m = (size_t)w->count, n = (size_t)rows;
  for (size_t j = 0; j < m; j++) {
    memcpy(work, W + j * n, n * sizeof *work);
    vl_dense_solve(factor, rows, work);
    take_column(w, n, W, work, j, b);
  }
}

/* What contacts leave of the bodies' mobility. */
static vlCode hold_by_contacts(vlWoodbury *w, const vlWoodburyCase *now, double *b, vlStatus *status)
{
  const vlCoupling *c = now->coupling;
  const vlContactSolve *contact = c->contact;
  if (!contact || contact->active_count == 0) return VL_OK;
  size_t rows = (size_t)contact->active_count, nodes = (size_t)c->bodies->first_node[c->bodies->count];
  size_t need = rows * (size_t)(w->count + 1);
  if (!vl_array_reserve((void **)&w->held, &w->held_capacity, need, sizeof *w->held))
    return vl_fail_memory(status, need * sizeof(double), "contacts in the preconditioner");
  double *W = w->held;
  vlVec3 *v = c->velocity; /* scratch until the solve */
  memset(v, 0, nodes * sizeof *v);
  for (int s = 0; s < w->bodies; s++) {
    const vlBody *body = c->bodies->body[w->body[s]];
    vlVec3 *own = v + c->bodies->first_node[w->body[s]];
    for (int k = 0; k < body->mode_count; k++) {
      for (int i = 0; i < body->node_count; i++) own[i] = body->type->mode(body, k, i);
      vl_contact_solve_active(contact, v, W + (size_t)(w->first[s] + k) * rows);
    }
    memset(own, 0, (size_t)body->node_count * sizeof *own);
  }
  double *solved = W + rows * (size_t)w->count;
  for (size_t j = 0; j < (size_t)w->count; j++) {
    memcpy(solved, W + j * rows, rows * sizeof *solved);
    vl_contact_solve_unknowns(contact, solved);
    take_column(w, rows, W, solved, j, b);
  }
  return VL_OK;
}

/* What the levels of sealed liquid, which are solved for beside, leave: B - (B U^T Z) E^-1 (B U^T Z)^T. */
static void hold_by_levels(const vlWoodbury *w, const vlWoodburyCase *now, double *b)
{
  const vlSealed *s = now->sealed;
  size_t m = (size_t)w->count;
  if (!s || s->count == 0) return;
  size_t n = (size_t)s->count;
  double flow[VL_SEALED_MOST * VL_WOODBURY_MOST] = {0}, W[VL_SEALED_MOST * VL_WOODBURY_MOST], work[VL_SEALED_MOST];
  for (int q = 0; q < w->rows; q++) {
    const vlWoodburyRow *row = &w->row[q];
    int region = VL_REGION_SEALED - now->region[row->cell];
    if (region < 0 || region >= s->count) continue;
    for (int k = 0; k < VL_WOODBURY_MODES && row->first + k < w->count; k++)
      flow[(size_t)(row->first + k) * n + (size_t)region] += row->u[k];
  }
  for (size_t j = 0; j < m; j++)
    for (size_t r = 0; r < n; r++) {
      W[j * n + r] = 0.0;
      for (size_t i = 0; i < m; i++) W[j * n + r] += b[j * m + i] * flow[i * n + r];
    }
  take_out(w, s->factor, s->count, W, work, b);
}

/* b = F F^T in place, lower triangle; what round-off leaves of directions that are held is zero. */
static void root_of(double *b, size_t m)
{
  const double NOTHING = 1e-10; /* of a free direction, whose pivot is 1 */
  for (size_t j = 0; j < m; j++) {
    double pivot = b[j * m + j];
    bool held = !(pivot > NOTHING);
    for (size_t i = j; i < m; i++) b[i * m + j] = held ? 0.0 : b[i * m + j] / sqrt(pivot);
    for (size_t i = j + 1; i < m; i++)
      for (size_t k = j + 1; k <= i; k++) b[i * m + k] -= b[i * m + j] * b[k * m + j];
    for (size_t i = 0; i < j; i++) b[i * m + j] = 0.0;
  }
}

/* C = F (1 + F^T G F)^-1 F^T; false: not positive to round-off. */
static bool find_c(vlWoodbury *w, double *F, double *K, double *work)
{
  size_t m = (size_t)w->count;
  for (size_t j = 0; j < m; j++) { /* G F, then F^T of it */
    for (size_t i = 0; i < m; i++) {
      work[i] = 0.0;
      for (size_t k = j; k < m; k++) work[i] += w->g[i * m + k] * F[k * m + j];
    }
    for (size_t i = 0; i < m; i++) {
      double sum = i == j ? 1.0 : 0.0;
      for (size_t k = i; k < m; k++) sum += F[k * m + i] * work[k];
      K[i * m + j] = sum;
    }
  }
  if (!vl_dense_factor(K, w->count)) return false;
  for (size_t j = 0; j < m; j++) {
    for (size_t i = 0; i < m; i++) work[i] = F[j * m + i];
    vl_dense_solve(K, w->count, work);
    for (size_t i = 0; i < m; i++) {
      double sum = 0.0;
      for (size_t k = 0; k <= i; k++) sum += F[i * m + k] * work[k];
      w->c[i * m + j] = sum;
    }
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < i; j++) w->c[i * m + j] = w->c[j * m + i] = 0.5 * (w->c[i * m + j] + w->c[j * m + i]);
  return true;
}

static vlCode reserve(vlWoodbury *w, vlStatus *status)
{
  size_t m = (size_t)w->count, padded = w->inner.n + 2 * w->inner.pad, y = w->inner.n * m;
  bool ok = vl_array_reserve((void **)&w->y, &w->y_capacity, y, sizeof *w->y);
  ok = ok && vl_array_reserve((void **)&w->reduced, &w->reduced_capacity, padded + w->inner.n, sizeof *w->reduced);
  ok = ok && vl_array_reserve((void **)&w->part, &w->part_capacity, (w->inner.n / PIECE + 1) * m, sizeof *w->part);
  ok = ok && vl_array_reserve((void **)&w->g, &w->g_capacity, m * m, sizeof *w->g);
  ok = ok && vl_array_reserve((void **)&w->c, &w->c_capacity, 3 * m * m + m, sizeof *w->c);
  if (!ok) return vl_fail_memory(status, y * sizeof *w->y, "bodies in the preconditioner");
  memset(w->reduced, 0, (padded + w->inner.n) * sizeof *w->reduced);
  return VL_OK;
}

/* All that does not depend on contacts. */
static vlCode find_all(vlWoodbury *w, const vlWoodburyCase *now, double size, vlStatus *status)
{
  bool ok = choose_bodies(w, now);
  w->tolerance = now->tolerance;
  if (ok && w->count == 0) return VL_OK;
  vlCode code = ok ? reserve(w, status) : VL_OK;
  if (!code && (!ok || !find_rows(w, now) || !find_pools(w, now)))
    code = vl_fail_memory(status, w->inner.n * sizeof(int), "bodies in the preconditioner");
  if (!code) find_columns(w, size);
  return code;
}

vlCode vl_woodbury_prepare(vlWoodbury *w, const vlWoodburyCase *now, double size, vlStatus *status)
{
  vlCode code = choice_stands(w, now) ? VL_OK : find_all(w, now, size, status);
  w->ready = !code;
  if (code) w->count = 0;
  if (w->count == 0) return code;
  size_t m = (size_t)w->count;
  double *b = w->c + m * m, *K = b + m * m, *work = K + m * m;
  memset(b, 0, m * m * sizeof *b);
  for (size_t i = 0; i < m; i++) b[i * m + i] = 1.0;
  code = hold_by_contacts(w, now, b, status);
  if (code) return code;
  hold_by_levels(w, now, b);
  root_of(b, m);
  if (!find_c(w, b, K, work)) w->count = 0; /* lighter than round-off allows: the plain cycle */
  return VL_OK;
}
