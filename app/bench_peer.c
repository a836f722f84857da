/* velella-peer-eigen, a program of its own beside this one, on the same matrices: written into a folder, solved by a child
 * process on one thread, its JSON and solutions read back. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "bench.h"
#include "files/file.h"
#include "files/json.h"
#include "linear/csr.h"

extern char **environ;

static const char program_name[] = "velella-peer-eigen";
enum { LARGEST_ANSWER = 1 << 20 };

bool vl_bench_peer_path(char *path, size_t room)
{
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n < 0) return false;
  self[n] = '\0';
  char *slash = strrchr(self, '/');
  if (slash) *slash = '\0';
  int length = snprintf(path, room, "%s/%s", self, program_name);
  return length > 0 && (size_t)length < room && access(path, X_OK) == 0;
}

vlCode vl_bench_folder_create(char **folder, vlStatus *status)
{
  const char *place = getenv("TMPDIR");
  *folder = vl_path_join(place && *place ? place : "/tmp", "velella-bench-XXXXXX");
  if (!*folder) return vl_fail_memory(status, 64, "a folder's name");
  if (mkdtemp(*folder)) return VL_OK;
  vlCode code = vl_fail(status, VL_ERROR_FILE, "cannot make a temporary folder like %s: %s", *folder, strerror(errno));
  free(*folder);
  *folder = NULL;
  return code;
}

void vl_bench_folder_remove(char **folder)
{
  if (!*folder) return;
  DIR *files = opendir(*folder);
  for (struct dirent *file = files ? readdir(files) : NULL; file; file = readdir(files)) {
    char *path = vl_path_join(*folder, file->d_name);
    if (path && file->d_name[0] != '.') unlink(path);
    free(path);
  }
  if (files) closedir(files);
  rmdir(*folder);
  free(*folder);
  *folder = NULL;
}

/* Runs the peer with its output in a file; it ends with 1 also where a form did not converge. */
static vlCode start(const char *path, const char *folder, const char *answer, bool indefinite, vlStatus *status)
{
  char repeat[16];
  snprintf(repeat, sizeof repeat, "%d", (int)VL_BENCH_REPEAT);
  const char *words[] = {
      path, folder, "--json", "--threads", "1", "--repeat", repeat, indefinite ? NULL : "--skip-indefinite", NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  if (posix_spawn_file_actions_init(&actions) != 0) return vl_fail_memory(status, sizeof actions, "a child process");
  int error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, answer, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (!error) error = posix_spawn(&child, path, &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) return vl_fail(status, VL_ERROR_BACKEND, "cannot start %s: %s", path, strerror(error));
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(state) && WEXITSTATUS(state) <= 1) return VL_OK;
  return vl_fail(status, VL_ERROR_BACKEND, "%s ended with %s %d", path, WIFSIGNALED(state) ? "signal" : "exit code",
                 WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state));
}

static vlCode read_vector(double *to, int n, const char *folder, const char *name, vlStatus *status)
{
  int found = 0;
  double *x = NULL;
  char *path = vl_path_join(folder, name);
  vlCode code = path ? vl_vector_read(&x, &found, path, status) : vl_fail_memory(status, PATH_MAX, "a file's name");
  if (!code && found != n) code = vl_fail(status, VL_ERROR_BACKEND, "%s has %d numbers instead of %d", path, found, n);
  if (!code) memcpy(to, x, (size_t)n * sizeof *x);
  free(x);
  free(path);
  return code;
}

/* Entry `index` of the answer's results. */
static vlCode read_solve(vlBenchSystem *bench, const char *text, int index, const char *folder, const char *const names[2],
                         vlBenchSolve *solve, vlStatus *status)
{
  double iterations, fluid = 0.0, solid = 0.0;
  char key[64];
  *solve = (vlBenchSolve){.there = true};
  snprintf(key, sizeof key, "results.%d.iterations", index);
  bool read = vl_json_find_number(text, key, &iterations);
  snprintf(key, sizeof key, "results.%d.seconds", index);
  read = read && vl_json_find_number(text, key, &solve->seconds);
  snprintf(key, sizeof key, "results.%d.cpu_seconds", index);
  read = read && vl_json_find_number(text, key, &solve->cpu);
  snprintf(key, sizeof key, "results.%d.converged", index);
  read = read && vl_json_find_bool(text, key, &solve->solved);
  if (!read) return vl_fail(status, VL_ERROR_BACKEND, "the answer of %s cannot be understood: no %s", program_name, key);
  /* null where a solve broke down */
  snprintf(key, sizeof key, "results.%d.residual.fluid", index);
  bool finite = vl_json_find_number(text, key, &fluid);
  snprintf(key, sizeof key, "results.%d.residual.solid", index);
  finite = vl_json_find_number(text, key, &solid) && finite;
  solve->iterations = (int)iterations;
  solve->residual = finite ? (fluid > solid ? fluid : solid) : 1.0;
  if (!solve->solved) return VL_OK;
  vlCode code = read_vector(bench->other_p, bench->system.pressures, folder, names[0], status);
  if (!code) code = read_vector(bench->other_v, bench->system.unknowns, folder, names[1], status);
  if (!code) vl_bench_judge(bench, bench->other_p, bench->other_v, solve);
  return code;
}

vlCode vl_bench_peer(vlBenchSystem *bench, const char *path, const char *folder, bool indefinite, vlBenchRow *row,
                     char program[64], vlStatus *status)
{
  static const char *const spd[] = {"p.mtx", "v.mtx"}, *const whole[] = {"p_eq19.mtx", "v_eq19.mtx"};
  char *text = NULL, *answer = vl_path_join(folder, "eigen.json"), *name = NULL;
  size_t length;
  vlCode code =
      answer ? vl_coupled_write(&bench->system, folder, status) : vl_fail_memory(status, PATH_MAX, "a file's name");
  if (!code) code = start(path, folder, answer, indefinite, status);
  if (!code) code = vl_file_read(answer, LARGEST_ANSWER, &text, &length, status);
  if (!code && vl_json_find_string(text, "program", &name)) snprintf(program, 64, "%s", name);
  if (!code) code = read_solve(bench, text, 0, folder, spd, &row->way[VL_BENCH_EIGEN_SPD], status);
  if (!code && indefinite) code = read_solve(bench, text, 1, folder, whole, &row->way[VL_BENCH_EIGEN_INDEFINITE], status);
  free(name);
  free(text);
  free(answer);
  return code;
}
