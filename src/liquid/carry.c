/* Grid to particles, and particles through the grid.
 *
 * PIC takes the grid's velocity, FLIP its change [zhu2005], affine particles the velocity and its gradient [jiang2015]. Then
 * the place follows by explicit midpoint (RK2) or Ralston's third-order rule (RK3), whose first slope is the velocity just
 * found: so both are one pass. Particles in free flight take nothing from the grid. What solids do to the way is in
 * advect.c.
 */
#include "liquid/advect.h"

/* Velocity of the place at x, and what the grid gives the particle: returned in v. */
static void take_velocity(vlParticles *p, const vlGrid *g, const vlCarry *c, size_t i, const double x[3], double u[3],
                          double v[3])
{
  double *const *path = c->path ? c->path : c->u;
  bool by_flip = c->flip > 0.0 && !p->affine;
  vlStencil8 s[3];
  vl_sample_faces(g, x, s);
  for (int a = 0; a < 3; a++) {
    u[a] = v[a] = 0.0;
    if (g->n[a] == 1) continue;
    u[a] = v[a] = vl_sample_value(&s[a], path[a]);
    if (c->path && !by_flip) v[a] = vl_sample_value(&s[a], c->u[a]);
    if (p->affine) {
      double slope[3];
      vl_sample_slope(&s[a], c->u[a], slope);
      for (int b = 0; b < 3; b++) p->c[a][b][i] = (float)(slope[b] / g->dx);
    } else if (by_flip) {
      double change = c->change ? vl_sample_value(&s[a], c->change[a]) : 0.0;
      v[a] = c->flip * ((double)p->v[a][i] + change) + (1.0 - c->flip) * u[a];
    }
  }
}

/* The end of the way from x whose first slope is k1; h = dt/dx, cells per (m/s). */
static void integrate(const vlGrid *g, const vlCarry *c, double h, bool deflects, const double x[3], const double k1[3],
                      const double turned[3], double to[3])
{
  double k2[3], k3[3], middle[3], *const *u = c->path ? c->path : c->u;
  for (int a = 0; a < 3; a++) middle[a] = x[a] + 0.5 * h * k1[a];
  vl_sample_velocity(g, u, middle, k2);
  for (int a = 0; a < 3; a++) k2[a] += turned[a];
  for (int a = 0; a < 3; a++) deflects = deflects || (c->deflect && !(fabs(middle[a] - x[a]) <= 1.0));
  if (deflects) c->deflect(c->deflect_data, middle, k2, NULL);
  if (c->integrator == VL_INTEGRATOR_RK2) {
    for (int a = 0; a < 3; a++) to[a] = x[a] + h * k2[a];
    return;
  }
  for (int a = 0; a < 3; a++) middle[a] = x[a] + 0.75 * h * k2[a];
  vl_sample_velocity(g, u, middle, k3);
  for (int a = 0; a < 3; a++) k3[a] += turned[a];
  for (int a = 0; a < 3; a++) to[a] = x[a] + h * (2.0 * k1[a] + 3.0 * k2[a] + 4.0 * k3[a]) / 9.0;
}

static void fly(const vlParticles *p, const vlGrid *g, const vlFlight *flight, size_t i, const double x[3], double v[3])
{
  vlVec3 more = flight->more ? flight->more(flight->data, vl_vec(x[0], x[1], x[2])) : vl_vec(0, 0, 0);
  for (int a = 0; a < 3; a++) {
    v[a] = (double)p->v[a][i] + (g->n[a] > 1 ? flight->gain[a] : 0.0);
    if (flight->more && g->n[a] > 1) v[a] += more.v[a];
  }
}

static bool leaves(const vlGrid *g, const bool open[6], const double to[3])
{
  for (int a = 0; a < 3; a++)
    if ((open[2 * a] && to[a] < 0.0) || (open[2 * a + 1] && to[a] >= g->n[a])) return true;
  return false;
}

/* Particles stand block by block: whether anything deflects them is asked once for a run of them. */
typedef struct Run {
  vlBlockPosition block;
  bool deflects;
} Run;

static bool is_deflected(const vlCarry *c, const double x[3], Run *run)
{
  if (!c->deflect) return false;
  vlBlockPosition at = {(int)x[0] / VL_BLOCK, (int)x[1], (int)x[2]};
  if (at.bx != run->block.bx || at.j != run->block.j || at.k != run->block.k)
    *run = (Run){at, c->deflects(c->deflect_data, at)};
  return run->deflects;
}

/* One particle; whether it found a way out of what it met. moving: gets the half of the square of its velocity. */
static bool carry(vlParticles *p, const vlGrid *g, const vlCarry *c, double h, size_t i, Run *run, double *moving)
{
  const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
  const double own[3] = {(double)p->v[0][i], (double)p->v[1][i], (double)p->v[2][i]};
  double u[3], v[3], way[3], to[3];
  bool flies = vl_flies(c->flight, g, x), deflects = is_deflected(c, x, run);
  if (flies)
    fly(p, g, c->flight, i, x, v);
  else
    take_velocity(p, g, c, i, x, u, v);
  for (int a = 0; a < 3 && flies; a++) u[a] = v[a]; /* u: by which its place goes, which may be deflected otherwise */
  double turned[3] = {0.0, 0.0, 0.0};               /* m/s: what deflects it where it is, deflects it on all of its way */
  for (int a = 0; a < 3 && deflects && !flies; a++) turned[a] = -u[a];
  if (deflects) c->deflect(c->deflect_data, x, v, u);
  for (int a = 0; a < 3 && deflects && !flies; a++) turned[a] += u[a];
  bool held = c->held && c->held(c->held_data, x, own, v, way);
  for (int a = 0; a < 3 && held && p->affine; a++)
    for (int b = 0; b < 3; b++) p->c[a][b][i] = 0.0f;
  if (flies || held)
    for (int a = 0; a < 3; a++) to[a] = x[a] + h * (held ? way[a] : u[a]);
  else
    integrate(g, c, h, deflects, x, u, turned, to);
  if (c->gone) c->gone[i] = leaves(g, c->open, to);
  bool out = vl_way_is_clear(g, &c->obstacles, x, to) || vl_advect_keep_out(g, &c->obstacles, h, x, to, v);
  const double *now = held ? way : flies ? v : u;
  *moving += 0.5 * (now[0] * now[0] + now[1] * now[1] + now[2] * now[2]);
  for (int a = 0; a < 3; a++) {
    p->v[a][i] = (float)v[a];
    p->x[a][i] = (float)to[a];
  }
  return out;
}

size_t vl_carry_particles(vlParticles *p, const vlGrid *g, const vlCarry *c, double *moving)
{
  enum { PIECES = 64 };
  double h = c->dt / g->dx, piece[PIECES] = {0};
  size_t stuck = 0, size = (p->count + PIECES - 1) / PIECES;
#pragma omp parallel for schedule(static) reduction(+ : stuck)
  for (int q = 0; q < PIECES; q++) {
    double sum = 0.0;
    Run run = {.block = {-1, -1, -1}};
    for (size_t i = (size_t)q * size; i < ((size_t)q + 1) * size && i < p->count; i++)
      stuck += !carry(p, g, c, h, i, &run, &sum);
    piece[q] = sum;
  }
  *moving = 0.0;
  for (int q = 0; q < PIECES; q++) *moving += piece[q];
  return stuck;
}
