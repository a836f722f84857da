/* Bodies in a checkpoint and back.
 *
 * Saved of each body: positions and velocities now and a step before, rotations of its integration points, the last
 * reactions, what is held and how it moves, and which unknowns the matrix left out when it was analysed: all that decides
 * about the bits of the next step. Its mesh at rest is saved too, to know it again.
 * What is held belongs to the pins. Where the scene's pins have changed since, what they say now counts, as everything else
 * in a scene that may change.
 * Where a scripted body is follows from its motion: a motion that has it elsewhere at the checkpoint's time is refused, one
 * that differs later goes on.
 * In: simulation; out: the chunk "bodies" and chunks "body0.x" ...; and back. */
#include "io/body_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "engine/body_drive.h"
#include "io/crc64.h"
#include "solid/elastic_system.h"
#include "solid/rigid.h"

typedef struct Head {
  char name[64];
  int64_t nodes, elements, element_nodes, inverted;
  uint64_t mesh; /* checksum of the elements' nodes; rigid: of the triangles' */
  double dt_old;
} Head;

/* Of a rigid body, from which its nodes follow. */
typedef struct Rigid {
  vlPose pose;
  vlVec3 momentum, spin;
} Rigid;

typedef enum Place { NODES, POINTS, UNKNOWNS } Place;

