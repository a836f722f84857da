/* Corner normals: the triangles around each vertex are listed once (counting sort), then every corner adds up those of them
 * that face nearly where its own triangle does. Triangles add in the order of their numbers, so the sums do not depend on
 * threads.
 */
#include "world_normals.h"

#include <stdlib.h>

static vlF3 point(const float *x, unsigned i) { return f3(x[3 * (size_t)i], x[3 * (size_t)i + 1], x[3 * (size_t)i + 2]); }

/* Twice the area, along the normal. */
static vlF3 area_of(const float *x, const unsigned *tri)
{
  vlF3 a = point(x, tri[0]);
  return f3_cross(f3_sub(point(x, tri[1]), a), f3_sub(point(x, tri[2]), a));
}

static vlF3 corner_normal(const vlF3 *area, vlF3 own, const unsigned *around, unsigned count, float cosine)
{
  vlF3 sum = f3_all(0.0f), unit = f3_unit(own);
  for (unsigned k = 0; k < count; k++) {
    vlF3 other = area[around[k]];
    if (f3_dot(f3_unit(other), unit) >= cosine) sum = f3_add(sum, other);
  }
  sum = f3_unit(sum);
  return f3_dot(sum, sum) > 0.0f ? sum : unit;
}

bool vl_corner_normals(const float *x, size_t vertices, const unsigned *tri, size_t triangles, float crease, vlF3 *normals)
{
  float cosine = cosf(crease * (float)VL_PI / 180.0f);
  vlF3 *area = malloc((triangles + 1) * sizeof *area);
  unsigned *first = calloc(vertices + 2, sizeof *first), *around = malloc((3 * triangles + 1) * sizeof *around);
  bool good = area && first && around;
  if (good) {
    for (size_t i = 0; i < 3 * triangles; i++) first[tri[i] + 2]++;
    for (size_t i = 2; i < vertices + 2; i++) first[i] += first[i - 1];
    for (size_t i = 0; i < 3 * triangles; i++) around[first[tri[i] + 1]++] = (unsigned)(i / 3);
#pragma omp parallel for schedule(static)
    for (size_t t = 0; t < triangles; t++) area[t] = area_of(x, tri + 3 * t);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < 3 * triangles; i++)
      normals[i] = corner_normal(area, area[i / 3], around + first[tri[i]], first[tri[i] + 1] - first[tri[i]], cosine);
  }
  free(area);
  free(first);
  free(around);
  return good;
}
