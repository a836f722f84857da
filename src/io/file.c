/* Files that are whole or not there.
 *
 * A reader (ParaView, a renderer, a person) may look into a run while it is written, and a run may end at any moment: by
 * a full disk, a signal, a power cut. So a file is written under the name PATH.part, flushed to the disk and renamed to
 * PATH, which the system does in one piece. Whatever goes wrong before the rename removes the partial file and leaves an
 * older PATH as it was.
 * The first error of a write sticks to the vlFile and is reported, with the path and the system's words, by the commit. */
#include "io/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *vl_path_join(const char *folder, const char *name)
{
  size_t n = strlen(folder), room = n + strlen(name) + 2;
  char *path = malloc(room);
  if (path) snprintf(path, room, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
  return path;
}

static void forget(vlFile *file)
{
  free(file->path);
  free(file->part);
  *file = (vlFile){0};
}

vlCode vl_file_open(vlFile *file, const char *path, vlStatus *status)
{
  *file = (vlFile){0};
  size_t room = strlen(path) + sizeof ".part";
  file->path = strdup(path);
  file->part = malloc(room);
  vlCode code = VL_OK;
  if (!file->path || !file->part) {
    code = vl_fail_memory(status, room, "a file's name");
  } else {
    snprintf(file->part, room, "%s.part", path);
    file->stream = fopen(file->part, "wbe");
    if (!file->stream) code = vl_fail(status, VL_ERROR_FILE, "cannot create %s: %s", path, strerror(errno));
  }
  if (code != VL_OK) forget(file);
  return code;
}

static void note_error(vlFile *file)
{
  if (!file->error) file->error = errno ? errno : EIO;
}

void vl_file_write(vlFile *file, const void *data, size_t bytes)
{
  if (file->error || !bytes) return;
  errno = 0;
  if (fwrite(data, 1, bytes, file->stream) != bytes) note_error(file);
}

void vl_file_print(vlFile *file, const char *format, ...)
{
  if (file->error) return;
  errno = 0;
  va_list args;
  va_start(args, format);
  if (vfprintf(file->stream, format, args) < 0) note_error(file);
  va_end(args);
}

vlCode vl_file_commit(vlFile *file, vlStatus *status)
{
  errno = 0;
  if (!file->error && (ferror(file->stream) || fflush(file->stream) != 0)) note_error(file);
  if (!file->error && fsync(fileno(file->stream)) != 0) note_error(file);
  if (fclose(file->stream) != 0) note_error(file);
  file->stream = NULL;
  if (!file->error && rename(file->part, file->path) != 0) note_error(file);
  vlCode code = VL_OK;
  if (file->error) {
    unlink(file->part);
    code = vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", file->path, strerror(file->error));
  }
  forget(file);
  return code;
}

void vl_file_abandon(vlFile *file)
{
  if (file->stream) fclose(file->stream);
  if (file->part) unlink(file->part);
  forget(file);
}

static bool is_folder(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

vlCode vl_folder_create(const char *path, vlStatus *status)
{
  if (!*path) return vl_fail(status, VL_ERROR_FILE, "cannot create a folder with an empty name");
  char *head = strdup(path);
  if (!head) return vl_fail_memory(status, strlen(path), "a folder's name");
  vlCode code = VL_OK;
  /* every '/' in turn ends the name of a parent */
  for (char *end = head + 1; code == VL_OK; end++) {
    if (*end && *end != '/') continue;
    char kept = *end;
    *end = '\0';
    int error = mkdir(head, 0777) == 0 ? 0 : errno == EEXIST ? ENOTDIR : errno; /* before stat() changes it */
    if (error && !is_folder(head)) {
      code = vl_fail(status, VL_ERROR_FILE, "cannot create the folder %s: %s: %s", path, head, strerror(error));
    }
    *end = kept;
    if (!kept) break;
  }
  free(head);
  return code;
}

vlCode vl_file_read(const char *path, size_t limit, char **text, size_t *length, vlStatus *status)
{
  *text = NULL;
  FILE *stream = fopen(path, "rbe");
  if (!stream) return vl_fail(status, VL_ERROR_FILE, "cannot read %s: %s", path, strerror(errno));
  vlCode code = VL_OK;
  struct stat info;
  if (fstat(fileno(stream), &info) != 0 || !S_ISREG(info.st_mode)) {
    code = vl_fail(status, VL_ERROR_FILE, "cannot read %s: not a plain file", path);
  } else if ((uintmax_t)info.st_size > limit) {
    code = vl_fail(status, VL_ERROR_FILE, "%s has %jd bytes; at most %zu are read", path, (intmax_t)info.st_size, limit);
  } else if (!(*text = malloc((size_t)info.st_size + 1))) {
    code = vl_fail_memory(status, (size_t)info.st_size, path);
  } else {
    *length = fread(*text, 1, (size_t)info.st_size, stream);
    (*text)[*length] = '\0';
    if (ferror(stream)) code = vl_fail(status, VL_ERROR_FILE, "cannot read %s: %s", path, strerror(errno));
  }
  fclose(stream);
  if (code != VL_OK) {
    free(*text);
    *text = NULL;
  }
  return code;
}
