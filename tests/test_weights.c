/* Weights of faces: rest, free stream, energy and the matrix for each of them, and the two forms of J. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "solid/rigid_body.h"
#include "wet_body.h"

static const vlVec3 MIDDLE = {.v = {0.5, 0.5, 0.5}};

/* A tilted cube in a round tank. */
static void add_solids(vlScene *scene, vlSolidDef solids[2])
{
  solids[0] = (vlSolidDef){.name = "tank", .shape = ball(vl_vec(0.5, 0.51, 0.49), 0.43), .container = true};
  solids[1] = (vlSolidDef){.name = "cube", .shape = vl_shape_default(VL_SHAPE_BOX)};
  solids[1].shape.center = vl_vec(0.42, 0.37, 0.55);
  solids[1].shape.size = vl_vec(0.23, 0.21, 0.25);
  solids[1].shape.rotation = vl_mat_multiply(vl_mat_rotation(1, 0.4), vl_mat_rotation(2, 0.7));
  scene->solids = solids;
  scene->solid_count = 2;
}

static vlScene tank(vlWeightsKind kind, int cells, double level, vlSolidDef solids[2])
{
  vlScene scene = coupled_scene(cells, NULL);
  scene.pressure.weights = kind;
  scene.liquid.has_level = true;
  scene.liquid.level = level;
  add_solids(&scene, solids);
  return scene;
}

static double largest_pressure(const vlSim *sim)
{
  double most = 0.0;
  for (size_t i = 0; i < vl_stencil_length(&vl_sharp(sim)->work.pressure->stencil); i++)
    most = fmax(most, fabs(vl_sharp(sim)->work.pressure->p[i]));
  return most;
}

/* Any positive weights let p = -rho g (y - y0) leave nothing over: speeds are the tolerance's, 1e-12 of g dt. */
static void test_rest(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_WEIGHTS_KIND_COUNT; kind++) {
    vlSolidDef solids[2];
    vlScene scene = tank((vlWeightsKind)kind, 20, 0.613, solids);
    vlSim *sim = start(&scene);
    for (int s = 0; s < 3; s++) {
      vlStepInfo info = step(sim);
      assert_true(info.liquid_cells > 1000);
      assert_true(info.max_speed <= 1e-10);
      /* and the walls carry the weight */
      assert_true(vl_norm(vl_sub(info.wall_force, info.weight)) <= 1e-9 * vl_norm(info.weight));
    }
    vl_sim_destroy(&sim);
  }
}

/* With a body that is held in it, elastic or, since pins do not hold rigid ones, as heavy as the world. */
static void test_rest_bodies(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_WEIGHTS_KIND_COUNT; kind++) {
    vlSolidDef solids[2];
    vlBodyDef body = turned_box(vl_vec(0.55, 0.6, 0.4), vl_vec(0.21, 0.17, 0.19), 3);
    vlPinDef pin = {.region = ball(MIDDLE, 2.0), .axes = 7, .end = INFINITY};
    body.pins = &pin;
    body.pin_count = 1;
    vlScene scene = tank((vlWeightsKind)kind, 20, 0.613, solids);
    scene.bodies = &body;
    scene.body_count = 1;
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    assert_true(vl_sharp(sim)->work.pressure->coupling.rows > 20);
    assert_true(info.max_speed <= 1e-10);
    vlVec3 all = vl_add(info.wall_force, info.body_force);
    assert_true(vl_norm(vl_sub(all, info.weight)) <= 1e-9 * vl_norm(info.weight));
    vl_sim_destroy(&sim);
  }
}

/* What faces leave to the solids adds up: the cubes around the faces along one axis fill the box but for half a cell at two
 * sides, and hold the solids' volume exactly. */
static void test_cubes(void **state)
{
  (void)state;
  vlSolidDef solids[2];
  vlScene scene = tank(VL_WEIGHTS_VOLUME, 24, 2.0, solids);
  solids[0] = solids[1];
  scene.solid_count = 1;
  vlSim *sim = start(&scene);
  const vlGrid *g = &vl_sharp(sim)->grid;
  double volume = vl_cuts_solid_volume(vl_sharp(sim)->static_cuts);
  for (int a = 0; a < 3; a++) {
    double sum = 0.0;
    for (int k = 0; k < 24; k++)
      for (int j = 0; j < 24; j++)
        for (int i = 0; i < 24; i++) sum += (g->dx * g->dx - vl_sharp(sim)->work.area[a][vl_grid_at(g, i, j, k)]) * g->dx;
    assert_true(fabs(sum - volume) <= 1e-12);
    assert_true(fabs(sum - 0.23 * 0.21 * 0.25) <= 1e-9);
  }
  vl_sim_destroy(&sim);
}

