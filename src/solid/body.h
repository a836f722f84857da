/* A body: a surface of nodes that liquid and contacts push, and that answers by moving.
 *
 * Once a step a body turns its equations of motion into the answer of its nodes' velocities, at the step's end, to loads on
 * its nodes,
 *
 *     v = S^-1 (load - w) + given          S^-1 symmetric, not negative          [zarifi2017, eq. 6, 18; batty2007]
 *
 * and whoever couples it with something puts the loads in:
 *
 *     begin(body, dt, gravity)     S^-1, w and given      (state untouched: may be repeated with another dt)
 *     solve(body, r, y)            y = S^-1 r, as often as needed
 *     finish(body, load)           velocities, positions, reactions
 *
 * What S^-1 is depends on the kind of body: that of tetrahedra (elastic.h), N dt M^-1 N^T (rigid_body.h), nothing at all
 * (scripted). A kind is a vlBodyType, one line in the table of body.c, and a struct of its own that begins with a vlBody;
 * nobody else asks for it. Vectors have one vlVec3 for each node. */
#ifndef VL_SOLID_BODY_H
#define VL_SOLID_BODY_H

#include "grid/visitor.h"
#include "linear/csr.h"
#include "velella/velella.h"

typedef struct vlBodyType vlBodyType;

/* Liquid between a piece of a body's surface and the middle of its cell. It moves along the normal with the piece
 * (pressure/layer.h). */
enum { VL_PIECE_NODES = 6 };
typedef struct vlLayerPiece {
  int nodes;                    /* that carry the piece */
  int node[VL_PIECE_NODES];     /* of the body */
  double b[VL_PIECE_NODES];     /* shares of its weight, as those of pressure (cut/patches.h), sum 1 */
  double share[VL_PIECE_NODES]; /* of its mass, none below 0, sum 1: its velocity is sum share v */
  int cell[3];                  /* that it lies in */
  bool extra;                   /* it borders a piece of liquid beside the first of its cell (pressure/tail.h) */
  double area;                  /* m2 */
  vlVec3 x, n;                  /* m: centre; unit, into the body */
  vlVec3 arm;                   /* kg: density times area times the way from the middle to x */
  double mass;                  /* kg: arm . n; below 0 where the middle lies in the body, so that links count too much */
  double weight;                /* N: arm . (acceleration of free liquid there), along n */
  double inertia;               /* kg: what of the mass the body's matrix takes; mass, unless its kind says otherwise */
  double film;                  /* kg: of liquid on the piece, a hundredth of a cell thick */
  double clings; /* kg: what of the film goes along with the piece in all directions; 0, unless its kind says so */
} vlLayerPiece;
/* A list of them that grows. */
typedef struct vlLayerPieces {
  vlLayerPiece *piece; /* [count] */
  int count;
  size_t capacity;
} vlLayerPieces;

/* What a program has told a body while it runs. */
typedef struct vlPinControl {
  int64_t told;    /* 1: the pin moves at the velocity from where it was, 0: as the scene says */
  vlVec3 velocity; /* m/s */
} vlPinControl;
/* A hand that holds a body at a place and pulls it to a target (grab.h). The held point is offset + sum share x. */
enum { VL_GRAB_NODES = 30 };
typedef struct vlGrabHold {    /* what of it is saved */
  int64_t id;                  /* of the simulation, never given twice */
  int64_t drag;                /* of the scene, whose path the target goes; -1: it goes straight */
  int64_t count;               /* nodes */
  int64_t node[VL_GRAB_NODES]; /* [count] */
  double share[VL_GRAB_NODES]; /* sum 1 [count] */
  vlVec3 offset;               /* m: from the mean of the nodes to the point; as it was when the hand closed */
  double rate;                 /* 1/s: of its spring, the root of stiffness over mass */
  vlVec3 from, to;             /* m: the target goes straight from one at `since` to the other at `until`, s */
  double since, until;
  vlVec3 force; /* N: on the body, in the last step */
} vlGrabHold;
typedef struct vlGrab {
  vlGrabHold hold;
  /* Of the step; its force is pull - resistance (sum share v). */
  vlVec3 target, velocity; /* m: at the step's end; m/s: in the step, as far as it is followed */
  vlVec3 pull;             /* N */
  double resistance;       /* kg/s */
} vlGrab;

typedef struct vlBodyControl {
  bool still;             /* its pins and its path stand; no state */
  bool pushed, steered;   /* ever */
  vlVec3 force, torque;   /* N, N m: at the centre of mass */
  vlVec3 velocity, omega; /* m/s, rad/s: of one that is steered */
  vlPinControl *pin;      /* [def->pin_count]; NULL: none was told */
  vlGrab *grab;           /* [grab_count] */
  int grab_count;
} vlBodyControl;

