/* The matrices of [zarifi2017, eq. 19] from a step of the engine, for the forms that need them all, for export and for
 * benchmarks. The engine itself never makes them: it has L as a stencil, J in rows of cells and S as a factor.
 *
 * The stencil is L in units of (dt/rho) dx; here everything is in SI units, as in the paper. Unknowns of the solid are those
 * that are not held, body by body, node by node. What is held moves to the right: b - J v_held, and S_fp v_held is part of
 * w already. */
#include "pressure/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "solid/elastic_system.h"

void vl_system_map_clear(vlSystemMap *map)
{
  free(map->row_of);
  free(map->unknown_of);
  *map = (vlSystemMap){0};
}

static int node_count(const vlWetBodies *bodies) { return bodies->count > 0 ? bodies->first_node[bodies->count] : 0; }

/* Numbers the unknowns that are not held; returns how many. */
static int number_unknowns(const vlWetBodies *bodies, int *unknown_of)
{
  int count = 0;
  for (int b = 0; b < bodies->count; b++)
    for (int i = 0; i < 3 * bodies->body[b]->node_count; i++)
      unknown_of[3 * bodies->first_node[b] + i] = bodies->body[b]->held[i] ? -1 : count++;
  return count;
}

/* One row of J for each pressure. */
static vlCode make_j(vlCsr **j, const vlCoupling *c, const vlSystemMap *map, int pressures, vlStatus *status)
{
  int64_t entries = 0;
  for (int e = 0; e < (c->rows ? c->start[c->rows] : 0); e++)
    for (int a = 0; a < 3; a++) entries += map->unknown_of[3 * c->node[e] + a] >= 0;
  vlCode code = vl_csr_create(j, pressures, entries, status);
  if (code) return code;
  int64_t at = 0;
  int row = 0;
  for (int r = 0; r < c->rows; r++) {
    for (int last = map->row_of[c->cell[r]]; row < last;) (*j)->start[++row] = at;
    for (int e = c->start[r]; e < c->start[r + 1]; e++)
      for (int a = 0; a < 3; a++) {
        int column = map->unknown_of[3 * c->node[e] + a];
        if (column < 0) continue;
        (*j)->column[at] = column;
        (*j)->value[at++] = c->weight[e].v[a];
      }
    (*j)->start[++row] = at;
  }
  while (row < pressures) (*j)->start[++row] = at;
  return VL_OK;
}

/* S of all bodies, one block after the other, without the rows that stand for unknowns held for now. */
static int64_t fill_s(const vlWetBodies *bodies, const int *unknown_of, vlCsr *s)
{
  int64_t at = 0;
  for (int b = 0; b < bodies->count; b++) {
    const int *unknown, *of = unknown_of + 3 * bodies->first_node[b];
    const vlCsr *own = vl_elastic_system_matrix(bodies->body[b]->system, &unknown);
    for (int r = 0; own && r < own->rows; r++) {
      int row = of[unknown[r]];
      if (row < 0) continue;
      for (int64_t e = own->start[r]; e < own->start[r + 1]; e++) {
        int column = of[unknown[own->column[e]]];
        if (column < 0) continue;
        if (s) {
          s->column[at] = column;
          s->value[at] = own->value[e];
        }
        at++;
      }
      if (s) s->start[row + 1] = at;
    }
  }
  return at;
}

static void fill_right(vlCoupledSystem *system, const vlSystemMap *map, const vlPressure *pressure)
{
  const vlCoupling *c = &pressure->coupling;
  const vlWetBodies *bodies = &c->bodies;
  for (size_t i = 0; i < vl_stencil_length(&pressure->stencil); i++)
    if (map->row_of[i] >= 0) system->b[map->row_of[i]] = pressure->b[i] / c->scale;
  for (int b = 0; b < bodies->count; b++) {
    const vlElastic *body = bodies->body[b];
    const int *of = map->unknown_of + 3 * bodies->first_node[b];
    for (int i = 0; i < 3 * body->node_count; i++) {
      if (of[i] < 0) continue;
      system->w[of[i]] = body->w[i / 3].v[i % 3];
      system->mass[of[i]] = body->mass_share * body->mass[i / 3];
    }
    memcpy(c->velocity + bodies->first_node[b], body->given, (size_t)body->node_count * sizeof *body->given);
  }
  if (c->rows > 0) vl_coupling_flux(c, c->velocity, -1.0, map->row_of, system->b);
}

