/* Forces, energy and stress of an elastic body, corotational or neo-Hookean.
 *
 * Corotational: at an integration point F = sum_a x_a g_a^T = R Y. With gradients turned into the present frame, G_a = R
 * g_a, the linear strain that does not see the rotation, and what follows from it, are
 *
 *     eps   = sym( sum_a y_a G_a^T ) - I               ( = R (sym(R^T F) - I) R^T )
 *     sigma = 2 mu eps + lambda tr(eps) I
 *     f_a  += V sigma G_a                              ( = R K_e (R^T y - X), summed: what [zarifi2017, eq. 3] writes K (x -
 * x0) ) E    += V (mu eps:eps + lambda/2 tr(eps)^2)
 *
 * [mueller2004]. Every point turns by itself: eps has the principal axes of Y, so sigma F^T R^T is symmetric and
 * the forces of a point have no moment, in quadratic elements as in linear ones. For a point inside out Y has a negative
 * stretch, the smallest; eps there is below -1 and pushes it back.
 *
 * Neo-Hookean: f_a += V P g_a, E += V Psi, with energy, stress and tangent of a point from elastic_neo.c.
 *
 * Elements write their own places, nodes gather in a fixed order: same bits for any number of threads. */
#include "base/vec.h"
#include "solid/elastic.h"
#include "solid/elastic_neo.h"
#include "solid/elastic_parts.h"

/* Below these numbers of integration points, waking threads costs more than the work. */
enum { SERIAL_ROTATIONS = 1024, SERIAL_FORCES = 4096 };

/* sum_a y_a g_a^T over the n nodes of an element. */
static vlMat3 deformation(const vlVec3 *y, const int *node, const vlVec3 *g, int n)
{
  vlMat3 f = {0};
  for (int a = 0; a < n; a++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) f.m[i][j] += y[node[a]].v[i] * g[a].v[j];
  return f;
}

/* The point's rotation and gradients turned by it, G = R g. */
static void rotate(vlElastic *b, size_t point, vlMat3 F)
{
  size_t n = (size_t)b->body.element_nodes;
  vl_mat_polar(F, &b->rotation[point]); /* else the last one stays */
  for (size_t a = 0; a < n; a++) b->turned[point * n + a] = vl_mat_apply(b->rotation[point], b->gradient[point * n + a]);
}

static vlNeo neo_hookean(const vlElastic *b) { return vl_neo_from_lame(b->lambda, b->mu); }

int vl_elastic_linearise(vlElastic *b, const vlVec3 *y)
{
  int n = b->body.element_nodes, inverted = 0;
#pragma omp parallel for schedule(static) reduction(+ : inverted) if (b->body.element_count * b->points > SERIAL_ROTATIONS)
  for (int e = 0; e < b->body.element_count; e++)
    for (int q = 0; q < b->points; q++) {
      size_t point = (size_t)e * (size_t)b->points + (size_t)q;
      vlMat3 F = deformation(y, b->body.node + (size_t)e * (size_t)n, b->gradient + point * (size_t)n, n);
      if (b->tangent)
        vl_neo_tangent(neo_hookean(b), F, true, b->tangent[point]);
      else
        rotate(b, point, F);
      inverted += vl_mat_determinant(F) < 0.0;
    }
  return inverted;
}

double vl_elastic_change(const vlElastic *b, const vlVec3 *from, const vlVec3 *to)
{
  int n = b->body.element_nodes;
  double most = 0.0;
#pragma omp parallel for schedule(static) reduction(max : most) if (b->body.element_count * b->points > SERIAL_FORCES)
  for (int e = 0; e < b->body.element_count; e++) {
    const int *node = b->body.node + (size_t)e * (size_t)n;
    vlVec3 step[10];
    for (int a = 0; a < n; a++) step[a] = vl_sub(to[node[a]], from[node[a]]);
    for (int q = 0; q < b->points; q++) {
      const vlVec3 *g = b->gradient + ((size_t)e * (size_t)b->points + (size_t)q) * (size_t)n;
      static const int own[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
      most = fmax(most, vl_mat_norm(deformation(step, own, g, n)));
    }
  }
  return most;
}

/* sym(A) - I */
static vlMat3 strain(vlMat3 A)
{
  vlMat3 eps;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) eps.m[i][j] = 0.5 * (A.m[i][j] + A.m[j][i]) - (i == j);
  return eps;
}

static vlMat3 stress(const vlElastic *b, vlMat3 eps)
{
  double trace = eps.m[0][0] + eps.m[1][1] + eps.m[2][2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) eps.m[i][j] = 2.0 * b->mu * eps.m[i][j] + (i == j ? b->lambda * trace : 0.0);
  return eps;
}

void vl_elastic_force(vlElastic *b, const vlVec3 *y, vlVec3 *f)
{
  int n = b->body.element_nodes;
  bool neo = b->material.model == VL_ELASTIC_NEO_HOOKEAN;
#pragma omp parallel for schedule(static) if (b->body.element_count * b->points > SERIAL_FORCES)
  for (int e = 0; e < b->body.element_count; e++) {
    const int *node = b->body.node + (size_t)e * (size_t)n;
    vlVec3 *out = b->corner_force + (size_t)e * (size_t)n;
    for (int a = 0; a < n; a++) out[a] = vl_vec(0, 0, 0);
    for (int q = 0; q < b->points; q++) {
      const vlVec3 *G = (neo ? b->gradient : b->turned) + ((size_t)e * (size_t)b->points + (size_t)q) * (size_t)n;
      vlMat3 A = deformation(y, node, G, n), P = neo ? vl_neo_stress(neo_hookean(b), A) : stress(b, strain(A));
      for (int a = 0; a < n; a++) out[a] = vl_axpy(out[a], b->volume[e], vl_mat_apply(P, G[a])); /* f_a += V P G_a */
    }
  }
  vl_elastic_system_gather(b->system, b, b->corner_force, f);
}

