/* A steady step grows no heap, and of liquid alone it takes nothing from it at all. Every allocation of the process is
 * counted, of libraries too: this program's malloc stands in for the C library's and hands on to it. Bytes in use are
 * compared after a step and ten and twenty steps later, once arrays have grown to what the scene needs; bodies may borrow
 * memory within a step. Under a sanitizer, which has a malloc of its own, the sanitizer counts the bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/vec.h"
#include "velella/velella.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
#include <sanitizer/allocator_interface.h>

static int64_t bytes_in_use(void) { return (int64_t)__sanitizer_get_current_allocated_bytes(); }
enum { COUNTED = false };
static int64_t allocations(void) { return 0; }
#else
#include <errno.h>
#include <malloc.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

enum { COUNTED = true };
static _Atomic int64_t in_use, calls;

static int64_t bytes_in_use(void) { return in_use; }
static int64_t allocations(void) { return calls; }

static void *kept(void *memory)
{
  in_use += (int64_t)malloc_usable_size(memory);
  return memory;
}

static void *counted(void *memory)
{
  calls++;
  return kept(memory);
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
/* We never call the next two. OpenMP does, for the team of every parallel loop, and frees it at the loop's end. */
void *memalign(size_t alignment, size_t size) { return kept(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size)
{
  *memory = kept(__libc_memalign(alignment, size));
  return *memory ? 0 : ENOMEM;
}

void *realloc(void *memory, size_t size)
{
  int64_t before = (int64_t)malloc_usable_size(memory);
  void *moved = __libc_realloc(memory, size);
  if (!moved && size > 0) return NULL; /* the old one is still there */
  in_use -= before;
  return counted(moved);
}

void free(void *memory)
{
  in_use -= (int64_t)malloc_usable_size(memory);
  __libc_free(memory);
}
#endif

static void step(vlSim *sim, int count)
{
  vlStatus status = {0};
  for (int i = 0; i < count; i++)
    if (vl_sim_step(sim, INFINITY, NULL, &status)) fail_msg("%s", status.message);
}

/* Steps until things are steady, then looks after 10 steps and after 20. */
static void assert_no_growth(const vlScene *scene, int settle, bool may_borrow)
{
  /* TREE: the tree over a body's surface, anew in each step, has some nodes more in one than in another */
  enum { STEPS = 10, LOOKS = 2, TREE = 8192 };
  vlStatus status = {0};
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, scene, (vlSimOptions){.threads = 1}, &status)) fail_msg("%s", status.message);
  step(sim, settle);
  int64_t bytes = bytes_in_use();
  assert_true(bytes > 100000); /* or nothing was counted */
  for (int look = 0; look < LOOKS; look++) {
    int64_t before = allocations();
    step(sim, STEPS);
    int64_t taken = allocations() - before;
    if (COUNTED) print_message("%g allocations per step, ", (double)taken / STEPS);
    print_message("%lld bytes in use\n", (long long)bytes_in_use());
    assert_true(bytes_in_use() <= bytes + (may_borrow ? TREE : 0));
    if (!may_borrow) assert_int_equal(taken, 0);
  }
  vl_sim_destroy(&sim);
}

static void load(vlScene *scene, const char *name, const char *cells)
{
  vlStatus status = {0};
  vlSetting settings[] = {{cells}};
  if (vl_scene_load(scene, name, settings, 1, &status)) fail_msg("%s", status.message);
}

static void counting_sees_what_is_kept(void **state)
{
  (void)state;
  int64_t before = bytes_in_use();
  void *volatile memory = malloc(123456);
  assert_non_null(memory);
  assert_in_range(bytes_in_use() - before, 123456, 130000);
  free(memory);
  assert_int_equal(bytes_in_use(), before);
}

static void still_pool(void **state)
{
  (void)state;
  vlScene scene;
  load(&scene, "rest/sphere", "grid.cells=24");
  assert_no_growth(&scene, 3, false);
  vl_scene_clear(&scene);
}

/* Its splash needs more than what comes later. */
static void broken_dam(void **state)
{
  (void)state;
  vlScene scene;
  load(&scene, "dam_break", "grid.cells=16");
  assert_no_growth(&scene, 120, false);
  vl_scene_clear(&scene);
}

static void beam_in_water(void **state)
{
  (void)state;
  vlScene scene;
  load(&scene, "beam_small", "grid.cells=16");
  assert_no_growth(&scene, 120, true);
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(counting_sees_what_is_kept), cmocka_unit_test(still_pool),
                                     cmocka_unit_test(broken_dam), cmocka_unit_test(beam_in_water)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
