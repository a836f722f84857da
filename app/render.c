/* velella render: another program, velella-render, makes pictures; it lies beside this one. It is started in this one's
 * place, so signals and exit codes are its own. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "command.h"

static const char program[] = "velella-render";

vlCode vl_command_render(const vlOptions *options, vlStatus *status)
{
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof program - 1);
  if (n < 0) return vl_fail(status, VL_ERROR_FILE, "cannot find out where velella lies: %s", strerror(errno));
  path[n] = '\0';
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash + 1 : path, program);
  /* its own name takes the place of "velella render" */
  char **words = calloc((size_t)options->argument_count + 1, sizeof *words);
  if (!words) return vl_fail_memory(status, (size_t)options->argument_count * sizeof *words, "the command line");
  words[0] = path;
  for (int i = 2; i < options->argument_count; i++) words[i - 1] = (char *)options->arguments[i];
  signal(SIGPIPE, SIG_DFL);
  execv(path, words);
  int error = errno;
  free(words);
  if (error == ENOENT)
    return vl_fail(
        status, VL_ERROR_BACKEND,
        "this build has no renderer: %s is not there; it is built when Embree 3 and libpng are installed (Debian: "
        "libembree-dev, libpng-dev)",
        path);
  return vl_fail(status, VL_ERROR_BACKEND, "cannot start %s: %s", path, strerror(error));
}
