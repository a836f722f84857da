/* How long a picture takes: the whole command `velella-render`, from its start to its end, for one frame of 500,000
 * triangles. The frame is a pool with waves, open to all sides, and a spray of wobbling blobs above it: most rays meet water
 * several times. The preview must take less than a second and 960x540 pixels with 16 samples less than 12 s, on two cores
 * that have nothing else to do. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "files/file.h"
#include "files/vtk.h"

enum { SIDE = 332, ROWS = 12, BLOBS = 210, AROUND = 32, DOWN = 20, PREVIEWS = 3 };

static const double PREVIEW_LIMIT = 1.0, PICTURE_LIMIT = 12.0; /* s */

extern char **environ;

static int pool_vertex(int i, int j) { return j * (SIDE + 1) + i; }

static double wave(double x, double z)
{
  return 0.3 + 0.05 * sin(17.0 * x + 3.0 * z) * cos(13.0 * z) + 0.01 * sin(71.0 * x * z);
}

static void add_triangle(vlTriMesh *mesh, int a, int b, int c)
{
  int *tri = mesh->tri[mesh->triangle_count++];
  tri[0] = a;
  tri[1] = b;
  tri[2] = c;
}

/* The k-th vertex around the edge of the waves. */
static int rim_vertex(int k)
{
  int side = k / SIDE % 4, i = k % SIDE;
  return side == 0   ? pool_vertex(i, 0)
         : side == 1 ? pool_vertex(SIDE, i)
         : side == 2 ? pool_vertex(SIDE - i, SIDE)
                     : pool_vertex(0, SIDE - i);
}

/* Rows of triangles from the rim to the floor, and those on the floor around its middle. */
static void add_sides(vlTriMesh *mesh)
{
  enum { RIM = 4 * SIDE };
  int first = mesh->vertex_count, middle = first + ROWS * RIM;
  for (int row = 1; row <= ROWS; row++)
    for (int k = 0; k < RIM; k++) {
      vlVec3 top = mesh->x[rim_vertex(k)];
      mesh->x[mesh->vertex_count++] = vl_vec(top.x, top.y * (1.0 - (double)row / ROWS), top.z);
    }
  mesh->x[mesh->vertex_count++] = vl_vec(0.5, 0.0, 0.5);
  for (int k = 0; k < RIM; k++) {
    int next = (k + 1) % RIM;
    for (int row = 0; row < ROWS; row++) {
      int a = row ? first + (row - 1) * RIM + k : rim_vertex(k), b = row ? first + (row - 1) * RIM + next : rim_vertex(next);
      int c = first + row * RIM + next, d = first + row * RIM + k;
      add_triangle(mesh, a, b, c);
      add_triangle(mesh, a, c, d);
    }
    add_triangle(mesh, middle, first + (ROWS - 1) * RIM + k, first + (ROWS - 1) * RIM + next);
  }
}

static void add_pool(vlTriMesh *mesh)
{
  for (int j = 0; j <= SIDE; j++)
    for (int i = 0; i <= SIDE; i++) {
      double x = (double)i / SIDE, z = (double)j / SIDE;
      mesh->x[mesh->vertex_count++] = vl_vec(x, wave(x, z), z);
    }
  for (int j = 0; j < SIDE; j++)
    for (int i = 0; i < SIDE; i++) {
      int a = pool_vertex(i, j), b = pool_vertex(i + 1, j), c = pool_vertex(i + 1, j + 1), d = pool_vertex(i, j + 1);
      add_triangle(mesh, a, d, c);
      add_triangle(mesh, a, c, b);
    }
  add_sides(mesh);
}

/* A ball with bumps: the poles, and rings between them. */
static void add_blob(vlTriMesh *mesh, vlVec3 center, double radius, double phase)
{
  int first = mesh->vertex_count, last = first + 1;
  mesh->x[mesh->vertex_count++] = vl_add(center, vl_vec(0.0, radius, 0.0));
  mesh->x[mesh->vertex_count++] = vl_sub(center, vl_vec(0.0, radius, 0.0));
  for (int j = 1; j < DOWN; j++)
    for (int i = 0; i < AROUND; i++) {
      double polar = VL_PI * j / DOWN, angle = 2.0 * VL_PI * i / AROUND;
      double r = radius * (1.0 + 0.3 * sin(polar) * sin(3.0 * angle + phase) * sin(4.0 * polar + phase));
      vlVec3 d = vl_vec(sin(polar) * cos(angle), cos(polar), sin(polar) * sin(angle));
      mesh->x[mesh->vertex_count++] = vl_axpy(center, r, d);
    }
  for (int i = 0; i < AROUND; i++) {
    int k = (i + 1) % AROUND, ring = first + 2, end = ring + (DOWN - 2) * AROUND;
    add_triangle(mesh, first, ring + k, ring + i);
    add_triangle(mesh, last, end + i, end + k);
    for (int j = 0; j < DOWN - 2; j++) {
      int a = ring + j * AROUND, b = a + AROUND;
      add_triangle(mesh, a + i, a + k, b + k);
      add_triangle(mesh, a + i, b + k, b + i);
    }
  }
}

