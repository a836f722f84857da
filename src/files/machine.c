/* The machine and compiler, in words: what one needs to judge a run's timings later. */
#include "files/machine.h"

#include <cholmod.h>
#include <libfyaml.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first "model name : ..." of /proc/cpuinfo. */
static void read_cpu(char cpu[static 128])
{
  snprintf(cpu, 128, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file) return;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    colon += 1 + strspn(colon + 1, " \t");
    snprintf(cpu, 128, "%.*s", (int)strcspn(colon, "\n"), colon);
    break;
  }
  fclose(file);
}

vlMachine vl_machine_describe(void)
{
  vlMachine machine = {.kernel = "unknown"};
  read_cpu(machine.cpu);
  cpu_set_t set;
  machine.cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
  machine.memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  struct utsname name;
  if (uname(&name) == 0)
    snprintf(machine.kernel, sizeof machine.kernel, "%.60s %.100s %.60s", name.sysname, name.release, name.machine);
  return machine;
}

const char *vl_compiler_text(void)
{
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "gcc " __VERSION__;
#else
  return "unknown";
#endif
}

void vl_machine_libraries(vlLibrary libraries[static VL_LIBRARY_COUNT])
{
  int cholmod[3];
  cholmod_version(cholmod);
  libraries[0] = (vlLibrary){.name = "CHOLMOD"};
  snprintf(libraries[0].version, sizeof libraries[0].version, "%d.%d.%d", cholmod[0], cholmod[1], cholmod[2]);
  libraries[1] = (vlLibrary){.name = "libfyaml"};
  snprintf(libraries[1].version, sizeof libraries[1].version, "%s", fy_library_version());
  libraries[2] = (vlLibrary){.name = "OpenMP"};
  snprintf(libraries[2].version, sizeof libraries[2].version, "%d", _OPENMP);
}
