/* Checkpoints: what comes back is what was given; a changed bit, a lost byte, a moved part, a foreign or newer file are
 * refused with their reason; misuse and a full disk leave the old checkpoint as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>

#include "checkpoint_files.h"
#include "velella/velella.h"

/* One bit after the other, as the definition has it. */
static uint64_t slow_crc(const unsigned char *p, size_t bytes)
{
  uint64_t r = ~(uint64_t)0;
  for (; bytes; bytes--, p++)
    for (int bit = 0; bit < 8; bit++) r = r >> 1 ^ ((r ^ *p >> bit) & 1 ? 0xc96c5795d7870f42u : 0);
  return ~r;
}

static void test_crc(void **state)
{
  (void)state;
  vlCrc64 crc;
  vl_crc64_create(&crc);
  /* the check value of CRC-64/XZ in the catalogues */
  assert_true(vl_crc64(&crc, 0, "123456789", 9) == 0x995dc9bbdf1939fau);
  unsigned char bytes[100];
  for (int i = 0; i < 100; i++) bytes[i] = (unsigned char)(i * i * 31 + 7);
  for (size_t n = 0; n <= 100; n++) {
    uint64_t whole = vl_crc64(&crc, 0, bytes, n);
    assert_true(whole == slow_crc(bytes, n));
    for (size_t cut = 0; cut <= n; cut++)
      assert_true(vl_crc64(&crc, vl_crc64(&crc, 0, bytes, cut), bytes + cut, n - cut) == whole);
  }
}

static void test_round_trip(void **state)
{
  const Place *place = *state;
  write_sample(place->path);
  assert_false(there(place->part));
  vlCheckpointReader *reader;
  vlStatus status = {0};
  assert_int_equal(vl_checkpoint_open(&reader, place->path, &status), VL_OK);
  size_t count;
  const char *text = vl_checkpoint_find(reader, "text", 1, &count, &status);
  assert_int_equal(count, LETTERS);
  assert_memory_equal(text, sample_text, LETTERS);
  int64_t step = 0;
  assert_int_equal(vl_checkpoint_read(reader, "step", &step, sizeof step, 1, &status), VL_OK);
  assert_int_equal(step, 1234567890123);
  assert_non_null(vl_checkpoint_find(reader, "none", 4, &count, &status));
  assert_int_equal(count, 0);
  assert_int_equal(vl_checkpoint_read(reader, "none", NULL, 4, 0, &status), VL_OK);
  const double *u = vl_checkpoint_find(reader, "u", sizeof *u, &count, &status);
  assert_int_equal(count, NUMBERS);
  assert_int_equal((uintptr_t)u % 64, 0);
  assert_memory_equal(u, sample_numbers, sizeof sample_numbers);
  assert_true(vl_checkpoint_has(reader, "v"));
  assert_false(vl_checkpoint_has(reader, "w"));

  /* what is not as expected, by name */
  assert_null(vl_checkpoint_find(reader, "w", 8, &count, &status));
  assert_non_null(strstr(status.message, "has no chunk 'w'"));
  assert_null(vl_checkpoint_find(reader, "u", 4, &count, &status));
  assert_non_null(strstr(status.message, "chunk 'u' has elements of 8 bytes, expected 4"));
  assert_int_equal(vl_checkpoint_read(reader, "step", &step, sizeof step, 2, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "chunk 'step' has 1 elements, expected 2"));
  vl_checkpoint_close(&reader);
  assert_null(reader);
  vl_checkpoint_close(&reader);
}

static void test_no_chunks(void **state)
{
  const Place *place = *state;
  vlCheckpointWriter *writer;
  vlCheckpointReader *reader;
  assert_int_equal(vl_checkpoint_create(&writer, place->path, NULL), VL_OK);
  assert_int_equal(vl_checkpoint_commit(&writer, NULL), VL_OK);
  assert_int_equal(vl_checkpoint_open(&reader, place->path, NULL), VL_OK);
  assert_false(vl_checkpoint_has(reader, ""));
  vl_checkpoint_close(&reader);
}