/* What every body has. */
typedef struct vlBody {
  const vlBodyType *type;
  const vlScene *scene; /* that it is of, and its place there; NULL: of none */
  const vlBodyDef *def;
  /* Constant. */
  int node_count, triangle_count;
  int element_count, element_nodes; /* tetrahedra and nodes of one, 4 or 10; 0 where it is its surface */
  vlVec3 *rest;                     /* m: position at rest X [node_count] */
  int *node;          /* nodes of elements: corners, then edges 01 02 03 12 13 23 [element_count][element_nodes] */
  int (*triangle)[3]; /* the surface, outward [triangle_count] */
  bool curved;     /* each four of them are one face of six nodes: at its corners 0 1 2 with the middles of edges, inside */
  double density;  /* kg/m3: of the material that holds now */
  double friction; /* Coulomb's coefficient */
  double missing;  /* share of its shape's volume that its elements lack */
  bool stiff;      /* it keeps its form: its velocity is that of a rigid motion */
  bool yields;     /* loads move it: S^-1 is not zero; an elastic body's begin tells, as pins come and go */
  bool sliced;     /* mass and weight are told by the grid before each step */

  /* State: what a restart needs, beside what its kind adds. */
  vlVec3 *x, *v;        /* m, m/s [node_count] */
  vlVec3 *load;         /* N: of the pressures of cells, in the last step [node_count] */
  vlVec3 *layer;        /* N: of the liquid between them and the surface, in the last step [node_count] */
  vlVec3 *reaction;     /* N: what the holders pushed with in the last step, 0 where free [node_count] */
  vlVec3 contact_force; /* N: of all that it touched, in the last step */
  int inverted;         /* places inside that were inside out when the last step began */

  vlBodyControl control;
  vlBodyMaterial first_material, material; /* as the scene has it, and that holds now */

  /* What acts on it, written before a step begins. */
  vlVec3 *first; /* m: where its nodes began [node_count] */
  vlVec3 *force; /* N: external, besides gravity [node_count] */
  bool *held;    /* unknowns 3 node + axis that no load moves [3 node_count] */
  double kick;   /* s: leapfrog: forces act from the middle of the last step to that of the coming one, for so long; 0: as
                    long as the step lasts */

  /* Of the step between begin and finish. */
  double dt;         /* s: 0 outside */
  double span;       /* s: beta of x = base + beta v at the step's end */
  vlVec3 *base;      /* m [node_count] */
  vlVec3 *w;         /* N [node_count] */
  vlVec3 *given;     /* m/s: what is there without loads, of held unknowns or of all [node_count] */
  int mode_count;    /* S^-1 = sum over modes f f^T, of kinds that move in a few ways only */
  double mode_share; /* kg/s: modes times its root are velocities of about one m/s */
} vlBody;

typedef struct vlBodyMeasure {
  double kinetic, elastic, potential; /* J; potential = - sum m g.x */
  vlVec3 momentum;                    /* kg m/s */
  vlVec3 angular_momentum;            /* kg m2/s, about the origin */
  vlVec3 spin;                        /* kg m2/s: the same about the centre of mass */
  vlVec3 center;                      /* m: of mass */
  vlVec3 rotation;                    /* rad: turn as a whole against the form at rest, axis times angle */
  vlVec3 omega;                       /* rad/s: I^-1 of the spin, with the inertia as it lies */
  vlVec3 reaction;                    /* N: sum over held unknowns, last step */
  double mass, volume;                /* kg; m3 inside the surface triangles */
} vlBodyMeasure;

/* Points of a body's material, evenly spread over it, by which it can be one medium with liquid [brandt2019]: they move with
 * the liquid's grid, and the body takes the shape nearest to where they came. Order and number never change. */
typedef struct vlGrains {
  int count;
  double mass;          /* kg: of each */
  double spacing;       /* m: each has the room of a cube this wide */
  vlVec3 *rest;         /* m: place in the form at rest [count] */
  vlVec3 *x, *v;        /* m, m/s: as the body lies and moves [count] */
  vlVec3 *push, *touch; /* m/s2: what the medium accelerated them with, and what they touched, in the last step; state,
                           written by who moves them [count] */
  vlVec3 *stop;         /* unit, out of the wall that it may come up against in the step, zero: none; written by who moves
                           them [count] */
  double *room;         /* m: how far it may go towards that in the step, below 0 where it must come out [count] */
  vlVec3 *drag;         /* m/s: of the wall [count] */
  int *against;         /* the grain of the same body that stands for the wall, and yields as much; -1: none [count] */
  vlVec3 *borne;        /* N: with what the wall holds it, written by predict [count] */
  bool held;            /* pins hold some of the body in the coming step, written by predict */
  vlVec3 *wanted; /* m/s: what v would be at the end of the step were nothing to push or touch, written by predict [count] */
  double *depth;  /* m: of those with a normal, below the surface at rest [count] */
  double *dilation; /* volume over that at rest, as the body lies [count] */
  vlVec3 *normal;   /* of those within a spacing of the surface: unit, out of the body; of others zero [count] */
} vlGrains;

