/* Work in a process of its own, so that its peak memory can be told and it begins with a fresh heap. The parent must not
 * have started OpenMP threads: they do not survive the fork. */
#ifndef VL_BENCH_OWN_PROCESS_H
#define VL_BENCH_OWN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Fills `result` from `task`; both are plain data. May end the process with a status other than 0. */
typedef void OwnWork(const void *task, void *result);

/* Returns the peak memory in bytes, that of an empty process included; -1 when the work did not come to its end. work NULL:
 * the empty process. */
static inline double own_process(OwnWork *work, const void *task, void *result, size_t size)
{
  int ends[2], status = 0;
  struct rusage usage = {0};
  if (pipe(ends)) return -1.0;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (work) work(task, result);
    _exit(work && write(ends[1], result, size) != (ssize_t)size);
  }
  close(ends[1]);
  bool ok = child > 0;
  for (size_t got = 0; ok && work && got < size;) {
    ssize_t count = read(ends[0], (char *)result + got, size - got);
    ok = count > 0;
    got += ok ? (size_t)count : 0;
  }
  close(ends[0]);
  if (child > 0) ok = wait4(child, &status, 0, &usage) == child && status == 0 && ok;
  return ok ? 1024.0 * (double)usage.ru_maxrss : -1.0;
}

/* s of processor time of this process, all its threads together. */
static inline double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
