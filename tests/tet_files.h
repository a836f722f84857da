/* Files of tetrahedral meshes in every format, written byte by byte for the tests of the readers. */
#ifndef VL_TESTS_TET_FILES_H
#define VL_TESTS_TET_FILES_H

#include "mesh/tetmesh.h"
#include "mesh_files.h"

/* How a file is written. */
typedef struct TetFormat {
  bool bytes, big;
} TetFormat;

static inline void put_line(Bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void put_line(Bytes *b, const char *format, ...)
{
  char line[512];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  put_text(b, line);
}

static inline void put_long(Bytes *b, int64_t value, bool big) { put_number(b, &value, sizeof value, big); }

static inline void put_place(Bytes *b, vlVec3 x, TetFormat f)
{
  if (!f.bytes) put_line(b, "%.17g %.17g %.17g", x.x, x.y, x.z);
  for (int a = 0; a < 3 && f.bytes; a++) put_number(b, &x.v[a], sizeof x.v[a], f.big);
}

static inline void put_msh_head(Bytes *b, const char *version, TetFormat f)
{
  put_line(b, "$MeshFormat\n%s %d 8\n", version, f.bytes);
  if (f.bytes) put_int(b, 1, f.big);
  put_text(b, f.bytes && f.big ? "\n$EndMeshFormat\n" : "$EndMeshFormat\n");
  put_text(b, "$PhysicalNames\n1\n3 1 \"body $End\"\n$EndPhysicalNames\n");
}

/* Numbers of nodes: 3 i + 5; of tetrahedra: t + 100. A triangle and a point come before them. */
static inline Bytes write_msh_2(const vlTetMesh *mesh, TetFormat f)
{
  Bytes b = {.count = 0};
  put_msh_head(&b, "2.2", f);
  put_line(&b, "$Nodes\n%d\n", mesh->node_count);
  for (int i = 0; i < mesh->node_count; i++) {
    if (f.bytes)
      put_int(&b, 3 * i + 5, f.big);
    else
      put_line(&b, "%d ", 3 * i + 5);
    put_place(&b, mesh->node[i], f);
    if (!f.bytes) put_text(&b, "\n");
  }
  put_line(&b, "%s$EndNodes\n$Elements\n%d\n", f.bytes ? "\n" : "", mesh->tet_count + 2);
  if (f.bytes) {
    static const int head[] = {15, 1, 0, 1, 5, 2, 1, 2, 2, 7, 7, 5, 8, 11, 4};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) put_int(&b, head[i], f.big);
    put_int(&b, mesh->tet_count, f.big);
    put_int(&b, 1, f.big);
  } else {
    put_text(&b, "1 15 0 5\n2 2 2 7 7 5 8 11\n");
  }
  for (int t = 0; t < mesh->tet_count; t++) {
    const int values[6] = {
        t + 100, 7, 3 * mesh->tet[t][0] + 5, 3 * mesh->tet[t][1] + 5, 3 * mesh->tet[t][2] + 5, 3 * mesh->tet[t][3] + 5};
    for (int k = 0; k < 6 && f.bytes; k++) put_int(&b, values[k], f.big);
    if (!f.bytes) put_line(&b, "%d 4 1 %d %d %d %d %d\n", values[0], values[1], values[2], values[3], values[4], values[5]);
  }
  put_text(&b, f.bytes ? "\n$EndElements\n" : "$EndElements\n");
  return b;
}

/* `count` whole numbers: text on one line, or bytes of which the first `wide_from` have 4 and the others 8. */
static inline void put_integers(Bytes *b, const int64_t *value, int count, int wide_from, TetFormat f)
{
  for (int i = 0; i < count; i++) {
    if (!f.bytes)
      put_line(b, "%lld%c", (long long)value[i], i + 1 < count ? ' ' : '\n');
    else if (i < wide_from)
      put_int(b, (int32_t)value[i], f.big);
    else
      put_long(b, value[i], f.big);
  }
}

