/* The matrices of [zarifi2017, eq. 19] from a step of the engine, for the forms that need them all, for export and for
 * benchmarks. The engine itself never makes them: it has L as a stencil, J in rows of cells and S as a factor.
 *
 * The stencil is L in units of (dt/rho) dx; here everything is in SI units, as in the paper. Unknowns of the solid are those
 * that are not held, body by body, node by node. What is held moves to the right: b - J v_held, and S_fp v_held is part of
 * w already. Of a body that moves in a few modes (body.h) they are what pressure adds to its motion: speeds along these,
 * each with S = m/dt; what it does without pressure counts as held, and one that loads do not move has no unknowns.
 *
 * Where only differences of pressure count, its null vector is taken out of b and the first cell is held by twice its
 * diagonal: the equations add up to zero, so it comes out as zero and the solution is one of the true matrix. */
#include "pressure/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"

void vl_system_map_clear(vlSystemMap *map)
{
  free(map->row_of);
  free(map->unknown_of);
  free(map->mode_first);
  *map = (vlSystemMap){0};
}

/* Numbers the unknowns that are not held, or the modes; returns how many. */
static int number_unknowns(const vlBodySet *bodies, vlSystemMap *map)
{
  int count = 0;
  for (int b = 0; b < bodies->count; b++) {
    const vlBody *body = bodies->body[b];
    map->mode_first[b] = count;
    for (int i = 0; i < 3 * body->node_count; i++)
      map->unknown_of[3 * bodies->first_node[b] + i] = !body->type->matrix || body->held[i] ? -1 : count++;
    if (!body->type->matrix) count += body->mode_count;
  }
  map->mode_first[bodies->count] = count;
  return count;
}

/* Entries of a row of J that a node of a body with a matrix adds; at: where they go, NULL: they are only counted. */
static int node_entries(const vlCoupling *c, const vlSystemMap *map, int e, vlCsr *j, int64_t at)
{
  int count = 0;
  for (int a = 0; a < 3; a++) {
    int column = map->unknown_of[3 * c->node[e] + a];
    if (column < 0) continue;
    if (j) {
      j->column[at + count] = column;
      j->value[at + count] = c->weight[e].v[a];
    }
    count++;
  }
  return count;
}

/* The same of all nodes from e to last that belong to body b, which moves in modes: velocities of one m/s or so. */
static int mode_entries(const vlCoupling *c, const vlSystemMap *map, int b, int e, int last, vlCsr *j, int64_t at)
{
  const vlBody *body = c->bodies->body[b];
  double size = sqrt(body->mode_share);
  for (int k = 0; k < body->mode_count && j; k++) {
    j->column[at + k] = map->mode_first[b] + k;
    j->value[at + k] = 0.0;
    for (int i = e; i < last; i++)
      j->value[at + k] +=
          vl_dot(c->weight[i], vl_scale(body->type->mode(body, k, c->node[i] - c->bodies->first_node[b]), size));
  }
  return body->mode_count;
}

/* A row of the coupling; its nodes ascend, and so do its bodies. */
static int row_entries(const vlCoupling *c, const vlSystemMap *map, int row, vlCsr *j, int64_t at)
{
  int count = 0, b = 0;
  for (int e = c->start[row], next; e < c->start[row + 1]; e = next) {
    while (c->node[e] >= c->bodies->first_node[b + 1]) b++;
    for (next = e + 1; next < c->start[row + 1] && c->node[next] < c->bodies->first_node[b + 1];) next++;
    if (!c->bodies->body[b]->type->matrix) {
      count += mode_entries(c, map, b, e, next, j, at + count);
      continue;
    }
    for (int i = e; i < next; i++) count += node_entries(c, map, i, j, at + count);
  }
  return count;
}

/* One row of J for each pressure. */
static vlCode make_j(vlCsr **j, const vlCoupling *c, const vlSystemMap *map, int pressures, vlStatus *status)
{
  int64_t entries = 0;
  for (int r = 0; r < c->rows; r++) entries += row_entries(c, map, r, NULL, 0);
  vlCode code = vl_csr_create(j, pressures, entries, status);
  if (code) return code;
  int64_t at = 0;
  int row = 0;
  for (int r = 0; r < c->rows; r++) {
    for (int last = map->row_of[c->cell[r]]; row < last;) (*j)->start[++row] = at;
    at += row_entries(c, map, r, *j, at);
    (*j)->start[++row] = at;
  }
  while (row < pressures) (*j)->start[++row] = at;
  return VL_OK;
}

