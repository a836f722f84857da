/* Between the subspace of a reduced body, its nodes and its grains.
 *
 * A handle's four rows are an affine map of the place at rest, A_g (X; 1), three rows of four numbers. A node's own is their
 * blend, so that
 *
 *     (U q)_v   = ( sum_g w_g(v) A_g ) (X_v; 1)
 *     (U^T f)_g : sum_v w_g(v) f_v (X_v; 1)^T, from which its rows follow by the transpose of what made A_g of them
 *
 * which is twelve numbers for each weight instead of many more entries of U. P = B U likewise, with sum_a b_a w_g(a) (X_a;
 * 1) for each handle of a grain: grains are far fewer than nodes. Sums over nodes have a fixed number of pieces, added in
 * order: the same bits for any number of threads. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

#include "solid/reduced_parts.h"

enum { SERIAL = 512 }; /* nodes: below, waking threads costs more than the work */

/* Four numbers at once, wherever they lie. */
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

/* A_g of the four rows of a handle. */
static void to_affine(const vlReduced *b, const double (*q)[4], int g, double A[12])
{
  vlVec3 c = b->handle[g];
  for (int i = 0; i < 3; i++) {
    A[4 * i + 3] = q[4 * g + 3][i];
    for (int j = 0; j < 3; j++) {
      A[4 * i + j] = q[4 * g + j][i] / b->radius;
      A[4 * i + 3] -= A[4 * i + j] * c.v[j];
    }
  }
}

/* The transpose: rows of the subspace of sum w f (X; 1)^T. */
static void from_affine(const vlReduced *b, const double A[12], int g, double (*q)[4])
{
  vlVec3 c = b->handle[g];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) q[4 * g + j][i] = (A[4 * i + j] - c.v[j] * A[4 * i + 3]) / b->radius;
    q[4 * g + 3][i] = A[4 * i + 3];
  }
  for (int j = 0; j < 4; j++) q[4 * g + j][3] = 0.0;
}

static inline void blend(const vlReduced *b, const double (*A)[12], int node, double M[restrict 12])
{
  for (int c = 0; c < 12; c++) M[c] = 0.0;
  for (int64_t e = b->start[node]; e < b->start[node + 1]; e++) {
    const double w = b->weight[e], *a = A[b->of[e]];
    for (int c = 0; c < 12; c++) M[c] += w * a[c];
  }
}

static inline vlVec3 applied(const double M[12], vlVec3 X)
{
  return vl_vec(M[0] * X.x + M[1] * X.y + M[2] * X.z + M[3], M[4] * X.x + M[5] * X.y + M[6] * X.z + M[7],
                M[8] * X.x + M[9] * X.y + M[10] * X.z + M[11]);
}

void vl_reduced_spread(const vlReduced *b, const double (*q)[4], vlVec3 *x)
{
  double(*A)[12] = (double(*)[12])b->pieces;
  for (int g = 0; g < b->handle_count; g++) to_affine(b, q, g, A[g]);
#pragma omp parallel for schedule(static) if (b->body.node_count > SERIAL)
  for (int v = 0; v < b->body.node_count; v++) {
    double M[12];
    blend(b, (const double(*)[12])A, v, M);
    x[v] = applied(M, vl_sub(b->body.rest[v], b->center));
  }
}

/* Of a piece of the nodes; where no force acts there is nothing to add. */
static void collect_piece(const vlReduced *b, const vlVec3 *f, int piece, double (*sum)[12])
{
  int64_t n = b->body.node_count, first = n * piece / VL_REDUCED_PIECES, end = n * (piece + 1) / VL_REDUCED_PIECES;
  memset(sum, 0, (size_t)b->handle_count * sizeof *sum);
  for (int64_t v = first; v < end; v++) {
    if (f[v].x == 0.0 && f[v].y == 0.0 && f[v].z == 0.0) continue;
    double o[12];
    vlVec3 X = vl_sub(b->body.rest[v], b->center);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) o[4 * i + j] = f[v].v[i] * X.v[j];
      o[4 * i + 3] = f[v].v[i];
    }
    for (int64_t e = b->start[v]; e < b->start[v + 1]; e++) {
      double w = b->weight[e], *restrict a = sum[b->of[e]];
      for (int c = 0; c < 12; c++) a[c] += w * o[c];
    }
  }
}

