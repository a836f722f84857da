/* Matrices and vectors as Matrix Market text, for reading a system into other programs and back.
 *
 * Matrices: "coordinate real symmetric", the lower triangle in row order, indices from 1, or "general" where they need not
 * be square. Vectors: "array real general" with one column. Seventeen digits bring every double back exactly. Text goes to
 * PATH.part, is synced and renamed: PATH is whole or as it was before, also when the disk fills up.
 *
 * When such files are read, comments are skipped; entries may come in any order, two for one place are added. A line that
 * does not fit is named as path:line. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "linear/csr.h"

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

/* The lower triangle of a symmetric matrix, or all entries. */
static bool print_matrix(FILE *stream, const vlCsr *a, int columns, bool symmetric)
{
  int64_t count = 0;
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) count += !symmetric || a->column[e] <= i;
  if (fprintf(stream, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %" PRId64 "\n", symmetric ? "symmetric" : "general",
              a->rows, columns, count) < 0)
    return false;
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1] && (!symmetric || a->column[e] <= i); e++)
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

static vlCode write_matrix(const vlCsr *a, int columns, bool symmetric, const char *path, vlStatus *status)
{
  Output out;
  vlCode code = open_output(&out, path, status);
  return code == VL_OK ? close_output(&out, print_matrix(out.stream, a, columns, symmetric), status) : code;
}

vlCode vl_csr_write(const vlCsr *a, const char *path, vlStatus *status)
{
  return write_matrix(a, a->rows, true, path, status);
}

vlCode vl_rect_write(const vlCsr *a, int columns, const char *path, vlStatus *status)
{
  return write_matrix(a, columns, false, path, status);
}

vlCode vl_vector_write(const double *x, int n, const char *path, vlStatus *status)
{
  Output out;
  vlCode code = open_output(&out, path, status);
  return code == VL_OK ? close_output(&out, print_vector(out.stream, x, n), status) : code;
}

typedef struct Input {
  const char *path;
  FILE *stream;
  char *text; /* the current line */
  size_t capacity;
  int64_t line;
} Input;

static vlCode open_input(Input *in, const char *path, vlStatus *status)
{
  *in = (Input){.path = path, .stream = fopen(path, "r")};
  if (in->stream) return VL_OK;
  return vl_fail(status, VL_ERROR_FILE, "cannot read '%s': %s", path, strerror(errno));
}

static void close_input(Input *in)
{
  if (in->stream) fclose(in->stream);
  free(in->text);
  *in = (Input){0};
}

static vlCode complain(const Input *in, const char *what, vlStatus *status)
{
  return vl_fail(status, VL_ERROR_FILE, "%s:%lld: %s", in->path, (long long)in->line, what);
}

/* The next line that is neither empty nor a comment. */
static vlCode next_line(Input *in, const char *wanted, vlStatus *status)
{
  do {
    in->line++;
    if (getline(&in->text, &in->capacity, in->stream) < 0) {
      vlCode code = complain(in, "the file ends where there should be ", status);
      if (status) strncat(status->message, wanted, sizeof status->message - strlen(status->message) - 1);
      return code;
    }
  } while (in->text[0] == '%' || in->text[strspn(in->text, " \t\r\n")] == '\0');
  return VL_OK;
}

/* The first line, one of two allowed; which: 0 or 1. */
static vlCode read_banner(Input *in, const char *first, const char *second, int *which, vlStatus *status)
{
  static const char start[] = "%%MatrixMarket matrix ";
  in->line = 1;
  if (getline(&in->text, &in->capacity, in->stream) < 0) return complain(in, "the file is empty", status);
  in->text[strcspn(in->text, "\r\n")] = '\0';
  if (strncmp(in->text, start, sizeof start - 1) == 0) {
    const char *kind = in->text + sizeof start - 1;
    *which = strcmp(kind, first) != 0;
    if (!*which || strcmp(kind, second) == 0) return VL_OK;
  }
  return vl_fail(status, VL_ERROR_FILE, "%s:1: begins with '%.60s', it must be '%s%s' or '%s%s'", in->path, in->text, start,
                 first, start, second);
}

/* `count` whole numbers between 0 and INT_MAX (the last: INT64_MAX), and a real number behind them if asked for. */
static bool parse_line(const char *text, int count, int64_t *whole, double *real)
{
  char *end;
  for (int k = 0; k < count; k++, text = end) {
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || errno || number < 0 || (k < 2 && number > INT_MAX)) return false;
    whole[k] = number;
  }
  if (real) {
    *real = strtod(text, &end);
    if (end == text) return false;
    text = end;
  }
  return text[strspn(text, " \t\r\n")] == '\0';
}

