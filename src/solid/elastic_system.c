/* The sparse side of an elastic body.
 *
 * K = sum_e R_e K_e R_e^T lies in 3x3 blocks over all nodes, held or not. Block (a, b) gets from every integration point
 *
 *     V ( lambda G_a G_b^T + mu G_b G_a^T + mu (G_a.G_b) I )        G = R g        corotational
 *     V sum_jl g_a,j H_ijkl g_b,l                                  H = dP/dF      neo-Hookean
 *
 * A node's row is summed by one thread, element after element; only blocks with b >= a are computed, the others are their
 * transposes, so K is symmetric to the last bit. S = (share of M) + (share of K) over the free unknowns is symmetric
 * positive definite for every set of rotations or tangents, since each term of K is positive semi-definite and M > 0
 * [zarifi2017, eq. 6].
 *
 * The pattern of K never changes. That of S leaves out what is held when it is made; what is held later becomes a row of
 * the identity, so that contact which comes and goes costs no new analysis. */
#include "solid/elastic_parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/solve.h"

static const double FILL = 15.0; /* of the factor: from 4 for a rod to 33 for a cube of quadratic elements were counted */
enum { SERIAL_NODES = 1024 };    /* below this, waking threads costs more than the work */

struct vlElasticSystem {
  /* Elements around a node, and where their blocks of its row lie. */
  int *touch_start; /* [node_count + 1] */
  int *touch;       /* element x element_nodes + place in it, ascending [touch_start[node_count]] */
  int *slot;        /* block of every node of that element in the row [touch_start[node_count]][element_nodes] */
  /* K, block rows. */
  int *block_start; /* [node_count + 1] */
  int *block_node;  /* column of each block, ascending in a row [block_start[node_count]] */
  int *mirror;      /* block (b, a) of block (a, b) [block_start[node_count]] */
  vlMat3 *block;
  /* S. */
  int *unknown;  /* unknown of each row [rows] */
  int *source;   /* entry of S: 9 block + 3 axis + axis [entries] */
  vlCsr *matrix; /* NULL: not made yet */
  vlFrontal *factor;
  double *right, *solution; /* [rows] */
};

static vlCode list_touching(vlElasticSystem *s, const vlElastic *b, vlStatus *status)
{
  size_t nodes = (size_t)b->body.node_count;
  int total = b->body.element_count * b->body.element_nodes;
  s->touch_start = calloc(nodes + 1, sizeof *s->touch_start);
  s->touch = malloc((size_t)total * sizeof *s->touch);
  s->slot = malloc((size_t)total * (size_t)b->body.element_nodes * sizeof *s->slot);
  if (!s->touch_start || !s->touch || !s->slot)
    return vl_fail_memory(status, (size_t)total * (size_t)b->body.element_nodes * sizeof *s->slot,
                          "the links of an elastic body");
  for (int i = 0; i < total; i++) s->touch_start[b->body.node[i] + 1]++;
  for (size_t a = 0; a < nodes; a++) s->touch_start[a + 1] += s->touch_start[a];
  for (int i = 0; i < total; i++) s->touch[s->touch_start[b->body.node[i]]++] = i;
  memmove(s->touch_start + 1, s->touch_start, nodes * sizeof *s->touch_start);
  s->touch_start[0] = 0;
  return VL_OK;
}

