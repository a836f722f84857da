/* A simulation's state in a checkpoint and back.
 *
 * Saved: counters, particles in their order, and on the wet blocks the pressure (first guess of the next solve) and the
 * velocity before the next forces and after the last solve; elastic bodies (io/body_state.c); cells parted from walls.
 * Everything else follows from these and the scene, in the same order of operations, so a resumed run goes on with the same
 * bits. */
#include "io/restart.h"

#include "base/memory.h"
#include "base/status.h"
#include "engine/sim.h"
#include "io/body_state.h"
#include "io/checkpoint.h"

static const char *const PARTED = "parted";

/* The counters, as they stand in the file. */
typedef struct Counters {
  int64_t step, particles, next_id, affine, transfer, n[3];
  double time, max_speed, dx;
} Counters;

static Counters counters_of(const vlSim *sim)
{
  const vlState *state = &sim->state;
  const vlParticles *p = state->particles;
  Counters c = {.step = state->step,
                .particles = p ? (int64_t)p->count : 0,
                .next_id = p ? p->next_id : 0,
                .affine = p && p->affine,
                .transfer = sim->scene->liquid.transfer,
                .n = {sim->grid.n[0], sim->grid.n[1], sim->grid.n[2]},
                .time = state->time,
                .max_speed = state->max_speed,
                .dx = sim->grid.dx};
  return c;
}

static const char *const FACE[3] = {"u", "v", "w"}, *const NEW[3] = {"u_new", "v_new", "w_new"};

vlCode vl_sim_save(const vlSim *sim, const char *path, vlStatus *status)
{
  vlCheckpointWriter *writer = NULL;
  vlCode code = vl_checkpoint_create(&writer, path, status);
  if (code) return code;
  Counters counters = counters_of(sim);
  const vlParticles *p = sim->state.particles;
  const vlPartedPlaces *parted = &sim->state.parted;
  vl_checkpoint_add(writer, "counters", &counters, sizeof counters, 1);
  for (int k = 0; p && k < p->arrays; k++) {
    vlParticleArray array = vl_particles_array(p, k);
    vl_checkpoint_add(writer, array.name, array.data, VL_COLUMN_BYTES, p->count);
  }
  vl_checkpoint_add_field(writer, "p", sim->state.p, &sim->grid, &sim->work.wet);
  for (int a = 0; a < 3; a++) vl_checkpoint_add_field(writer, FACE[a], sim->state.u_old[a], &sim->grid, &sim->work.wet);
  for (int a = 0; a < 3; a++) vl_checkpoint_add_field(writer, NEW[a], sim->work.u[a], &sim->grid, &sim->work.wet);
  vl_body_state_add(writer, sim);
  if (vl_parting_on(sim->scene))
    vl_checkpoint_add(writer, PARTED, parted->place ? parted->place : &(int64_t){0}, sizeof *parted->place,
                      (size_t)parted->count);
  return vl_checkpoint_commit(&writer, status);
}

double vl_sim_checkpoint_bytes(const vlSim *sim)
{
  const vlParticles *p = sim->state.particles;
  double particles = p ? (double)VL_COLUMN_BYTES * p->arrays * (double)p->count : 0.0,
         block = 7.0 * VL_BLOCK * sizeof(double), parted = sizeof(int64_t) * (double)sim->state.parted.count;
  return 4096.0 + parted + particles + block * sim->work.wet.count + vl_body_state_bytes(sim);
}

static vlCode check_counters(const vlSim *sim, const Counters *c, const char *path, vlStatus *status)
{
  const int *n = sim->grid.n;
  if (c->n[0] != n[0] || c->n[1] != n[1] || c->n[2] != n[2] || c->dx != sim->grid.dx)
    return vl_fail(status, VL_ERROR_FILE,
                   "%s: written for %lld x %lld x %lld cells of %g m; this scene has %d x %d x %d of %g m", path,
                   (long long)c->n[0], (long long)c->n[1], (long long)c->n[2], c->dx, n[0], n[1], n[2], sim->grid.dx);
  if (c->transfer != (int64_t)sim->scene->liquid.transfer)
    return vl_fail(status, VL_ERROR_FILE, "%s: written with another liquid.transfer than this scene has", path);
  return VL_OK;
}

