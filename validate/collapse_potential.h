/* The collapse of a column of liquid without viscosity, air, gate or grid: an independent solution to compare ours with.
 *
 * Potential flow in the liquid, a wide and of any height, beside a wall x = 0 and on a floor y = 0; lengths in a, g = 1.
 * Only the free surface is divided into elements, for the wall and the floor are made by mirror images. On it
 *   Dx/Dt = grad f,   Df/Dt = |grad f|^2 / 2 - y,
 * and Green's identity with linear elements, integrated exactly, gives df/dn from f. Classical Runge-Kutta steps; after each
 * one the nodes are spread evenly along the surface by splines and the shortest waves are filtered out. Errors fall with the
 * first power of the number of nodes (the tip is a corner), so two runs are extrapolated. Used by validate_dam_break.c and
 * validate_dam_box.c. */
#ifndef VL_VALIDATE_COLLAPSE_POTENTIAL_H
#define VL_VALIDATE_COLLAPSE_POTENTIAL_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { CP_NODES = 160, CP_TIMES = 1024 };

typedef struct CollapseSurface {
  int n;
  double f[3][CP_NODES]; /* x, y, potential; from the wall to the tip */
} CollapseSurface;

typedef struct CollapsePath {
  double t[CP_TIMES], front[CP_TIMES], height[CP_TIMES]; /* in sqrt(a/g), a, a */
  int count;
} CollapsePath;

/* f is odd (+1: even) about the wall and about the floor */
static const int cp_even[3][2] = {{0, 1}, {1, 0}, {1, 1}};

static inline void cp_lengths(const CollapseSurface *c, double s[CP_NODES])
{
  s[0] = 0.0;
  for (int i = 1; i < c->n; i++) s[i] = s[i - 1] + hypot(c->f[0][i] - c->f[0][i - 1], c->f[1][i] - c->f[1][i - 1]);
}

/* Slopes of the cubic spline through f(s): zero slope at an even end, no bend at an odd one. */
static inline void cp_slopes(int n, const double *s, const double *f, const int even[2], double *slope)
{
  double diagonal[CP_NODES], right[CP_NODES], upper[CP_NODES];
  for (int i = 0; i < n; i++) {
    double a = i > 0 ? 1.0 / (s[i] - s[i - 1]) : 0.0, b = i < n - 1 ? 1.0 / (s[i + 1] - s[i]) : 0.0;
    bool held = (i == 0 && even[0]) || (i == n - 1 && even[1]);
    diagonal[i] = held ? 1.0 : 2.0 * (a + b);
    upper[i] = held ? 0.0 : b;
    right[i] =
        held ? 0.0 : 3.0 * ((i > 0 ? (f[i] - f[i - 1]) * a * a : 0.0) + (i < n - 1 ? (f[i + 1] - f[i]) * b * b : 0.0));
    if (i == 0 || held) continue;
    double m = a / diagonal[i - 1];
    diagonal[i] -= m * upper[i - 1];
    right[i] -= m * right[i - 1];
  }
  for (int i = n - 1; i >= 0; i--) slope[i] = (right[i] - (i < n - 1 ? upper[i] * slope[i + 1] : 0.0)) / diagonal[i];
}

/* Integrals over the straight element p..q of ln r (g) and its derivative along the right normal (h), times the shape
 * functions of its two ends, seen from z. */
