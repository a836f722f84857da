/* What the medium pushes a reduced body with, where that is more than one step can carry.
 *
 * The pressure knows of no elasticity: where a body runs into something within a step, its skin flows aside as liquid
 * would, by dt grad u, and elasticity hears of it in the next step only. For strains of a few hundredths in a step that is
 * nothing. But a step of 1/60 s is long for an impact: a wave runs through a third of a metre in it. So where the change
 * gone, of the shape, strains a cluster by more than MOST, the body takes the step again with the push as a force of it,
 *
 *     A (q' - y) = elastic forces + m_p (1 + a dt)/dt^2 G (gone - dt^2 pushed) + walls
 *
 * y knows of pushed, which had been expected; and ends at q + theta (q' - q), theta = 1 - MOST/strain, so that at most about
 * MOST of strain is new. Momentum is kept, a constant being in the kernel of K; spin is given back as always. In: rates
 * without gone, gone. Out: the rate. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "solid/reduced_parts.h"

static const double MOST = 0.15;

/* The rate of the step with the push as a force -> b->next. */
static void take_again(vlReduced *b, double (*force)[4], double dt)
{
  double inertia = vl_reduced_inertia(b, dt);
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 4; c++) b->gone[i][c] -= dt * dt * b->pushed[i][c];
  vl_reduced_product(b->gram, b->size, (const double(*)[4])b->gone, force);
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 4; c++) force[i][c] = inertia * force[i][c] + b->borne[i][c];
  memcpy(b->next, b->fallen, (size_t)b->size * sizeof *b->next);
  vl_reduced_relax(b, dt, (const double(*)[4])force);
}

vlCode vl_reduced_limit(vlReduced *b, double dt, vlStatus *status)
{
  size_t n = (size_t)b->size;
  double strain = vl_reduced_strains(b), theta = 1.0 - MOST / strain;
  double(*plain)[4] = strain > MOST ? malloc(2 * n * sizeof *plain) : NULL;
  if (strain > MOST && !plain) return vl_fail_memory(status, 2 * n * sizeof *plain, "a step of a body");
  vl_reduced_add_gone(b, 1.0 / dt);
  if (!plain) return VL_OK;
  memcpy(plain, b->next, n * sizeof *plain);
  take_again(b, plain + n, dt);
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < 4; c++) b->next[i][c] = plain[i][c] + theta * (b->next[i][c] - plain[i][c]);
  free(plain);
  return VL_OK;
}