static vlCode read_particles(vlParticles *p, const Counters *c, const vlCheckpointReader *reader, vlStatus *status)
{
  size_t count = (size_t)c->particles;
  vlCode code = vl_particles_reserve(p, count, status);
  for (int k = 0; k < p->arrays && !code; k++) {
    vlParticleArray array = vl_particles_array(p, k);
    code = vl_checkpoint_read(reader, array.name, array.data, VL_COLUMN_BYTES, count, status);
  }
  if (code) return code;
  p->count = count;
  p->next_id = (uint32_t)c->next_id;
  return VL_OK;
}

/* Without such cells in the file the next step begins with none, as it does where liquid did not part before. */
static vlCode read_parted(vlSim *sim, const vlCheckpointReader *reader, vlStatus *status)
{
  vlPartedPlaces *parted = &sim->state.parted;
  size_t count = 0;
  parted->count = 0;
  if (!vl_checkpoint_has(reader, PARTED)) return VL_OK;
  const int64_t *place = vl_checkpoint_find(reader, PARTED, sizeof *place, &count, status);
  if (!place) return VL_ERROR_FILE;
  if (!vl_array_reserve((void **)&parted->place, &parted->capacity, count + 1, sizeof *place))
    return vl_fail_memory(status, count * sizeof *place, "liquid that parts from walls");
  int64_t cells = (int64_t)sim->grid.n[0] * sim->grid.n[1] * sim->grid.n[2];
  for (size_t c = 0; c < count; c++) {
    if (place[c] < 0 || place[c] >= cells)
      return vl_fail(status, VL_ERROR_FILE, "the checkpoint's '%s' names cell %lld; the grid has %lld", PARTED,
                     (long long)place[c], (long long)cells);
    parted->place[c] = place[c];
  }
  parted->count = (int64_t)count;
  return VL_OK;
}

static vlCode restore(vlSim *sim, const Counters *c, const vlCheckpointReader *reader, const char *path, vlStatus *status)
{
  vlState *state = &sim->state;
  state->step = c->step;
  state->time = c->time;
  state->max_speed = c->max_speed;
  vlCode code = vl_body_state_read(reader, sim, c->time, path, status);
  if (!code && state->particles) code = read_particles(state->particles, c, reader, status);
  if (!code) code = state->particles ? vl_motion_restore(sim, status) : vl_sim_recut(sim, status);
  if (!code) code = vl_checkpoint_read_field(reader, "p", &sim->grid, &sim->work.wet, state->p, status);
  for (int a = 0; a < 3 && !code; a++)
    code = vl_checkpoint_read_field(reader, FACE[a], &sim->grid, &sim->work.wet, state->u_old[a], status);
  for (int a = 0; a < 3 && !code; a++)
    code = vl_checkpoint_read_field(reader, NEW[a], &sim->grid, &sim->work.wet, sim->work.u[a], status);
  if (!code && state->particles) code = vl_motion_restore_velocity(sim, status);
  return code ? code : read_parted(sim, reader, status);
}

vlCode vl_sim_resume(vlSim *sim, const char *path, vlStatus *status)
{
  vlCheckpointReader *reader = NULL;
  Counters counters;
  vlCode code = vl_checkpoint_open(&reader, path, status);
  if (code) return code;
  code = vl_checkpoint_read(reader, "counters", &counters, sizeof counters, 1, status);
  if (!code) code = check_counters(sim, &counters, path, status);
  if (!code) code = vl_body_state_check(reader, sim, path, status);
  int before = vl_sim_enter(sim);
  if (!code) code = restore(sim, &counters, reader, path, status);
  vl_sim_leave(before);
  vl_checkpoint_close(&reader);
  return code;
}
