/* Matrices of a reduced body, dense, all 4k x 4k and the same along x, y and z.
 *
 *     K = sum_j V_j (S_j U)^T (S_j U)                      S_j x: the deformation gradient F_j      [brandt2018, eq. 3]
 *     B_c = sum_j V_j S_j U / V_c                          of the tetrahedra j of a cluster
 *     G = P^T P + E,  E = eps Q^T (U^T M U / m_p) Q
 *
 * P^T P is the mass as the grains have it, in grains; the liquid's grid sees no other, and momentum goes over without loss
 * only where the elastic step has the same. It does not know handles that no grain is near, and E, a little of the mesh's
 * own mass M, stands in. Q leaves out of a motion its nearest affine one, in the grains' sense: q - a (a^T P^T P a)^-1 a^T
 * P^T P q, a the four affine motions. So E adds nothing to mass, momentum and inertia, and the projection with G keeps mean
 * and first moments of the grains exactly. Where grains are so few or lie so flat that they fix no affine map, only the mean
 * is left out and E is the whole of the mesh's mass.
 *
 * Rows of S_j U and of P are blends of few vertices, and are added up as such, in pieces of a fixed number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "linear/solve.h"
#include "solid/reduced_parts.h"

enum { BIG_PIECES = 8, ROWS = 3, CORNERS = 4 };
static const double SHARE = 1e-3, RIDGE = 1e-9;

double vl_reduced_gradients(const vlReduced *b, int e, vlVec3 g[4])
{
  const int *n = b->body.node + 4 * (size_t)e;
  const vlVec3 *X = b->body.rest;
  vlVec3 d1 = vl_sub(X[n[1]], X[n[0]]), d2 = vl_sub(X[n[2]], X[n[0]]), d3 = vl_sub(X[n[3]], X[n[0]]);
  vlVec3 c1 = vl_cross(d2, d3), c2 = vl_cross(d3, d1), c3 = vl_cross(d1, d2);
  double six = vl_dot(d1, c1);
  g[1] = vl_scale(c1, 1.0 / six);
  g[2] = vl_scale(c2, 1.0 / six);
  g[3] = vl_scale(c3, 1.0 / six);
  g[0] = vl_scale(vl_add(g[1], vl_add(g[2], g[3])), -1.0);
  return six / 6.0;
}

vlMat3 vl_reduced_deformation(const vlReduced *b, int e, const vlVec3 *x)
{
  const int *n = b->body.node + 4 * (size_t)e;
  vlVec3 g[4];
  vlMat3 F = {0};
  vl_reduced_gradients(b, e, g);
  for (int c = 1; c < 4; c++) {
    vlVec3 d = vl_sub(x[n[c]], x[n[0]]);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) F.m[i][j] += d.v[i] * g[c].v[j];
  }
  return F;
}

/* Rows over the handles of a few nodes. */
typedef struct Rows {
  int *slot;                /* of each handle, -1: none [k] */
  int *handle;              /* of each slot [k] */
  int count;                /* slots */
  double (*value)[ROWS][4]; /* [k] */
} Rows;

static bool make_rows(Rows *r, int handles)
{
  size_t k = (size_t)handles;
  *r = (Rows){
      .slot = malloc(k * sizeof *r->slot), .handle = malloc(k * sizeof *r->handle), .value = malloc(k * sizeof *r->value)};
  for (size_t i = 0; r->slot && i < k; i++) r->slot[i] = -1;
  return r->slot && r->handle && r->value;
}

static void clear_rows(Rows *r)
{
  free(r->slot);
  free(r->handle);
  free(r->value);
}

/* Adds share[row] times the node's row of U to each row. */
static void add_node(const vlReduced *b, Rows *r, int node, const double *share, int rows)
{
  vlVec3 X = vl_sub(b->body.rest[node], b->center);
  for (int64_t e = b->start[node]; e < b->start[node + 1]; e++) {
    int g = b->of[e];
    if (r->slot[g] < 0) {
      r->slot[g] = r->count;
      r->handle[r->count] = g;
      memset(r->value[r->count++], 0, sizeof *r->value);
    }
    vlVec3 y = vl_scale(vl_sub(X, b->handle[g]), 1.0 / b->radius);
    for (int d = 0; d < rows; d++) {
      double w = share[d] * b->weight[e], *value = r->value[r->slot[g]][d];
      for (int j = 0; j < 3; j++) value[j] += w * y.v[j];
      value[3] += w;
    }
  }
}