/* Arrays of vlElastic that a checkpoint holds. */
static const struct {
  const char *name;
  size_t offset, size;
  Place place;
  bool pins; /* follows from the pins */
} arrays[] = {
    {"x", offsetof(vlElastic, x), sizeof(vlVec3), NODES, false},
    {"v", offsetof(vlElastic, v), sizeof(vlVec3), NODES, false},
    {"x_old", offsetof(vlElastic, x_old), sizeof(vlVec3), NODES, false},
    {"v_old", offsetof(vlElastic, v_old), sizeof(vlVec3), NODES, false},
    {"reaction", offsetof(vlElastic, reaction), sizeof(vlVec3), NODES, false},
    {"rotation", offsetof(vlElastic, rotation), sizeof(vlMat3), POINTS, false},
    {"load", offsetof(vlElastic, load), sizeof(vlVec3), NODES, false},
    {"held", offsetof(vlElastic, held), sizeof(bool), UNKNOWNS, true},
    {"held_velocity", offsetof(vlElastic, held_velocity), sizeof(double), UNKNOWNS, true},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static size_t count_of(const vlElastic *b, Place place)
{
  if (place == POINTS) return (size_t)b->element_count * (size_t)b->points;
  return (size_t)b->node_count * (place == UNKNOWNS ? 3 : 1);
}

static void *array_of(const vlElastic *b, int i) { return *(void *const *)((const char *)b + arrays[i].offset); }

static const char *chunk(char name[static VL_CHECKPOINT_NAME], int body, const char *array)
{
  snprintf(name, VL_CHECKPOINT_NAME, "body%d.%s", body, array);
  return name;
}

static Head head_of(const vlSim *sim, int i)
{
  const vlElastic *b = sim->state.bodies.body[i];
  vlCrc64 crc;
  vl_crc64_create(&crc);
  Head head = {.nodes = b->node_count,
               .elements = b->element_count,
               .element_nodes = b->element_nodes,
               .inverted = b->inverted,
               .dt_old = b->dt_old};
  snprintf(head.name, sizeof head.name, "%s", sim->scene->bodies[i].name);
  head.mesh = b->rigid ? vl_crc64(&crc, 0, b->triangle, (size_t)b->triangle_count * sizeof *b->triangle)
                       : vl_crc64(&crc, 0, b->node, (size_t)b->element_count * (size_t)b->element_nodes * sizeof *b->node);
  return head;
}

static void add_body(vlCheckpointWriter *writer, const vlSim *sim, int i)
{
  const vlElastic *b = sim->state.bodies.body[i];
  const int *row = vl_elastic_system_rows(b->system);
  size_t unknowns = count_of(b, UNKNOWNS);
  char name[VL_CHECKPOINT_NAME];
  vl_checkpoint_add(writer, chunk(name, i, "rest"), b->rest, sizeof *b->rest, (size_t)b->node_count);
  for (int a = 0; a < ARRAYS; a++)
    vl_checkpoint_add(writer, chunk(name, i, arrays[a].name), array_of(b, a), arrays[a].size, count_of(b, arrays[a].place));
  vl_checkpoint_add(writer, chunk(name, i, "pin"), sim->state.bodies.pin[i], sizeof(int), unknowns);
  vl_checkpoint_add(writer, chunk(name, i, "row"), row ? row : &(int){0}, sizeof *row, row ? unknowns : 0);
  if (!b->rigid) return;
  const Rigid rigid = {b->rigid->pose, b->rigid->momentum, b->rigid->spin};
  vl_checkpoint_add(writer, chunk(name, i, "rigid"), &rigid, sizeof rigid, 1);
  if (b->rigid->sliced) vl_checkpoint_add(writer, chunk(name, i, "mass"), &b->rigid->mass, sizeof b->rigid->mass, 1);
}

void vl_body_state_add(vlCheckpointWriter *writer, const vlSim *sim)
{
  int count = sim->state.bodies.count;
  if (count == 0) return;
  vl_checkpoint_begin(writer, "bodies", sizeof(Head), (size_t)count);
  for (int i = 0; i < count; i++) {
    Head head = head_of(sim, i);
    vl_checkpoint_append(writer, &head, sizeof head);
  }
  vl_checkpoint_end(writer);
  for (int i = 0; i < count; i++) add_body(writer, sim, i);
}

double vl_body_state_bytes(const vlSim *sim)
{
  double bytes = 0.0;
  for (int i = 0; i < sim->state.bodies.count; i++) {
    const vlElastic *b = sim->state.bodies.body[i];
    bytes += sizeof(Head) + (double)count_of(b, NODES) * sizeof(vlVec3) + (double)count_of(b, UNKNOWNS) * 2 * sizeof(int);
    for (int a = 0; a < ARRAYS; a++) bytes += (double)count_of(b, arrays[a].place) * (double)arrays[a].size;
  }
  return bytes;
}

/* The largest distance of places at rest, over the size of the body: those of another compiler may differ in a last bit. */
static double largest_shift(const vlElastic *b, const vlVec3 *rest)
{
  double shift = 0.0;
  vlBox3 box = vl_box_empty();
  for (int n = 0; n < b->node_count; n++) {
    box = vl_box_add(box, b->rest[n]);
    shift = fmax(shift, vl_norm(vl_sub(b->rest[n], rest[n])));
  }
  return shift / vl_norm(vl_sub(box.hi, box.lo));
}

static vlCode check_body(const vlCheckpointReader *reader, const vlSim *sim, int i, const Head *found, const char *path,
                         vlStatus *status)
{
  const vlElastic *b = sim->state.bodies.body[i];
  const char *name = sim->scene->bodies[i].name;
  Head own = head_of(sim, i);
  char text[VL_CHECKPOINT_NAME];
  size_t count;
  if (found->nodes != own.nodes || found->elements != own.elements || found->element_nodes != own.element_nodes)
    return vl_fail(
        status, VL_ERROR_FILE,
        "%s: its body '%.63s' has %lld nodes and %lld elements of %lld nodes; body '%s' of this scene has %lld and "
        "%lld of %lld",
        path, found->name, (long long)found->nodes, (long long)found->elements, (long long)found->element_nodes, name,
        (long long)own.nodes, (long long)own.elements, (long long)own.element_nodes);
  const vlVec3 *rest = vl_checkpoint_find(reader, chunk(text, i, "rest"), sizeof *rest, &count, status);
  if (!rest) return VL_ERROR_FILE;
  if (found->mesh != own.mesh || count != (size_t)b->node_count || !(largest_shift(b, rest) <= 1e-9))
    return vl_fail(status, VL_ERROR_FILE,
                   "%s: its body '%.63s' rests in another place or form than body '%s' of this scene; mesh, size, place and "
                   "rotation must be the same",
                   path, found->name, name);
  if (vl_checkpoint_has(reader, chunk(text, i, "rigid")) != (b->rigid != NULL))
    return vl_fail(status, VL_ERROR_FILE, "%s: its body '%.63s' is %s; body '%s' of this scene is %s", path, found->name,
                   b->rigid ? "elastic" : "rigid", name, b->rigid ? "rigid" : "elastic");
  return VL_OK;
}

/* A scripted body is where its motion has it at the checkpoint's time, unless the motion was another. */
static vlCode check_place(const vlCheckpointReader *reader, const vlSim *sim, int i, double time, const char *path,
                          vlStatus *status)
{
  const vlElastic *b = sim->state.bodies.body[i];
  char text[VL_CHECKPOINT_NAME];
  size_t count;
  if (!vl_elastic_driven(b)) return VL_OK;
  const Rigid *found = vl_checkpoint_find(reader, chunk(text, i, "rigid"), sizeof *found, &count, status);
  if (!found) return VL_ERROR_FILE;
  vlPath way = vl_body_path(sim->scene, i);
  vlPose own = vl_path_pose(&way, b->rigid->rest_center, time);
  vlVec3 off = vl_sub(own.center, found->pose.center),
         turn = vl_quat_vector(vl_quat_multiply(own.turn, vl_quat_inverse(found->pose.turn)));
  bool there = vl_norm(off) <= 1e-9 * (vl_norm(own.center) + sim->grid.dx);
  if (there && vl_norm(turn) <= 1e-9) return VL_OK;
  if (there)
    return vl_fail(
        status, VL_ERROR_FILE,
        "%s: at t = %g s its body '%.63s' is turned by %.3g degrees against what the motion of this scene makes of "
        "it; up to the checkpoint the motion must be the same",
        path, time, sim->scene->bodies[i].name, vl_norm(turn) * 180.0 / VL_PI);
  return vl_fail(status, VL_ERROR_FILE,
                 "%s: at t = %g s its body '%.63s' is at (%g, %g, %g) m; the motion of this scene has it at (%g, %g, %g) m "
                 "then, turned against it by %.3g degrees; up to the checkpoint the motion must be the same",
                 path, time, sim->scene->bodies[i].name, found->pose.center.x, found->pose.center.y, found->pose.center.z,
                 own.center.x, own.center.y, own.center.z, vl_norm(turn) * 180.0 / VL_PI);
}

vlCode vl_body_state_check(const vlCheckpointReader *reader, const vlSim *sim, double time, const char *path,
                           vlStatus *status)
{
  size_t count = 0;
  const Head *found = NULL;
  if (vl_checkpoint_has(reader, "bodies")) {
    found = vl_checkpoint_find(reader, "bodies", sizeof *found, &count, status);
    if (!found) return VL_ERROR_FILE;
  }
  if (count != (size_t)sim->state.bodies.count)
    return vl_fail(status, VL_ERROR_FILE, "%s: written with %zu bodies; this scene has %d", path, count,
                   sim->state.bodies.count);
  vlCode code = VL_OK;
  for (int i = 0; i < sim->state.bodies.count && code == VL_OK; i++) {
    code = check_body(reader, sim, i, &found[i], path, status);
    if (code == VL_OK) code = check_place(reader, sim, i, time, path, status);
  }
  return code;
}

/* Are the pins those of the checkpoint? */
static vlCode compare_pins(const vlCheckpointReader *reader, const vlSim *sim, int i, bool *same, vlStatus *status)
{
  char name[VL_CHECKPOINT_NAME];
  size_t count, unknowns = count_of(sim->state.bodies.body[i], UNKNOWNS);
  const int *pin = vl_checkpoint_find(reader, chunk(name, i, "pin"), sizeof *pin, &count, status);
  if (!pin) return VL_ERROR_FILE;
  *same = count == unknowns && memcmp(pin, sim->state.bodies.pin[i], unknowns * sizeof *pin) == 0;
  return VL_OK;
}

/* The pattern of S: as it was, or none where there was none or the pins are others. */
static vlCode read_rows(const vlCheckpointReader *reader, vlElastic *b, int i, bool same_pins, vlStatus *status)
{
  char name[VL_CHECKPOINT_NAME];
  size_t count;
  const int *row = vl_checkpoint_find(reader, chunk(name, i, "row"), sizeof *row, &count, status);
  if (!row) return VL_ERROR_FILE;
  return vl_elastic_system_restore(b->system, b, same_pins && count == count_of(b, UNKNOWNS) ? row : NULL, status);
}

vlCode vl_body_state_read(const vlCheckpointReader *reader, vlSim *sim, vlStatus *status)
{
  size_t count = 0;
  if (sim->state.bodies.count == 0) return VL_OK;
  const Head *head = vl_checkpoint_find(reader, "bodies", sizeof *head, &count, status);
  vlCode code = head ? VL_OK : VL_ERROR_FILE;
  for (int i = 0; i < sim->state.bodies.count && code == VL_OK; i++) {
    vlElastic *b = sim->state.bodies.body[i];
    char name[VL_CHECKPOINT_NAME];
    bool same_pins = false;
    code = compare_pins(reader, sim, i, &same_pins, status);
    for (int a = 0; a < ARRAYS && code == VL_OK; a++)
      if (same_pins || !arrays[a].pins)
        code = vl_checkpoint_read(reader, chunk(name, i, arrays[a].name), array_of(b, a), arrays[a].size,
                                  count_of(b, arrays[a].place), status);
    if (code == VL_OK) code = read_rows(reader, b, i, same_pins, status);
    Rigid rigid;
    if (code == VL_OK && b->rigid) {
      code = vl_checkpoint_read(reader, chunk(name, i, "rigid"), &rigid, sizeof rigid, 1, status);
      double mass = b->rigid->mass; /* slices change it from step to step, and momenta go with it */
      if (code == VL_OK && vl_checkpoint_has(reader, chunk(name, i, "mass")))
        code = vl_checkpoint_read(reader, chunk(name, i, "mass"), &mass, sizeof mass, 1, status);
      vl_rigid_set_mass(b->rigid, mass);
      if (code == VL_OK) b->rigid->pose = rigid.pose, b->rigid->momentum = rigid.momentum, b->rigid->spin = rigid.spin;
      if (!b->rigid->sliced) vl_rigid_set_mass(b->rigid, b->rigid->whole.mass);
    }
    b->dt_old = head[i].dt_old;
    b->inverted = (int)head[i].inverted;
  }
  return code;
}