/* Lengths along the lines between cells add up to a volume, too, to second order. */
static void test_lines(void **state)
{
  (void)state;
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    vlSolidDef post = {.name = "ball", .shape = ball(vl_vec(0.48, 0.51, 0.53), 0.31)};
    vlScene scene = coupled_scene(fine ? 48 : 24, NULL);
    scene.pressure.weights = VL_WEIGHTS_LINE;
    scene.liquid.has_level = true;
    scene.liquid.level = 2.0;
    scene.solids = &post;
    scene.solid_count = 1;
    vlSim *sim = start(&scene);
    const vlGrid *g = &vl_sharp(sim)->grid;
    double sum = 0.0, volume = 4.0 / 3.0 * VL_PI * pow(0.31, 3);
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++)
          sum += (g->dx * g->dx - vl_sharp(sim)->work.area[1][vl_grid_at(g, i, j, k)]) * g->dx;
    error[fine] = fabs(sum / volume - 1.0);
    vl_sim_destroy(&sim);
  }
  assert_true(error[0] <= 3e-3 && error[1] <= 1e-3);
}

/* Voxels: the classical matrix. Links are 1 between cells whose middles are outside solids, nothing else; a full tank has
 * rows that add up to zero. */
static void test_voxels(void **state)
{
  (void)state;
  vlSolidDef solids[2];
  vlScene scene = tank(VL_WEIGHTS_VOXEL, 20, 2.0, solids);
  vlSim *sim = start(&scene);
  step(sim);
  const vlStencil *s = &vl_sharp(sim)->work.pressure->stencil;
  int unknowns = 0, outside = 0;
  for (int k = 0; k < 20; k++)
    for (int j = 0; j < 20; j++)
      for (int i = 0; i < 20; i++) {
        bool open = vl_sharp_solid_distance(sim, vl_grid_center(&vl_sharp(sim)->grid, i, j, k)) >= 0.0;
        int b = vl_blocks_find(&s->blocks, i / VL_BLOCK, j, k), links = 0;
        outside += open;
        if (b < 0 || !(s->diagonal[b * VL_BLOCK + i % VL_BLOCK] > 0.0)) continue;
        unknowns++;
        assert_true(open);
        for (int n = 0; n < 6; n++) {
          int cell[3] = {i, j, k};
          cell[n / 2] += n % 2 ? 1 : -1;
          if (cell[n / 2] < 0 || cell[n / 2] >= 20) continue;
          bool link = vl_sharp_solid_distance(sim, vl_grid_center(&vl_sharp(sim)->grid, cell[0], cell[1], cell[2])) >= 0.0;
          links += link;
          if (n % 2 == 0) assert_true(s->w[n / 2][b * VL_BLOCK + i % VL_BLOCK] == (link ? 1.0 : 0.0));
        }
        assert_true(s->diagonal[b * VL_BLOCK + i % VL_BLOCK] == links);
      }
  assert_true(unknowns > 1000 && unknowns == outside);
  vl_sim_destroy(&sim);
}

/* L 1 = links to the surface, whatever the weights; symmetry is looked at in every step (check level 2). */
static void test_row_sums(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_WEIGHTS_KIND_COUNT; kind++)
    for (int full = 0; full < 2; full++) {
      vlSolidDef solids[2];
      vlScene scene = tank((vlWeightsKind)kind, 20, full ? 2.0 : 0.613, solids);
      vlSim *sim = start(&scene);
      step(sim);
      const vlPressure *p = vl_sharp(sim)->work.pressure;
      size_t n = vl_stencil_length(&p->stencil);
      double *one = vl_stencil_vector_create((size_t)p->stencil.blocks.count),
             *sum = vl_stencil_vector_create((size_t)p->stencil.blocks.count);
      for (size_t i = 0; i < n; i++) one[i] = p->stencil.diagonal[i] > 0.0;
      vl_stencil_apply(&p->stencil, one, sum);
      int fixed = 0;
      for (size_t i = 0; i < n; i++) {
        bool surface = p->surface[i / VL_BLOCK] >> (i % VL_BLOCK) & 1u;
        if (!(p->stencil.diagonal[i] > 0.0)) continue;
        assert_true(surface ? sum[i] > 0.0 : fabs(sum[i]) <= 1e-14 * p->stencil.diagonal[i]);
        fixed += surface;
      }
      assert_true(full ? fixed == 0 : fixed > 50);
      vl_stencil_vector_free(one);
      vl_stencil_vector_free(sum);
      vl_sim_destroy(&sim);
    }
}