/* V Psi, or V (mu eps:eps + lambda/2 tr(eps)^2) with eps = Y - I: only the stretches count. */
static double point_energy(const vlElastic *b, const vlVec3 *y, int e, int q)
{
  int n = b->body.element_nodes;
  size_t point = (size_t)e * (size_t)b->points + (size_t)q;
  vlMat3 F = deformation(y, b->body.node + (size_t)e * (size_t)n, b->gradient + point * (size_t)n, n),
         R = b->rotation[point];
  if (b->material.model == VL_ELASTIC_NEO_HOOKEAN) return b->volume[e] * vl_neo_energy(neo_hookean(b), F);
  vl_mat_polar(F, &R);
  vlMat3 eps = strain(vl_mat_multiply(vl_mat_transpose(R), F));
  double square = vl_mat_norm(eps), trace = eps.m[0][0] + eps.m[1][1] + eps.m[2][2];
  return b->volume[e] * (b->mu * square * square + 0.5 * b->lambda * trace * trace);
}

double vl_elastic_energy(const vlElastic *b, const vlVec3 *y)
{
  double sum = 0.0;
  for (int e = 0; e < b->body.element_count; e++)
    for (int q = 0; q < b->points; q++) sum += point_energy(b, y, e, q);
  return sum;
}

/* Stress inside an elastic body.
 *
 * With F = R Y at an integration point the corotational law pushes by f_a = V sigma R g_a,
 *
 *     eps = R (Y - I) R^T,     sigma = 2 mu eps + lambda tr(eps) I
 *
 * so sigma R is the force on an area at rest. Per area of the body as it is now that is Cauchy's stress
 *
 *     sigma R F^T / J = sigma (I + eps) / J,     J = det F
 *
 * symmetric, since eps and sigma have the same axes. An element's mean over its present volume is sum(J stress) / sum(J)
 * over its points. R is that of the present shape, not the one that the last step was made with. The neo-Hookean law gives
 * P F^T / J with its own P (elastic_neo.c).
 * In: a body. Out: a stress of each element, and how many are inside out. */

static const double LEAST_VOLUME = 0.01; /* J below which an element counts as this */

static vlMat3 present_deformation(const vlElastic *b, int e, int q)
{
  int n = b->body.element_nodes;
  return deformation(b->body.x, b->body.node + (size_t)e * (size_t)n,
                     b->gradient + ((size_t)e * (size_t)b->points + (size_t)q) * (size_t)n, n);
}

/* J times the stress. */
static vlMat3 corotational_stress(const vlElastic *b, vlMat3 F, vlMat3 R)
{
  vlMat3 A = vl_mat_multiply(F, vl_mat_transpose(R)), stretch, sigma; /* stretch = R Y R^T = I + eps */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) stretch.m[i][j] = 0.5 * (A.m[i][j] + A.m[j][i]);
  double trace = stretch.m[0][0] + stretch.m[1][1] + stretch.m[2][2] - 3.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sigma.m[i][j] = 2.0 * b->mu * (stretch.m[i][j] - (i == j)) + (i == j ? b->lambda * trace : 0.0);
  return vl_mat_multiply(sigma, stretch);
}

static vlMat3 point_stress(const vlElastic *b, vlMat3 F, size_t point)
{
  if (b->material.model == VL_ELASTIC_NEO_HOOKEAN)
    return vl_mat_multiply(vl_neo_stress(neo_hookean(b), F), vl_mat_transpose(F)); /* P F^T */
  vlMat3 R = b->rotation[point];
  vl_mat_polar(F, &R); /* else the last one serves */
  return corotational_stress(b, F, R);
}

void vl_elastic_stress(const vlBody *body, int element, double stress[6])
{
  const vlElastic *b = (const vlElastic *)body;
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  double volume = 0.0;
  for (int c = 0; c < 6; c++) stress[c] = 0.0;
  for (int q = 0; q < b->points; q++) {
    vlMat3 F = present_deformation(b, element, q), s = point_stress(b, F, (size_t)(element * b->points + q));
    volume += vl_mat_determinant(F);
    for (int c = 0; c < 6; c++) stress[c] += 0.5 * (s.m[row[c]][column[c]] + s.m[column[c]][row[c]]);
  }
  volume = fmax(volume, LEAST_VOLUME * b->points);
  for (int c = 0; c < 6; c++) stress[c] /= volume;
}

int vl_elastic_inverted(const vlBody *body)
{
  const vlElastic *b = (const vlElastic *)body;
  int count = 0;
  for (int e = 0; e < b->body.element_count; e++) {
    bool inverted = false;
    for (int q = 0; q < b->points; q++) inverted |= vl_mat_determinant(present_deformation(b, e, q)) < 0.0;
    count += inverted;
  }
  return count;
}
