/* The pressure solve: iterations and time to 1e-10 for every preconditioner over sizes, on a dam-break-like system: a column
 * of liquid with a wavy tilted surface, droplets above it and bubbles in it, 40 % of the box (tests/liquid_blob.h). Then
 * what the multigrid is bad at: walls without thickness on grid planes, which coarse cells cannot tell apart. */
#include <stdio.h>
#include <stdlib.h>

#include "../tests/liquid_blob.h"
#include "base/memory.h"
#include "base/timer.h"
#include "linear/multigrid.h"

enum { SIZES = 4 };

static const int cells[SIZES] = {32, 64, 128, 256};

typedef struct Timing {
  int iterations;
  double setup, solve; /* s */
} Timing;

static void fail(const vlStatus *status)
{
  fprintf(stderr, "bench_solver: %s\n", status->message);
  exit(1);
}

static Timing run_multigrid(const vlStencil *s, const double *b, vlProjector null_space)
{
  vlStatus status = {0};
  vlMultigrid *multigrid = NULL;
  size_t n = vl_stencil_length(s);
  double *x = vl_stencil_vector_create((size_t)s->blocks.count),
         *work = vl_aligned_alloc(4 * (n + 2 * VL_BLOCK) * sizeof(double));
  if (vl_multigrid_create(&multigrid, s->blocks.n, &status)) fail(&status);
  double start = vl_seconds();
  if (vl_multigrid_build(multigrid, s, &status)) fail(&status);
  double built = vl_seconds();
  vlSolveInfo info =
      vl_cg(vl_stencil_operator(s), vl_multigrid_operator(multigrid), null_space, b, x, work, (vlSolveOptions){1e-10, 200});
  Timing timing = {info.iterations, built - start, vl_seconds() - built};
  vl_multigrid_destroy(&multigrid);
  vl_stencil_vector_free(x);
  vl_aligned_free(work);
  return timing;
}

static Timing run_incomplete(const vlStencil *s, const double *b, double modified)
{
  vlStatus status = {0};
  vlCsr *a = NULL;
  vlIncomplete *factor = NULL;
  int *row_of = malloc((vl_stencil_length(s) + VL_BLOCK) * sizeof(int));
  double start = vl_seconds();
  if (!row_of || vl_stencil_to_csr(&a, s, row_of, &status) || vl_incomplete_create(&factor, a, modified, &status))
    fail(&status);
  size_t n = (size_t)a->rows;
  double *rhs = malloc(n * sizeof(double)), *x = calloc(n, sizeof(double)), *work = malloc(4 * n * sizeof(double));
  if (!rhs || !x || !work) exit(1);
  for (size_t i = 0; i < vl_stencil_length(s); i++)
    if (row_of[i] >= 0) rhs[row_of[i]] = b[i];
  double built = vl_seconds();
  vlSolveInfo info = vl_cg(vl_csr_operator(a), vl_incomplete_operator(factor), (vlProjector){0}, rhs, x, work,
                           (vlSolveOptions){1e-10, 5000});
  Timing timing = {info.iterations, built - start, vl_seconds() - built};
  vl_incomplete_destroy(&factor);
  vl_csr_destroy(&a);
  free(row_of);
  free(rhs);
  free(x);
  free(work);
  return timing;
}

enum { BAFFLES = 15 };

/* What stands in the way: BAFFLES walls across x on grid planes, each leaving a gap of an eighth of the height, at the floor
 * and at the top by turns; the box is open to air above its top row of cells, or closed. */
typedef struct Maze {
  int n;      /* cells a side */
  bool thick; /* walls are a cell thick, or have no thickness */
  bool open;
} Maze;

/* The lower x-face of the cell, or with thick walls the cell itself, is wall. */
static bool is_wall(const Maze *maze, int i, int j)
{
  int n = maze->n, apart = n / (BAFFLES + 1), gap = n / 8;
  if (i <= 0 || i >= n || i % apart) return false;
  return i / apart % 2 ? j >= gap : j < n - gap;
}

static bool is_liquid(const Maze *maze, int i, int j, int k)
{
  bool inside = i >= 0 && j >= 0 && k >= 0 && i < maze->n && j < maze->n && k < maze->n;
  return inside && !(maze->thick && is_wall(maze, i, j));
}

static double face_weight(const Maze *maze, const int cell[3], int axis)
{
  int i = cell[0], j = cell[1], k = cell[2];
  if (axis == 0 && !maze->thick && is_wall(maze, i, j)) return 0.0;
  return is_liquid(maze, i, j, k) && is_liquid(maze, i - (axis == 0), j - (axis == 1), k - (axis == 2));
}