/* Sums of pieces, in order -> rows of the subspace. */
static void add_pieces(const vlReduced *b, double (*sum)[12], double (*q)[4])
{
  size_t k = (size_t)b->handle_count;
  for (size_t g = 0; g < k; g++) {
    for (size_t piece = 1; piece < VL_REDUCED_PIECES; piece++)
      for (int c = 0; c < 12; c++) sum[g][c] += sum[piece * k + g][c];
    from_affine(b, sum[g], (int)g, q);
  }
}

void vl_reduced_collect(const vlReduced *b, const vlVec3 *f, double (*q)[4])
{
  size_t k = (size_t)b->handle_count;
  double(*sum)[12] = (double(*)[12])b->pieces;
#pragma omp parallel for schedule(static) if (b->body.node_count > SERIAL)
  for (int piece = 0; piece < VL_REDUCED_PIECES; piece++) collect_piece(b, f, piece, sum + (size_t)piece * k);
  add_pieces(b, sum, q);
}

/* Adds the weights of a corner's handles to those of its grain, which are listed in `of` so far. */
static int add_corner(const vlReduced *b, int node, double share, int *of, double (*row)[4], int count)
{
  vlVec3 X = vl_sub(b->body.rest[node], b->center);
  for (int64_t e = b->start[node]; e < b->start[node + 1]; e++) {
    int at = 0;
    while (at < count && of[at] != b->of[e]) at++;
    if (at == count) {
      of[count++] = b->of[e];
      memset(row[at], 0, sizeof row[at]);
    }
    double w = share * b->weight[e];
    for (int j = 0; j < 3; j++) row[at][j] += w * X.v[j];
    row[at][3] += w;
  }
  return count;
}

vlCode vl_reduced_find_twin(vlReduced *b, vlStatus *status)
{
  size_t grains = (size_t)b->grains.count, most = 1;
  for (size_t p = 0; p < 4 * grains; p++) {
    int v = b->grain_node[p / 4][p % 4];
    most += (size_t)(b->start[v + 1] - b->start[v]);
  }
  b->twin_start = calloc(grains + 1, sizeof *b->twin_start);
  b->twin_of = malloc(most * sizeof *b->twin_of);
  b->twin = malloc(most * sizeof *b->twin);
  if (!b->twin_start || !b->twin_of || !b->twin)
    return vl_fail_memory(status, most * sizeof *b->twin, "the grains of a body");
  for (size_t p = 0; p < grains; p++) {
    int64_t first = b->twin_start[p];
    int count = 0;
    for (int c = 0; c < 4; c++)
      count = add_corner(b, b->grain_node[p][c], b->grain_share[p][c], b->twin_of + first, b->twin + first, count);
    b->twin_start[p + 1] = first + count;
  }
  size_t used = (size_t)b->twin_start[grains] + 1;
  int *of = realloc(b->twin_of, used * sizeof *of); /* smaller; where that fails it stays */
  if (of) b->twin_of = of;
  double(*row)[4] = realloc(b->twin, used * sizeof *row);
  if (row) b->twin = row;
  return VL_OK;
}

void vl_reduced_spread_grains(const vlReduced *b, const double (*q)[4], vlVec3 *x)
{
  double(*A)[12] = (double(*)[12])b->pieces;
  for (int g = 0; g < b->handle_count; g++) to_affine(b, q, g, A[g]);
#pragma omp parallel for schedule(static) if (b->grains.count > SERIAL)
  for (int p = 0; p < b->grains.count; p++) {
    Four sum[3] = {{0}};
    for (int64_t e = b->twin_start[p]; e < b->twin_start[p + 1]; e++) {
      const Four *a = (const Four *)A[b->twin_of[e]], t = *(const Four *)b->twin[e];
      for (int i = 0; i < 3; i++) sum[i] += a[i] * t;
    }
    for (int i = 0; i < 3; i++) x[p].v[i] = sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
  }
}

static void collect_grains(const vlReduced *b, const vlVec3 *f, int piece, double (*sum)[12])
{
  int64_t n = b->grains.count, first = n * piece / VL_REDUCED_PIECES, end = n * (piece + 1) / VL_REDUCED_PIECES;
  memset(sum, 0, (size_t)b->handle_count * sizeof *sum);
  for (int64_t p = first; p < end; p++)
    for (int64_t e = b->twin_start[p]; e < b->twin_start[p + 1]; e++) {
      Four *a = (Four *)sum[b->twin_of[e]], t = *(const Four *)b->twin[e];
      for (int i = 0; i < 3; i++) a[i] += f[p].v[i] * t;
    }
}