/* Every face is shared without rest: liquid, static solids, bodies. */
static void test_shares(void **state)
{
  (void)state;
  for (int kind = VL_WEIGHTS_VOLUME; kind < VL_WEIGHTS_KIND_COUNT; kind++) {
    vlSolidDef solids[2];
    vlBodyDef bodies[3] = {turned_box(vl_vec(0.55, 0.6, 0.4), vl_vec(0.21, 0.17, 0.19), 2),
                           turned_box(vl_vec(0.42, 0.68, 0.6), vl_vec(0.15, 0.12, 0.2), 2),
                           turned_box(vl_vec(0.57, 0.3, 0.3), vl_vec(0.15, 0.12, 0.2), 2)};
    bodies[1].kind = VL_BODY_RIGID; /* the third lies in the cube */
    strcpy(bodies[1].name, "stone");
    strcpy(bodies[2].name, "other");
    vlScene scene = tank((vlWeightsKind)kind, 20, 2.0, solids);
    scene.bodies = bodies;
    scene.body_count = 3;
    vlSim *sim = start(&scene);
    const vlWeights *w = &vl_sharp(sim)->work.weights;
    double full = vl_sharp(sim)->grid.dx * vl_sharp(sim)->grid.dx;
    int shared = 0;
    for (int f = 0; f < w->near.count; f++) {
      const vlWeightFace *face = &w->near.face[f];
      double sum = face->open + full - vl_weights_static(w, vl_sharp(sim)->static_cuts, face->axis, face->cell);
      for (int s = 0; s < face->count; s++) {
        assert_true(face->share[s] >= 0.0);
        sum += face->share[s];
      }
      assert_true(face->open >= 0.0 && fabs(sum - full) <= 1e-14 * full);
      assert_true(vl_sharp(sim)->work.area[face->axis][vl_grid_at(&vl_sharp(sim)->grid, face->cell[0], face->cell[1],
                                                                  face->cell[2])] == face->open);
      shared += face->count > 0;
    }
    assert_true(shared > 200 && w->patches.count >= 2 * shared);
    vl_sim_destroy(&sim);
  }
}

/* Body and liquid move together, nothing pushes: neither is to notice, with any weights. */
static void test_free_stream(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_WEIGHTS_KIND_COUNT; kind++)
    for (int rigid = 0; rigid < 2; rigid++) {
      vlBodyDef body = turned_box(MIDDLE, vl_vec(0.21, 0.33, 0.17), 3);
      body.velocity = vl_vec(0.6, -0.3, 0.45);
      body.kind = rigid ? VL_BODY_RIGID : VL_BODY_ELASTIC;
      vlShape liquid = ball(MIDDLE, 0.35);
      vlScene scene = coupled_scene(24, &body);
      scene.pressure.weights = (vlWeightsKind)kind;
      scene.gravity = vl_vec(0, 0, 0);
      scene.liquid.shapes = &liquid;
      scene.liquid.shape_count = 1;
      vlSim *sim = start(&scene);
      set_velocity(sim, body.velocity);
      step(sim);
      double scale = 1000.0 * vl_norm(body.velocity) * vl_sharp(sim)->grid.dx / scene.time.dt_fixed;
      assert_true(vl_sharp(sim)->work.pressure->coupling.rows > 100);
      assert_true(largest_pressure(sim) <= 1e-11 * scale);
      const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
      for (int i = 0; i < e->node_count; i++)
        assert_true(vl_norm(vl_sub(e->v[i], body.velocity)) <= 1e-11 * vl_norm(body.velocity));
      vl_sim_destroy(&sim);
    }
}

/* The row of J of a cell for a rigid body: force and torque about X of pressure 1 in it. */
typedef struct Row {
  vlVec3 force, torque;
} Row;

static Row add_up(const vlPatches *patches, int first, int last, const vlBody *body)
{
  Row row = {{.v = {0, 0, 0}}, {.v = {0, 0, 0}}};
  for (int q = first; q < last; q++) {
    const vlPatch *p = &patches->patch[q];
    vlVec3 x = vl_vec(0, 0, 0);
    for (int n = 0; n < p->nodes; n++) x = vl_axpy(x, p->b[n], body->x[p->node[n]]);
    row.force = vl_add(row.force, p->s);
    row.torque = vl_add(row.torque, vl_cross(vl_sub(x, vl_rigid_of(body)->pose.center), p->s));
  }
  return row;
}

