/* Beams for the validation programs: a box from 0 to (length, height, width) of elastic tetrahedra, clamped at x = 0. */
#ifndef VL_VALIDATE_BEAM_H
#define VL_VALIDATE_BEAM_H

#include "report.h"
#include "solid/elastic.h"

typedef struct Beam {
  double length, height, width; /* m */
  int cells[3];                 /* boxes along the axes, six tetrahedra each */
  vlElasticMaterial material;
  vlElasticOptions options;
  bool slab;   /* plane strain: no motion along z */
  double root; /* m: the root follows a cylinder of this radius that touches x = 0 at half height; 0: flat */
} Beam;

/* Nodes move back along x, less and less towards the end. */
static inline void beam_bend_root(vlTetMesh *mesh, Beam beam)
{
  for (int i = 0; i < mesh->node_count; i++) {
    vlVec3 *x = &mesh->node[i];
    double y = x->y - 0.5 * beam.height, gap = beam.root - sqrt(beam.root * beam.root - y * y);
    x->x -= gap * (1.0 - x->x / beam.length);
  }
}

static inline vlElastic *beam_create(const Report *report, Beam beam)
{
  vlTetMesh mesh;
  vlStatus status = {0};
  vlElastic *body = NULL;
  vlBox3 box = {vl_vec(0, 0, 0), vl_vec(beam.length, beam.height, beam.width)};
  vlCode code = vl_tetmesh_box(&mesh, box, beam.cells, &status);
  if (!code && beam.root > 0.0) beam_bend_root(&mesh, beam);
  if (!code) code = vl_elastic_create(&body, &mesh, beam.material, beam.options, "beam", &status);
  if (code) report_stop(report, "beam", status.message);
  vl_tetmesh_clear(&mesh);
  for (int i = 0; i < body->body.node_count; i++) { /* midpoints of a bent root lie on chords */
    double y = body->body.rest[i].y - 0.5 * beam.height, gap = beam.root - sqrt(fmax(beam.root * beam.root - y * y, 0.0));
    for (int axis = 0; axis < 3 && body->body.rest[i].x < 0.1 * beam.length / beam.cells[0] - gap; axis++)
      vl_elastic_hold(body, i, axis, 0.0);
  }
  for (int i = 0; beam.slab && i < body->body.node_count; i++) vl_elastic_hold(body, i, VL_Z, 0.0);
  return body;
}

static inline void beam_destroy(vlElastic *body)
{
  vlBody *any = &body->body;
  vl_body_destroy(&any);
}

/* The end x = length; a node's share of it is a third of every triangle there. Adds that share of `add` to the nodes' forces
 * and gives the mean displacement. */
static inline void beam_end(vlElastic *body, double length, vlVec3 add, vlVec3 *mean)
{
  double area = 0.0;
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int pass = 0; pass < 2; pass++)
    for (int t = 0; t < body->body.triangle_count; t++) {
      const int *c = body->body.triangle[t];
      vlVec3 p = body->body.rest[c[0]], q = body->body.rest[c[1]], r = body->body.rest[c[2]];
      if (fmin(p.x, fmin(q.x, r.x)) < length * (1.0 - 1e-9)) continue;
      double a = 0.5 * vl_norm(vl_cross(vl_sub(q, p), vl_sub(r, p)));
      if (pass == 0) area += a;
      for (int k = 0; k < 3 && pass == 1; k++) {
        body->body.force[c[k]] = vl_axpy(body->body.force[c[k]], a / (3.0 * area), add);
        sum = vl_axpy(sum, a / (3.0 * area), vl_sub(body->body.x[c[k]], body->body.rest[c[k]]));
      }
    }
  if (mean) *mean = sum;
}

/* Spreads the force P evenly over the end, in place of what was there. */
static inline void beam_load(vlElastic *body, double length, vlVec3 P)
{
  memset(body->body.force, 0, (size_t)body->body.node_count * sizeof *body->body.force);
  beam_end(body, length, P, NULL);
}

/* Mean displacement of the end. */
static inline vlVec3 beam_tip(vlElastic *body, double length)
{
  vlVec3 mean;
  beam_end(body, length, vl_vec(0, 0, 0), &mean);
  return mean;
}

static inline void beam_step(const Report *report, vlElastic *body, double dt, vlVec3 gravity)
{
  vlStatus status = {0};
  if (vl_body_begin(&body->body, dt, gravity, &status) || vl_body_finish(&body->body, NULL, &status))
    report_stop(report, "step", status.message);
}

/* Equilibrium, as the end of motion: steps of backward Euler with the damping of the material until nothing moves more than
 * 1e-7 of the length in a step. Returns the number of steps. */
static inline int beam_settle(const Report *report, vlElastic *body, double length, double dt, vlVec3 gravity)
{
  for (int step = 1; step <= 2000; step++) {
    double most = 0.0;
    beam_step(report, body, dt, gravity);
    for (int i = 0; i < body->body.node_count; i++) most = fmax(most, vl_norm(body->body.v[i]));
    if (most * dt < 1e-7 * length) return step;
  }
  report_stop(report, "beam", "no equilibrium after 2000 steps");
  return 0;
}

/* First frequency of a slender cantilever of rectangular section bending along its height. */
static inline double beam_frequency(double E, double rho, double height, double length)
{
  return 1.875104 * 1.875104 / (2.0 * VL_PI) * sqrt(E * height * height / (12.0 * rho)) / (length * length);
}

#endif