void vl_reduced_collect_grains(const vlReduced *b, const vlVec3 *f, double (*q)[4])
{
  size_t k = (size_t)b->handle_count;
  double(*sum)[12] = (double(*)[12])b->pieces;
#pragma omp parallel for schedule(static) if (b->grains.count > SERIAL)
  for (int piece = 0; piece < VL_REDUCED_PIECES; piece++) collect_grains(b, f, piece, sum + (size_t)piece * k);
  add_pieces(b, sum, q);
}

void vl_reduced_spread_some(const vlReduced *b, const int *list, int count, const double (*q)[4], vlVec3 *x)
{
  double(*A)[12] = (double(*)[12])b->pieces;
  for (int g = 0; g < b->handle_count; g++) to_affine(b, q, g, A[g]);
#pragma omp parallel for schedule(static) if (count > SERIAL)
  for (int k = 0; k < count; k++) {
    Four sum[3] = {{0}};
    for (int64_t e = b->twin_start[list[k]]; e < b->twin_start[list[k] + 1]; e++) {
      const Four *a = (const Four *)A[b->twin_of[e]], t = *(const Four *)b->twin[e];
      for (int i = 0; i < 3; i++) sum[i] += a[i] * t;
    }
    for (int i = 0; i < 3; i++) x[k].v[i] = sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
  }
}

void vl_reduced_collect_some(const vlReduced *b, const int *list, int count, const vlVec3 *f, double (*q)[4])
{
  double(*sum)[12] = (double(*)[12])b->pieces;
  memset(sum, 0, (size_t)b->handle_count * sizeof *sum);
  for (int k = 0; k < count; k++)
    for (int64_t e = b->twin_start[list[k]]; e < b->twin_start[list[k] + 1]; e++) {
      Four *a = (Four *)sum[b->twin_of[e]], t = *(const Four *)b->twin[e];
      for (int i = 0; i < 3; i++) a[i] += f[k].v[i] * t;
    }
  for (int g = 0; g < b->handle_count; g++) from_affine(b, sum[g], g, q);
}

vlVec3 vl_reduced_row(const vlReduced *b, const double (*q)[4], int node)
{
  vlVec3 x = vl_vec(0, 0, 0), X = vl_sub(b->body.rest[node], b->center);
  for (int64_t e = b->start[node]; e < b->start[node + 1]; e++) {
    const double(*row)[4] = q + 4 * b->of[e];
    vlVec3 y = vl_scale(vl_sub(X, b->handle[b->of[e]]), 1.0 / b->radius);
    for (int i = 0; i < 3; i++) x.v[i] += b->weight[e] * (y.x * row[0][i] + y.y * row[1][i] + y.z * row[2][i] + row[3][i]);
  }
  return x;
}

void vl_reduced_add_row(const vlReduced *b, int node, vlVec3 f, double (*q)[4])
{
  vlVec3 X = vl_sub(b->body.rest[node], b->center);
  for (int64_t e = b->start[node]; e < b->start[node + 1]; e++) {
    double(*row)[4] = q + 4 * b->of[e];
    vlVec3 y = vl_scale(vl_sub(X, b->handle[b->of[e]]), 1.0 / b->radius);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) row[j][i] += b->weight[e] * y.v[j] * f.v[i];
      row[3][i] += b->weight[e] * f.v[i];
    }
  }
}

void vl_reduced_to_grains(const vlReduced *b, const vlVec3 *x, vlVec3 *grain_x)
{
#pragma omp parallel for schedule(static) if (b->grains.count > SERIAL)
  for (int p = 0; p < b->grains.count; p++) {
    const int *node = b->grain_node[p];
    const double *s = b->grain_share[p];
    vlVec3 sum = vl_scale(x[node[0]], s[0]);
    for (int c = 1; c < 4; c++) sum = vl_axpy(sum, s[c], x[node[c]]);
    grain_x[p] = sum;
  }
}

void vl_reduced_from_grains(const vlReduced *b, const vlVec3 *grain_f, vlVec3 *f)
{
#pragma omp parallel for schedule(static) if (b->body.node_count > SERIAL)
  for (int v = 0; v < b->body.node_count; v++) {
    vlVec3 sum = vl_vec(0, 0, 0);
    for (int64_t e = b->node_start[v]; e < b->node_start[v + 1]; e++) {
      int at = b->node_grain[e];
      sum = vl_axpy(sum, b->grain_share[at / 4][at % 4], grain_f[at / 4]);
    }
    f[v] = sum;
  }
}