static Row find_row(const vlPatches *patches, const int cell[3], const vlBody *body)
{
  int first = 0;
  while (first < patches->count && vl_cuts_compare(patches->patch[first].cell, cell) < 0) first++;
  if (first == patches->count || vl_cuts_compare(patches->patch[first].cell, cell) != 0)
    return (Row){{.v = {0, 0, 0}}, {.v = {0, 0, 0}}};
  return add_up(patches, first, vl_patches_of_cell(patches, first), body);
}

/* Patches of the surface and shares of faces by their areas: the same force from the pressure of every cell, since cells are
 * closed; the torque of a smooth pressure to second order. */
static void test_two_forms(void **state)
{
  (void)state;
  double gap[2];
  for (int fine = 0; fine < 2; fine++) {
    vlBodyDef body = turned_box(vl_vec(0.52, 0.47, 0.49), vl_vec(0.31, 0.43, 0.27), 2);
    body.kind = VL_BODY_RIGID;
    vlScene scene = coupled_scene(fine ? 40 : 20, &body);
    scene.liquid.has_level = true;
    scene.liquid.level = 2.0;
    vlSim *sim = start(&scene);
    const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
    vlStatus status = {0};
    /* with `area` only for this comparison */
    assert_int_equal(vl_weights_update(&vl_sharp(sim)->work.weights, &vl_sharp(sim)->state.bodies,
                                       vl_sharp(sim)->static_cuts, vl_sharp(sim)->work.cuts, &status),
                     VL_OK);
    const vlPatches *faces = &vl_sharp(sim)->work.weights.patches, *surface = &vl_sharp(sim)->work.patches;
    const vlGrid *g = &vl_sharp(sim)->grid;
    vlVec3 by_faces = vl_vec(0, 0, 0), by_surface = by_faces;
    for (int first = 0, last; first < faces->count; first = last) {
      last = vl_patches_of_cell(faces, first);
      const int *c = faces->patch[first].cell;
      if (!vl_cuts_find(vl_sharp(sim)->work.cuts, c[0], c[1], c[2])) continue; /* deep inside: nothing on both sides */
      Row own = add_up(faces, first, last, e), other = find_row(surface, c, e);
      assert_true(vl_norm(vl_sub(own.force, other.force)) <= 1e-12 * g->dx * g->dx);
      vlVec3 x = vl_grid_center(g, c[0], c[1], c[2]);
      double p = sin(3.0 * x.x + 1.0) * cos(2.0 * x.y) + x.z * x.z;
      by_faces = vl_axpy(by_faces, p, own.torque);
      by_surface = vl_axpy(by_surface, p, other.torque);
    }
    gap[fine] = vl_norm(vl_sub(by_faces, by_surface));
    assert_true(vl_norm(by_surface) > 1e-4);
    assert_true(gap[fine] <= 2e-3 * vl_norm(by_surface));
    vl_sim_destroy(&sim);
  }
  assert_true(gap[1] <= 0.4 * gap[0]);
}

/* A rigid body's shares move as it does, turning included, wherever the face lies. */
static void test_rigid_shares(void **state)
{
  (void)state;
  vlBodyDef body = turned_box(vl_vec(0.52, 0.47, 0.49), vl_vec(0.31, 0.43, 0.27), 2);
  body.kind = VL_BODY_RIGID;
  body.velocity = vl_vec(0.3, 0.2, -0.4);
  body.spin = vl_vec(1.0, -2.0, 0.5);
  vlScene scene = coupled_scene(20, &body);
  scene.pressure.weights = VL_WEIGHTS_VOLUME;
  scene.liquid.has_level = true;
  scene.liquid.level = 2.0;
  vlSim *sim = start(&scene);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  const vlPatches *patches = &vl_sharp(sim)->work.weights.patches;
  for (int q = 0; q < patches->count; q++) {
    const vlPatch *p = &patches->patch[q];
    vlVec3 v = vl_vec(0, 0, 0), x = v, face = vl_grid_center(&vl_sharp(sim)->grid, p->cell[0], p->cell[1], p->cell[2]);
    assert_int_equal(p->nodes, 4);
    for (int n = 0; n < 4; n++) {
      v = vl_axpy(v, p->b[n], e->v[p->node[n]]);
      x = vl_axpy(x, p->b[n], e->x[p->node[n]]);
    }
    for (int a = 0; a < 3; a++)
      if (p->s.v[a] != 0.0) face.v[a] += p->s.v[a] > 0.0 ? 0.5 * vl_sharp(sim)->grid.dx : -0.5 * vl_sharp(sim)->grid.dx;
    assert_true(vl_norm(vl_sub(x, face)) <= 1e-13);
    vlVec3 exact = vl_rigid_velocity_at(body.velocity, body.spin, vl_rigid_of(e)->pose.center, face);
    assert_true(vl_norm(vl_sub(v, exact)) <= 1e-12);
  }
  vl_sim_destroy(&sim);
}

