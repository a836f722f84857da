/* A simulation's state in memory: one visitor writes every piece of it down, another reads them back. Include cmocka first.
 */
#ifndef VL_TESTS_VISIT_MEMORY_H
#define VL_TESTS_VISIT_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "grid/visitor.h"

typedef struct Piece {
  char name[32];
  size_t size, count;
  unsigned char *bytes;
} Piece;

enum { PIECES = 160 };
typedef struct Memory {
  Piece piece[PIECES];
  int count;
} Memory;

static inline Piece *add_piece(Memory *memory, const char *name, size_t size, size_t count)
{
  assert_true(memory->count < PIECES && strlen(name) < sizeof memory->piece->name);
  Piece *piece = &memory->piece[memory->count++];
  *piece = (Piece){.size = size, .count = count, .bytes = malloc(size * count + 1)};
  assert_non_null(piece->bytes);
  strcpy(piece->name, name);
  return piece;
}

static inline Piece *find_piece(Memory *memory, const char *name)
{
  for (int i = 0; i < memory->count; i++)
    if (strcmp(memory->piece[i].name, name) == 0) return &memory->piece[i];
  return NULL;
}

static inline vlCode remember_array(void *data, const char *name, void *values, size_t size, size_t count, vlStatus *status)
{
  (void)status;
  memcpy(add_piece(data, name, size, count)->bytes, values, size * count);
  return VL_OK;
}

static inline vlCode remember_field(void *data, const char *name, double *field, const vlGrid *grid, const vlBlocks *blocks,
                                    vlStatus *status)
{
  (void)status;
  Piece *piece = add_piece(data, name, sizeof(double), (size_t)blocks->count * VL_BLOCK);
  memset(piece->bytes, 0, piece->size * piece->count);
  for (int b = 0; b < blocks->count; b++)
    memcpy(piece->bytes + (size_t)b * VL_BLOCK * sizeof *field, field + vl_blocks_field(grid, blocks->at[b]),
           (size_t)vl_blocks_width(blocks, blocks->at[b]) * sizeof *field);
  return VL_OK;
}

static inline vlCode recall_array(void *data, const char *name, void *values, size_t size, size_t count, vlStatus *status)
{
  const Piece *piece = find_piece(data, name);
  if (!piece || piece->size != size || piece->count != count)
    return vl_fail(status, VL_ERROR_FILE, "'%s': %zu values of %zu bytes are not there", name, count, size);
  memcpy(values, piece->bytes, size * count);
  return VL_OK;
}

static inline vlCode recall_field(void *data, const char *name, double *field, const vlGrid *grid, const vlBlocks *blocks,
                                  vlStatus *status)
{
  const Piece *piece = find_piece(data, name);
  if (!piece || piece->count != (size_t)blocks->count * VL_BLOCK)
    return vl_fail(status, VL_ERROR_FILE, "'%s' is not there on %d blocks", name, blocks->count);
  for (int b = 0; b < blocks->count; b++)
    memcpy(field + vl_blocks_field(grid, blocks->at[b]), piece->bytes + (size_t)b * VL_BLOCK * sizeof *field,
           (size_t)vl_blocks_width(blocks, blocks->at[b]) * sizeof *field);
  return VL_OK;
}

static inline const void *recall_found(void *data, const char *name, size_t size, size_t *count)
{
  const Piece *piece = find_piece(data, name);
  bool found = piece && piece->size == size;
  *count = found ? piece->count : 0;
  return found ? piece->bytes : NULL;
}

static inline void remember(vlSim *sim, Memory *memory)
{
  vlStatus status = {0};
  *memory = (Memory){.count = 0};
  vlVisitor visitor = {.data = memory, .array = remember_array, .field = remember_field};
  if (vl_sim_visit(sim, &visitor, &status)) fail_msg("%s", status.message);
}

static inline void recall(vlSim *sim, Memory *memory)
{
  vlStatus status = {0};
  vlVisitor visitor = {
      .restoring = true, .data = memory, .array = recall_array, .field = recall_field, .find = recall_found};
  if (vl_sim_visit(sim, &visitor, &status)) fail_msg("%s", status.message);
}

static inline void forget(Memory *memory)
{
  for (int i = 0; i < memory->count; i++) free(memory->piece[i].bytes);
  *memory = (Memory){.count = 0};
}

/* Piece by piece the same bits; `but`: the name of one that may differ, or NULL. */
static inline void assert_same_memory(const Memory *a, const Memory *b, const char *but, const char *when)
{
  assert_int_equal(a->count, b->count);
  for (int i = 0; i < a->count; i++) {
    const Piece *p = &a->piece[i], *q = &b->piece[i];
    assert_string_equal(p->name, q->name);
    if (but && strcmp(p->name, but) == 0) continue;
    if (p->size != q->size || p->count != q->count || memcmp(p->bytes, q->bytes, p->size * p->count) != 0)
      fail_msg("%s: '%s' differs", when, p->name);
  }
}

static inline void assert_same_bits(vlSim *a, vlSim *b, const char *when)
{
  Memory one, two;
  remember(a, &one);
  remember(b, &two);
  assert_same_memory(&one, &two, NULL, when);
  forget(&one);
  forget(&two);
}

#endif