/* Pieces of any size make the same file as the whole; NaN keeps its bits. */
static void test_large_in_pieces(void **state)
{
  const Place *place = *state;
  enum { COUNT = 1 << 20 };
  double *numbers = malloc(COUNT * sizeof *numbers);
  assert_non_null(numbers);
  for (int i = 0; i < COUNT; i++) numbers[i] = i % 1000 ? sqrt(i) : NAN;
  char *text[2];
  size_t length[2];
  for (int pieces = 0; pieces < 2; pieces++) {
    vlCheckpointWriter *writer;
    assert_int_equal(vl_checkpoint_create(&writer, place->path, NULL), VL_OK);
    if (pieces) {
      size_t bytes = COUNT * sizeof *numbers, at = 0;
      vl_checkpoint_begin(writer, "p", sizeof *numbers, COUNT);
      for (size_t step = 1; at < bytes; step = step * 3 + 1) {
        if (step > bytes - at) step = bytes - at;
        vl_checkpoint_append(writer, (char *)numbers + at, step);
        at += step;
      }
      vl_checkpoint_end(writer);
    } else {
      vl_checkpoint_add(writer, "p", numbers, sizeof *numbers, COUNT);
    }
    assert_int_equal(vl_checkpoint_commit(&writer, NULL), VL_OK);
    get_file(place->path, &text[pieces], &length[pieces]);
  }
  assert_int_equal(length[0], length[1]);
  assert_memory_equal(text[0], text[1], length[0]);
  vlCheckpointReader *reader;
  size_t count;
  assert_int_equal(vl_checkpoint_open(&reader, place->path, NULL), VL_OK);
  const double *back = vl_checkpoint_find(reader, "p", sizeof *back, &count, NULL);
  assert_int_equal(count, COUNT);
  assert_memory_equal(back, numbers, COUNT * sizeof *numbers);
  vl_checkpoint_close(&reader);
  free(text[0]);
  free(text[1]);
  free(numbers);
}

/* The reason that a changed byte at `at` must give. */
static void expected_reason(const Parts *parts, size_t at, char reason[static 96])
{
  if (at < 8) {
    strcpy(reason, "is not a Velella checkpoint");
  } else if (at < VL_CHECKPOINT_UNIT) {
    strcpy(reason, "is damaged: the checksum of its header does not match");
  } else if (at >= parts->head[parts->count] + sizeof(uint64_t)) {
    snprintf(reason, 96, "is damaged: the checksum of the tail at byte %zu does not match", parts->head[parts->count]);
  } else {
    int c = parts->count;
    while (parts->head[c] > at) c--;
    /* a tail without its mark is taken for a head */
    if (at < parts->head[c] + VL_CHECKPOINT_UNIT)
      snprintf(reason, 96, "is damaged: the checksum of the chunk's head at byte %zu does not match", parts->head[c]);
    else
      snprintf(reason, 96, "is damaged: the checksum of chunk '%s' does not match",
               parts->bytes + parts->head[c] + offsetof(vlCheckpointHead, name));
  }
}

static void test_every_changed_bit_is_found(void **state)
{
  const Place *place = *state;
  write_sample(place->path);
  Parts parts;
  take_parts(&parts, place->path);
  assert_int_equal(parts.count, 5);
  int file = open(place->path, O_RDWR);
  assert_true(file >= 0);
  for (size_t at = 0; at < parts.length; at++) {
    char reason[96];
    expected_reason(&parts, at, reason);
    for (int bit = 0; bit < 8; bit++) {
      char changed = (char)(parts.bytes[at] ^ 1 << bit);
      assert_int_equal(pwrite(file, &changed, 1, (off_t)at), 1);
      assert_no_open(place->path, reason);
    }
    assert_int_equal(pwrite(file, parts.bytes + at, 1, (off_t)at), 1);
  }
  close(file);
  vlCheckpointReader *reader;
  assert_int_equal(vl_checkpoint_open(&reader, place->path, NULL), VL_OK);
  vl_checkpoint_close(&reader);
  free(parts.bytes);
}

static void test_every_truncation_is_found(void **state)
{
  const Place *place = *state;
  write_sample(place->path);
  Parts parts;
  take_parts(&parts, place->path);
  for (size_t length = parts.length; length-- > 0;) {
    assert_int_equal(truncate(place->path, (off_t)length), 0);
    char reason[64];
    snprintf(reason, sizeof reason, "is truncated after byte %zu, in ", length);
    assert_no_open(place->path, reason);
  }
  put_file(place->path, parts.bytes, parts.head[3] + VL_CHECKPOINT_UNIT + 10);
  assert_no_open(place->path, "in chunk 'u'");
  free(parts.bytes);
}

