/* Ctrl-C and SIGTERM: the first one asks the run to stop after the step it is in, the second one ends the program at
 * once. A signal that was ignored when we started (a script's background job) stays ignored. SIGPIPE and SIGXFSZ
 * are ignored so that a reader who leaves or a limit on file sizes does not end the program; the failed write is seen
 * instead. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler can reach nothing but a global of this type. */
static volatile sig_atomic_t caught;

static void remember(int signal_number) { caught = signal_number; }

void vl_interrupt_watch(void)
{
  static const int signals[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction before, action = {.sa_handler = remember, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

int vl_interrupt_signal(void) { return caught; }