typedef struct Entry {
  int row, column;
  double value;
} Entry;

static int compare_entries(const void *x, const void *y)
{
  const Entry *a = x, *b = y;
  if (a->row != b->row) return a->row < b->row ? -1 : 1;
  return (a->column > b->column) - (a->column < b->column);
}

typedef struct Entries {
  Entry *data;
  size_t capacity;
  int64_t count;
} Entries;

/* Room grows with what is read: the header may lie. */
static vlCode read_entries(Input *in, const int64_t size[3], bool symmetric, Entries *entries, vlStatus *status)
{
  for (int64_t k = 0; k < size[2]; k++) {
    int64_t at[2];
    double value;
    vlCode code = next_line(in, "an entry", status);
    if (code != VL_OK) return code;
    if (!parse_line(in->text, 2, at, &value) || at[0] < 1 || at[0] > size[0] || at[1] < 1 || at[1] > size[1])
      return complain(in, "expected row, column and value, counted from 1 and within the matrix", status);
    size_t need = (size_t)entries->count + 2;
    if (!vl_array_reserve(&entries->data, &entries->capacity, need, sizeof *entries->data))
      return vl_fail_memory(status, need * sizeof *entries->data, "the entries of a matrix file");
    entries->data[entries->count++] = (Entry){(int)at[0] - 1, (int)at[1] - 1, value};
    if (symmetric && at[0] != at[1]) entries->data[entries->count++] = (Entry){(int)at[1] - 1, (int)at[0] - 1, value};
  }
  return VL_OK;
}

static vlCode to_rows(vlCsr **a, int rows, Entry *entry, int64_t count, vlStatus *status)
{
  if (count > 0) qsort(entry, (size_t)count, sizeof *entry, compare_entries);
  vlCode code = vl_csr_create(a, rows, count, status);
  if (code != VL_OK) return code;
  int64_t out = 0;
  for (int64_t k = 0; k < count; k++) {
    bool again = k > 0 && compare_entries(&entry[k], &entry[k - 1]) == 0;
    if (!again) out++;
    (*a)->column[out - 1] = entry[k].column;
    (*a)->value[out - 1] += entry[k].value;
    (*a)->start[entry[k].row + 1] = out;
  }
  for (int i = 0; i < rows; i++)
    if ((*a)->start[i + 1] < (*a)->start[i]) (*a)->start[i + 1] = (*a)->start[i];
  return VL_OK;
}

vlCode vl_rect_read(vlCsr **a, int *columns, const char *path, vlStatus *status)
{
  Input in;
  Entries entries = {0};
  int symmetric = 0;
  int64_t size[3] = {0, 0, 0};
  *a = NULL;
  vlCode code = open_input(&in, path, status);
  if (code == VL_OK) code = read_banner(&in, "coordinate real general", "coordinate real symmetric", &symmetric, status);
  if (code == VL_OK) code = next_line(&in, "the matrix's size", status);
  if (code == VL_OK && (!parse_line(in.text, 3, size, NULL) || (symmetric && size[0] != size[1])))
    code = complain(&in, "expected rows, columns and number of entries", status);
  if (code == VL_OK) code = read_entries(&in, size, symmetric, &entries, status);
  if (code == VL_OK) code = to_rows(a, (int)size[0], entries.data, entries.count, status);
  if (code == VL_OK) *columns = (int)size[1];
  free(entries.data);
  close_input(&in);
  return code;
}

vlCode vl_vector_read(double **x, int *n, const char *path, vlStatus *status)
{
  static const char kind[] = "array real general";
  Input in;
  double *made = NULL;
  int which = 0;
  int64_t size[2] = {0, 0};
  *x = NULL;
  vlCode code = open_input(&in, path, status);
  if (code == VL_OK) code = read_banner(&in, kind, kind, &which, status);
  if (code == VL_OK) code = next_line(&in, "the vector's size", status);
  if (code == VL_OK && (!parse_line(in.text, 2, size, NULL) || size[1] != 1))
    code = complain(&in, "expected the number of rows and 1", status);
  if (code == VL_OK) {
    made = malloc(((size_t)size[0] + 1) * sizeof *made);
    if (!made) code = vl_fail_memory(status, (size_t)size[0] * sizeof *made, "a vector file");
  }
  for (int64_t i = 0; code == VL_OK && i < size[0]; i++) {
    code = next_line(&in, "a number", status);
    if (code == VL_OK && !parse_line(in.text, 0, NULL, &made[i])) code = complain(&in, "expected one number", status);
  }
  close_input(&in);
  if (code != VL_OK) {
    free(made);
    return code;
  }
  *x = made;
  *n = (int)size[0];
  return VL_OK;
}