/* Normals go with the cofactor of the blended linear part, as areas do. */
static vlVec3 turned_normal(const double L[9], vlVec3 n)
{
  vlVec3 a = vl_vec(L[0], L[3], L[6]), b = vl_vec(L[1], L[4], L[7]), c = vl_vec(L[2], L[5], L[8]); /* columns */
  vlVec3 sum = vl_scale(vl_cross(b, c), n.x);
  sum = vl_axpy(sum, n.y, vl_cross(c, a));
  return vl_unit(vl_axpy(sum, n.z, vl_cross(a, b)));
}

/* Six times the volume. */
static double six(const vlVec3 *x, const int node[4])
{
  vlVec3 a = vl_sub(x[node[1]], x[node[0]]), b = vl_sub(x[node[2]], x[node[0]]), c = vl_sub(x[node[3]], x[node[0]]);
  return vl_dot(a, vl_cross(b, c));
}

static void follow_grains(vlReduced *b)
{
  vl_reduced_to_grains(b, b->body.x, b->grains.x);
  vl_reduced_to_grains(b, b->body.v, b->grains.v);
#pragma omp parallel for schedule(static) if (b->grains.count > SERIAL)
  for (int p = 0; p < b->grains.count; p++) {
    vlVec3 n = b->grain_normal[p];
    b->grains.dilation[p] = six(b->body.x, b->grain_node[p]) / six(b->body.rest, b->grain_node[p]);
    double L[9] = {0};
    if (n.x == 0.0 && n.y == 0.0 && n.z == 0.0) continue;
    for (int c = 0; c < 4; c++)
      for (int i = 0; i < 9; i++) L[i] += b->grain_share[p][c] * b->linear[9 * (size_t)b->grain_node[p][c] + (size_t)i];
    b->grains.normal[p] = turned_normal(L, n);
  }
}

void vl_reduced_follow(vlReduced *b)
{
  double(*A)[12] = (double(*)[12])b->pieces, (*R)[12] = A + b->handle_count;
  for (int g = 0; g < b->handle_count; g++) {
    to_affine(b, (const double(*)[4])b->q, g, A[g]);
    to_affine(b, (const double(*)[4])b->rate, g, R[g]);
  }
#pragma omp parallel for schedule(static) if (b->body.node_count > SERIAL)
  for (int v = 0; v < b->body.node_count; v++) {
    double M[12];
    vlVec3 X = vl_sub(b->body.rest[v], b->center);
    blend(b, (const double(*)[12])A, v, M);
    b->body.x[v] = applied(M, X);
    for (int i = 0; i < 9; i++) b->linear[9 * (size_t)v + (size_t)i] = M[i / 3 * 4 + i % 3];
    blend(b, (const double(*)[12])R, v, M);
    b->body.v[v] = applied(M, X);
  }
  follow_grains(b);
}

void vl_reduced_set_affine(vlReduced *b, vlVec3 about, vlMat3 linear, vlVec3 place, vlMat3 linear_rate, vlVec3 rate)
{
  for (int g = 0; g < b->handle_count; g++) {
    vlVec3 from = vl_sub(vl_add(b->handle[g], b->center), about);
    vlVec3 x = vl_add(place, vl_mat_apply(linear, from)), v = vl_add(rate, vl_mat_apply(linear_rate, from));
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        b->q[4 * g + j][i] = linear.m[i][j] * b->radius;
        b->rate[4 * g + j][i] = linear_rate.m[i][j] * b->radius;
      }
      b->q[4 * g + 3][i] = x.v[i];
      b->rate[4 * g + 3][i] = v.v[i];
    }
  }
}

void vl_reduced_product(const double *matrix, int size, const double (*in)[4], double (*out)[4])
{
#pragma omp parallel for schedule(static) if (size > 128)
  for (int i = 0; i < size; i += 4) { /* a multiple of 4; four sums at a time do not wait for each other */
    const double *row = matrix + (size_t)i * (size_t)size;
    double s[4][4] = {{0}};
    for (int j = 0; j < size; j++)
      for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) s[r][c] += row[(size_t)r * (size_t)size + (size_t)j] * in[j][c];
    memcpy(out[i], s, sizeof s);
  }
}
