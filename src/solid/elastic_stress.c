/* Stress inside an elastic body.
 *
 * With F = R Y at an integration point the corotational law (elastic_force.c) pushes by f_a = V sigma R g_a,
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
#include "solid/elastic_stress.h"

#include "base/vec.h"
#include "solid/elastic_neo.h"

static const double LEAST_VOLUME = 0.01; /* J below which an element counts as this */

/* F = sum_a x_a g_a^T at point q of element e. */
static vlMat3 deformation(const vlElastic *b, int e, int q)
{
  size_t n = (size_t)b->body.element_nodes;
  const int *node = b->body.node + (size_t)e * n;
  const vlVec3 *g = b->gradient + ((size_t)e * (size_t)b->points + (size_t)q) * n;
  vlMat3 F = {0};
  for (size_t a = 0; a < n; a++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) F.m[i][j] += b->body.x[node[a]].v[i] * g[a].v[j];
  return F;
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
    return vl_mat_multiply(vl_neo_stress(vl_neo_from_lame(b->lambda, b->mu), F), vl_mat_transpose(F)); /* P F^T */
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
    vlMat3 F = deformation(b, element, q), s = point_stress(b, F, (size_t)(element * b->points + q));
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
    for (int q = 0; q < b->points; q++) inverted |= vl_mat_determinant(deformation(b, e, q)) < 0.0;
    count += inverted;
  }
  return count;
}
