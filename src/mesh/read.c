/* Reading triangle meshes: the file, its format, and what the formats share.
 *
 * The whole file is read into memory. PLY names itself; a binary STL is known by its size, 84 + 50 n bytes
 * for the n at byte 80 (text cannot meet that: four letters there would announce more than 4 GiB), so one
 * that begins with "solid" is not taken for text; text is STL after "solid" and OBJ after one of its
 * keywords. Otherwise the name's ending decides.
 * Nothing is reserved from a count the file announces, so a wrong count costs no memory.
 *
 * path → mesh with finite coordinates and indices in range, or an error with its line or byte. */
#include "mesh/read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

vlCode vl_reader_add_vertex(vlReader *r, vlVec3 x)
{
  if (r->vertex_count == INT_MAX) return vl_fail(r->status, VL_ERROR_MESH, "%s: more than %d vertices", r->path, INT_MAX);
  if (!vl_array_reserve(&r->x, &r->vertex_capacity, r->vertex_count + 1, sizeof *r->x))
    return vl_fail_memory(r->status, 2 * r->vertex_count * sizeof *r->x, r->path);
  r->x[r->vertex_count++] = x;
  return VL_OK;
}

vlCode vl_reader_add_triangle(vlReader *r, int a, int b, int c)
{
  if (r->triangle_count == INT_MAX) return vl_fail(r->status, VL_ERROR_MESH, "%s: more than %d triangles", r->path, INT_MAX);
  if (!vl_array_reserve(&r->tri, &r->triangle_capacity, r->triangle_count + 1, sizeof *r->tri))
    return vl_fail_memory(r->status, 2 * r->triangle_count * sizeof *r->tri, r->path);
  int *tri = r->tri[r->triangle_count++];
  tri[0] = a;
  tri[1] = b;
  tri[2] = c;
  return VL_OK;
}

static vlCode file_error(vlReader *r, const char *what)
{
  return vl_fail(r->status, VL_ERROR_FILE, "%s: cannot be read: %s", r->path, what);
}