/* Without gravity a solve takes energy away or keeps it, and a second one finds nothing left to do. */
static void test_energy(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_WEIGHTS_KIND_COUNT; kind++)
    for (int rigid = 0; rigid < 2; rigid++) {
      vlSolidDef solids[2];
      vlBodyDef body = turned_box(vl_vec(0.55, 0.6, 0.4), vl_vec(0.21, 0.17, 0.19), 2);
      body.velocity = vl_vec(0.3, -0.8, 0.1);
      body.kind = rigid ? VL_BODY_RIGID : VL_BODY_ELASTIC;
      vlScene scene = tank((vlWeightsKind)kind, 20, 0.613, solids);
      scene.bodies = &body;
      scene.body_count = 1;
      scene.gravity = vl_vec(0, 0, 0);
      vlSim *sim = start(&scene);
      const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
      double before = vl_body_measure(e, scene.gravity).kinetic;
      vlStepInfo info = step(sim);
      vlBodyMeasure after = vl_body_measure(e, scene.gravity);
      assert_true(info.kinetic_energy > 1e-3 * before);
      assert_true(after.kinetic + after.elastic * !rigid + info.kinetic_energy <= before * (1.0 + 1e-12));
      vl_sim_destroy(&sim);
    }
}

static void test_twice(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_WEIGHTS_KIND_COUNT; kind++) {
    vlSolidDef solids[2];
    vlScene scene = tank((vlWeightsKind)kind, 20, 0.613, solids);
    scene.gravity = vl_vec(0, 0, 0);
    vlSim *sim = start(&scene);
    set_velocity(sim, vl_vec(1.0, 0.5, -0.3));
    step(sim);
    double first = largest_pressure(sim);
    step(sim);
    assert_true(first > 1.0 && largest_pressure(sim) <= 1e-9 * first);
    vl_sim_destroy(&sim);
  }
}

/* The forms of the coupled system are made of the same J. */
static void test_forms_agree(void **state)
{
  (void)state;
  static const vlCouplingKind forms[] = {VL_COUPLING_SCHUR, VL_COUPLING_SPD, VL_COUPLING_INDEFINITE};
  for (int kind = VL_WEIGHTS_VOLUME; kind < VL_WEIGHTS_KIND_COUNT; kind++) {
    double *reference = NULL;
    for (int f = 0; f < 3; f++) {
      vlBodyDef body = turned_box(vl_vec(0.52, 0.42, 0.45), vl_vec(0.35, 0.2, 0.25), 2);
      body.velocity = vl_vec(0.3, -0.8, 0.1);
      vlScene scene = coupled_scene(16, &body);
      scene.pressure.weights = (vlWeightsKind)kind;
      scene.coupling.kind = forms[f];
      scene.pressure.max_iterations = 20000;
      scene.pressure.tolerance = f ? 1e-11 : 1e-12;
      scene.coupling.alpha = 1.0;
      scene.liquid.has_level = true;
      scene.liquid.level = 0.53;
      vlSim *sim = start(&scene);
      step(sim);
      size_t n = vl_stencil_length(&vl_sharp(sim)->work.pressure->stencil);
      double most = largest_pressure(sim);
      for (size_t i = 0; f > 0 && i < n; i++)
        assert_true(fabs(vl_sharp(sim)->work.pressure->p[i] - reference[i]) <= 1e-8 * most);
      if (f == 0) {
        reference = malloc(n * sizeof *reference);
        assert_non_null(reference);
        memcpy(reference, vl_sharp(sim)->work.pressure->p, n * sizeof *reference);
      }
      vl_sim_destroy(&sim);
    }
    free(reference);
  }
}

