/* ffmpeg as a process: the PNG files are written to its standard input one after the other, so gaps in their numbers and
 * other files in the folder do not matter. The video appears under its name when it is whole. "file:" before that name: it
 * may begin with a dash, or with what ffmpeg would take for a protocol. */
#include "video.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "files/file.h"

extern char **environ;

enum { LARGEST = 1 << 30 };

static vlCode start(const char *path, double rate, pid_t *child, int *to, vlStatus *status)
{
  char fps[32];
  int ends[2];
  snprintf(fps, sizeof fps, "%.6g", rate);
  /* yuv420p needs even sides, and plays everywhere */
  const char *const words[] = {"ffmpeg", "-nostdin",   "-loglevel",  "error",   "-y",
                               "-f",     "image2pipe", "-framerate", fps,       "-c:v",
                               "png",    "-i",         "-",          "-vf",     "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                               "-c:v",   "libx264",    "-pix_fmt",   "yuv420p", "-crf",
                               "17",     "-movflags",  "+faststart", "-f",      "mp4",
                               path,     NULL};
  if (pipe2(ends, O_CLOEXEC) != 0) return vl_fail(status, VL_ERROR_FILE, "cannot make a pipe: %s", strerror(errno));
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  if (!error) error = posix_spawnp(child, words[0], &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  *to = ends[1];
  if (!error) return VL_OK;
  close(ends[1]);
  if (error == ENOENT)
    return vl_fail(
        status, VL_ERROR_BACKEND,
        "there is no video: the program ffmpeg was not found; install it (Debian: apt install ffmpeg) and run the "
        "same command again, pictures that are there are kept");
  return vl_fail(status, VL_ERROR_BACKEND, "there is no video: ffmpeg cannot be started: %s", strerror(error));
}

static bool send(int to, const char *bytes, size_t length)
{
  while (length) {
    ssize_t n = write(to, bytes, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    length -= (size_t)n;
  }
  return true;
}

static vlCode feed(int to, char *const *pictures, int count, vlStatus *status)
{
  vlCode code = VL_OK;
  bool open = true;
  for (int i = 0; i < count && code == VL_OK && open; i++) {
    char *bytes;
    size_t length;
    code = vl_file_read(pictures[i], LARGEST, &bytes, &length, status);
    if (code == VL_OK) open = send(to, bytes, length); /* what ffmpeg does not take it explains by itself */
    free(bytes);
  }
  return code;
}

vlCode vl_video_write(const char *path, char *const *pictures, int count, double frames_per_second, vlStatus *status)
{
  static const char scheme[] = "file:";
  size_t room = sizeof scheme + strlen(path) + sizeof ".part";
  char *address = malloc(room);
  pid_t child;
  int to, ended = 0;
  if (!address) return vl_fail_memory(status, room, "a file's name");
  snprintf(address, room, "%s%s.part", scheme, path);
  const char *part = address + sizeof scheme - 1;
  vlCode code = start(address, frames_per_second, &child, &to, status);
  if (code == VL_OK) {
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    code = feed(to, pictures, count, status);
    close(to);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) continue;
    signal(SIGPIPE, before);
    bool good = WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    if (code == VL_OK && !good)
      code = vl_fail(status, VL_ERROR_FILE, "there is no video: ffmpeg could not write %s (its reasons stand above)", path);
    if (code == VL_OK && rename(part, path) != 0)
      code = vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", path, strerror(errno));
    if (code != VL_OK) unlink(part);
  }
  free(address);
  return code;
}