static vlCode load_open_file(vlReader *r, int file, char **text)
{
  struct stat info;
  if (fstat(file, &info) != 0) return file_error(r, strerror(errno));
  if (S_ISDIR(info.st_mode)) return file_error(r, strerror(EISDIR));
  if (!S_ISREG(info.st_mode)) return file_error(r, "not a regular file");
  if (info.st_size > (int64_t)UINT32_MAX)
    return vl_fail(r->status, VL_ERROR_FILE, "%s: the file has %lld bytes, a mesh file may have up to %lld", r->path,
                   (long long)info.st_size, (long long)UINT32_MAX);
  size_t size = (size_t)info.st_size, have = 0;
  *text = malloc(size + 1);
  if (!*text) return vl_fail_memory(r->status, size + 1, r->path);
  while (have < size) {
    ssize_t got = read(file, *text + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error(r, strerror(errno));
    if (got == 0) break;
    have += (size_t)got;
  }
  (*text)[have] = 0;
  r->text = r->at = *text;
  r->end = *text + have;
  return VL_OK;
}

static vlCode load_file(vlReader *r, char **text)
{
  int file = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return file_error(r, strerror(errno));
  vlCode code = load_open_file(r, file, text);
  close(file);
  return code;
}

static bool has_stl_size(const vlReader *r)
{
  size_t size = (size_t)(r->end - r->text);
  return size >= 84 && size == 84 + 50 * vl_bytes_integer(r->text + 80, 4, false);
}

bool vl_path_ends_in(const char *path, const char *ending)
{
  size_t n = strlen(path), m = strlen(ending);
  return n >= m && strcasecmp(path + n - m, ending) == 0;
}

bool vl_mesh_is_named(const char *path)
{
  static const char *const endings[] = {".obj", ".ply", ".stl", ".msh", ".mesh", ".node", ".ele", ".vtu"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (vl_path_ends_in(path, endings[i])) return true;
  return false;
}

/* First word that does not stand in a comment. */
static vlWord first_word(vlReader scout)
{
  while (scout.at < scout.end) {
    vlWord word = vl_reader_word(&scout);
    if (word.length > 0 && word.begin[0] != '#') return word;
    vl_reader_next_line(&scout);
  }
  return (vlWord){scout.end, 0};
}

static bool begins_obj(vlWord word)
{
  static const char *const keywords[] = {"v", "vt", "vn", "f", "g", "o", "s", "mtllib", "usemtl"};
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (vl_word_is(word, keywords[i])) return true;
  return false;
}

static vlCode read_by_format(vlReader *r)
{
  size_t size = (size_t)(r->end - r->text);
  if (size == 0) return vl_fail(r->status, VL_ERROR_MESH, "%s: the file is empty, expected a mesh (OBJ, PLY, STL)", r->path);
  if (size >= 3 && memcmp(r->text, "\xef\xbb\xbf", 3) == 0) r->at += 3; /* mark of UTF-8 */
  if (r->end - r->at > 3 && memcmp(r->at, "ply", 3) == 0 && (r->at[3] == '\n' || r->at[3] == '\r')) return vl_read_ply(r);
  if (has_stl_size(r)) return vl_read_stl_binary(r);
  bool is_text = !memchr(r->text, 0, size < 512 ? size : 512);
  if (is_text) {
    vlWord word = first_word(*r);
    if (vl_word_is_any_case(word, "solid")) return vl_read_stl_text(r);
    if (begins_obj(word)) return vl_read_obj(r);
  }
  if (vl_path_ends_in(r->path, ".obj")) return vl_read_obj(r);
  if (vl_path_ends_in(r->path, ".ply")) return vl_reader_expected(r, "the line 'ply'");
  if (vl_path_ends_in(r->path, ".stl")) return is_text ? vl_reader_expected(r, "'solid'") : vl_read_stl_binary(r);
  return vl_fail(r->status, VL_ERROR_MESH, "%s: neither content nor name say what it is; " VL_MESH_KINDS, r->path);
}

/* Hands the arrays over to a mesh. */
static vlCode finish(vlReader *r, vlTriMesh **mesh)
{
  if (r->triangle_count == 0)
    return vl_fail(r->status, VL_ERROR_MESH, "%s: has no triangles, expected at least one", r->path);
  *mesh = vl_trimesh_create(0, 0);
  if (!*mesh) return vl_fail_memory(r->status, sizeof **mesh, r->path);
  free((*mesh)->x);
  free((*mesh)->tri);
  (*mesh)->x = r->x;
  (*mesh)->tri = r->tri;
  (*mesh)->vertex_count = (int)r->vertex_count;
  (*mesh)->triangle_count = (int)r->triangle_count;
  r->x = NULL;
  r->tri = NULL;
  return VL_OK;
}

/* The readers need a 0 byte at the end, so they get a copy. */
static vlCode copy_memory(vlReader *r, const char *data, size_t length, char **text)
{
  *text = malloc(length + 1);
  if (!*text) return vl_fail_memory(r->status, length + 1, r->path);
  if (length) memcpy(*text, data, length);
  (*text)[length] = 0;
  r->text = r->at = *text;
  r->end = *text + length;
  return VL_OK;
}

vlCode vl_reader_open(vlReader *r, const char *data, size_t length, char **text)
{
  *text = NULL;
  r->line = 1;
  r->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!r->c_locale) return vl_fail_memory(r->status, sizeof *r, "reading a mesh");
  return data ? copy_memory(r, data, length, text) : load_file(r, text);
}

void vl_reader_close(vlReader *r, char **text)
{
  if (r->c_locale) freelocale(r->c_locale);
  free(r->x);
  free(r->tri);
  free(*text);
  *text = NULL;
}

static vlCode read_mesh(vlTriMesh **mesh, const char *data, size_t length, const char *path, vlStatus *status)
{
  *mesh = NULL;
  char *text;
  vlReader r = {.path = path, .status = status};
  vlCode code = vl_reader_open(&r, data, length, &text);
  if (code == VL_OK) code = read_by_format(&r);
  if (code == VL_OK) code = finish(&r, mesh);
  vl_reader_close(&r, &text);
  return code;
}

vlCode vl_trimesh_read(vlTriMesh **mesh, const char *path, vlStatus *status)
{
  return read_mesh(mesh, NULL, 0, path, status);
}

vlCode vl_trimesh_read_memory(vlTriMesh **mesh, const char *text, size_t length, const char *name, vlStatus *status)
{
  return read_mesh(mesh, text ? text : "", length, name, status);
}