static void empty(Rows *r)
{
  for (int s = 0; s < r->count; s++) r->slot[r->handle[s]] = -1;
  r->count = 0;
}

/* matrix += scale sum over rows of row^T row, the blocks on and left of the diagonal; empties the rows. */
static void square(const vlReduced *b, Rows *r, int rows, double scale, double *matrix)
{
  for (int s = 0; s < r->count; s++)
    for (int t = 0; t < r->count; t++) {
      if (r->handle[t] > r->handle[s]) continue;
      double *block = matrix + (size_t)(4 * r->handle[s]) * (size_t)b->size + 4 * (size_t)r->handle[t];
      for (int i = 0; i < 4; i++, block += b->size)
        for (int d = 0; d < rows; d++)
          for (int j = 0; j < 4; j++) block[j] += scale * r->value[s][d][i] * r->value[t][d][j];
    }
  empty(r);
}

/* One term of the sums: K by tetrahedra, P^T P by grains, U^T M U by nodes. */
typedef void Term(const vlReduced *b, int index, Rows *rows, double *matrix);

static void add_stiffness(const vlReduced *b, int e, Rows *rows, double *matrix)
{
  vlVec3 g[CORNERS];
  double volume = vl_reduced_gradients(b, e, g);
  for (int c = 0; c < CORNERS; c++) add_node(b, rows, b->body.node[CORNERS * (size_t)e + (size_t)c], g[c].v, ROWS);
  square(b, rows, ROWS, volume, matrix);
}

static void add_grain(const vlReduced *b, int p, Rows *rows, double *matrix)
{
  for (int c = 0; c < CORNERS; c++) add_node(b, rows, b->grain_node[p][c], &b->grain_share[p][c], 1);
  square(b, rows, 1, 1.0, matrix);
}

/* In grains too: of the volume that each has. */
static void add_mass(const vlReduced *b, int v, Rows *rows, double *matrix)
{
  const double one = 1.0;
  add_node(b, rows, v, &one, 1);
  square(b, rows, 1, b->node_volume[v] * b->grains.count / b->volume, matrix);
}

static void mirror(double *matrix, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) matrix[i * n + j] = matrix[j * n + i];
}

/* matrix = sum of the terms 0 .. count - 1 */
static vlCode sum_terms(const vlReduced *b, Term *term, int count, double *matrix, vlStatus *status)
{
  size_t n = (size_t)b->size;
  double *pieces = calloc(BIG_PIECES * n * n, sizeof *pieces);
  bool good = pieces;
#pragma omp parallel for schedule(dynamic) if (good)
  for (int piece = 0; piece < BIG_PIECES; piece++) {
    Rows rows = {0};
    bool made = good && make_rows(&rows, b->handle_count);
    int64_t first = (int64_t)count * piece / BIG_PIECES, end = (int64_t)count * (piece + 1) / BIG_PIECES;
    for (int64_t i = first; i < end && made; i++) term(b, (int)i, &rows, pieces + (size_t)piece * n * n);
    if (!made) {
#pragma omp atomic write
      good = false;
    }
    clear_rows(&rows);
  }
  for (size_t i = 0; i < n * n && good; i++) {
    matrix[i] = 0.0;
    for (size_t piece = 0; piece < BIG_PIECES; piece++) matrix[i] += pieces[piece * n * n + i];
  }
  free(pieces);
  if (!good) return vl_fail_memory(status, BIG_PIECES * n * n * sizeof *pieces, "the matrices of a reduced body");
  mirror(matrix, n);
  return VL_OK;
}