/* S of all bodies, one block after the other, without the rows that stand for unknowns held for now. */
static int64_t fill_s(const vlBodySet *bodies, const vlSystemMap *map, vlCsr *s)
{
  int64_t at = 0;
  for (int b = 0; b < bodies->count; b++) {
    const int *unknown, *of = map->unknown_of + 3 * bodies->first_node[b];
    if (!bodies->body[b]->type->matrix) {
      for (int row = map->mode_first[b]; row < map->mode_first[b + 1]; row++, at++) {
        if (!s) continue;
        s->column[at] = row;
        s->value[at] = bodies->body[b]->mode_share;
        s->start[row + 1] = at + 1;
      }
      continue;
    }
    const vlCsr *own = bodies->body[b]->type->matrix(bodies->body[b], &unknown);
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
  const vlBodySet *bodies = c->bodies;
  for (size_t i = 0; i < vl_stencil_length(&pressure->stencil); i++)
    if (map->row_of[i] >= 0) system->b[map->row_of[i]] = pressure->b[i] / c->scale;
  for (int r = 0; r < c->rows; r++) system->b[map->row_of[c->cell[r]]] -= c->right[r] / c->scale; /* of a solve before */
  for (int b = 0; b < bodies->count; b++) {
    const vlBody *body = bodies->body[b];
    const int *of = map->unknown_of + 3 * bodies->first_node[b];
    for (int i = 0; i < 3 * body->node_count; i++) {
      if (of[i] < 0) continue;
      system->w[of[i]] = body->w[i / 3].v[i % 3];
      system->mass[of[i]] = body->type->mass_part(body, i / 3);
    }
    for (int i = map->mode_first[b]; !body->type->matrix && i < map->mode_first[b + 1]; i++) {
      system->mass[i] = body->mode_share;
      for (int n = 0; n < body->node_count; n++)
        system->w[i] += sqrt(body->mode_share) * vl_dot(body->type->mode(body, i - map->mode_first[b], n), body->w[n]);
    }
    memcpy(c->velocity + bodies->first_node[b], body->given, (size_t)body->node_count * sizeof *body->given);
  }
  if (c->rows > 0) vl_coupling_flux(c, c->velocity, -1.0, map->row_of, system->b);
}

/* Closed regions; see above. The pressure's scratch is free until a solve. */
static void hold_closed(vlCoupledSystem *system, vlSystemMap *map, const vlPressure *pressure)
{
  size_t cells = vl_stencil_length(&pressure->stencil);
  if (pressure->null_count == 0) return;
  for (size_t i = 0; i < cells; i++) pressure->work[i] = map->row_of[i] >= 0 ? system->b[map->row_of[i]] : 0.0;
  map->discarded_flux = vl_pressure_project(pressure, pressure->work);
  for (size_t i = 0; i < cells; i++)
    if (map->row_of[i] >= 0) system->b[map->row_of[i]] = pressure->work[i];
  for (int r = 0; r < pressure->null_count; r++) {
    int row = map->row_of[pressure->null_cell[pressure->null_start[r]]];
    for (int64_t e = system->l->start[row]; e < system->l->start[row + 1]; e++)
      if (system->l->column[e] == row) system->l->value[e] *= 2.0;
  }
}

vlCode vl_system_create(vlCoupledSystem *system, vlSystemMap *map, const vlPressure *pressure, vlStatus *status)
{
  const vlCoupling *c = &pressure->coupling;
  size_t cells = vl_stencil_length(&pressure->stencil), nodes = (size_t)vl_bodies_nodes(c->bodies);
  *system = (vlCoupledSystem){.pressures = (int)pressure->stencil.unknowns};
  *map = (vlSystemMap){.row_of = malloc((cells + VL_BLOCK) * sizeof(int)),
                       .unknown_of = malloc((3 * nodes + 1) * sizeof(int)),
                       .mode_first = malloc(((size_t)c->bodies->count + 1) * sizeof(int))};
  bool ok = map->row_of && map->unknown_of && map->mode_first;
  vlCode code = ok ? VL_OK : vl_fail_memory(status, cells * sizeof(int), "the coupled system");
  if (!code) {
    system->unknowns = number_unknowns(c->bodies, map);
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
  if (!code) code = vl_csr_create(&system->s, system->unknowns, fill_s(c->bodies, map, NULL), status);
  if (!code) {
    fill_s(c->bodies, map, system->s);
    fill_right(system, map, pressure);
    hold_closed(system, map, pressure);
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

/* The solved pressure back into the cells; in closed regions its mean stays that of the first guess. */
static void take_pressure(vlPressure *pressure, const vlSystemMap *map, const double *p)
{
  size_t cells = vl_stencil_length(&pressure->stencil);
  for (size_t i = 0; i < cells; i++) pressure->work[i] = map->row_of[i] >= 0 ? p[map->row_of[i]] - pressure->p[i] : 0.0;
  vl_pressure_project(pressure, pressure->work);
  for (size_t i = 0; i < cells; i++)
    if (map->row_of[i] >= 0)
      pressure->p[i] = pressure->region[i] >= 0 ? pressure->p[i] + pressure->work[i] : p[map->row_of[i]];
}

vlCode vl_system_solve(vlPressure *pressure, vlCouplingKind kind, double sigma, double alpha, vlSolveOptions options,
                       vlPressureSolve *result, vlStatus *status)
{
  vlCoupledSystem system;
  vlSystemMap map;
  *result = (vlPressureSolve){0};
  vlCode code = vl_system_create(&system, &map, pressure, status);
  if (code) return code;
  size_t cells = vl_stencil_length(&pressure->stencil);
  double *p = calloc((size_t)system.pressures + 1, sizeof *p), *v = calloc((size_t)system.unknowns + 1, sizeof *v);
  if (!p || !v) code = vl_fail_memory(status, (size_t)system.pressures * sizeof *p, "the coupled system");
  for (size_t i = 0; i < cells && !code; i++)
    if (map.row_of[i] >= 0) p[map.row_of[i]] = pressure->p[i];
  if (!code) code = vl_coupled_solve(&system, form_of(kind), sigma, alpha, options, p, v, &result->info, status);
  if (!code) take_pressure(pressure, &map, p);
  result->discarded_flux = map.discarded_flux;
  free(p);
  free(v);
  vl_coupled_clear(&system);
  vl_system_map_clear(&map);
  return code;
}