static inline void cp_element(const double z[2], const double p[2], const double q[2], double g[2], double h[2])
{
  double dx = q[0] - p[0], dy = q[1] - p[1], length = hypot(dx, dy), ex = dx / length, ey = dy / length;
  double x = (z[0] - p[0]) * ex + (z[1] - p[1]) * ey, y = (z[1] - p[1]) * ex - (z[0] - p[0]) * ey;
  double x1 = -x, x2 = length - x, r1 = x1 * x1 + y * y, r2 = x2 * x2 + y * y;
  double l1 = r1 > 0.0 ? log(r1) : 0.0, l2 = r2 > 0.0 ? log(r2) : 0.0;
  double angle = fabs(y) > 1e-14 ? atan(x2 / y) - atan(x1 / y) : 0.0;
  double i0 = 0.5 * (x2 * l2 - x1 * l1) - length + y * angle, i1 = 0.25 * (r2 * l2 - r2 - r1 * l1 + r1);
  double j0 = angle, j1 = 0.5 * y * (l2 - l1);
  g[1] = (i1 + x * i0) / length;
  g[0] = i0 - g[1];
  h[1] = (j1 + x * j0) / length;
  h[0] = j0 - h[1];
}

/* Rows of  B f = A df/dn: the sum over the surface and its three mirror images. */
static inline void cp_row(const CollapseSurface *c, int row, double *a, double *b)
{
  double z[2] = {c->f[0][row], c->f[1][row]}, sum = 0.0;
  memset(a, 0, (size_t)c->n * sizeof *a);
  memset(b, 0, (size_t)c->n * sizeof *b);
  for (int image = 0; image < 4; image++) {
    double mx = image & 1 ? -1.0 : 1.0, my = image & 2 ? -1.0 : 1.0, outward = -mx * my;
    for (int e = 0; e + 1 < c->n; e++) {
      double p[2] = {mx * c->f[0][e], my * c->f[1][e]}, q[2] = {mx * c->f[0][e + 1], my * c->f[1][e + 1]}, g[2], h[2];
      cp_element(z, p, q, g, h);
      for (int k = 0; k < 2; k++) {
        a[e + k] += g[k];
        b[e + k] += outward * h[k];
      }
    }
  }
  for (int i = 0; i < c->n; i++) sum += b[i];
  b[row] -= sum; /* a constant potential has no flow */
}

/* Gauss elimination with row exchanges; x holds the right-hand side, then the solution. */
static inline void cp_solve(int n, double (*a)[CP_NODES], double *x)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
    for (int j = k; j < n && best != k; j++) {
      double swap = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = swap;
    }
    double value = x[k];
    x[k] = x[best];
    x[best] = value;
    for (int i = k + 1; i < n; i++) {
      double m = a[i][k] / a[k][k];
      for (int j = k + 1; j < n; j++) a[i][j] -= m * a[k][j];
      x[i] -= m * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= a[k][j] * x[j];
    x[k] /= a[k][k];
  }
}

/* Rates of change of position and potential; returns the longest stable time step. */
static inline double cp_rates(const CollapseSurface *c, CollapseSurface *rate)
{
  static double a[CP_NODES][CP_NODES];
  double b[CP_NODES], normal[CP_NODES], s[CP_NODES], slope[3][CP_NODES], dt = 0.02;
  int n = rate->n = c->n;
#pragma omp parallel for private(b)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    cp_row(c, i, a[i], b);
    for (int j = 0; j < n; j++) sum += b[j] * c->f[2][j];
    normal[i] = sum;
  }
  cp_solve(n, a, normal);
  cp_lengths(c, s);
  for (int k = 0; k < 3; k++) cp_slopes(n, s, c->f[k], cp_even[k], slope[k]);
  for (int i = 0; i < n; i++) {
    double length = hypot(slope[0][i], slope[1][i]), tx = slope[0][i] / length, ty = slope[1][i] / length,
           along = slope[2][i] / length, u = along * tx - normal[i] * ty, v = along * ty + normal[i] * tx;
    if (i == 0) u = 0.0;
    if (i == n - 1) v = 0.0;
    rate->f[0][i] = u;
    rate->f[1][i] = v;
    rate->f[2][i] = 0.5 * (u * u + v * v) - c->f[1][i];
    double gap = i > 0 ? s[i] - s[i - 1] : s[1];
    dt = fmin(dt, fmin(0.3 * gap / (hypot(u, v) + 1e-9), 0.25 * sqrt(gap)));
  }
  return dt;
}