vlCode vl_system_create(vlCoupledSystem *system, vlSystemMap *map, const vlPressure *pressure, vlStatus *status)
{
  const vlCoupling *c = &pressure->coupling;
  size_t cells = vl_stencil_length(&pressure->stencil), nodes = (size_t)node_count(&c->bodies);
  *system = (vlCoupledSystem){.pressures = (int)pressure->stencil.unknowns};
  *map =
      (vlSystemMap){.row_of = malloc((cells + VL_BLOCK) * sizeof(int)), .unknown_of = malloc((3 * nodes + 1) * sizeof(int))};
  vlCode code = map->row_of && map->unknown_of ? VL_OK : vl_fail_memory(status, cells * sizeof(int), "the coupled system");
  if (!code) {
    system->unknowns = number_unknowns(&c->bodies, map->unknown_of);
    size_t p = (size_t)system->pressures, v = (size_t)system->unknowns;
    system->b = calloc(p + 1, sizeof(double));
    system->w = calloc(v + 1, sizeof(double));
    system->mass = calloc(v + 1, sizeof(double));
    if (!system->b || !system->w || !system->mass)
      code = vl_fail_memory(status, (p + 2 * v) * sizeof(double), "the coupled system");
  }
  if (!code) code = vl_stencil_to_csr(&system->l, &pressure->stencil, map->row_of, status);
  for (int64_t e = 0; !code && e < system->l->start[system->pressures]; e++) system->l->value[e] /= c->scale;
  if (!code) code = make_j(&system->j, c, map, system->pressures, status);
  if (!code) code = vl_csr_create(&system->s, system->unknowns, fill_s(&c->bodies, map->unknown_of, NULL), status);
  if (!code) {
    fill_s(&c->bodies, map->unknown_of, system->s);
    fill_right(system, map, pressure);
    return VL_OK;
  }
  vl_coupled_clear(system);
  vl_system_map_clear(map);
  return code;
}

static vlCoupledForm form_of(vlCouplingKind kind)
{
  return kind == VL_COUPLING_SPD          ? VL_FORM_SPD
         : kind == VL_COUPLING_INDEFINITE ? VL_FORM_BICGSTAB
         : kind == VL_COUPLING_MINRES     ? VL_FORM_MINRES
                                          : VL_FORM_SCHUR;
}

vlCode vl_system_solve(vlPressure *pressure, vlCouplingKind kind, double sigma, double alpha, vlSolveOptions options,
                       vlSolveInfo *info, vlStatus *status)
{
  vlCoupledSystem system;
  vlSystemMap map;
  vlCode code = vl_system_create(&system, &map, pressure, status);
  if (code) return code;
  size_t cells = vl_stencil_length(&pressure->stencil);
  double *p = calloc((size_t)system.pressures + 1, sizeof *p), *v = calloc((size_t)system.unknowns + 1, sizeof *v);
  if (!p || !v) code = vl_fail_memory(status, (size_t)system.pressures * sizeof *p, "the coupled system");
  for (size_t i = 0; i < cells && !code; i++)
    if (map.row_of[i] >= 0) p[map.row_of[i]] = pressure->p[i];
  if (!code) code = vl_coupled_solve(&system, form_of(kind), sigma, alpha, options, p, v, info, status);
  for (size_t i = 0; i < cells && !code; i++)
    if (map.row_of[i] >= 0) pressure->p[i] = p[map.row_of[i]];
  free(p);
  free(v);
  vl_coupled_clear(&system);
  vl_system_map_clear(&map);
  return code;
}
