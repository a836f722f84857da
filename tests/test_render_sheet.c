/* The contact sheet: which pictures it shows and where, how wide it is, their times, and when it is made anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "files/pixels.h"
#include "place.h"
#include "png_file.h"
#include "sheet.h"

enum { MOST = 40 };

typedef struct Album {
  Place *place;
  char name[MOST][96], *path[MOST];
  int frame[MOST], count;
} Album;

/* `count` pictures, each of one colour: red is its place in the album. */
static void fill_album(Album *album, Place *place, int count, int width, int height)
{
  size_t bytes = 3 * (size_t)width * (size_t)height;
  unsigned char *rgb = malloc(bytes);
  assert_non_null(rgb);
  *album = (Album){.place = place, .count = count};
  for (int i = 0; i < count; i++) {
    album->path[i] = album->name[i];
    album->frame[i] = 3 * i;
    snprintf(album->name[i], sizeof album->name[i], "%s/frame_%d.png", place->folder, i);
    for (size_t k = 0; k < bytes; k++) rgb[k] = (unsigned char)(k % 3 ? 180 : 100 + i);
    assert_int_equal(vl_png_write(album->path[i], width, height, rgb, "", NULL), VL_OK);
  }
  free(rgb);
}

static void empty_album(const Album *album)
{
  for (int i = 0; i < album->count; i++) unlink(album->path[i]);
}

static void write_sheet(const Album *album, int count)
{
  vlStatus status = {0};
  if (vl_sheet_write(album->place->path, album->path, album->frame, count, 30.0, &status) != VL_OK)
    fail_msg("%s", status.message);
}

/* The first pixel of picture i in a grid, and how dark it gets below it. */
static int red_at(const vlPixels *sheet, int columns, int width, int height, int i, int *darkest)
{
  int x = 8 + i % columns * (width + 8), y = 8 + i / columns * (height + 30);
  assert_true(x + width <= sheet->width && y + height + 30 <= sheet->height);
  *darkest = 255;
  for (int b = y + height; b < y + height + 30; b++)
    for (int a = x; a < x + width; a++) {
      int green = sheet->rgb[3 * ((size_t)b * (size_t)sheet->width + (size_t)a) + 1];
      *darkest = green < *darkest ? green : *darkest;
    }
  return sheet->rgb[3 * ((size_t)y * (size_t)sheet->width + (size_t)x)];
}

/* Forty pictures: twelve of them, the first and the last among them, in four columns that fit 1920 pixels. */
static void test_twelve_of_many(void **state)
{
  Album album;
  vlPixels sheet;
  fill_album(&album, *state, 40, 640, 20);
  write_sheet(&album, 40);
  assert_int_equal(vl_pixels_read(&sheet, album.place->path, 1 << 14, NULL), VL_OK);
  enum { WIDTH = 470, HEIGHT = 15 }; /* four with gaps of 8 in 1920; 20 rows by the same factor */
  int before = -1;
  assert_int_equal(sheet.width, 8 + 4 * (WIDTH + 8));
  assert_int_equal(sheet.height, 8 + 3 * (HEIGHT + 30));
  for (int i = 0; i < 12; i++) {
    int darkest, red = red_at(&sheet, 4, WIDTH, HEIGHT, i, &darkest);
    assert_int_equal(red, 100 + 39 * i / 11);
    assert_true(red > before);
    assert_true(darkest < 100); /* its time */
    before = red;
  }
  vl_pixels_clear(&sheet);
  empty_album(&album);
}

/* Few small pictures are not made larger. */
static void test_few(void **state)
{
  Album album;
  vlPixels sheet;
  fill_album(&album, *state, 5, 120, 60);
  write_sheet(&album, 5);
  assert_int_equal(vl_pixels_read(&sheet, album.place->path, 1 << 14, NULL), VL_OK);
  assert_int_equal(sheet.width, 8 + 3 * 128);
  assert_int_equal(sheet.height, 8 + 2 * 90);
  for (int i = 0; i < 5; i++) {
    int darkest;
    assert_int_equal(red_at(&sheet, 3, 120, 60, i, &darkest), 100 + i);
    assert_true(darkest < 100);
  }
  vl_pixels_clear(&sheet);
  empty_album(&album);
}

static void set_time(const char *path, time_t seconds)
{
  const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static time_t time_of(const char *path)
{
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  return info.st_mtim.tv_sec;
}

static void test_kept_until_a_picture_is_newer(void **state)
{
  enum { THEN = 1000000 };
  Album album;
  fill_album(&album, *state, 4, 40, 30);
  const char *sheet = album.place->path;
  for (int i = 0; i < 4; i++) set_time(album.path[i], THEN);
  write_sheet(&album, 4);
  set_time(sheet, THEN + 1);
  write_sheet(&album, 4);
  assert_int_equal(time_of(sheet), THEN + 1);
  set_time(album.path[2], THEN + 2);
  write_sheet(&album, 4);
  assert_true(time_of(sheet) > THEN + 2);
  set_time(sheet, THEN + 3);
  write_sheet(&album, 3); /* fewer pictures are another sheet */
  assert_true(time_of(sheet) > THEN + 3);
  set_time(sheet, THEN + 4);
  assert_int_equal(truncate(sheet, 50), 0); /* a cut one is made anew */
  write_sheet(&album, 3);
  vlPixels pixels;
  assert_int_equal(vl_pixels_read(&pixels, sheet, 1 << 14, NULL), VL_OK);
  vl_pixels_clear(&pixels);
  empty_album(&album);
}

static void test_a_picture_that_is_missing(void **state)
{
  Album album;
  vlStatus status = {0};
  fill_album(&album, *state, 2, 40, 30);
  unlink(album.path[1]);
  assert_int_equal(vl_sheet_write(album.place->path, album.path, album.frame, 2, 30.0, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "frame_1.png"));
  assert_false(there(album.place->path));
  empty_album(&album);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_twelve_of_many, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_few, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_kept_until_a_picture_is_newer, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_a_picture_that_is_missing, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
