/* Tables that grow by whole lines.
 *
 * Every line goes out with one write to a file opened for appending: a run that dies leaves whole lines, and `tail -f` sees
 * each step at once. After a failed write the file is cut back to its last whole line. A run that goes on from a checkpoint
 * first cuts off what was written after it. */
#include "files/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file.h"

vlCode vl_table_append(vlTable *table, const char *line, size_t length, vlStatus *status)
{
  off_t before = lseek(table->descriptor, 0, SEEK_END);
  size_t done = 0;
  int error = 0;
  while (done < length && !error) {
    ssize_t n = write(table->descriptor, line + done, length - done);
    if (n > 0)
      done += (size_t)n;
    else if (n == 0 || errno != EINTR)
      error = n == 0 ? ENOSPC : errno;
  }
  if (!error) return VL_OK;
  if (before >= 0 && ftruncate(table->descriptor, before) != 0) error = errno == EINVAL ? error : errno;
  return vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", table->path, strerror(error));
}

/* A file that is there must continue what we are about to write. */
static vlCode check_header(const vlTable *table, const char *header, vlStatus *status)
{
  size_t length = strlen(header);
  char *found = malloc(length);
  if (!found) return vl_fail_memory(status, length, table->path);
  ssize_t n = pread(table->descriptor, found, length, 0);
  bool same = n == (ssize_t)length && memcmp(found, header, length) == 0;
  free(found);
  if (same) return VL_OK;
  return vl_fail(status, VL_ERROR_FILE,
                 "%s does not begin with the line \"%.*s\"; it was not made by this version of Velella or for another scene",
                 table->path, (int)length - 1, header);
}

vlCode vl_table_open(vlTable *table, const char *folder, const char *file, const char *header, vlStatus *status)
{
  *table = (vlTable){-1, vl_path_join(folder, file)};
  if (!table->path) return vl_fail_memory(status, strlen(folder), file);
  table->descriptor = open(table->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (table->descriptor < 0) return vl_fail(status, VL_ERROR_FILE, "cannot open %s: %s", table->path, strerror(errno));
  struct stat info;
  if (fstat(table->descriptor, &info) == 0 && info.st_size > 0) return check_header(table, header, status);
  return vl_table_append(table, header, strlen(header), status);
}

/* Bytes of the header and of the whole lines up to a step. */
static off_t length_until(FILE *file, int64_t step)
{
  char *line = NULL;
  size_t room = 0;
  off_t kept = 0;
  for (ssize_t n; (n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n'; kept += n)
    if (kept > 0 && strtoll(line, NULL, 10) > step) break;
  free(line);
  return kept;
}

vlCode vl_table_keep(vlTable *table, int64_t step, vlStatus *status)
{
  FILE *file = fopen(table->path, "re");
  bool done = file && ftruncate(table->descriptor, length_until(file, step)) == 0;
  int error = errno;
  if (file) fclose(file);
  if (done) return VL_OK;
  return vl_fail(status, VL_ERROR_FILE, "cannot cut %s back to step %lld: %s", table->path, (long long)step,
                 strerror(error));
}

void vl_table_close(vlTable *table)
{
  if (table->descriptor >= 0) close(table->descriptor);
  free(table->path);
  *table = VL_TABLE_CLOSED;
}