/* Parts that are right in themselves in the wrong place or number. */
static void test_moved_parts_are_found(void **state)
{
  const Place *place = *state;
  write_sample(place->path);
  Parts parts;
  take_parts(&parts, place->path);
  char *spoiled = malloc(2 * parts.length);
  size_t from = parts.head[1], to = parts.head[2], size = to - from;

  memcpy(spoiled, parts.bytes, from); /* chunk 1 is left out */
  memcpy(spoiled + from, parts.bytes + to, parts.length - to);
  put_file(place->path, spoiled, parts.length - size);
  assert_no_open(place->path, "is damaged: the checksum of the tail");

  memcpy(spoiled, parts.bytes, to); /* chunk 1 comes twice */
  memcpy(spoiled + to, parts.bytes + from, parts.length - from);
  put_file(place->path, spoiled, parts.length + size);
  assert_no_open(place->path, "is damaged: the checksum of the tail");

  memcpy(spoiled, parts.bytes, parts.length); /* chunks 0 and 1 change places */
  size_t first = parts.head[0];
  memcpy(spoiled + first, parts.bytes + from, size);
  memcpy(spoiled + first + size, parts.bytes + first, from - first);
  put_file(place->path, spoiled, parts.length);
  assert_no_open(place->path, "is damaged: the checksum of the tail");

  memcpy(spoiled, parts.bytes, parts.length); /* something follows */
  memcpy(spoiled + parts.length, "more", 4);
  put_file(place->path, spoiled, parts.length + 4);
  char reason[64];
  snprintf(reason, sizeof reason, "is damaged: 4 bytes follow its end at byte %zu", parts.length);
  assert_no_open(place->path, reason);
  free(spoiled);
  free(parts.bytes);
}

static void test_foreign_files(void **state)
{
  const Place *place = *state;
  assert_no_open(place->path, strerror(ENOENT));
  assert_no_open(place->folder, "not a plain file");
  assert_no_open("/dev/null", "not a plain file");
  static const char *const foreign[] = {"<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\">\n", "x",
                                        "VELELLA checkpoint", "VELELLb\n"};
  for (int i = 0; i < 4; i++) {
    put_file(place->path, foreign[i], strlen(foreign[i]));
    assert_no_open(place->path, "is not a Velella checkpoint");
  }
}

static void test_other_versions(void **state)
{
  const Place *place = *state;
  write_sample(place->path);
  Parts parts;
  take_parts(&parts, place->path);
  vlCheckpointHeader header;
  memcpy(&header, parts.bytes, sizeof header);
  header.format = VL_CHECKPOINT_FORMAT + 1;
  strcpy(header.library, "9.7");
  memcpy(parts.bytes, &header, sizeof header);
  seal(parts.bytes);
  put_file(place->path, parts.bytes, parts.length);
  assert_no_open(place->path, "was written by version 3 of the format (Velella 9.7); this program reads version 2");
  header.order = __builtin_bswap32(header.order);
  memcpy(parts.bytes, &header, sizeof header);
  put_file(place->path, parts.bytes, parts.length);
  assert_no_open(place->path, "in the other byte order");
  memset(header.library, 'x', sizeof header.library); /* a version without end */
  header.order = VL_CHECKPOINT_ORDER;
  memcpy(parts.bytes, &header, sizeof header);
  seal(parts.bytes);
  put_file(place->path, parts.bytes, parts.length);
  assert_no_open(place->path, "header");
  free(parts.bytes);
}

