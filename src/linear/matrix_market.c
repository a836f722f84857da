/* Matrices and vectors as Matrix Market text, for reading a system into other programs.
 *
 * Matrices: "coordinate real symmetric", the lower triangle in row order, indices from 1, or "general" where they need not
 * be square. Vectors: "array real general" with
 * one column. Seventeen digits bring every double back exactly. Text goes to PATH.part, is synced and renamed: PATH is whole
 * or as it was before, also when the disk fills up. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "linear/csr.h"
#include "linear/rect.h"

typedef struct Output {
  const char *path;
  char *part;
  FILE *stream;
} Output;

static vlCode open_output(Output *out, const char *path, vlStatus *status)
{
  static const char suffix[] = ".part";
  size_t length = strlen(path);
  *out = (Output){.path = path, .part = malloc(length + sizeof suffix)};
  if (!out->part) return vl_fail_memory(status, length + sizeof suffix, "a file name");
  memcpy(out->part, path, length);
  memcpy(out->part + length, suffix, sizeof suffix);
  out->stream = fopen(out->part, "w");
  if (out->stream) return VL_OK;
  int error = errno;
  free(out->part);
  return vl_fail(status, VL_ERROR_FILE, "cannot write '%s': %s", path, strerror(error));
}

/* written: whether all text went out; if not, errno still says why. */
static vlCode close_output(Output *out, bool written, vlStatus *status)
{
  bool good = written && fflush(out->stream) == 0 && fsync(fileno(out->stream)) == 0;
  int error = errno;
  if (fclose(out->stream) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good && rename(out->part, out->path) != 0) {
    good = false;
    error = errno;
  }
  if (!good) remove(out->part);
  free(out->part);
  return good ? VL_OK : vl_fail(status, VL_ERROR_FILE, "cannot write '%s': %s", out->path, strerror(error));
}

static bool print_matrix(FILE *stream, const vlCsr *a)
{
  int64_t lower = 0;
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) lower += a->column[e] <= i;
  if (fprintf(stream, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %" PRId64 "\n", a->rows, a->rows, lower) < 0)
    return false;
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1] && a->column[e] <= i; e++)
      if (fprintf(stream, "%d %d %.17g\n", i + 1, a->column[e] + 1, a->value[e]) < 0) return false;
  return true;
}

static bool print_rectangle(FILE *stream, const vlCsr *a, int columns)
{
  if (fprintf(stream, "%%%%MatrixMarket matrix coordinate real general\n%d %d %" PRId64 "\n", a->rows, columns,
              a->start[a->rows]) < 0)
    return false;
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      if (fprintf(stream, "%d %d %.17g\n", i + 1, a->column[e] + 1, a->value[e]) < 0) return false;
  return true;
}

static bool print_vector(FILE *stream, const double *x, int n)
{
  if (fprintf(stream, "%%%%MatrixMarket matrix array real general\n%d 1\n", n) < 0) return false;
  for (int i = 0; i < n; i++)
    if (fprintf(stream, "%.17g\n", x[i]) < 0) return false;
  return true;
}

vlCode vl_csr_write(const vlCsr *a, const char *path, vlStatus *status)
{
  Output out;
  vlCode code = open_output(&out, path, status);
  return code == VL_OK ? close_output(&out, print_matrix(out.stream, a), status) : code;
}

vlCode vl_rect_write(const vlCsr *a, int columns, const char *path, vlStatus *status)
{
  Output out;
  vlCode code = open_output(&out, path, status);
  return code == VL_OK ? close_output(&out, print_rectangle(out.stream, a, columns), status) : code;
}

vlCode vl_vector_write(const double *x, int n, const char *path, vlStatus *status)
{
  Output out;
  vlCode code = open_output(&out, path, status);
  return code == VL_OK ? close_output(&out, print_vector(out.stream, x, n), status) : code;
}
