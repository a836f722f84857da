/* Nodal distances over curved surfaces: the kernel's error taken out, and noise with it.
 *
 * Over a surface with principal curvatures k1, k2 the kernel finds less liquid than over its tangent plane. The loss beside
 * the plane is <r^2> (k1 + k2)/4 with <r^2> = R^2/5 the kernel's mean square radius in the plane, so the distance comes out
 * too large by e = R^2/20 (k1 + k2)      (in a slab R^2/18 k1), with k1 + k2 the divergence of the unit normal of the nodal
 * distances. Flat faces lose a little more, FACES h^2 (k1 + k2). Drops too small for the formula are left nearly alone: |e|
 * <= MOST.
 *
 * What is subtracted is (1 + SMOOTH) mean(e) - SMOOTH e, the mean over the nodes within a cell: bends wider than that lose
 * e, ripples of single particles are flattened by curvature flow, and volume stays (the idea of [taubin1995], on the
 * distance). */
#include <stdlib.h>

#include "base/status.h"
#include "liquid/surface_lattice.h"

enum { LANES = VL_BLOCK };
static const double MOST = 0.1;   /* cells: limit of e */
static const double FACES = 0.15; /* measured on balls of 4 to 20 cells */
static const double SMOOTH = 1.0; /* measured: a flat level's rms goes from 0.064 to 0.046 cells, volumes stay */
static const double BAND = 1.8,
                    FULL = 1.2; /* cells: nodes farther from the surface are left alone, nearer ones wholly corrected */

/* k1 + k2 of the level surface through a node, by differences over one cell. */
static double curvature(const vlSurfaceLattice *lattice, const int node[3], double here)
{
  double g[3], second[3], bent = 0.0;
  for (int a = 0; a < 3; a++) {
    int up[3] = {a == 0, a == 1, a == 2}, down[3] = {-up[0], -up[1], -up[2]};
    double upper = vl_surface_lattice_liquid(lattice, node, up), lower = vl_surface_lattice_liquid(lattice, node, down);
    g[a] = 0.5 * (upper - lower);
    second[a] = upper - 2.0 * here + lower;
  }
  double squared = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3;
    double mixed = 0.0;
    for (int corner = 0; corner < 4; corner++) {
      int to[3] = {0}, s = corner & 1 ? 1 : -1, t = corner & 2 ? 1 : -1;
      to[a] = s;
      to[b] = t;
      mixed += 0.25 * s * t * vl_surface_lattice_liquid(lattice, node, to);
    }
    bent += (squared - g[a] * g[a]) * second[a] - 2.0 * g[a] * g[b] * mixed;
  }
  return bent / (squared * sqrt(squared) + 1e-3);
}

/* Whether a crossing may depend on the node's distance; the rest keeps what it has. */
static bool bends(const vlSurfaceLattice *lattice, const int node[3], ptrdiff_t at)
{
  return fabs((double)lattice->liquid[at]) < BAND && !vl_surface_lattice_beyond(lattice, node);
}

/* The error e at the nodes of a block. */
static void bend_block(const vlSurfaceLattice *lattice, int block, float *bend)
{
  vlBlockPosition p = lattice->nodes.at[block];
  double R = VL_KERNEL_RADIUS, h = 1.0 / lattice->in->refine;
  double factor = (lattice->in->kernel->axes == 2 ? R * R / 18.0 : R * R / 20.0) + FACES * h * h;
  for (int l = 0; l < LANES; l++) {
    ptrdiff_t at = (ptrdiff_t)block * LANES + l;
    int node[3] = {p.bx * LANES + l, p.j, p.k};
    bend[at] = 0.0f;
    if (bends(lattice, node, at))
      bend[at] = (float)(MOST * tanh(factor * curvature(lattice, node, (double)lattice->liquid[at]) / MOST));
  }
}

/* Mean of e over the 3^3 nodes one cell apart around a node, binomial weights, where it is known. */
static double mean_bend(const vlSurfaceLattice *lattice, const int node[3], const float *bend)
{
  double sum = 0.0, mass = 0.0;
  for (int i = 0; i < 27; i++) {
    int d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}, to[3], weight = 8;
    bool exists = true;
    for (int a = 0; a < 3; a++) {
      to[a] = node[a] + d[a] * lattice->in->refine;
      exists = exists && to[a] >= 0 && to[a] < lattice->nodes.n[a];
      if (d[a]) weight /= 2;
    }
    ptrdiff_t at = exists ? vl_surface_lattice_find(lattice, to) : -1;
    if (at < 0 || !bends(lattice, to, at)) continue;
    double w = weight * (BAND - fabs((double)lattice->liquid[at])); /* fades out: nothing switches */
    sum += w * (double)bend[at];
    mass += w;
  }
  return mass > 0.0 ? sum / mass : 0.0;
}

static double limit_one(double x) { return x < 1.0 ? x : 1.0; }

static void correct_block(const vlSurfaceLattice *lattice, int block, const float *bend, float *corrected)
{
  vlBlockPosition p = lattice->nodes.at[block];
  for (int l = 0; l < LANES; l++) {
    ptrdiff_t at = (ptrdiff_t)block * LANES + l;
    int node[3] = {p.bx * LANES + l, p.j, p.k};
    corrected[at] = lattice->liquid[at];
    if (!bends(lattice, node, at)) continue;
    double fade = limit_one((BAND - fabs((double)lattice->liquid[at])) / (BAND - FULL));
    corrected[at] += (float)(fade * (SMOOTH * (double)bend[at] - (1.0 + SMOOTH) * mean_bend(lattice, node, bend)));
  }
}

vlCode vl_surface_lattice_unbend(vlSurfaceLattice *lattice, vlStatus *status)
{
  int blocks = lattice->nodes.count;
  size_t length = (size_t)blocks * LANES + 1;
  float *bend = malloc(length * sizeof(float)), *corrected = malloc(length * sizeof(float));
  vlCode code = bend && corrected ? VL_OK : vl_fail_memory(status, 2 * length * sizeof(float), "the liquid's surface");
  if (!code) {
#pragma omp parallel for schedule(dynamic, 16)
    for (int b = 0; b < blocks; b++) bend_block(lattice, b, bend);
#pragma omp parallel for schedule(dynamic, 16)
    for (int b = 0; b < blocks; b++) correct_block(lattice, b, bend, corrected);
    float *old = lattice->liquid;
    lattice->liquid = corrected;
    corrected = old;
  }
  free(bend);
  free(corrected);
  return code;
}