static inline void cp_axpy(const CollapseSurface *c, double h, const CollapseSurface *rate, CollapseSurface *to)
{
  to->n = c->n;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < c->n; i++) to->f[k][i] = c->f[k][i] + h * rate->f[k][i];
}

static inline double cp_step(CollapseSurface *c)
{
  CollapseSurface k[4], at;
  double dt = cp_rates(c, &k[0]);
  for (int stage = 1; stage < 4; stage++) {
    cp_axpy(c, stage == 3 ? dt : 0.5 * dt, &k[stage - 1], &at);
    cp_rates(&at, &k[stage]);
  }
  for (int stage = 0; stage < 4; stage++) cp_axpy(c, dt * (stage % 3 ? 1.0 / 3.0 : 1.0 / 6.0), &k[stage], c);
  return dt;
}

/* Even spacing; then the five-point filter that takes out waves of two nodes, with mirrored ends. */
static inline void cp_tidy(CollapseSurface *c)
{
  static const double weight[5] = {-1.0 / 16, 4.0 / 16, 10.0 / 16, 4.0 / 16, -1.0 / 16};
  int n = c->n;
  double s[CP_NODES], slope[CP_NODES], even[CP_NODES];
  cp_lengths(c, s);
  for (int k = 0; k < 3; k++) {
    double *f = c->f[k];
    cp_slopes(n, s, f, cp_even[k], slope);
    for (int i = 0, e = 0; i < n; i++) {
      double at = s[n - 1] * i / (n - 1);
      while (e < n - 2 && s[e + 1] < at) e++;
      double h = s[e + 1] - s[e], x = (at - s[e]) / h, y = 1.0 - x;
      even[i] = y * y * (1 + 2 * x) * f[e] + x * x * (1 + 2 * y) * f[e + 1] + h * x * y * (y * slope[e] - x * slope[e + 1]);
    }
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int d = -2; d <= 2; d++) {
        int j = i + d, end = j < 0 ? 0 : 1;
        bool beyond = j < 0 || j >= n;
        if (beyond) j = j < 0 ? -j : 2 * (n - 1) - j;
        sum += weight[d + 2] * (beyond && !cp_even[k][end] ? -even[j] : even[j]);
      }
      f[i] = sum;
    }
  }
  c->f[0][0] = 0.0;
  c->f[1][n - 1] = 0.0;
}

static inline void collapse_run(int nodes, double tall, double end, CollapsePath *path)
{
  CollapseSurface c = {.n = nodes};
  double t = 0.0;
  for (int i = 0; i < nodes; i++) {
    double s = (1.0 + tall) * i / (nodes - 1);
    c.f[0][i] = fmin(s, 1.0);
    c.f[1][i] = fmin(tall, 1.0 + tall - s);
  }
  for (path->count = 0; path->count < CP_TIMES && t < end; t += cp_step(&c), cp_tidy(&c)) {
    int i = path->count++;
    path->t[i] = t;
    path->front[i] = c.f[0][nodes - 1];
    path->height[i] = c.f[1][0];
  }
}

static inline double collapse_at(const CollapsePath *path, const double *values, double t)
{
  for (int i = 1; i < path->count; i++)
    if (path->t[i] >= t)
      return values[i - 1] + (t - path->t[i - 1]) / (path->t[i] - path->t[i - 1]) * (values[i] - values[i - 1]);
  return NAN;
}

/* The limit of many nodes, from two numbers of them; tall: height of the column at the start, in a. */
static inline void collapse_potential(double tall, double end, CollapsePath *path)
{
  static CollapsePath coarse;
  collapse_run(CP_NODES / 2, tall, end, &coarse);
  collapse_run(CP_NODES, tall, end, path);
  for (int i = 0; i < path->count; i++) {
    path->front[i] = 2 * path->front[i] - collapse_at(&coarse, coarse.front, path->t[i]);
    path->height[i] = 2 * path->height[i] - collapse_at(&coarse, coarse.height, path->t[i]);
  }
}

#endif
