/* Checkpoints of a simulation: its state (grid/visitor.h) into a file and back. One visitor writes a chunk for every piece,
 * one reads them, one counts bytes. */
#include "frames/frames.h"

#include "base/status.h"
#include "files/checkpoint.h"
#include "grid/visitor.h"

static vlCode write_array(void *data, const char *name, void *memory, size_t size, size_t count, vlStatus *status)
{
  (void)status; /* a writer tells of its failures when it commits */
  vl_checkpoint_add(data, name, memory, size, count);
  return VL_OK;
}

static vlCode write_field(void *data, const char *name, double *field, const vlGrid *grid, const vlBlocks *blocks,
                          vlStatus *status)
{
  (void)status;
  vl_checkpoint_add_field(data, name, field, grid, blocks);
  return VL_OK;
}

vlCode vl_sim_save(const vlSim *sim, const char *path, vlStatus *status)
{
  vlCheckpointWriter *writer = NULL;
  vlCode code = vl_checkpoint_create(&writer, path, status);
  if (code) return code;
  vlVisitor visitor = {.data = writer, .array = write_array, .field = write_field};
  code = vl_sim_visit((vlSim *)sim, &visitor, status); /* which changes nothing */
  if (code) {
    vl_checkpoint_abandon(&writer);
    return code;
  }
  return vl_checkpoint_commit(&writer, status);
}

static vlCode count_array(void *data, const char *name, void *memory, size_t size, size_t count, vlStatus *status)
{
  (void)name, (void)memory, (void)status;
  *(double *)data += (double)size * (double)count;
  return VL_OK;
}

static vlCode count_field(void *data, const char *name, double *field, const vlGrid *grid, const vlBlocks *blocks,
                          vlStatus *status)
{
  (void)name, (void)field, (void)grid, (void)status;
  *(double *)data += (double)blocks->count * VL_BLOCK * sizeof(double);
  return VL_OK;
}

double vl_sim_checkpoint_bytes(const vlSim *sim)
{
  double bytes = 4096.0;
  vlVisitor visitor = {.data = &bytes, .array = count_array, .field = count_field};
  vlStatus ignored;
  (void)vl_sim_visit((vlSim *)sim, &visitor, &ignored);
  return bytes;
}

static vlCode read_array(void *data, const char *name, void *memory, size_t size, size_t count, vlStatus *status)
{
  return vl_checkpoint_read(data, name, memory, size, count, status);
}

static vlCode read_field(void *data, const char *name, double *field, const vlGrid *grid, const vlBlocks *blocks,
                         vlStatus *status)
{
  return vl_checkpoint_read_field(data, name, grid, blocks, field, status);
}

static const void *find(void *data, const char *name, size_t size, size_t *count)
{
  vlStatus ignored;
  *count = 0;
  return vl_checkpoint_has(data, name) ? vl_checkpoint_find(data, name, size, count, &ignored) : NULL;
}

vlCode vl_sim_resume(vlSim *sim, const char *path, vlStatus *status)
{
  vlCheckpointReader *reader = NULL;
  vlCode code = vl_checkpoint_open(&reader, path, status);
  if (code) return code;
  vlVisitor visitor = {.restoring = true, .data = reader, .array = read_array, .field = read_field, .find = find};
  code = vl_sim_visit(sim, &visitor, status);
  if (code) vl_status_prefix(status, "%s: ", path);
  vl_checkpoint_close(&reader);
  return code;
}