/* In a full closed box a constant pressure moves a rigid body with no weights; and moving liquid lives with all of them. */
static void test_runs(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_WEIGHTS_KIND_COUNT; kind++)
    for (int full = 0; full < 2; full++) {
      vlBodyDef body = turned_box(vl_vec(0.47, 0.45, 0.52), vl_vec(0.31, 0.23, 0.27), 2);
      body.kind = VL_BODY_RIGID;
      body.density = 300.0;
      vlScene scene = coupled_scene(20, &body);
      scene.pressure.weights = (vlWeightsKind)kind;
      scene.pressure.tolerance = 1e-10;
      scene.liquid.has_level = true;
      scene.liquid.level = full ? 2.0 : 0.6;
      scene.liquid.transfer = full ? VL_TRANSFER_STILL : VL_TRANSFER_FLIP;
      vlSim *sim = start(&scene);
      for (int s = 0; s < 5; s++) {
        vlStepInfo info = step(sim);
        if (full) assert_int_equal(info.null_components, 1);
        if (full) assert_true(info.discarded_flux <= 1e-9);
      }
      assert_true(vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])).y > 0.0);
      vl_sim_destroy(&sim);
    }
}

/* m/s: velocity along an axis at a place of a slab, linear between faces. */
static double velocity_at(const vlSim *sim, int axis, double x, double y)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  double fx = (x - g->origin.x) / g->dx - (axis == 0 ? 0.0 : 0.5), fy = (y - g->origin.y) / g->dx - (axis == 1 ? 0.0 : 0.5);
  int i = (int)floor(fx), j = (int)floor(fy);
  fx -= i;
  fy -= j;
  const double *u = vl_sharp(sim)->state.u[axis] + vl_grid_at(g, i, j, 0), *above = u + g->stride[1];
  return (1.0 - fy) * ((1.0 - fx) * u[0] + fx * u[1]) + fy * ((1.0 - fx) * above[0] + fx * above[1]);
}

/* How much the velocity across the container's walls goes up and down along them, one cell away, after two seconds, m/s. */
static double waviness(const char *weights, double degrees)
{
  enum { POINTS = 200 };
  char kind[64], swirl[64], box[64];
  snprintf(kind, sizeof kind, "pressure.weights=%s", weights);
  snprintf(swirl, sizeof swirl, "liquid.swirl_rotate=z %g", degrees);
  snprintf(box, sizeof box, "solids.container.rotate=z %g", degrees);
  const vlSetting settings[] = {{kind}, {swirl}, {box}, {"grid.cells=32"}};
  vlScene scene;
  vlStatus status = {0};
  if (vl_scene_load(&scene, "vortex_box", settings, 4, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene);
  for (int f = 1; f <= 60; f++)
    if (vl_sim_advance(sim, f / 30.0, NULL, &status)) fail_msg("%s", status.message);
  double sum = 0.0;
  for (int side = 0; side < 4; side++) {
    double angle = degrees * VL_PI / 180.0 + 0.5 * side * VL_PI, c = cos(angle), s = sin(angle),
           depth = 0.3 - vl_sharp(sim)->grid.dx, before = 0.0;
    for (int k = 0; k <= POINTS; k++) {
      double t = -0.2 + 0.4 * k / POINTS, x = 0.5 + c * t - s * depth, y = 0.5 + s * t + c * depth;
      double across = -s * velocity_at(sim, 0, x, y) + c * velocity_at(sim, 1, x, y);
      if (k > 0) sum += fabs(across - before);
      before = across;
    }
  }
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return sum;
}

/* A vortex in a turned container flows as in an aligned one; voxels make it wavy [batty2007, fig. 2]. */
static void test_vortex(void **state)
{
  (void)state;
  double aligned = waviness("area", 0.0), turned = waviness("area", 22.5), steps = waviness("voxel", 22.5);
  assert_true(turned <= 1.5 * aligned);
  assert_true(steps >= 2.5 * turned);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),         cmocka_unit_test(test_rest_bodies), cmocka_unit_test(test_cubes),
      cmocka_unit_test(test_lines),        cmocka_unit_test(test_voxels),      cmocka_unit_test(test_row_sums),
      cmocka_unit_test(test_shares),       cmocka_unit_test(test_free_stream), cmocka_unit_test(test_two_forms),
      cmocka_unit_test(test_rigid_shares), cmocka_unit_test(test_energy),      cmocka_unit_test(test_twice),
      cmocka_unit_test(test_forms_agree),  cmocka_unit_test(test_runs),        cmocka_unit_test(test_vortex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
