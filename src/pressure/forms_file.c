/* A coupled system as six Matrix Market files in one folder, and back: L and S symmetric, J general, the vectors as arrays.
 * Seventeen digits bring every number back exactly. What is read is checked to fit together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/csr.h"
#include "pressure/forms.h"

/* "folder/name" in new memory. */
static char *join(const char *folder, const char *name, vlStatus *status)
{
  size_t bytes = strlen(folder) + strlen(name) + 2;
  char *path = malloc(bytes);
  if (!path) {
    vl_fail_memory(status, bytes, "a file name");
    return NULL;
  }
  snprintf(path, bytes, "%s/%s", folder, name);
  return path;
}

static vlCode write_matrix(const vlCsr *a, int columns, const char *folder, const char *name, vlStatus *status)
{
  char *path = join(folder, name, status);
  if (!path) return VL_ERROR_MEMORY;
  vlCode code = columns < 0 ? vl_csr_write(a, path, status) : vl_rect_write(a, columns, path, status);
  free(path);
  return code;
}

static vlCode write_vector(const double *x, int n, const char *folder, const char *name, vlStatus *status)
{
  char *path = join(folder, name, status);
  if (!path) return VL_ERROR_MEMORY;
  vlCode code = vl_vector_write(x, n, path, status);
  free(path);
  return code;
}

vlCode vl_coupled_write(const vlCoupledSystem *system, const char *folder, vlStatus *status)
{
  int m = system->pressures, n = system->unknowns;
  vlCode code = write_matrix(system->l, -1, folder, "L.mtx", status);
  if (code == VL_OK) code = write_matrix(system->j, n, folder, "J.mtx", status);
  if (code == VL_OK) code = write_matrix(system->s, -1, folder, "S.mtx", status);
  if (code == VL_OK) code = write_vector(system->mass, n, folder, "mass.mtx", status);
  if (code == VL_OK) code = write_vector(system->b, m, folder, "b.mtx", status);
  if (code == VL_OK) code = write_vector(system->w, n, folder, "w.mtx", status);
  return code;
}

static vlCode read_matrix(vlCsr **a, int rows, int columns, const char *folder, const char *name, vlStatus *status)
{
  int found = 0;
  char *path = join(folder, name, status);
  if (!path) return VL_ERROR_MEMORY;
  vlCode code = vl_rect_read(a, &found, path, status);
  if (code == VL_OK && ((*a)->rows != rows || found != columns))
    code = vl_fail(status, VL_ERROR_FILE, "'%s' holds %d x %d, it must be %d x %d as the vectors say", path, (*a)->rows,
                   found, rows, columns);
  free(path);
  return code;
}

/* *n < 0: any length, which is told. */
static vlCode read_vector(double **x, int *n, const char *folder, const char *name, vlStatus *status)
{
  int found = 0;
  char *path = join(folder, name, status);
  if (!path) return VL_ERROR_MEMORY;
  vlCode code = vl_vector_read(x, &found, path, status);
  if (code == VL_OK && *n >= 0 && found != *n)
    code = vl_fail(status, VL_ERROR_FILE, "'%s' holds %d numbers, it must hold %d", path, found, *n);
  if (code == VL_OK) *n = found;
  free(path);
  return code;
}

vlCode vl_coupled_read(vlCoupledSystem *system, const char *folder, vlStatus *status)
{
  int m = -1, n = -1;
  *system = (vlCoupledSystem){0};
  vlCode code = read_vector(&system->b, &m, folder, "b.mtx", status);
  if (code == VL_OK) code = read_vector(&system->w, &n, folder, "w.mtx", status);
  if (code == VL_OK) code = read_vector(&system->mass, &n, folder, "mass.mtx", status);
  if (code == VL_OK) code = read_matrix(&system->l, m, m, folder, "L.mtx", status);
  if (code == VL_OK) code = read_matrix(&system->j, m, n, folder, "J.mtx", status);
  if (code == VL_OK) code = read_matrix(&system->s, n, n, folder, "S.mtx", status);
  if (code == VL_OK) {
    system->pressures = m;
    system->unknowns = n;
    code = vl_coupled_check(system, status);
  }
  if (code != VL_OK) vl_coupled_clear(system);
  return code;
}