/* What a body takes from the grid, from the patches of its surface as it lies (cut/slices.c). */
typedef struct vlSlices {
  vlVec3 volume; /* m3: sum over the faces along each axis of closed area times dx */
  vlVec3 push;   /* m3 times the unit of `slope`: sum (slope . x) s over cells, x their middles: -volume_a slope_a */
  vlVec3 turn;   /* m4 times it: the same of (c - X) x s, about the body's centre */
  bool whole;    /* all of the body lies in the grid */
  int axes;      /* 2 in a slab, which has none along z */
} vlSlices;

/* An array of a body's state, as checkpoints hold it. */
typedef enum vlBodyRole {
  VL_BODY_KEPT,   /* read as it was */
  VL_BODY_TRIED,  /* so too; beginning a step already writes it */
  VL_BODY_PINS,   /* what the scene's pins make of it: not read but compared */
  VL_BODY_OF_PINS /* follows from them, and is read where they are the same */
} vlBodyRole;
typedef struct vlBodyArray {
  const char *name;
  void *memory;
  size_t size, count;
  vlBodyRole role;
  vlNumbers numbers; /* what its elements are made of */
} vlBodyArray;
enum { VL_BODY_ARRAYS = 16 };

/* What a kind of body does. create, begin, solve, finish, measure, bytes, state and restored are there; others may be NULL.
 */
struct vlBodyType {
  const char *name;
  bool leaves;  /* it may begin and go beyond the box */
  bool steered; /* it may be told to leave its path */
  bool grabbed; /* its steps heed grabs */
  /* From the scene, as it begins there. */
  vlCode (*create)(vlBody **body, const vlScene *scene, const vlBodyDef *def, vlStatus *status);
  vlCode (*hold)(vlBody *body, vlStatus *status); /* once it lies in the box */
  void (*destroy)(vlBody *body);                  /* what it owns beside vlBody's arrays */
  /* Warns of what may go wrong in the box, before the first step. */
  void (*doubt)(const vlBody *body, vlBox3 box, vlLog log);
  int (*pinned)(const vlBody *body); /* nodes that the scene holds or moves */

  /* Holds, moves and pushes it for a step from `time` to time + dt as the scene says; before begin. */
  void (*drive)(vlBody *body, double time, double dt);
  /* m: no node goes a longer way from `time` to time + dt, where that is known beforehand. */
  double (*way)(const vlBody *body, double time, double dt);
  /* Mass and weight of the coming step as the grid sees them, of a body that is `sliced`; before begin. */
  void (*weigh)(vlBody *body, const vlSlices *slices, vlVec3 gravity);
  /* Liquid that the coming step has it carry, in S, w and given, until told anew; before begin. What counts elsewhere than
   * at the nodes of its piece is added to deeper. NULL: it carries none. */
  vlCode (*carry)(vlBody *body, vlLayerPiece *piece, int count, vlLayerPieces *deeper, vlStatus *status);
  vlCode (*begin)(vlBody *body, double dt, vlVec3 gravity, vlStatus *status);
  void (*solve)(vlBody *body, const vlVec3 *r, vlVec3 *y);              /* y may be r */
  vlCode (*finish)(vlBody *body, const vlVec3 *load, vlStatus *status); /* load NULL: none */

  /* Between begin and finish: S over unknowns that are not held, with the unknown 3 node + axis of each row, and kg/s: the
   * mass's part of it at a node; or m/s: of a node in mode k. A kind has one or the other. */
  const vlCsr *(*matrix)(const vlBody *body, const int **unknown);
  double (*mass_part)(const vlBody *body, int node);
  vlVec3 (*mode)(const vlBody *body, int k, int node);

  /* As one medium with liquid. NULL: it cannot be. A step is predict, then settle with the places its grains came to, after
   * which nodes and grains lie and move as the body does; it needs neither begin nor finish. */
  vlGrains *(*grains)(vlBody *body);
  vlCode (*predict)(vlBody *body, double dt, vlVec3 gravity, vlStatus *status); /* writes grains' wanted alone */
  vlCode (*settle)(vlBody *body, const vlVec3 *grain_x, double dt, vlStatus *status);

