/* Ctrl-C and SIGTERM: the first one asks the run to stop, the second one ends the program at once. Some senders send twice,
 * to the program and to its group: what comes within a second of the first is its echo. A signal that was ignored when we
 * started (a script's background job) stays ignored. SIGPIPE and SIGXFSZ are ignored so that a reader who leaves or a limit
 * on file sizes does not end the program; the failed write is seen instead. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static const double ECHO_SECONDS = 1.0;

/* A signal handler can reach nothing but globals. */
static volatile sig_atomic_t caught;
static struct timespec first; /* when; only handlers use it, and none interrupts another */

static void remember(int signal_number)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!caught) {
    caught = signal_number;
    first = now;
    return;
  }
  double since = (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec);
  if (since < ECHO_SECONDS) return;
  signal(signal_number, SIG_DFL);
  raise(signal_number); /* comes when this handler has ended */
}

void vl_interrupt_watch(void)
{
  static const int signals[] = {SIGINT, SIGTERM};
  enum { COUNT = sizeof signals / sizeof *signals };
  struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < COUNT; i++) sigaddset(&action.sa_mask, signals[i]);
  for (int i = 0; i < COUNT; i++) {
    struct sigaction before;
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
  }
  signal(SIGXFSZ, SIG_IGN);
}

int vl_interrupt_signal(void) { return caught; }