/* Heads that nobody of ours writes, with right checksums. */
static void test_hostile_heads(void **state)
{
  const Place *place = *state;
  write_sample(place->path);
  Parts parts;
  take_parts(&parts, place->path);
  static const struct {
    uint64_t size, count;
    char letter;
    const char *reason;
  } cases[] = {{UINT64_MAX, UINT64_MAX, 0, "is truncated after byte"},
               {(uint64_t)1 << 32, (uint64_t)1 << 32, 0, "is truncated after byte"},
               {1, UINT64_MAX, 0, "is truncated after byte"},
               {8, (UINT64_MAX - 7) / 8, 0, "is truncated after byte"},
               {1, UINT64_MAX - 64, 0, "is truncated after byte"},
               {1, 1u << 30, 0, "is truncated after byte"},
               {0, 5, 0, "no name or no size"},
               {1, LETTERS, 'x', "no name or no size"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *spoiled = malloc(parts.length);
    memcpy(spoiled, parts.bytes, parts.length);
    vlCheckpointHead head;
    memcpy(&head, spoiled + parts.head[0], sizeof head);
    head.size = cases[i].size;
    head.count = cases[i].count;
    if (cases[i].letter) memset(head.name, cases[i].letter, sizeof head.name);
    memcpy(spoiled + parts.head[0], &head, sizeof head);
    seal(spoiled + parts.head[0]);
    put_file(place->path, spoiled, parts.length);
    assert_no_open(place->path, cases[i].reason);
    free(spoiled);
  }
  free(parts.bytes);
}

typedef void Misuse(vlCheckpointWriter *writer);

static void add_twice(vlCheckpointWriter *w)
{
  vl_checkpoint_add(w, "u", sample_numbers, 8, 1);
  vl_checkpoint_add(w, "u", sample_numbers, 8, 1);
}
static void add_long_name(vlCheckpointWriter *w)
{
  vl_checkpoint_add(w, "a name of thirty-two letters....", sample_numbers, 8, 1);
}
static void add_no_name(vlCheckpointWriter *w) { vl_checkpoint_add(w, "", sample_numbers, 8, 1); }
static void add_too_large(vlCheckpointWriter *w) { vl_checkpoint_add(w, "u", sample_numbers, 8, SIZE_MAX / 2); }
static void add_too_little(vlCheckpointWriter *w)
{
  vl_checkpoint_begin(w, "u", 8, 3);
  vl_checkpoint_append(w, sample_numbers, 16);
  vl_checkpoint_end(w);
}
static void add_too_much(vlCheckpointWriter *w)
{
  vl_checkpoint_begin(w, "u", 8, 1);
  vl_checkpoint_append(w, sample_numbers, 16);
  vl_checkpoint_end(w);
}
static void begin_twice(vlCheckpointWriter *w)
{
  vl_checkpoint_begin(w, "u", 8, 1);
  vl_checkpoint_begin(w, "v", 8, 1);
}
static void never_end(vlCheckpointWriter *w) { vl_checkpoint_begin(w, "u", 8, 0); }

static void test_misuse_is_reported(void **state)
{
  const Place *place = *state;
  static const struct {
    Misuse *misuse;
    const char *reason;
  } cases[] = {{add_twice, "two chunks are called 'u'"},
               {add_long_name, "names have 1 to 31 letters"},
               {add_no_name, "names have 1 to 31 letters"},
               {add_too_large, "chunk 'u' has"},
               {add_too_little, "chunk 'u' got 16 bytes; its elements take 24"},
               {add_too_much, "chunk 'u' got 16 bytes; its elements take 8"},
               {begin_twice, "chunk 'v' begins before chunk 'u' has ended"},
               {never_end, "chunk 'u' has not been ended"}};
  write_sample(place->path);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlCheckpointWriter *writer;
    vlStatus status = {0};
    assert_int_equal(vl_checkpoint_create(&writer, place->path, &status), VL_OK);
    cases[i].misuse(writer);
    if (cases[i].misuse != never_end) vl_checkpoint_add(writer, "behind", sample_numbers, 8, 1);
    assert_int_equal(vl_checkpoint_commit(&writer, &status), VL_ERROR_INTERNAL);
    assert_null(writer);
    assert_non_null(strstr(status.message, place->path));
    if (!strstr(status.message, cases[i].reason)) fail_msg("'%s' lacks '%s'", status.message, cases[i].reason);
    assert_false(there(place->part));
    vlCheckpointReader *reader;
    assert_int_equal(vl_checkpoint_open(&reader, place->path, NULL), VL_OK);
    vl_checkpoint_close(&reader);
  }
}

static void test_no_folder(void **state)
{
  (void)state;
  vlCheckpointWriter *writer;
  vlStatus status = {0};
  assert_int_equal(vl_checkpoint_create(&writer, "/nonexistent_vl/x", &status), VL_ERROR_FILE);
  assert_null(writer);
  assert_non_null(strstr(status.message, strerror(ENOENT)));
}

static void test_full_disk(void **state)
{
  const Place *place = *state;
  if (access("/dev/full", W_OK) != 0) skip();
  write_sample(place->path);
  static const double numbers[40000];
  for (size_t count = 1; count <= 40000; count *= 40000) {
    vlCheckpointWriter *writer;
    vlStatus status = {0};
    assert_int_equal(symlink("/dev/full", place->part), 0);
    assert_int_equal(vl_checkpoint_create(&writer, place->path, &status), VL_OK);
    vl_checkpoint_add(writer, "a", numbers, sizeof *numbers, count);
    vl_checkpoint_add(writer, "b", numbers, sizeof *numbers, count);
    assert_int_equal(vl_checkpoint_commit(&writer, &status), VL_ERROR_FILE);
    assert_non_null(strstr(status.message, place->path));
    assert_non_null(strstr(status.message, strerror(ENOSPC)));
    assert_false(there(place->part));
    vlCheckpointReader *reader;
    assert_int_equal(vl_checkpoint_open(&reader, place->path, NULL), VL_OK);
    assert_true(vl_checkpoint_has(reader, "u"));
    vl_checkpoint_close(&reader);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crc),
      cmocka_unit_test_setup_teardown(test_round_trip, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_no_chunks, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_large_in_pieces, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_every_changed_bit_is_found, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_every_truncation_is_found, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_moved_parts_are_found, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_foreign_files, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_other_versions, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_hostile_heads, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_misuse_is_reported, make_place, remove_place),
      cmocka_unit_test(test_no_folder),
      cmocka_unit_test_setup_teardown(test_full_disk, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