static int compare_ints(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Nodes that share an element with node a, itself among them, ascending; into list, whose room suffices. */
static int list_neighbours(const vlElasticSystem *s, const vlElastic *b, int a, int *list)
{
  int n = b->body.element_nodes, count = 0, unique = 0;
  for (int t = s->touch_start[a]; t < s->touch_start[a + 1]; t++)
    for (int c = 0; c < n; c++) list[count++] = b->body.node[s->touch[t] / n * n + c];
  qsort(list, (size_t)count, sizeof *list, compare_ints);
  for (int i = 0; i < count; i++)
    if (i == 0 || list[i] != list[i - 1]) list[unique++] = list[i];
  return unique;
}

static int find_block(const vlElasticSystem *s, int a, int column)
{
  const int *row = s->block_node + s->block_start[a];
  const int *at = bsearch(&column, row, (size_t)(s->block_start[a + 1] - s->block_start[a]), sizeof *row, compare_ints);
  return (int)(at - s->block_node);
}

static vlCode make_blocks(vlElasticSystem *s, const vlElastic *b, vlStatus *status)
{
  int n = b->body.element_nodes, nodes = b->body.node_count, most = 0;
  int64_t total = 0;
  for (int a = 0; a < nodes; a++) {
    int touching = s->touch_start[a + 1] - s->touch_start[a];
    most = touching > most ? touching : most;
  }
  int *list = malloc((size_t)most * (size_t)n * sizeof *list);
  s->block_start = calloc((size_t)nodes + 1, sizeof *s->block_start);
  if (!list || !s->block_start) goto out_of_memory;
  for (int a = 0; a < nodes; a++) {
    total += list_neighbours(s, b, a, list);
    if (total > INT_MAX / 9) {
      free(list);
      return vl_fail(status, VL_ERROR_MESH, "an elastic body of %d nodes is too large: its stiffness has over %d entries",
                     nodes, INT_MAX);
    }
    s->block_start[a + 1] = (int)total;
  }
  s->block_node = malloc((size_t)total * sizeof *s->block_node);
  s->mirror = malloc((size_t)total * sizeof *s->mirror);
  s->block = malloc((size_t)total * sizeof *s->block);
  if (!s->block_node || !s->mirror || !s->block) goto out_of_memory;
  for (int a = 0; a < nodes; a++) {
    int count = list_neighbours(s, b, a, list);
    memcpy(s->block_node + s->block_start[a], list, (size_t)count * sizeof *list);
  }
  for (int a = 0; a < nodes; a++) {
    for (int k = s->block_start[a]; k < s->block_start[a + 1]; k++) s->mirror[k] = find_block(s, s->block_node[k], a);
    for (int t = s->touch_start[a]; t < s->touch_start[a + 1]; t++)
      for (int c = 0; c < n; c++)
        s->slot[(size_t)t * (size_t)n + (size_t)c] = find_block(s, a, b->body.node[s->touch[t] / n * n + c]);
  }
  free(list);
  return VL_OK;
out_of_memory:
  free(list);
  return vl_fail_memory(status, (size_t)total * sizeof *s->block, "the stiffness of an elastic body");
}

int vl_elastic_neighbours(const vlElastic *b, int node, const int **list)
{
  const vlElasticSystem *s = b->system;
  *list = s->block_node + s->block_start[node];
  return s->block_start[node + 1] - s->block_start[node];
}

vlCode vl_elastic_system_create(vlElasticSystem **system, const vlElastic *b, vlStatus *status)
{
  *system = NULL;
  vlElasticSystem *s = calloc(1, sizeof *s);
  if (!s) return vl_fail_memory(status, sizeof *s, "an elastic body");
  vlCode code = list_touching(s, b, status);
  if (!code) code = make_blocks(s, b, status);
  if (code)
    vl_elastic_system_destroy(&s);
  else
    *system = s;
  return code;
}

static void clear_matrix(vlElasticSystem *s)
{
  vl_csr_destroy(&s->matrix);
  vl_frontal_destroy(&s->factor);
  free(s->unknown);
  free(s->source);
  free(s->right);
  free(s->solution);
  s->unknown = s->source = NULL;
  s->right = s->solution = NULL;
}

void vl_elastic_system_destroy(vlElasticSystem **system)
{
  if (!system || !*system) return;
  vlElasticSystem *s = *system;
  clear_matrix(s);
  free(s->touch_start);
  free(s->touch);
  free(s->slot);
  free(s->block_start);
  free(s->block_node);
  free(s->mirror);
  free(s->block);
  free(s);
  *system = NULL;
}

void vl_elastic_system_gather(const vlElasticSystem *s, const vlElastic *b, const vlVec3 *corner, vlVec3 *sum)
{
#pragma omp parallel for schedule(static) if (b->body.node_count > SERIAL_NODES)
  for (int a = 0; a < b->body.node_count; a++) {
    vlVec3 f = vl_vec(0, 0, 0);
    for (int t = s->touch_start[a]; t < s->touch_start[a + 1]; t++) f = vl_add(f, corner[s->touch[t]]);
    sum[a] = f;
  }
}

/* V (lambda Ga Gb^T + mu Gb Ga^T + mu (Ga.Gb) I), added to a block. */
static void add_point(vlMat3 *k, vlVec3 Ga, vlVec3 Gb, double lambda, double mu)
{
  double dot = mu * vl_dot(Ga, Gb);
  for (int i = 0; i < 3; i++) {
    double la = lambda * Ga.v[i], mb = mu * Gb.v[i];
    for (int j = 0; j < 3; j++) k->m[i][j] += la * Gb.v[j] + mb * Ga.v[j];
    k->m[i][i] += dot;
  }
}

static void sum_row(vlElasticSystem *s, const vlElastic *b, int a)
{
  int n = b->body.element_nodes;
  for (int t = s->touch_start[a]; t < s->touch_start[a + 1]; t++) {
    int e = s->touch[t] / n, place = s->touch[t] % n;
    double lambda = b->lambda * b->volume[e], mu = b->mu * b->volume[e];
    for (int c = 0; c < n; c++) {
      if (b->body.node[e * n + c] < a) continue;
      vlMat3 *k = &s->block[s->slot[(size_t)t * (size_t)n + (size_t)c]];
      const vlVec3 *G = b->turned + (size_t)e * (size_t)(b->points * n);
      for (int q = 0; q < b->points; q++, G += n) add_point(k, G[place], G[c], lambda, mu);
    }
  }
}

/* T_i,kl = V sum_j g_j H_ijkl */
static void contract(double T[3][9], double H[9][9], vlVec3 g, double volume)
{
  g = vl_scale(g, volume);
  for (int i = 0; i < 3; i++)
    for (int kl = 0; kl < 9; kl++) T[i][kl] = g.x * H[3 * i][kl] + g.y * H[3 * i + 1][kl] + g.z * H[3 * i + 2][kl];
}

/* The same of tangents: K_ac,ik += sum_l T_i,kl g_c,l */
static void sum_row_tangent(vlElasticSystem *s, const vlElastic *b, int a)
{
  int n = b->body.element_nodes;
  for (int t = s->touch_start[a]; t < s->touch_start[a + 1]; t++) {
    int e = s->touch[t] / n, place = s->touch[t] % n;
    for (int q = 0; q < b->points; q++) {
      size_t point = (size_t)e * (size_t)b->points + (size_t)q;
      const vlVec3 *g = b->gradient + point * (size_t)n;
      double T[3][9];
      contract(T, b->tangent[point], g[place], b->volume[e]);
      for (int c = 0; c < n; c++) {
        if (b->body.node[e * n + c] < a) continue;
        vlMat3 *K = &s->block[s->slot[(size_t)t * (size_t)n + (size_t)c]];
        for (int i = 0; i < 3; i++)
          for (int k = 0; k < 3; k++)
            K->m[i][k] += T[i][3 * k] * g[c].x + T[i][3 * k + 1] * g[c].y + T[i][3 * k + 2] * g[c].z;
      }
    }
  }
}

static void make_row(vlElasticSystem *s, const vlElastic *b, int a)
{
  memset(s->block + s->block_start[a], 0, (size_t)(s->block_start[a + 1] - s->block_start[a]) * sizeof *s->block);
  if (b->tangent)
    sum_row_tangent(s, b, a);
  else
    sum_row(s, b, a);
}

void vl_elastic_system_stiffness(vlElasticSystem *s, const vlElastic *b)
{
#pragma omp parallel if (b->body.node_count > SERIAL_NODES)
  {
#pragma omp for schedule(dynamic, 32)
    for (int a = 0; a < b->body.node_count; a++) make_row(s, b, a);
#pragma omp for schedule(static)
    for (int a = 0; a < b->body.node_count; a++)
      for (int k = s->block_start[a]; k < s->block_start[a + 1] && s->block_node[k] < a; k++)
        s->block[k] = vl_mat_transpose(s->block[s->mirror[k]]);
  }
}

void vl_elastic_stiffness_apply(const vlElastic *b, const vlVec3 *x, vlVec3 *y)
{
  const vlElasticSystem *s = b->system;
#pragma omp parallel for schedule(static) if (b->body.node_count > SERIAL_NODES)
  for (int a = 0; a < b->body.node_count; a++) {
    vlVec3 sum = vl_vec(0, 0, 0);
    for (int k = s->block_start[a]; k < s->block_start[a + 1]; k++)
      sum = vl_add(sum, vl_mat_apply(s->block[k], x[s->block_node[k]]));
    y[a] = sum;
  }
}

/* Every unknown that is free must have a row. */
static bool pattern_serves(const vlElasticSystem *s, const vlElastic *b)
{
  if (!s->matrix) return false;
  for (int i = 0; i < 3 * b->body.node_count; i++)
    if (b->row[i] < 0 && !b->body.held[i]) return false;
  return true;
}

/* Entries of the rows of S; writes them when columns is not NULL. */
static int64_t list_entries(const vlElasticSystem *s, const int *row, int rows, int64_t *start, int *column, int *source)
{
  int64_t count = 0;
  for (int r = 0; r < rows; r++) {
    int a = s->unknown[r] / 3, i = s->unknown[r] % 3;
    for (int k = s->block_start[a]; k < s->block_start[a + 1]; k++)
      for (int j = 0; j < 3; j++) {
        int c = row[3 * s->block_node[k] + j];
        if (c < 0) continue;
        if (column) {
          column[count] = c;
          source[count] = 9 * k + 3 * i + j;
        }
        count++;
      }
    if (start) start[r + 1] = count;
  }
  return count;
}

/* Leaves out what is held; again: what was left out before. */
static vlCode make_pattern(vlElasticSystem *s, const vlElastic *b, bool again, vlStatus *status)
{
  clear_matrix(s);
  int rows = 0, unknowns = 3 * b->body.node_count;
  s->unknown = malloc((size_t)unknowns * sizeof *s->unknown);
  s->right = malloc((size_t)unknowns * sizeof *s->right);
  s->solution = malloc((size_t)unknowns * sizeof *s->solution);
  vlCode code = VL_OK;
  if (!s->unknown || !s->right || !s->solution) {
    code = vl_fail_memory(status, (size_t)unknowns * sizeof *s->right, "the unknowns of an elastic body");
  } else {
    for (int i = 0; i < unknowns; i++) {
      bool out = again ? b->row[i] < 0 : b->body.held[i];
      b->row[i] = out ? -1 : rows;
      if (!out) s->unknown[rows++] = i;
    }
    int64_t entries = list_entries(s, b->row, rows, NULL, NULL, NULL);
    s->source = malloc((size_t)(entries + 1) * sizeof *s->source);
    if (!s->source) code = vl_fail_memory(status, (size_t)entries * sizeof *s->source, "the matrix of an elastic body");
    if (!code) code = vl_csr_create(&s->matrix, rows, entries, status);
    if (!code) list_entries(s, b->row, rows, s->matrix->start, s->matrix->column, s->source);
  }
  if (code) clear_matrix(s);
  return code;
}

const vlCsr *vl_elastic_system_matrix(const vlElasticSystem *s, const int **unknown)
{
  *unknown = s->unknown;
  return s->matrix;
}

vlCode vl_elastic_system_restore(vlElasticSystem *s, const vlElastic *b, bool rows, vlStatus *status)
{
  if (rows && b->row[0] != -2) return make_pattern(s, b, true, status);
  clear_matrix(s);
  for (int i = 0; i < 3 * b->body.node_count; i++) b->row[i] = -2;
  return VL_OK;
}

static void fill_matrix(vlElasticSystem *s, const vlElastic *b)
{
  vlCsr *S = s->matrix;
  const double *K = &s->block[0].m[0][0];
#pragma omp parallel for schedule(static) if (b->body.node_count > SERIAL_NODES)
  for (int r = 0; r < S->rows; r++) {
    bool held = b->body.held[s->unknown[r]];
    for (int64_t e = S->start[r]; e < S->start[r + 1]; e++) {
      bool diagonal = S->column[e] == r;
      double value = b->stiffness_share * K[s->source[e]];
      if (diagonal) value += b->mass_share * b->mass[s->unknown[r] / 3];
      if (s->unknown[S->column[e]] / 3 == s->unknown[r] / 3)
        value += b->carried_share * b->carried[s->unknown[r] / 3].m[s->unknown[r] % 3][s->unknown[S->column[e]] % 3];
      S->value[e] = !diagonal && (held || b->body.held[s->unknown[S->column[e]]]) ? 0.0 : value;
    }
  }
}

vlCode vl_elastic_system_factor(vlElasticSystem *s, const vlElastic *b, vlStatus *status)
{
  vlCode code = pattern_serves(s, b) ? VL_OK : make_pattern(s, b, false, status);
  if (code) return code;
  fill_matrix(s, b);
  if (s->matrix->rows == 0) return VL_OK;
  if (!s->factor) code = vl_frontal_create(&s->factor, s->matrix, status);
  return code ? code : vl_frontal_factor(s->factor, s->matrix, status);
}

/* Factors of meshes in three dimensions grow with the power 4/3 of their rows. */
static double estimate_entries(const vlElastic *b) { return FILL * pow(3.0 * b->body.node_count, 4.0 / 3.0); }

double vl_elastic_bytes(const vlBody *body)
{
  const vlElastic *b = (const vlElastic *)body;
  const vlElasticSystem *s = b->system;
  double nodes = b->body.node_count, elements = b->body.element_count, n = b->body.element_nodes;
  double blocks = s->block_start[b->body.node_count];
  double entries = s->factor ? (double)vl_frontal_entries(s->factor) : estimate_entries(b);
  /* of a node 13 vectors, its masses and the liquid's, 3 held unknowns, 3 rows of S; of an element, shape gradients twice,
   * forces, rotations, links; of a block of K, itself, its places, and 9 entries of S */
  double node = 13 * sizeof(vlVec3) + sizeof(vlMat3) + 2 * sizeof(double) + 3 * (sizeof(double) + 2) +
                3 * (2 * sizeof(double) + 2 * sizeof(int));
  double element =
      (2 * b->points + 1) * n * sizeof(vlVec3) + b->points * sizeof(vlMat3) + sizeof(double) + (n + 2) * n * sizeof(int);
  if (b->tangent) element += b->points * sizeof *b->tangent;
  double block = sizeof(vlMat3) + 2 * sizeof(int) + 9 * (sizeof(double) + 2 * sizeof(int));
  return nodes * node + elements * element + blocks * block + entries * sizeof(double) + vl_elastic_grabs_bytes(b) +
         (double)b->body.triangle_count * sizeof *b->body.triangle;
}

void vl_elastic_system_solve(vlElasticSystem *s, const vlElastic *b, const vlVec3 *r, vlVec3 *y)
{
  const vlBody *body = &b->body;
  int rows = s->matrix ? s->matrix->rows : 0;
  for (int i = 0; i < rows; i++) s->right[i] = body->held[s->unknown[i]] ? 0.0 : r[s->unknown[i] / 3].v[s->unknown[i] % 3];
  if (rows > 0) vl_frontal_solve(s->factor, s->right, s->solution, NULL);
  memset(y, 0, (size_t)body->node_count * sizeof *y);
  for (int i = 0; i < rows; i++) y[s->unknown[i] / 3].v[s->unknown[i] % 3] = s->solution[i];
}
