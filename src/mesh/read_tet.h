/* Inside the readers of tetrahedral meshes: a file with a place in it, and the mesh found so far. Only read*.c and
 * tetmesh_read.c include this. */
#ifndef VL_MESH_READ_TET_H
#define VL_MESH_READ_TET_H

#include "mesh/read.h"
#include "mesh/tetmesh.h"

/* How errors tell the place. */
typedef enum vlWhere { VL_WHERE_LINE, VL_WHERE_BYTE, VL_WHERE_FILE } vlWhere;

typedef struct vlNodeNumber {
  int64_t label;
  int node;
} vlNodeNumber;

/* Files give numbers to nodes and tetrahedra, which need not be consecutive: the labels, kept for messages. */
typedef struct vlTetReader {
  vlReader r; /* the file being read; its own arrays stay empty */
  vlWhere where;
  vlVec3 *node;           /* m [node_count] */
  int64_t *node_label;    /* [label_count] */
  int (*tet)[4];          /* indices of nodes [tet_count] */
  int64_t *tet_label;     /* [tet_count] */
  vlNodeNumber *by_label; /* nodes by ascending label, NULL: labels ascend by one [node_count] */
  size_t node_count, node_capacity, label_count, label_capacity, tet_count, tet_capacity, tet_label_capacity;
  bool nodes_ended;
} vlTetReader;

vlCode vl_read_msh(vlTetReader *t);
vlCode vl_read_medit(vlTetReader *t);
vlCode vl_read_vtu(vlTetReader *t);

void vl_tet_reader_clear(vlTetReader *t); /* the arrays, not the file */
/* "path:line: text", "path: byte N: text" or "path: text". */
vlCode vl_tet_fail(vlTetReader *t, const char *format, ...) VL_PRINTF(2, 3);
/* The same with what is found at the place: "found 'word', expected text". */
vlCode vl_tet_expected(vlTetReader *t, const char *what);

/* A node's label and place may come apart, each in the order of nodes; then vl_tet_end_nodes, then tetrahedra. */
vlCode vl_tet_add_label(vlTetReader *t, int64_t label);
vlCode vl_tet_add_place(vlTetReader *t, vlVec3 x);
vlCode vl_tet_end_nodes(vlTetReader *t);
vlCode vl_tet_add_tet(vlTetReader *t, int64_t label, const int64_t node_label[4]);
/* Where a file has more than points, lines, surfaces and tetrahedra of 4 nodes. */
vlCode vl_tet_fail_kind(vlTetReader *t, const char *kind);

/* Text, where a mark # hides the rest of a line. */
void vl_tet_begin_line(vlTetReader *t);                                       /* to the next line with content, or the end */
vlCode vl_tet_end_line(vlTetReader *t, const char *after);                    /* nothing more may stand on it */
vlCode vl_tet_text_integer(vlTetReader *t, int64_t *value, const char *what); /* a whole word of this line */
vlCode vl_tet_text_place(vlTetReader *t, vlVec3 *x);                          /* three numbers of this line */
vlCode vl_tet_text_count(vlTetReader *t, int64_t *count, const char *what);   /* same, not negative */
vlCode vl_tet_text_nodes(vlTetReader *t, int64_t node_label[], int count);

#endif
