/* Checkpoints: named arrays in one file that is whole and right or is refused.
 *
 *   vlCheckpointWriter *writer;                       vlCheckpointReader *reader;
 *   vl_checkpoint_create(&writer, path, status)       vl_checkpoint_open(&reader, path, status)
 *   vl_checkpoint_add(writer, "id", id, 4, count)     id = vl_checkpoint_find(reader, "id", 4, &count, status)
 *   vl_checkpoint_commit(&writer, status)             vl_checkpoint_close(&reader)
 * What the chunks are called and mean is the caller's business; docs of the format are in files/checkpoint_format.h. Bits
 * are kept as they are, NaN included. Equal input gives equal files. */
#ifndef VL_FILES_CHECKPOINT_H
#define VL_FILES_CHECKPOINT_H

#include "grid/blocks.h"

enum { VL_CHECKPOINT_NAME = 32 }; /* bytes of a chunk's name, with its NUL */

/* Writes to PATH.part until the commit. The first failure of any call sticks: what follows is dropped, the commit removes
 * the file and reports. */
typedef struct vlCheckpointWriter vlCheckpointWriter;
vlCode vl_checkpoint_create(vlCheckpointWriter **writer, const char *path, vlStatus *status);
/* A chunk of `count` elements of `size` bytes. Names are not empty, shorter than VL_CHECKPOINT_NAME and differ. */
void vl_checkpoint_add(vlCheckpointWriter *writer, const char *name, const void *data, size_t size, size_t count);
/* The same in pieces: begin, append until size * count bytes are there, end. */
void vl_checkpoint_begin(vlCheckpointWriter *writer, const char *name, size_t size, size_t count);
void vl_checkpoint_append(vlCheckpointWriter *writer, const void *data, size_t bytes);
void vl_checkpoint_end(vlCheckpointWriter *writer);
/* Ends the file and moves it to its name, or forgets it; both free the writer and set *writer to NULL. */
vlCode vl_checkpoint_commit(vlCheckpointWriter **writer, vlStatus *status);
void vl_checkpoint_abandon(vlCheckpointWriter **writer);

/* Opening looks at every byte; all errors are VL_ERROR_FILE and name the path and the reason. */
typedef struct vlCheckpointReader vlCheckpointReader;
vlCode vl_checkpoint_open(vlCheckpointReader **reader, const char *path, vlStatus *status);
void vl_checkpoint_close(vlCheckpointReader **reader);
bool vl_checkpoint_has(const vlCheckpointReader *reader, const char *name);
/* The chunk's elements, valid until the reader is closed, aligned to 64 bytes; not NULL when it is there with no elements.
 * NULL with the reason when it is missing or its elements are of another size. */
const void *vl_checkpoint_find(const vlCheckpointReader *reader, const char *name, size_t size, size_t *count,
                               vlStatus *status);
/* Copies a chunk that must have exactly `count` elements. */
vlCode vl_checkpoint_read(const vlCheckpointReader *reader, const char *name, void *data, size_t size, size_t count,
                          vlStatus *status);

/* A field's VL_BLOCK values of each listed block, whatever they mean (padding behind the last cell of a row included);
 * values elsewhere, such as those of the upper sides' faces in rows of whole blocks, are not written and not touched. Read
 * over the same set of blocks; another one is refused. */
void vl_checkpoint_add_field(vlCheckpointWriter *writer, const char *name, const double *field, const vlGrid *grid,
                             const vlBlocks *blocks);
vlCode vl_checkpoint_read_field(const vlCheckpointReader *reader, const char *name, const vlGrid *grid,
                                const vlBlocks *blocks, double *field, vlStatus *status);

#endif
