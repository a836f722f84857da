/* Files that are whole or not there.
 *
 * A reader (ParaView, a renderer, a person) may look into a run while it is written, and a run may end at any moment: by
 * a full disk, a signal, a power cut. So a file is written under the name PATH.part, flushed to the disk and renamed to
 * PATH, which the system does in one piece. Whatever goes wrong before the rename removes the partial file and leaves an
 * older PATH as it was. The partial file is locked: a second writer is refused instead of mixing its bytes in, and what a
 * killed one left, which the system unlocks, is written over.
 * The first error of a write sticks to the vlFile and is reported, with the path and the system's words, by the commit. */
#include "files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* Is it the file that has this name, or one that another writer has just renamed? */
static bool has_name(int handle, const char *path)
{
  struct stat own, named;
  return fstat(handle, &own) == 0 && stat(path, &named) == 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

/* The partial file, empty and locked; NULL with errno, EWOULDBLOCK: another one writes it. File systems without locks are
 * written without. */
static FILE *open_locked(const char *part)
{
  for (int tries = 0; tries < 100; tries++) {
    int handle = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0666), error = 0;
    if (handle < 0) return NULL;
    if (flock(handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) error = errno;
    bool own = !error && has_name(handle, part);
    struct stat info;
    if (own && fstat(handle, &info) == 0 && S_ISREG(info.st_mode) && ftruncate(handle, 0) != 0) error = errno;
    FILE *stream = own && !error ? fdopen(handle, "wb") : NULL;
    if (stream) return stream;
    if (own && !error) error = errno;
    close(handle);
    errno = error;
    if (error) return NULL;
  }
  errno = EWOULDBLOCK;
  return NULL;
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
    file->stream = open_locked(file->part);
    if (!file->stream)
      code = vl_fail(status, VL_ERROR_FILE, "cannot create %s: %s", path,
                     errno == EWOULDBLOCK ? "another program is writing it" : strerror(errno));
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
  /* while it is locked: afterwards the name may be another writer's */
  if (!file->error && rename(file->part, file->path) != 0) note_error(file);
  vlCode code = VL_OK;
  if (file->error) {
    unlink(file->part);
    code = vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", file->path, strerror(file->error));
  }
  fclose(file->stream);
  forget(file);
  return code;
}

void vl_file_abandon(vlFile *file)
{
  if (file->part) unlink(file->part);
  if (file->stream) fclose(file->stream);
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

vlCode vl_folder_lock(const char *path, int *lock, vlStatus *status)
{
  *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*lock < 0) return vl_fail(status, VL_ERROR_FILE, "cannot read the folder %s: %s", path, strerror(errno));
  if (flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return VL_OK;
  vl_folder_unlock(lock);
  return vl_fail(status, VL_ERROR_FILE, "another program is writing into the folder %s", path);
}

void vl_folder_unlock(int *lock)
{
  if (*lock >= 0) close(*lock);
  *lock = -1;
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

/* Numbers as text: as few digits as read back to the same bits, so that files are short, exact and the same wherever
 * they are written. Every double survives 17 significant digits and many need only 15; printf is asked for 15, 16 and 17
 * until the way back gives the same value. */

/* A locale may have put a comma, or a few bytes of something else, where JSON, CSV and XML want a point. */
static void force_point(char *text)
{
  size_t begin = strspn(text, "0123456789+-eE");
  if (!text[begin] || text[begin] == '.') return;
  size_t end = begin + strcspn(text + begin, "0123456789");
  text[begin] = '.';
  memmove(text + begin + 1, text + end, strlen(text + end) + 1);
}

const char *vl_number_text(double value, char text[static VL_NUMBER_TEXT])
{
  if (isnan(value)) return strcpy(text, "nan");
  if (isinf(value)) return strcpy(text, value < 0.0 ? "-inf" : "inf");
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, VL_NUMBER_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  force_point(text);
  return text;
}
