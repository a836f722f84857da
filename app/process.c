/* A process is named by host, pid and start time: pids are given out again, and a folder may be shared between machines.
 * The start time is the 22nd field of /proc/PID/stat; where there is no /proc the pid alone decides. */
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/json.h"

/* 0: unknown; -1: the process has ended and only waits to be noticed by its parent. */
static int64_t start_ticks(int64_t pid)
{
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  bool read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  /* the second field, the name, may hold anything; what follows its last parenthesis are fields 3, 4, ... */
  const char *at = read ? strrchr(line, ')') : NULL;
  if (at && (at[2] == 'Z' || at[2] == 'X')) return -1;
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  return at ? strtoll(at, NULL, 10) : 0;
}

vlProcess vl_process_self(void)
{
  vlProcess self = {.pid = getpid()};
  self.start = start_ticks(self.pid);
  if (gethostname(self.host, sizeof self.host - 1) != 0) self.host[0] = '\0';
  return self;
}

bool vl_process_of_run(const char *run_json, vlProcess *process)
{
  double pid = 0.0, start = 0.0;
  char *host = NULL;
  *process = (vlProcess){0};
  if (!vl_json_find_number(run_json, "pid", &pid) || !(pid > 0.0)) return false;
  vl_json_find_number(run_json, "pid_start", &start);
  if (vl_json_find_string(run_json, "host", &host)) snprintf(process->host, sizeof process->host, "%s", host);
  free(host);
  process->pid = (int64_t)pid;
  process->start = (int64_t)start;
  return true;
}

vlPresence vl_process_presence(const vlProcess *process)
{
  vlProcess self = vl_process_self();
  if (*process->host && strcmp(process->host, self.host) != 0) return VL_PRESENCE_ELSEWHERE;
  bool there = kill((pid_t)process->pid, 0) == 0 || errno == EPERM;
  int64_t start = there ? start_ticks(process->pid) : 0;
  bool other = start < 0 || (start && process->start && start != process->start);
  return there && !other ? VL_PRESENCE_HERE : VL_PRESENCE_GONE;
}
