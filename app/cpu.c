/* The library is compiled for x86-64-v3 (2013 and later). On an older processor its first vector instruction would end
 * the program with "illegal instruction"; this file, compiled for any x86-64, asks first and says it in words. */
#include "cpu.h"

#include <stdio.h>

#include "base/status.h"

vlCode vl_cpu_check(vlStatus *status)
{
#if defined(__x86_64__)
  __builtin_cpu_init();
  const struct {
    const char *name;
    bool there;
  } features[] = {
      {"AVX2", __builtin_cpu_supports("avx2")},
      {"FMA", __builtin_cpu_supports("fma")},
      {"BMI", __builtin_cpu_supports("bmi")},
      {"BMI2", __builtin_cpu_supports("bmi2")},
  };
  char missing[64] = "";
  int n = 0;
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    if (!features[i].there) n += snprintf(missing + n, sizeof missing - (size_t)n, "%s%s", n ? ", " : "", features[i].name);
  }
  if (n)
    return vl_fail(
        status, VL_ERROR_BACKEND,
        "this processor lacks %s, which this build of Velella needs (x86-64-v3: Intel Haswell, AMD Zen or later);\n"
        "compile it on this machine with -DVELELLA_NATIVE=ON",
        missing);
#endif
  (void)status;
  return VL_OK;
}
