/* velella-render: pictures of a run, by path tracing. It reads the frames and look.json of a run and nothing else; `velella
 * render` starts it. Exit codes are those of velella. Ctrl-C ends it between two tiles of a picture. */
#include <signal.h>
#include <stdio.h>

#include "options.h"
#include "sequence.h"

/* A signal handler can reach nothing but a global of this type. */
static volatile sig_atomic_t stopped;

static void remember(int signal_number) { stopped = signal_number; }

static bool is_stopped(void) { return stopped != 0; }

static void watch(int signal_number)
{
  struct sigaction before, action = {.sa_handler = remember, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signal_number, &action, NULL);
}

int main(int argc, char **argv)
{
  vlStatus status = {0};
  vlRenderOptions options;
  watch(SIGINT);
  watch(SIGTERM);
  vlCode code = vl_render_options(&options, argc, argv, &status);
  if (code == VL_OK && options.help)
    vl_render_help(stdout);
  else if (code == VL_OK)
    code = vl_sequence_render(&options, is_stopped, &status);
  if (code == VL_INTERRUPTED)
    fprintf(stderr, "velella: %s\n", status.message);
  else if (code != VL_OK)
    fprintf(stderr, "velella: error: %s\n", status.message);
  return (int)code;
}