  void (*halt)(vlBody *body);                          /* it stands still where it is; between steps */
  void (*make)(vlBody *body, vlBodyMaterial material); /* NULL: it does not matter; not between begin and finish */
  int (*describe)(const vlBody *body, vlBodyFact facts[VL_BODY_FACTS]); /* what it is made of; NULL: its kind's name */
  vlBodyMeasure (*measure)(const vlBody *body, vlVec3 gravity);
  int (*inverted)(const vlBody *body);                               /* elements inside out, as it lies */
  void (*stress)(const vlBody *body, int element, double stress[6]); /* Pa: Cauchy's, xx yy zz xy yz xz */
  double (*element_volume)(const vlBody *body, int element);         /* m3 at rest */
  double (*bytes)(const vlBody *body);                               /* of memory */
  /* Of a body that is not between begin and finish, as vl_sim_body_modes has them; NULL: it has none. */
  vlCode (*modes)(vlBody *body, int count, vlBodyMode *mode, vlVec3 *shape, vlStatus *status);
  /* Its state, all of which can be written to; returns how many arrays. */
  int (*state)(vlBody *body, vlBodyArray list[VL_BODY_ARRAYS]);
  /* After its arrays were read, with same_pins those that follow from pins too: all that follows from them. Fails where the
   * scene would have it elsewhere at `time`. */
  vlCode (*restored)(vlBody *body, bool same_pins, double time, vlStatus *status);
};

const vlBodyType *vl_body_type(vlBodyKind kind);

/* Of a material whose numbers are good from the next step on; of kinds for which that matters. */
void vl_body_make(vlBody *body, vlBodyMaterial material);
/* Room for all arrays of nodes; those of the form at rest are there. Starts at rest, free, without force. */
vlCode vl_body_reserve(vlBody *body, vlStatus *status);
void vl_body_destroy(vlBody **body);

static inline vlCode vl_body_begin(vlBody *body, double dt, vlVec3 gravity, vlStatus *status)
{
  return body->type->begin(body, dt, gravity, status);
}
static inline void vl_body_solve(vlBody *body, const vlVec3 *r, vlVec3 *y) { body->type->solve(body, r, y); }
static inline vlCode vl_body_finish(vlBody *body, const vlVec3 *load, vlStatus *status)
{
  return body->type->finish(body, load, status);
}
/* v = S^-1 (load - w) + given, load NULL: none; v may be load. */
void vl_body_velocity(vlBody *body, const vlVec3 *load, vlVec3 *v);
/* m/s: of a node in the step; what loads do not move is known, others go on as they did. */
static inline vlVec3 vl_body_expected(const vlBody *body, int node)
{
  return body->yields ? body->v[node] : body->given[node];
}

static inline vlBodyMeasure vl_body_measure(const vlBody *body, vlVec3 gravity)
{
  return body->type->measure(body, gravity);
}
/* For tables and programs; `zero`: where the potential energy is 0. */
vlBodyInfo vl_body_info(const vlBody *body, vlVec3 gravity, vlVec3 zero);
static inline int vl_body_inverted(const vlBody *body) { return body->type->inverted ? body->type->inverted(body) : 0; }
/* Has as much of the films cling as a body that is lighter than they are lacks; returns how much, kg. */
double vl_pieces_cling(vlLayerPiece *piece, int count, double mass);
vlBox3 vl_body_bounds(const vlBody *body);   /* of its nodes */
double vl_body_enclosed(const vlBody *body); /* m3 inside the surface */
double vl_body_size(const vlBody *body);     /* m: diagonal of the form at rest */
/* N: what the scene's pushes, and the program, push with on average from t to t + dt, or in the kick of that step. */
vlVec3 vl_body_push(const vlBody *body, double t, double dt);
/* Arrays of vlBody that every kind saves, at the head of its list; returns how many. */
int vl_body_state(vlBody *body, vlBodyArray list[VL_BODY_ARRAYS]);
/* sqrt(3/2) times the norm of the stress without its pressure, Pa: under tension along one axis, that tension. */
double vl_von_mises(const double stress[6]);
/* Axis times angle, 0 .. pi, of a proper rotation; right to round-off for all angles. */
vlVec3 vl_rotation_vector(vlMat3 rotation);
/* Puts "file:line:column: body 'name': " before the message and the line with a caret below; returns the code. */
vlCode vl_body_locate(vlCode code, const vlScene *scene, const vlBodyDef *def, vlSource where, vlStatus *status);

#endif