/* The affine motions as columns: everywhere 1, (X - C)_a / r. */
static void affine_motions(const vlReduced *b, double *a)
{
  memset(a, 0, (size_t)b->size * 4 * sizeof *a);
  for (int g = 0; g < b->handle_count; g++) {
    a[16 * g + 12] = 1.0;
    for (int d = 0; d < 3; d++) {
      a[16 * g + 4 * d + d + 1] = 1.0;
      a[16 * g + 12 + d + 1] = b->handle[g].v[d] / b->radius;
    }
  }
}

/* Whether the grains fix an affine map: more than one layer of them across any direction. */
static bool grains_are_deep(const vlReduced *b)
{
  double second[9] = {0}, vectors[9], least = b->grains.spacing * b->grains.spacing * b->grains.count;
  vlVec3 mean = vl_vec(0, 0, 0);
  for (int p = 0; p < b->grains.count; p++) mean = vl_axpy(mean, 1.0 / b->grains.count, b->grains.rest[p]);
  for (int p = 0; p < b->grains.count; p++) {
    vlVec3 d = vl_sub(b->grains.rest[p], mean);
    for (int i = 0; i < 9; i++) second[i] += d.v[i / 3] * d.v[i % 3];
  }
  vl_dense_eigen(second, 3, vectors);
  return fmin(fmin(second[0], second[4]), second[8]) > 0.1 * least;
}

/* E (q - a W q) on both sides, in place: E - W^T (E a)^T - (E a) W + W^T (a^T E a) W, for the first `m` motions. */
static void leave_out(double *E, const double *a, const double *W, int n, int m)
{
  double *Ea = calloc((size_t)n * 4, sizeof *Ea), aEa[16] = {0};
  if (!Ea) return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int c = 0; c < m; c++) Ea[4 * i + c] += E[(size_t)i * (size_t)n + (size_t)j] * a[4 * j + c];
  for (int i = 0; i < n; i++)
    for (int c = 0; c < m; c++)
      for (int d = 0; d < m; d++) aEa[4 * c + d] += a[4 * i + c] * Ea[4 * i + d];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = E[(size_t)i * (size_t)n + (size_t)j];
      for (int c = 0; c < m; c++) {
        sum -= W[c * n + i] * Ea[4 * j + c] + Ea[4 * i + c] * W[c * n + j];
        for (int d = 0; d < m; d++) sum += W[c * n + i] * aEa[4 * c + d] * W[d * n + j];
      }
      E[(size_t)i * (size_t)n + (size_t)j] = E[(size_t)j * (size_t)n + (size_t)i] = sum;
    }
  free(Ea);
}

/* W = (a^T P^T P a)^-1 a^T P^T P, m rows. */
static bool affine_fit(const double *gram, const double *a, double *W, int n, int m)
{
  double inner[16];
  for (int c = 0; c < m; c++)
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int j = 0; j < n; j++) sum += gram[(size_t)i * (size_t)n + (size_t)j] * a[4 * j + c];
      W[c * n + i] = sum;
    }
  for (int c = 0; c < m; c++)
    for (int d = 0; d < m; d++) {
      inner[c * m + d] = 0.0;
      for (int i = 0; i < n; i++) inner[c * m + d] += a[4 * i + c] * W[d * n + i];
    }
  if (!vl_dense_factor(inner, m)) return false;
  for (int i = 0; i < n; i++) {
    double column[4];
    for (int c = 0; c < m; c++) column[c] = W[c * n + i];
    vl_dense_solve(inner, m, column);
    for (int c = 0; c < m; c++) W[c * n + i] = column[c];
  }
  return true;
}

static vlCode make_gram(vlReduced *b, vlStatus *status)
{
  size_t n = (size_t)b->size;
  double *E = malloc(n * n * sizeof *E), *a = malloc(n * 4 * sizeof *a), *W = malloc(n * 4 * sizeof *W), trace = 0.0;
  bool deep = grains_are_deep(b);
  vlCode code = E && a && W ? VL_OK : vl_fail_memory(status, n * n * sizeof *E, "the mass of a reduced body");
  if (!code) code = sum_terms(b, add_grain, b->grains.count, b->gram, status);
  if (!code) code = sum_terms(b, add_mass, b->body.node_count, E, status);
  if (!code) {
    affine_motions(b, a);
    for (size_t i = 0; i < n; i++) trace += E[i * n + i];
    for (size_t i = 0; i < n; i++) E[i * n + i] += RIDGE * trace / (double)n;
    deep = deep && affine_fit(b->gram, a, W, b->size, 4);
    if (!deep) affine_fit(b->gram, a, W, b->size, 1);
    leave_out(E, a, W, b->size, deep ? 4 : 1);
    for (size_t i = 0; i < n * n; i++) b->gram[i] += (deep ? SHARE : 1.0) * E[i];
  }
  free(E);
  free(a);
  free(W);
  return code;
}