/* A number in [0, 1) that looks random: the fraction of a multiple of an irrational one. */
static double scatter(int i, double step) { return fmod(i * step, 1.0); }

static vlTriMesh *make_splash(void)
{
  int vertices = (SIDE + 1) * (SIDE + 1) + 4 * SIDE * ROWS + 1 + BLOBS * ((DOWN - 1) * AROUND + 2);
  int triangles = 2 * SIDE * SIDE + 4 * SIDE * (2 * ROWS + 1) + BLOBS * 2 * AROUND * (DOWN - 1);
  vlTriMesh *mesh = vl_trimesh_create(vertices, triangles);
  if (!mesh) return NULL;
  mesh->vertex_count = mesh->triangle_count = 0;
  add_pool(mesh);
  for (int i = 1; i <= BLOBS; i++) {
    double x = scatter(i, 0.754877666), y = scatter(i, 0.569840291), z = scatter(i, 0.618033989);
    add_blob(mesh, vl_vec(0.06 + 0.88 * x, 0.45 + 0.45 * y * y, 0.06 + 0.88 * z), 0.012 + 0.03 * (1.0 - y), i);
  }
  return mesh;
}

static vlCode write_run(const char *folder, vlStatus *status)
{
  char path[512];
  vlTriMesh *mesh = make_splash();
  vlFile file;
  if (!mesh) return vl_fail_memory(status, 1 << 24, "the frame");
  snprintf(path, sizeof path, "%s/surface", folder);
  vlCode code = vl_folder_create(path, status);
  snprintf(path, sizeof path, "%s/surface/surface_00000.vtp", folder);
  if (code == VL_OK) code = vl_vtp_write(path, mesh, 0.0, NULL, 0, NULL, 0, status);
  printf("%d triangles\n", mesh->triangle_count);
  vl_trimesh_destroy(&mesh);
  snprintf(path, sizeof path, "%s/look.json", folder);
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;
  vl_file_print(&file, "{\"lo\": [0, 0, 0], \"hi\": [1, 1, 1], \"dx\": 0.01}\n");
  return vl_file_commit(&file, status);
}

typedef struct Cost {
  double wall, processor; /* s; wall < 0: the command failed */
} Cost;

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

/* Runs a command, without its words on standard output. */
static Cost run(char *const *words)
{
  struct timespec begin, end;
  struct rusage use;
  pid_t child;
  int result = 1;
  posix_spawn_file_actions_t silent;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (posix_spawn_file_actions_init(&silent) != 0) return (Cost){-1.0, 0.0};
  int error = posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawn(&child, words[0], &silent, NULL, words, environ);
  posix_spawn_file_actions_destroy(&silent);
  if (error || wait4(child, &result, 0, &use) != child || result != 0) return (Cost){-1.0, 0.0};
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (Cost){(double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
                seconds(use.ru_utime) + seconds(use.ru_stime)};
}

static bool measure(char *renderer, char *folder, char *quality, int repeats, double limit)
{
  char *words[] = {renderer, folder, quality, (char *)"--overwrite", (char *)"--quiet", (char *)"--no-video", NULL};
  Cost best = {INFINITY, 0.0};
  for (int i = 0; i < repeats; i++) {
    Cost cost = run(words);
    if (cost.wall < 0.0) return false;
    if (cost.wall < best.wall) best = cost;
  }
  printf("%-20s %6.2f s (at most %g), %.2f s of processor time\n", quality, best.wall, limit, best.processor);
  return best.wall < limit;
}

/* velella-render beside this program. */
static bool find_renderer(char *path, size_t room)
{
  ssize_t n = readlink("/proc/self/exe", path, room - 32);
  if (n <= 0) return false;
  path[n] = '\0';
  char *name = strrchr(path, '/');
  snprintf(name ? name + 1 : path, 32, "velella-render");
  return access(path, X_OK) == 0;
}

int main(void)
{
  char folder[] = "/tmp/velella_bench_XXXXXX", renderer[1024], remove[64];
  vlStatus status = {0};
  if (!find_renderer(renderer, sizeof renderer)) {
    printf("left out: there is no velella-render beside this program\n");
    return 0;
  }
  if (!mkdtemp(folder)) return 1;
  bool good = write_run(folder, &status) == VL_OK;
  if (!good) fprintf(stderr, "%s\n", status.message);
  if (good) {
    bool preview = measure(renderer, folder, (char *)"--preview", PREVIEWS, PREVIEW_LIMIT);
    good = measure(renderer, folder, (char *)"--quality=medium", 1, PICTURE_LIMIT) && preview;
  }
  snprintf(remove, sizeof remove, "rm -rf %s", folder);
  return system(remove) != 0 || !good;
}
