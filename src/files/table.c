/* Tables that grow by whole lines.
 *
 * Every line goes out with one write to a file opened for appending: a run that dies leaves whole lines, and `tail -f` sees
 * each step at once. After a failed write the file is cut back to its last whole line. A run that goes on from a checkpoint
 * first cuts off what was written after it. A checkpoint is on the disk before lines that the system has only taken: so they
 * are flushed before it, and a table that lost lines nevertheless is refused. */
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

/* Where the steps in a file's lines break off. */
typedef struct Lines {
  int64_t line, step; /* of the last line that was read; step 0: none */
  int64_t next;       /* the step of the line behind it, where that is not the next one; 0: it is, or there is no line */
} Lines;

/* Reads lines until they come to a step, break off or end. */
static Lines read_lines(FILE *file, int64_t until, bool whole)
{
  Lines lines = {0};
  char *line = NULL;
  size_t room = 0;
  for (ssize_t n; lines.step < until && (n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n';) {
    lines.line++;
    if (lines.line == 1) continue; /* the header */
    char *end;
    int64_t step = strtoll(line, &end, 10);
    bool follows = lines.step > 0 || whole ? step == lines.step + 1 : step > 0;
    if (!follows || *end != ',') {
      lines.next = step;
      break;
    }
    lines.step = step;
  }
  free(line);
  return lines;
}

vlCode vl_table_check(const char *path, int64_t step, bool whole, vlStatus *status)
{
  FILE *file = fopen(path, "re");
  int error = errno;
  Lines lines = {0};
  if (file) lines = read_lines(file, step, whole);
  if (file) fclose(file);
  if (!file && (whole || error != ENOENT))
    return vl_fail(status, VL_ERROR_FILE, "cannot read %s: %s", path, strerror(error));
  if (lines.step >= step || (!whole && lines.line <= 1)) return VL_OK;
  const char *help = "lines are lost, and a run that went on would leave a hole; start it anew with --overwrite";
  if (lines.next)
    return vl_fail(status, VL_ERROR_FILE, "%s:%lld: a line of step %lld follows step %lld: %s", path, (long long)lines.line,
                   (long long)lines.next, (long long)lines.step, help);
  return vl_fail(status, VL_ERROR_FILE, "%s:%lld: it ends with step %lld; the checkpoint is of step %lld: %s", path,
                 (long long)lines.line, (long long)lines.step, (long long)step, help);
}

vlCode vl_table_flush(const vlTable *table, vlStatus *status)
{
  if (fsync(table->descriptor) == 0 || errno == EINVAL || errno == EROFS) return VL_OK; /* no file that can be flushed */
  return vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", table->path, strerror(errno));
}

void vl_table_close(vlTable *table)
{
  if (table->descriptor >= 0) close(table->descriptor);
  free(table->path);
  *table = VL_TABLE_CLOSED;
}
