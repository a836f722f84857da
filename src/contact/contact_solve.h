/* Contact forces of a step: which contacts close, which stick, and what they push with.
 *
 * Each contact k has rows C_k: its relative velocity along the normal and, with friction, along two tangents. The bodies are
 * S v = r + C^T f. Eliminated, forces and velocities belong together through the matrix G = C S^-1 C^T,
 * dense for contacts that bodies join and zero elsewhere (contact_islands.c; contact_large.c for very many of them):
 *
 *     C v = C S^-1 r + G f,        normal:    0 <= f_n  and  C_n v >= -gap/dt, one of them an equality
 *                                  tangents:  C_t v = 0 and |f_t| <= mu f_n, or |f_t| = mu f_n against the slip
 *
 * With the set of rows that hold as equalities known, they are a part of the bodies: v = S_c^-1 r + (known), where
 * S_c^-1 = S^-1 - S^-1 C^T G^-1 C S^-1 is symmetric like S^-1 itself, and the pressure solve takes it in its place. */
#ifndef VL_CONTACT_CONTACT_SOLVE_H
#define VL_CONTACT_CONTACT_SOLVE_H

#include "contact/contact.h"

typedef struct vlContactLarge vlContactLarge; /* contact_large.h */

/* Contacts that bodies which yield join. */
typedef struct vlContactIsland {
  int rows;              /* of its contacts */
  int active;            /* of them, those whose forces are unknown */
  int first;             /* place of its own in arrays by island */
  size_t at;             /* of its matrices in `g` and `factor` */
  vlContactLarge *large; /* in place of these, where rows are many more than ways to move; NULL: they are not */
} vlContactIsland;

typedef struct vlContactSolve {
  vlContacts contacts;
  const vlBodySet *bodies;
  /* Rows: one or three for each contact. */
  int rows;
  int *first_row;   /* of each contact [contacts + 1] */
  int *contact_of;  /* of each row [rows] */
  double *target;   /* m/s: what C v is to be [rows] */
  double *force;    /* N: as found by the last vl_contact_solve_forces [rows] */
  double *settled;  /* N: forces while settling [rows] */
  double *yielding; /* m/s for a newton: how much the tangents of a contact that slips give way to friction [contacts] */
  double still;     /* m/s: what moves no body by more than a thousandth of a cell in the step */
  bool *touched;    /* the body has a contact [bodies] */
  vlVec3 *reply;    /* scratch: velocities of all nodes */
  /* Islands, by their bodies' numbers. */
  vlContactIsland *island; /* [island_count] */
  int island_count;
  int *island_of, *place; /* of each row: its island, and which of the island's rows it is [rows] */
  int *member;            /* rows by island, ascending in each [rows] */
  double *diagonal;       /* of G [rows] */
  int large_bodies;       /* how many bodies there were when islands were made */
  double *g;              /* G of one island after the other [its rows][its rows] */
  int *joined;            /* scratch of finding them [bodies] */
  /* Rows whose forces are unknown: G over them, factored. */
  unsigned char *state; /* of each contact: vlContactState [contacts] */
  int *active;          /* rows, ascending [active_count] */
  int active_count;
  int *unknown;             /* places in `active` by island, ascending in each [rows] */
  double *factor;           /* of one island after the other [its active][its active] */
  double *right, *gathered; /* scratch of solving, of all and of one island [rows] */
  double *without;          /* m/s: C v without contact, while settling [rows] */
  size_t row_room, body_room, joined_room, island_room, reply_room, g_room, factor_room;
  /* The set of the step that was broken least so far. */
  unsigned char *kept_state; /* [contacts] */
  double *kept_yielding;     /* [contacts] */
  double kept_error;         /* m/s; INFINITY: none was kept */
  bool kept_pulls;           /* a contact of it pulls */
  /* Of the last step. */
  int turns;    /* pressure solves until the set held, or was left as it was */
  double error; /* m/s: by which the solved velocities and forces break what contacts must obey */
} vlContactSolve;

typedef enum vlContactState { VL_CONTACT_OPEN, VL_CONTACT_STICK, VL_CONTACT_SLIP } vlContactState;

void vl_contact_solve_clear(vlContactSolve *solve);
/* Contacts of a step that all bodies have begun, and the first guess which of them close: those that do under the last
 * step's loads. */
vlCode vl_contact_solve_begin(vlContactSolve *solve, const vlBodySet *bodies, double dt, vlStatus *status);
/* y += the part of the active contacts, for y = S^-1 r: S_c^-1 r. */
void vl_contact_solve_correct(vlContactSolve *solve, vlVec3 *y);
/* C v of the active rows [active_count]. With G^-1 over them this is all that S_c^-1 adds to S^-1. */
void vl_contact_solve_active(const vlContactSolve *solve, const vlVec3 *v, double *rows);
/* x = G^-1 x over the active rows [active_count], G with what contacts yield. */
void vl_contact_solve_unknowns(const vlContactSolve *solve, double *x);
/* Forces for velocities v = S^-1 (load - w) + given without contact, into `force`, and v with them. */
void vl_contact_solve_forces(vlContactSolve *solve, vlVec3 *v);
/* Which contacts close, stick or slip for velocities v = S^-1 (load - w) + given without contact. The next call of the
 * others is with the new set. */
void vl_contact_solve_settle(vlContactSolve *solve, const vlVec3 *v);
/* m/s: the most by which the forces found last and the velocities v with them break a contact's conditions: open ones that
 * close too far, closed ones that pull, more friction than there is, or friction that drives. */
double vl_contact_solve_error(const vlContactSolve *solve, const vlVec3 *v);
/* Friction as the forces found last and the velocities v with them ask for; false: that some normal is broken, and nothing
 * is changed. */
bool vl_contact_solve_slide(vlContactSolve *solve, const vlVec3 *v);
/* Opens contacts that pull by the forces found last; false: none does. */
bool vl_contact_solve_let_go(vlContactSolve *solve);
/* Remembers the present set, and goes back to the one remembered. */
void vl_contact_solve_keep(vlContactSolve *solve);
void vl_contact_solve_restore(vlContactSolve *solve);
/* load += C^T f */
void vl_contact_solve_add(const vlContactSolve *solve, vlVec3 *load);
/* N: on one body by all that it touches. */
vlVec3 vl_contact_solve_push(const vlContactSolve *solve, int body);
int vl_contact_solve_closed(const vlContactSolve *solve); /* contacts that are not open */

#endif