/* Two blocks of nodes, the first with parameters; numbers of nodes descend, those of tetrahedra begin with 5 10^9. */
static inline Bytes write_msh_4(const vlTetMesh *mesh, TetFormat f)
{
  Bytes b = {.count = 0};
  int n = mesh->node_count, first[3] = {0, 3, n};
  put_msh_head(&b, "4.1", f);
  put_text(&b, "$Nodes\n");
  put_integers(&b, (const int64_t[4]){2, n, 1, n}, 4, 0, f);
  for (int block = 0; block < 2; block++) {
    put_integers(&b, (const int64_t[4]){2 + block, 1, !block, first[block + 1] - first[block]}, 4, 3, f);
    for (int i = first[block]; i < first[block + 1]; i++) put_integers(&b, (const int64_t[1]){n - i}, 1, 0, f);
    for (int i = first[block]; i < first[block + 1]; i++) {
      put_place(&b, mesh->node[i], f);
      if (block == 0 && f.bytes) put(&b, "0123456789abcdef", 16);
      if (!f.bytes) put_text(&b, block == 0 ? " 0.5 1\n" : "\n");
    }
  }
  put_text(&b, f.bytes ? "\n$EndNodes\n$Elements\n" : "$EndNodes\n$Elements\n");
  put_integers(&b, (const int64_t[4]){2, mesh->tet_count + 1, 1, 9}, 4, 0, f);
  put_integers(&b, (const int64_t[4]){1, 1, 1, 1}, 4, 3, f);
  put_integers(&b, (const int64_t[3]){1, 2, 3}, 3, 0, f);
  put_integers(&b, (const int64_t[4]){3, 1, 4, mesh->tet_count}, 4, 3, f);
  for (int t = 0; t < mesh->tet_count; t++) {
    int64_t values[5] = {5000000000 + t};
    for (int k = 0; k < 4; k++) values[k + 1] = n - mesh->tet[t][k];
    put_integers(&b, values, 5, 0, f);
  }
  put_text(&b, f.bytes ? "\n$EndElements\n$Extra\n\1$E\n$EndExtra" : "$EndElements\n$Extra\n1\n$EndExtra");
  return b;
}

static inline Bytes write_medit(const vlTetMesh *mesh)
{
  Bytes b = {.count = 0};
  put_line(&b, "MeshVersionFormatted 2\n# by hand\n\nDimension\n3\n\nVertices %d\n", mesh->node_count);
  for (int i = 0; i < mesh->node_count; i++) {
    put_place(&b, mesh->node[i], (TetFormat){0});
    put_text(&b, " 0\n");
  }
  put_text(&b, "Triangles\n2\n1 2 3 0\n2 3 4 0\n");
  put_line(&b, "Hexahedra\n0\nTetrahedra\n%d\n", mesh->tet_count);
  for (int t = 0; t < mesh->tet_count; t++)
    put_line(&b, "%d %d %d %d 3\n", mesh->tet[t][0] + 1, mesh->tet[t][1] + 1, mesh->tet[t][2] + 1, mesh->tet[t][3] + 1);
  put_text(&b, "Edges\n1\n1 2 0\nEnd\n");
  return b;
}

/* TetGen, numbered from `first`. */
static inline Bytes write_node(const vlTetMesh *mesh, int first)
{
  Bytes b = {.count = 0};
  put_line(&b, "# nodes\n%d  3  1  1\n", mesh->node_count);
  for (int i = 0; i < mesh->node_count; i++) {
    put_line(&b, "  %d  ", i + first);
    put_place(&b, mesh->node[i], (TetFormat){0});
    put_text(&b, "  0.5 -1\n");
  }
  put_text(&b, "# Generated by hand\n");
  return b;
}

static inline Bytes write_ele(const vlTetMesh *mesh, int first)
{
  Bytes b = {.count = 0};
  put_line(&b, "%d  4  0 # tetrahedra\n", mesh->tet_count);
  for (int t = 0; t < mesh->tet_count; t++)
    put_line(&b, "%d %d %d %d %d\n", t + first, mesh->tet[t][0] + first, mesh->tet[t][1] + first, mesh->tet[t][2] + first,
             mesh->tet[t][3] + first);
  return b;
}

typedef enum VtuKind { VTU_TEXT, VTU_INLINE, VTU_INLINE_PARTS, VTU_RAW, VTU_BASE64, VTU_KINDS } VtuKind;

static inline void put_base64(Bytes *b, const char *data, size_t count)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    unsigned bits = 0;
    for (size_t k = 0; k < 3; k++) bits = bits << 8 | (i + k < count ? (unsigned char)data[i + k] : 0u);
    for (int k = 0; k < 4; k++) {
      bool padding = i + (size_t)k > count;
      put(b, padding ? "=" : &letters[bits >> (18 - 6 * k) & 63], 1);
    }
  }
}

/* One array of a VTU file: its values as text and as a block of bytes with the size in front. */
typedef struct VtuArray {
  const char *tag;
  Bytes text, block;
} VtuArray;

static inline void put_vtu_size(VtuArray *array, uint64_t size, bool wide, bool big)
{
  if (wide)
    put_number(&array->block, &size, 8, big);
  else
    put_number(&array->block, &(uint32_t){(uint32_t)size}, 4, big);
}

