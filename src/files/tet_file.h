/* Files of tetrahedra. */
#ifndef VL_FILES_TET_FILE_H
#define VL_FILES_TET_FILE_H

#include "mesh/tetmesh.h"

/* Writes Gmsh 4.1 (.msh, text) or VTU (.vtu), by the name's ending; another one is refused. vl_tetmesh_read gives the same
 * nodes, bit by bit, and tetrahedra back. */
vlCode vl_tet_file_write(const char *path, const vlTetMesh *mesh, vlStatus *status);
/* VL_ERROR_USAGE where vl_tet_file_write would refuse the name. */
vlCode vl_tet_file_check_name(const char *path, vlStatus *status);

#endif
