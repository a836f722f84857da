/* All that a restart needs besides the scene, piece by piece.
 *
 * Who has state shows it to a visitor, piece after piece in one order: one visitor writes it down, another reads it back,
 * a third one counts bytes. */
#ifndef VL_GRID_VISITOR_H
#define VL_GRID_VISITOR_H

#include "grid/blocks.h"
#include "velella/velella.h"

typedef struct vlVisitor {
  bool restoring; /* pieces are read, otherwise written */
  void *data;
  /* `count` elements of `size` bytes; restoring, exactly so many are there. */
  vlCode (*array)(void *data, const char *name, void *memory, size_t size, size_t count, vlStatus *status);
  /* A field's values on blocks. */
  vlCode (*field)(void *data, const char *name, double *field, const vlGrid *grid, const vlBlocks *blocks, vlStatus *status);
  /* Restoring: the elements that are there, valid until the visit ends; NULL: none of that name and size. */
  const void *(*find)(void *data, const char *name, size_t size, size_t *count);
} vlVisitor;

/* What the numbers of a piece are, and so how large they may be. */
typedef enum vlNumbers {
  VL_NUMBERS_PLACE,    /* double, m */
  VL_NUMBERS_SPEED,    /* double, m/s */
  VL_NUMBERS_OTHER,    /* double: forces, pressures, momenta */
  VL_NUMBERS_LEAST_0,  /* double, not negative */
  VL_NUMBERS_ROTATION, /* double: an entry of a rotation's matrix */
  VL_NUMBERS_FLOAT_SPEED,
  VL_NUMBERS_FLOAT,
  VL_NUMBERS_COUNT, /* int, not negative */
  VL_NUMBERS_INT,
  VL_NUMBERS_COUNT_64,
  VL_NUMBERS_BOOL /* one byte, 0 or 1 */
} vlNumbers;

size_t vl_numbers_bytes(vlNumbers numbers); /* of one */
/* Are all of them possible? Otherwise VL_ERROR_FILE, with name, index and value. For whoever has read a piece, before it is
 * used; the values may be anything, also where they are no bools. */
vlCode vl_numbers_check(const char *name, vlNumbers numbers, const void *values, size_t count, vlStatus *status);
vlCode vl_numbers_check_in(const char *name, vlNumbers numbers, const void *values, size_t count, double lo, double hi,
                           vlStatus *status);

/* The engine's: a whole simulation. After a visit that restores, it goes on with the same bits; when that fails, it can only
 * be destroyed. */
vlCode vl_sim_visit(vlSim *sim, vlVisitor *visitor, vlStatus *status);

#endif