/* Points as Float64, connectivity Int64, offsets Int32, types UInt8; a triangle is the first cell. */
static inline void fill_vtu(VtuArray array[4], const vlTetMesh *mesh, bool wide, bool big)
{
  int cells = mesh->tet_count + 1;
  put_vtu_size(&array[0], 24 * (uint64_t)mesh->node_count, wide, big);
  put_vtu_size(&array[1], 8 * (4 * (uint64_t)mesh->tet_count + 3), wide, big);
  put_vtu_size(&array[2], 4 * (uint64_t)cells, wide, big);
  put_vtu_size(&array[3], (uint64_t)cells, wide, big);
  for (int i = 0; i < mesh->node_count; i++) {
    put_place(&array[0].text, mesh->node[i], (TetFormat){false, big});
    put_text(&array[0].text, "\n");
    put_place(&array[0].block, mesh->node[i], (TetFormat){true, big});
  }
  for (int i = -3; i < 4 * mesh->tet_count; i++) {
    int index = i < 0 ? i + 3 : mesh->tet[i / 4][i % 4];
    put_line(&array[1].text, "%d ", index);
    put_long(&array[1].block, index, big);
  }
  for (int i = 0; i < cells; i++) {
    put_line(&array[2].text, "%d\n", 4 * i + 3);
    put_int(&array[2].block, 4 * i + 3, big);
    put_line(&array[3].text, "%d ", i == 0 ? 5 : 10);
    put(&array[3].block, i == 0 ? "\5" : "\12", 1);
  }
}

static inline void put_vtu_array(Bytes *b, const VtuArray *array, VtuKind kind, bool wide, size_t offset)
{
  static const char *const formats[VTU_KINDS] = {"ascii", "binary", "binary", "appended", "appended"};
  size_t head = wide ? 8 : 4;
  put_line(b, "<DataArray %s format=\"%s\"", array->tag, formats[kind]);
  if (kind >= VTU_RAW) {
    put_line(b, " offset='%zu'/>\n", offset);
    return;
  }
  put_text(b, ">\n  ");
  if (kind == VTU_TEXT) {
    put(b, array->text.data, array->text.count);
  } else if (kind == VTU_INLINE) {
    put_base64(b, array->block.data, array->block.count);
  } else {
    put_base64(b, array->block.data, head);
    put_base64(b, array->block.data + head, array->block.count - head);
  }
  put_text(b, "\n</DataArray>\n");
}

static inline Bytes write_vtu(const vlTetMesh *mesh, VtuKind kind, bool wide, bool big)
{
  static VtuArray array[4];
  static const char *const tags[4] = {"type=\"Float64\" NumberOfComponents=\"3\"", "type=\"Int64\" Name=\"connectivity\"",
                                      "type=\"Int32\" Name=\"offsets\"", "type=\"UInt8\" Name=\"types\""};
  Bytes b = {.count = 0}, data = {.count = 0};
  for (int i = 0; i < 4; i++) {
    array[i].tag = tags[i];
    array[i].text.count = array[i].block.count = 0;
  }
  fill_vtu(array, mesh, wide, big);
  put_line(&b,
           "<?xml version=\"1.0\"?>\n<!-- <Piece> by hand -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
           "byte_order=\"%s\" header_type=\"%s\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n"
           "<PointData>\n<DataArray type=\"Int8\" Name=\"offsets\" format=\"ascii\">\n1 2 3\n</DataArray>\n</PointData>\n",
           big ? "BigEndian" : "LittleEndian", wide ? "UInt64" : "UInt32", mesh->node_count, mesh->tet_count + 1);
  for (int i = 0; i < 4; i++) {
    if (i == 0) put_text(&b, "<Points>\n");
    if (i == 1) put_text(&b, "</Points>\n<Cells>\n");
    put_vtu_array(&b, &array[i], kind, wide, data.count);
    if (kind == VTU_BASE64)
      put_base64(&data, array[i].block.data, array[i].block.count);
    else
      put(&data, array[i].block.data, array[i].block.count);
  }
  put_text(&b, "</Cells>\n</Piece>\n</UnstructuredGrid>\n");
  if (kind >= VTU_RAW) {
    put_line(&b, "<AppendedData encoding=\"%s\">\n_", kind == VTU_RAW ? "raw" : "base64");
    put(&b, data.data, data.count);
    put_text(&b, "\n</AppendedData>\n");
  }
  put_text(&b, "</VTKFile>\n");
  return b;
}

#endif
