/* Bodies in a checkpoint and back.
 *
 * Saved of each body: what its kind says decides about the bits of the next step (vlBodyType.state), and its mesh at rest,
 * to know it again. What follows from pins is read where the scene's pins are the same; where they have changed since, what
 * they say now counts, as everything else in a scene that may change. In: simulation; out: the chunk "bodies" and chunks
 * "body0.x" ...; and back. */
#include "io/body_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "io/crc64.h"

typedef struct Head {
  char name[64], kind[16];
  int64_t nodes, elements, element_nodes;
  uint64_t mesh; /* checksum of the nodes of triangles and elements */
} Head;

static const char *chunk(char name[static VL_CHECKPOINT_NAME], int body, const char *array)
{
  snprintf(name, VL_CHECKPOINT_NAME, "body%d.%s", body, array);
  return name;
}

static Head head_of(const vlSim *sim, int i)
{
  const vlBody *b = sim->state.bodies.body[i];
  size_t corners = (size_t)b->element_count * (size_t)b->element_nodes;
  vlCrc64 crc;
  vl_crc64_create(&crc);
  Head head = {.nodes = b->node_count, .elements = b->element_count, .element_nodes = b->element_nodes};
  snprintf(head.name, sizeof head.name, "%s", sim->scene->bodies[i].name);
  snprintf(head.kind, sizeof head.kind, "%s", b->type->name);
  head.mesh = vl_crc64(&crc, 0, b->triangle, (size_t)b->triangle_count * sizeof *b->triangle);
  if (corners > 0) head.mesh = vl_crc64(&crc, head.mesh, b->node, corners * sizeof *b->node);
  return head;
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
  for (int i = 0; i < count; i++) {
    vlBody *b = sim->state.bodies.body[i];
    vlBodyArray list[VL_BODY_ARRAYS];
    char name[VL_CHECKPOINT_NAME];
    vl_checkpoint_add(writer, chunk(name, i, "rest"), b->rest, sizeof *b->rest, (size_t)b->node_count);
    for (int a = 0, arrays = b->type->state(b, list); a < arrays; a++)
      vl_checkpoint_add(writer, chunk(name, i, list[a].name), list[a].memory, list[a].size, list[a].count);
  }
}

double vl_body_state_bytes(const vlSim *sim)
{
  double bytes = 0.0;
  for (int i = 0; i < sim->state.bodies.count; i++) {
    vlBody *b = sim->state.bodies.body[i];
    vlBodyArray list[VL_BODY_ARRAYS];
    bytes += sizeof(Head) + (double)b->node_count * sizeof *b->rest;
    for (int a = 0, arrays = b->type->state(b, list); a < arrays; a++) bytes += (double)list[a].size * (double)list[a].count;
  }
  return bytes;
}

/* The largest distance of places at rest, over the size of the body: those of another compiler may differ in a last bit. */
static double largest_shift(const vlBody *b, const vlVec3 *rest)
{
  double shift = 0.0;
  for (int n = 0; n < b->node_count; n++) shift = fmax(shift, vl_norm(vl_sub(b->rest[n], rest[n])));
  return shift / vl_body_size(b);
}

static vlCode check_body(const vlCheckpointReader *reader, const vlSim *sim, int i, const Head *found, const char *path,
                         vlStatus *status)
{
  const vlBody *b = sim->state.bodies.body[i];
  const char *name = sim->scene->bodies[i].name;
  Head own = head_of(sim, i);
  char text[VL_CHECKPOINT_NAME];
  size_t count;
  if (strncmp(found->kind, own.kind, sizeof own.kind) != 0)
    return vl_fail(status, VL_ERROR_FILE, "%s: its body '%.63s' is %.15s; body '%s' of this scene is %s", path, found->name,
                   found->kind, name, own.kind);
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
  return VL_OK;
}

vlCode vl_body_state_check(const vlCheckpointReader *reader, const vlSim *sim, const char *path, vlStatus *status)
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
  for (int i = 0; i < sim->state.bodies.count && code == VL_OK; i++)
    code = check_body(reader, sim, i, &found[i], path, status);
  return code;
}

/* Are the pins those of the checkpoint? */
static vlCode compare_pins(const vlCheckpointReader *reader, int i, const vlBodyArray *pins, bool *same, vlStatus *status)
{
  char name[VL_CHECKPOINT_NAME];
  size_t count;
  const void *found = vl_checkpoint_find(reader, chunk(name, i, pins->name), pins->size, &count, status);
  if (!found) return VL_ERROR_FILE;
  *same = count == pins->count && memcmp(found, pins->memory, count * pins->size) == 0;
  return VL_OK;
}

static vlCode read_body(const vlCheckpointReader *reader, vlBody *b, int i, double time, vlStatus *status)
{
  vlBodyArray list[VL_BODY_ARRAYS];
  char name[VL_CHECKPOINT_NAME];
  bool same_pins = true;
  int arrays = b->type->state(b, list);
  vlCode code = VL_OK;
  for (int a = 0; a < arrays && code == VL_OK; a++)
    if (list[a].role == VL_BODY_PINS) code = compare_pins(reader, i, &list[a], &same_pins, status);
  for (int a = 0; a < arrays && code == VL_OK; a++)
    if (list[a].role == VL_BODY_KEPT || (list[a].role == VL_BODY_OF_PINS && same_pins))
      code = vl_checkpoint_read(reader, chunk(name, i, list[a].name), list[a].memory, list[a].size, list[a].count, status);
  return code == VL_OK ? b->type->restored(b, same_pins, time, status) : code;
}

vlCode vl_body_state_read(const vlCheckpointReader *reader, vlSim *sim, double time, const char *path, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < sim->state.bodies.count && code == VL_OK; i++)
    code = read_body(reader, sim->state.bodies.body[i], i, time, status);
  if (code != VL_OK) vl_status_prefix(status, "%s: ", path);
  return code;
}