/* Tetrahedra of each cluster. */
static bool list_clusters(const vlReduced *b, int64_t **start, int **list)
{
  *start = calloc((size_t)b->cluster_count + 2, sizeof **start);
  *list = malloc((size_t)b->body.element_count * sizeof **list);
  if (!*start || !*list) return false;
  for (int e = 0; e < b->body.element_count; e++) (*start)[b->cluster[e] + 2]++;
  for (int c = 0; c < b->cluster_count; c++) (*start)[c + 2] += (*start)[c + 1];
  for (int e = 0; e < b->body.element_count; e++) (*list)[(*start)[b->cluster[e] + 1]++] = e;
  return true;
}

/* V_c B_c; its volume. */
static void gather_cluster(vlReduced *b, int c, const int *tet, int64_t count, Rows *rows)
{
  b->cluster_volume[c] = 0.0;
  for (int64_t i = 0; i < count; i++) {
    vlVec3 g[CORNERS];
    double volume = vl_reduced_gradients(b, tet[i], g);
    b->cluster_volume[c] += volume;
    for (int a = 0; a < CORNERS; a++)
      add_node(b, rows, b->body.node[CORNERS * (size_t)tet[i] + (size_t)a], vl_scale(g[a], volume).v, ROWS);
  }
}

/* First how many handles each has, then the blocks. */
static vlCode make_blocks(vlReduced *b, vlStatus *status)
{
  int64_t *start = NULL, total = 0;
  int *list = NULL;
  Rows rows = {0};
  bool good = make_rows(&rows, b->handle_count);
  good = list_clusters(b, &start, &list) && good;
  b->block_start = calloc((size_t)b->cluster_count + 1, sizeof *b->block_start);
  b->cluster_volume = calloc((size_t)b->cluster_count, sizeof *b->cluster_volume);
  size_t capacity = 0, other = 0;
  for (int c = 0; c < b->cluster_count && good && b->block_start && b->cluster_volume; c++) {
    gather_cluster(b, c, list + start[c], start[c + 1] - start[c], &rows);
    good = vl_array_reserve(&b->block, &capacity, (size_t)(total + rows.count), sizeof *b->block) &&
           vl_array_reserve(&b->block_handle, &other, (size_t)(total + rows.count), sizeof *b->block_handle);
    for (int s = 0; s < rows.count && good; s++, total++) {
      b->block_handle[total] = rows.handle[s];
      for (int i = 0; i < 12; i++) b->block[total][i] = rows.value[s][i / 4][i % 4] / b->cluster_volume[c];
    }
    b->block_start[c + 1] = total;
    empty(&rows);
  }
  good = good && b->block_start && b->cluster_volume;
  clear_rows(&rows);
  free(start);
  free(list);
  return good ? VL_OK : vl_fail_memory(status, (size_t)total * sizeof *b->block, "the clusters of a reduced body");
}

vlCode vl_reduced_find_matrices(vlReduced *b, vlStatus *status)
{
  size_t n = (size_t)b->size;
  b->gram = malloc(n * n * sizeof *b->gram);
  b->stiffness = malloc(n * n * sizeof *b->stiffness);
  if (!b->gram || !b->stiffness) return vl_fail_memory(status, n * n * sizeof *b->gram, "the matrices of a reduced body");
  vlCode code = make_gram(b, status);
  if (!code) code = sum_terms(b, add_stiffness, b->body.element_count, b->stiffness, status);
  if (!code) code = make_blocks(b, status);
  return code;
}
