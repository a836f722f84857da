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

/* The engine's: a whole simulation. After a visit that restores, it goes on with the same bits; when that fails, it can only
 * be destroyed. */
vlCode vl_sim_visit(vlSim *sim, vlVisitor *visitor, vlStatus *status);

#endif