static void maze_stencil(vlStencil *s, const Maze *maze)
{
  vlStatus status = {0};
  int n = maze->n;
  if (vl_stencil_create(s, (const int[3]){n, n, n}, &status)) fail(&status);
  vl_blocks_begin(&s->blocks);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int bx = 0; bx < s->blocks.columns; bx++) vl_blocks_append(&s->blocks, bx, j, k);
  vl_blocks_end(&s->blocks);
  if (vl_stencil_resize(s, &status)) fail(&status);
  for (int b = 0; b < s->blocks.count; b++)
    for (int l = 0; l < VL_BLOCK; l++) {
      const int cell[3] = {s->blocks.at[b].bx * VL_BLOCK + l, s->blocks.at[b].j, s->blocks.at[b].k};
      double sum = maze->open && cell[1] == n - 1 && is_liquid(maze, cell[0], cell[1], cell[2]) ? 2.0 : 0.0; /* air */
      for (int a = 0; a < 3; a++) {
        int above[3] = {cell[0], cell[1], cell[2]};
        above[a]++;
        s->w[a][b * VL_BLOCK + l] = face_weight(maze, cell, a);
        sum += s->w[a][b * VL_BLOCK + l] + face_weight(maze, above, a);
      }
      s->diagonal[b * VL_BLOCK + l] = sum;
    }
  vl_stencil_finish(s);
}

static void remove_mean(void *data, double *x)
{
  const vlStencil *s = data;
  double sum = 0.0;
  for (size_t i = 0; i < vl_stencil_length(s); i++) sum += x[i];
  for (size_t i = 0; i < vl_stencil_length(s); i++)
    if (s->diagonal[i] > 0.0) x[i] -= sum / (double)s->unknowns;
}

static double *random_right_side(const vlStencil *s)
{
  double *b = vl_stencil_vector_create((size_t)s->blocks.count);
  if (!b) exit(1);
  for (size_t i = 0; i < vl_stencil_length(s); i++) b[i] = s->diagonal[i] > 0.0 ? blob_hash((int)i, 7, 3) - 0.5 : 0.0;
  return b;
}

static void run_mazes(void)
{
  printf("64^3, %d staggered walls on grid planes:\n", BAFFLES);
  for (int kind = 0; kind < 4; kind++) {
    Maze maze = {.n = 64, .thick = kind / 2 == 0, .open = kind % 2 == 0};
    vlStencil s;
    maze_stencil(&s, &maze);
    double *b = random_right_side(&s);
    Timing mg = run_multigrid(&s, b, (vlProjector){.apply = maze.open ? NULL : remove_mean, .data = &s});
    printf("  %-20s %-12s %4d iterations %6.3f s\n", maze.thick ? "a cell thick" : "without thickness",
           maze.open ? "open to air" : "closed", mg.iterations, mg.solve);
    vl_stencil_vector_free(b);
    vl_stencil_clear(&s);
  }
}

int main(void)
{
  int first = 0, last = 0, worst = 0;
  printf("%6s %10s | %-28s | %-28s | %-28s\n", "n", "unknowns", "multigrid  its  set-up  solve",
         "MIC(0)     its  set-up  solve", "IC(0)      its  set-up  solve");
  for (int s = 0; s < SIZES; s++) {
    vlStatus status = {0};
    vlStencil stencil;
    if (blob_stencil(&stencil, cells[s], cells[s], &status)) fail(&status);
    double *b = random_right_side(&stencil);
    Timing mg = run_multigrid(&stencil, b, (vlProjector){0});
    printf("%6d %10lld | %14d %6.3f %6.3f |", cells[s], (long long)stencil.unknowns, mg.iterations, mg.setup, mg.solve);
    if (cells[s] <= 128) { /* the others take minutes beyond */
      Timing mic = run_incomplete(&stencil, b, 0.97), ic = run_incomplete(&stencil, b, 0.0);
      printf(" %14d %6.3f %6.3f | %14d %6.3f %6.3f", mic.iterations, mic.setup, mic.solve, ic.iterations, ic.setup,
             ic.solve);
    }
    printf("\n");
    if (cells[s] == 64) first = mg.iterations;
    last = mg.iterations;
    worst = mg.iterations > worst ? mg.iterations : worst;
    vl_stencil_vector_free(b);
    vl_stencil_clear(&stencil);
  }
  run_mazes();
  printf("multigrid: at most %d iterations (limit 20), %d more at 256 than at 64 (limit 4)\n", worst, last - first);
  return worst > 20 || last - first > 4;
}
