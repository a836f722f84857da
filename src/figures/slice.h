/* A plane through a frame of a run: the cells that hold it, as the program saw them, and a figure of them.
 *
 * Fields come from the frame; open areas, patches and kinds of cells are computed from the run's solids by cut/, so that
 * they are the numbers of the run itself, bodies from the frame among them. In the figure u points right and v up
 * (for y planes down: seen from above). */
#ifndef VL_FIGURES_SLICE_H
#define VL_FIGURES_SLICE_H

#include "cut/cuts.h"
#include "drawing/drawing.h"
#include "files/look.h"
#include "mesh/trimesh.h"

/* What all frames of a run share. */
typedef struct vlSliceRun {
  char *folder, *name; /* name: of the scene */
  vlGrid grid;
  vlTriMesh *solids;
  bool solids_known; /* there is a solids.vtp; without one no frame may have cells that are not open */
  vlCuts *cuts;      /* of the solids */
  bool has_bodies;   /* elastic ones: every frame has a file of them */
  bool medium;       /* engine immersed: what yields is in the medium and cuts no cells */
  vlLook look;       /* for the bodies' colours */
} vlSliceRun;

typedef enum vlSliceKind {
  VL_SLICE_AIR,
  VL_SLICE_CUT_AIR,
  VL_SLICE_LIQUID,
  VL_SLICE_CUT_LIQUID,
  VL_SLICE_SOLID,
  VL_SLICE_KINDS
} vlSliceKind;

/* The surface of solids and bodies in one cell. */
typedef struct vlSlicePatch {
  double center[2]; /* m: mean place of the surface in the cell, on the plane */
  double area[2];   /* 1: its area vector over dx2, into the solid; along u and v */
  double size;      /* 1: its area over dx2 */
} vlSlicePatch;

/* Points in rows: line l has the points first[l] .. first[l + 1] - 1. */
typedef struct vlSliceLines {
  double (*x)[2]; /* m: along u and v */
  int *first;     /* [count + 1] */
  int *vertex;    /* of outlines: a vertex of the mesh, at an edge that the line begins on [count] */
  bool *closed;   /* [count] */
  int count;
} vlSliceLines;

typedef struct vlSlice {
  int axis, u, v, layer; /* axis of the plane, axes of the figure, index of the cells along `axis` */
  double position;       /* m: of the plane */
  double time;           /* s */
  int n[2];              /* cells along u and v */
  double dx, lo[2];      /* m: cell size, lower corner */
  unsigned char *kind;   /* vlSliceKind of each cell, u fastest [n0 n1] */
  bool *unknown;         /* cells with a pressure to be found [n0 n1] */
  float *pressure, *phi; /* Pa, m; of each cell [n0 n1] */
  float *open;           /* 1: open part of each cell's volume [n0 n1] */
  float *velocity;       /* m/s: along u and v, of each cell [n0 n1][2] */
  double *area[2];       /* 1: open part of the faces across u [(n0 + 1) n1] and v [n0 (n1 + 1)] */
  vlSlicePatch *patch;   /* of each cell; size 0: none [n0 n1] */
  vlSliceLines solid;    /* outline of the solids on the plane */
  vlSliceLines body;     /* outline of the bodies on the plane */
  vlVec3 *body_color;    /* of the body that each line of it belongs to: red, green, blue as on a screen [body.count] */
  vlSliceLines mesh;     /* faces of their tetrahedra on the plane */
  vlSliceLines liquid;   /* where the level set is 0 */
  bool *in_body;         /* cells whose middle, on the plane, lies in a body [n0 n1] */
  float *body_velocity;  /* m/s: of the body there, along u and v [n0 n1][2] */
  bool solid_outside;    /* far away everything is solid */
} vlSlice;

vlCode vl_slice_run_open(vlSliceRun *run, const char *folder, vlStatus *status);
void vl_slice_run_close(vlSliceRun *run);
/* All frames with fields, ascending, in new memory; none is an error that says how to get them. */
vlCode vl_slice_frames(const vlSliceRun *run, int **frames, int *count, vlStatus *status);

/* position: NaN for the middle layer. A plane outside of the domain is VL_ERROR_USAGE. */
vlCode vl_slice_create(vlSlice **slice, const vlSliceRun *run, int frame, int axis, double position, vlStatus *status);
void vl_slice_destroy(vlSlice **slice);

/* What a figure shows, as bits. */
enum {
  VL_SHOW_GRID = 1,
  VL_SHOW_KINDS = 2,
  VL_SHOW_PRESSURE = 4,
  VL_SHOW_LIQUID = 8,
  VL_SHOW_SOLID = 16,
  VL_SHOW_AREAS = 32,
  VL_SHOW_PATCHES = 64,
  VL_SHOW_SAMPLES = 128,
  VL_SHOW_VELOCITY = 256,
  VL_SHOW_BODIES = 512,
  VL_SHOW_MESH = 1024
};

/* Largest and smallest values, for the scales of a figure or of a series of them. */
typedef struct vlSliceRange {
  double pressure[2];           /* Pa: least and largest */
  double speed, squares, count; /* m/s: the highest; sum of squares of speeds, and how many were added */
} vlSliceRange;

typedef struct vlSliceStyle {
  unsigned show;      /* 0: by the number of cells that are seen */
  double window[4];   /* m: u0, v0, u1, v1; all 0: the whole domain */
  double size;        /* px: width of the figure */
  vlSliceRange range; /* scales */
  const char *name;   /* of the scene, for the title */
} vlSliceStyle;

/* Cuts the window to the domain; one that misses it or is turned around is VL_ERROR_USAGE. */
vlCode vl_slice_window(const vlSlice *slice, double window[4], vlStatus *status);
/* Makes the range hold what the slice shows in the window. Begin with vl_slice_range_empty(). */
vlSliceRange vl_slice_range_empty(void);
void vl_slice_range_add(vlSliceRange *range, const vlSlice *slice, const double window[4]);
/* `drawing` is new or cleared. */
vlCode vl_slice_draw(vlDrawing *drawing, const vlSlice *slice, const vlSliceStyle *style, vlStatus *status);

#endif
