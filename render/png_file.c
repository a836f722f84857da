/* PNG through libpng, whole or not at all (files/file.h). libpng reports errors by jumping back; everything that is used
 * after a jump is set before. Notes are read without libpng: chunks are walked to the last one, which also shows that the
 * file is whole. */
#include "png_file.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/file.h"

enum { COMPRESSION = 3, LARGEST = 1 << 30 };
static const char note_key[] = "Velella";

static void write_image(png_structp png, png_infop info, FILE *stream, int width, int height, const unsigned char *bytes,
                        const char *note)
{
  png_text words = {.compression = PNG_TEXT_COMPRESSION_NONE};
  words.key = (char *)note_key;
  words.text = (char *)note;
  png_init_io(png, stream);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(png, COMPRESSION);
  png_set_text(png, info, &words, 1);
  png_write_info(png, info);
  for (int y = 0; y < height; y++) png_write_row(png, bytes + 3 * (size_t)y * (size_t)width);
  png_write_end(png, NULL);
}

/* Says nothing by itself: the caller names the file. */
static void jump_back(png_structp png, png_const_charp why)
{
  (void)why;
  png_longjmp(png, 1);
}

vlCode vl_png_write(const char *path, int width, int height, const unsigned char *bytes, const char *note, vlStatus *status)
{
  vlFile file;
  vlCode code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, jump_back, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    vl_file_abandon(&file);
    return vl_fail_memory(status, 1 << 16, path);
  }
  if (setjmp(png_jmpbuf(png))) {
    vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", path, errno ? strerror(errno) : "libpng failed");
    png_destroy_write_struct(&png, &info);
    vl_file_abandon(&file);
    return VL_ERROR_FILE;
  }
  errno = 0;
  write_image(png, info, file.stream, width, height, bytes, note);
  png_destroy_write_struct(&png, &info);
  return vl_file_commit(&file, status);
}

static uint32_t read_big(const unsigned char *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

bool vl_png_has_note(const char *path, const char *note)
{
  static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  char *text;
  size_t length, noted = sizeof note_key + strlen(note);
  vlStatus ignored = {0};
  if (vl_file_read(path, LARGEST, &text, &length, &ignored) != VL_OK) return false;
  const unsigned char *bytes = (const unsigned char *)text;
  bool found = false, whole = false;
  size_t at = length >= 8 && memcmp(bytes, signature, 8) == 0 ? 8 : length;
  while (at + 12 <= length && !whole) {
    size_t size = read_big(bytes + at);
    const unsigned char *kind = bytes + at + 4, *data = bytes + at + 8;
    if (size > length - at - 12) break;
    if (memcmp(kind, "tEXt", 4) == 0 && size == noted && memcmp(data, note_key, sizeof note_key) == 0)
      found = found || memcmp(data + sizeof note_key, note, strlen(note)) == 0;
    whole = memcmp(kind, "IEND", 4) == 0;
    at += size + 12;
  }
  free(text);
  return found && whole;
}

bool vl_png_is_newer(const char *path, const char *than)
{
  struct stat a, b;
  if (stat(path, &a) != 0 || stat(than, &b) != 0) return false;
  return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec : a.st_mtim.tv_nsec >= b.st_mtim.tv_nsec;
}
