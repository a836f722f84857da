/* Numbers that were read back, looked at before they are used.
 *
 * A checksum tells that a file is as it was written, not that what was written makes sense: a mended, an edited or a hostile
 * one has right sums too. Each kind of number has a range; within it places can be turned into cells once they are clamped,
 * squares and products do not overflow, and a bool is one. In: values as bytes. Out: the first that is not in its range. */
#include "grid/visitor.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

typedef enum Type { DOUBLE, FLOAT, INT, INT64, BYTE } Type;

/* A run stops long before its numbers come near to these ends. */
static const struct {
  Type type;
  double lo, hi;
} kinds[] = {[VL_NUMBERS_PLACE] = {DOUBLE, -1e18, 1e18},
             [VL_NUMBERS_SPEED] = {DOUBLE, -1e12, 1e12},
             [VL_NUMBERS_OTHER] = {DOUBLE, -1e100, 1e100},
             [VL_NUMBERS_LEAST_0] = {DOUBLE, 0.0, 1e100},
             [VL_NUMBERS_ROTATION] = {DOUBLE, -1.001, 1.001},
             [VL_NUMBERS_FLOAT_SPEED] = {FLOAT, -1e12, 1e12},
             [VL_NUMBERS_FLOAT] = {FLOAT, -1e30, 1e30},
             [VL_NUMBERS_COUNT] = {INT, 0.0, 2147483647.0},
             [VL_NUMBERS_INT] = {INT, -2147483648.0, 2147483647.0},
             [VL_NUMBERS_COUNT_64] = {INT64, 0.0, 1e18},
             [VL_NUMBERS_BOOL] = {BYTE, 0.0, 1.0}};

static double number_at(Type type, const void *values, size_t i)
{
  const char *bytes = values;
  double d;
  float f;
  int n;
  int64_t wide;
  switch (type) {
  case DOUBLE:
    memcpy(&d, bytes + i * sizeof d, sizeof d);
    return d;
  case FLOAT:
    memcpy(&f, bytes + i * sizeof f, sizeof f);
    return (double)f;
  case INT:
    memcpy(&n, bytes + i * sizeof n, sizeof n);
    return n;
  case INT64:
    memcpy(&wide, bytes + i * sizeof wide, sizeof wide);
    return (double)wide;
  default:
    return ((const unsigned char *)values)[i];
  }
}

size_t vl_numbers_bytes(vlNumbers numbers)
{
  static const size_t bytes[] = {sizeof(double), sizeof(float), sizeof(int), sizeof(int64_t), 1};
  return bytes[kinds[numbers].type];
}

vlCode vl_numbers_check(const char *name, vlNumbers numbers, const void *values, size_t count, vlStatus *status)
{
  return vl_numbers_check_in(name, numbers, values, count, kinds[numbers].lo, kinds[numbers].hi, status);
}

vlCode vl_numbers_check_in(const char *name, vlNumbers numbers, const void *values, size_t count, double lo, double hi,
                           vlStatus *status)
{
  for (size_t i = 0; i < count; i++) {
    double x = number_at(kinds[numbers].type, values, i);
    if (!(x >= lo && x <= hi))
      return vl_fail(status, VL_ERROR_FILE, "'%s' holds %.9g at index %zu; %.9g to %.9g is possible", name, x, i, lo, hi);
  }
  return VL_OK;
}
