/* Everything that decides what a picture looks like, besides the files of its frame, goes into one number (FNV-1a). */
#include "note.h"

#include <inttypes.h>
#include <stdio.h>

#include "velella/velella.h"

static uint64_t add_hash(uint64_t hash, const void *data, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  return hash;
}

static uint64_t add_numbers(uint64_t hash, const double *numbers, size_t count)
{
  return add_hash(hash, numbers, count * sizeof *numbers);
}

static uint64_t add_looks(uint64_t hash, const vlLookSolid *looks, int count)
{
  for (int i = 0; i < count; i++) {
    const vlLookSolid *l = &looks[i];
    const double numbers[] = {l->color.x, l->color.y, l->color.z, l->has_color, l->container, l->material};
    hash = add_numbers(hash, numbers, sizeof numbers / sizeof *numbers);
  }
  return add_hash(hash, &count, sizeof count);
}

static uint64_t add_solids(uint64_t hash, const vlStage *stage)
{
  const vlTriMesh *mesh = stage->solids.mesh;
  if (!mesh) return hash;
  size_t triangles = (size_t)mesh->triangle_count;
  hash = add_hash(hash, mesh->x, (size_t)mesh->vertex_count * sizeof *mesh->x);
  hash = add_hash(hash, mesh->tri, triangles * sizeof *mesh->tri);
  hash = add_hash(hash, stage->solids_worn.opaque_of, triangles * sizeof(int));
  return add_hash(hash, stage->solids_worn.glass_of, triangles * sizeof(int));
}

uint64_t vl_note_hash(const vlStage *stage, const vlRenderOptions *o, bool bodies)
{
  const vlLook *look = &stage->look;
  const vlLookDef *def = &look->def;
  const double numbers[] = {o->width,       o->height,      o->samples,       o->bounces,  o->no_denoise, o->preview,
                            def->sky,       def->exposure,  def->water_depth, def->ground, def->walls,    def->coloring,
                            stage->fastest, stage->highest, stage->floor,     look->slab,  look->dx,      bodies};
  const vlVec3 vectors[] = {def->sun, def->water_color, stage->seen.hi, stage->box.lo, stage->box.hi};
  uint64_t hash = add_hash(0xcbf29ce484222325u, VELELLA_VERSION, sizeof VELELLA_VERSION);
  hash = add_numbers(hash, numbers, sizeof numbers / sizeof *numbers);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) hash = add_numbers(hash, vectors[i].v, 3);
  hash = add_looks(hash, look->solids, look->solid_count);
  hash = add_looks(hash, look->bodies, look->body_count);
  return add_solids(hash, stage);
}

void vl_note_write(uint64_t hash, const vlCamera *camera, int number, int frame, char note[static VL_NOTE_ROOM])
{
  const double numbers[] = {number, frame, camera->half_width, camera->half_height};
  hash = add_numbers(hash, numbers, sizeof numbers / sizeof *numbers);
  hash = add_numbers(hash, camera->position.v, 3);
  hash = add_numbers(hash, camera->forward.v, 3);
  snprintf(note, VL_NOTE_ROOM, "picture %d of frame %d, %016" PRIx64, number, frame, hash);
}
