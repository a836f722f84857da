/* The immersed engine's inside: liquid and bodies are one medium with one velocity on the grid [brandt2019].
 *
 * Grid, static and scripted solids, the liquid's particles, sources, the pressure solve and all views are the sharp engine's
 * (engine/sharp/sharp.h). What is new: bodies that are in the medium by their grains (solid/body.h, vlGrains), which count
 * on the grid as particles do, and a surface that is where cells without particles begin, with zero pressure at their
 * middles.
 */
#ifndef VL_ENGINE_IMMERSED_IMMERSED_H
#define VL_ENGINE_IMMERSED_IMMERSED_H

#include "engine/sharp/body_step.h"
#include "engine/sharp/sharp.h"

/* A body in the medium. */
typedef struct vlGuest {
  vlBody *body;
  vlGrains *grains;
  vlParticles *points; /* its grains sorted by cell; id: number of the grain. The simulation's guests, in the same order */
  double scale, room;  /* mass and volume of a grain over those of a particle of liquid */
  /* Of the step, by grain [grains->count]: */
  vlVec3 *before; /* m/s: as the grid has it before the medium pushes */
  vlVec3 *slip;   /* m/s: part of the wanted velocity that the medium does not have before pressure */
  vlVec3 *v;      /* m/s: at which it goes */
  vlVec3 *next;   /* scratch of the contact */
  vlVec3 *to;     /* m: where it came */
  double *weight; /* of all grains that it touches (touch.c) */
} vlGuest;

/* A guest's grains as one rigid body. */
typedef struct vlLump {
  vlVec3 center;  /* m */
  vlMat3 inverse; /* of the moments of inertia, 1/(kg m2) */
  bool turns;     /* it is there */
} vlLump;
vlLump vl_guest_lump(const vlGuest *guest);

/* A grain of a surface, as others find it. */
typedef struct vlOuterGrain {
  int guest, grain;
} vlOuterGrain;
static inline bool vl_grain_is_outer(const vlGrains *g, int i)
{
  return g->normal[i].x != 0.0 || g->normal[i].y != 0.0 || g->normal[i].z != 0.0;
}

/* Around the normals of a cell's grains. */
typedef struct vlCone {
  vlVec3 axis;
  double least; /* cosine of the widest angle to it */
} vlCone;

typedef struct vlTouch vlTouch; /* touch.c */

typedef struct vlImmersed {
  vlSharp base;
  vlGuest *guest; /* [guest_count] */
  int guest_count;
  /* Of the step: grains of surfaces by the cells around them (meet.c). */
  vlOuterGrain *outer; /* by cell [first[cells]] */
  int *first;          /* of each cell VL_BLOCK b + l of wet blocks [cells + 1] */
  size_t outer_capacity, first_capacity;
  vlCone *cone; /* of cells that have some [cells] */
  size_t cone_capacity;
  vlTouch *touch; /* what rubs */
  size_t touch_capacity;
  unsigned short *beside; /* cells with such a grain in them or a neighbour, a bit each [wet] */
  size_t beside_capacity;
  unsigned char *of_guest; /* wet blocks with faces that a guest's grains write to [wet] */
  size_t of_guest_capacity;
  double step_dt; /* s: of the step in which things move */
} vlImmersed;

static inline vlImmersed *vl_immersed(const vlSharp *sim) { return (vlImmersed *)sim; }

/* step.c */
extern const vlMethod vl_method_immersed;

/* guests.c: bodies in the medium, once the others are told apart; their grains where they lie. */
vlCode vl_guests_create(vlImmersed *sim, vlStatus *status);
void vl_guests_clear(vlImmersed *sim);
bool vl_guests_weigh(vlImmersed *sim); /* scale and room of all; whether they are others than before */
vlCode vl_guests_sort(vlImmersed *sim, vlStatus *status);
/* Stages: what the bodies would do alone, on the grid; which of their elements are inside out; then where their grains went,
 * and the bodies after them. */
vlStageRun vl_guests_predict, vl_guests_measure, vl_guests_carry, vl_guests_settle;

/* medium.c: velocity of all that is there on the grid, mass and density of faces; which cells are full and how much too
 * full. */
void vl_medium_to_grid(vlImmersed *sim);
void vl_medium_fill(vlImmersed *sim);
/* 1/s: the largest divergence that crowded cells ask for in a step of dt, and the field of it (work.swell). */
double vl_medium_excess(vlImmersed *sim, double dt);
/* Adds the velocity v of a guest's grains, times their share of the mass of a face, to u; work.path is what they alone have
 * on the grid. */
vlCode vl_medium_push(vlImmersed *sim, int guest, double *const u[3], vlStatus *status);

/* What grains go with, work.path: velocity before pressure, kept, and what pressure changed. */
void vl_medium_keep(vlImmersed *sim);
vlCode vl_medium_kick(vlImmersed *sim, vlStatus *status);

/* meet.c: grains of surfaces by cell; the way of a particle of liquid beside them. */
enum { VL_MEET_ROWS = 18, VL_TOUCHES = 4 };
vlCode vl_meet_find(vlImmersed *sim, vlStatus *status);
/* Rows of cells around x, cells, that have such grains: first[row[r][0]] .. first[row[r][1]] - 1 of `outer`. */
int vl_meet_around(const vlImmersed *sim, const double x[3], int row[VL_MEET_ROWS][2]);
void vl_meet_deflect(const void *sim, const double x[3], double v[3], double w[3]); /* two velocities; w may be NULL */
bool vl_meet_deflects(const void *sim, vlBlockPosition block);                      /* anything within a cell of it? */
/* touch.c: contact and friction of grains. */
vlCode vl_touch(vlImmersed *sim, double dt, vlStatus *status);
void vl_touch_walls(vlImmersed *sim, int guest, double dt); /* walls that its grains may come up against */
void vl_meet_clear(vlImmersed *sim);

#endif
