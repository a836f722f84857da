/* Rigid bodies: six velocities V = (v, omega) in place of those of many nodes [batty2007].
 *
 * Whoever couples a body with something sees nodes, as of an elastic one: loads on nodes go in, velocities of nodes come
 * out. With N the 3n x 6 matrix that makes node velocities of V, u_i = v + omega x (x_i - X),
 *
 *     V = V_free + dt M^-1 N^T f         so that      S^-1 = N dt M^-1 N^T        (symmetric, not negative, rank 6)
 *
 * Momenta are the state: angular momentum changes by torque alone, whatever the orientation does.
 *
 * Liquid that goes along with pieces of the surface (body.h, vlLayerPiece) adds M_c = sum m h h^T to M, h = (n, r x n), r
 * from the centre to the piece, and sum (weight) h to the forces. It is none of the body's momenta:
 *
 *     (M + M_c) V = M V_0 + M_c V_0 + dt (forces)             what it takes or gives is a force on the body, F_c - M_c dV/dt
 *
 * Grabs (grab.h) add dt D to M + M_c, D = sum (resistance) h h^T, h = (e_a, r x e_a), r from the centre to the held point,
 * and their pull to the forces: F_g - D V acts on the body. */
#ifndef VL_SOLID_RIGID_H
#define VL_SOLID_RIGID_H

#include "base/vec.h"

/* Mass, centre and inertia about it of a solid of even density. */
typedef struct vlMassProperties {
  double mass;    /* kg */
  vlVec3 center;  /* m */
  vlMat3 inertia; /* kg m2, about the centre */
} vlMassProperties;
/* Exactly, from the closed surface triangle[count] of vertices x. */
vlMassProperties vl_rigid_mass(const vlVec3 *x, const int (*triangle)[3], int count, double density);

/* Where a body is. */
typedef struct vlPose {
  vlVec3 center; /* m: of mass */
  vlQuat turn;   /* from the form at rest */
} vlPose;

/* One way in which a body can move: a part (v, omega) of V; or force and torque about the centre. */
typedef struct vlRigidMode {
  vlVec3 v, omega;
} vlRigidMode;

/* Of V = (v, omega), symmetric. */
typedef struct vlMat6 {
  double m[6][6];
} vlMat6;

typedef struct vlRigid {
  vlMassProperties whole; /* of what the surface encloses, in the form at rest */
  double mass;            /* kg */
  vlMat3 inertia;         /* kg m2, about the centre, in the form at rest */
  vlVec3 rest_center;     /* m */
  unsigned locked;        /* bit a: no motion along axis a; bit 3 + a: no turning about it */
  /* State. */
  vlPose pose;
  vlVec3 momentum; /* kg m/s */
  vlVec3 spin;     /* kg m2/s: angular momentum about the centre */
  vlVec3 push;     /* N: at the centre, besides its weight; written before a step begins */
  vlMat6 carried;  /* kg, kg m, kg m2: M_c of the coming step */
  vlRigidMode carried_weight; /* N, N m */
  vlMat6 resistance;          /* kg/s, kg m/s, kg m2/s: D of the coming step */
  vlRigidMode pull;           /* N, N m: F_g of the coming step */
  /* Of the step between begin and finish. */
  double dt;                 /* s: over which forces act */
  double way;                /* s: over which it moves; as long, unless its owner says otherwise */
  vlVec3 free_v, free_omega; /* at the step's end without loads */
  vlRigidMode end;           /* V at the step's end, written by finish */
  vlMat6 mobility;           /* (M + M_c + dt D)^-1 as the body lies, locked axes left out */
  vlVec3 torque;             /* N m: external */
  vlVec3 weight;             /* N; written before a step begins */
  vlVec3 weight_torque;      /* N m: of the weight, about the centre */
} vlRigid;

/* Velocity and angular velocity of the state. */
vlVec3 vl_rigid_velocity(const vlRigid *rigid);
vlVec3 vl_rigid_omega(const vlRigid *rigid);
void vl_rigid_set_motion(vlRigid *rigid, vlVec3 velocity, vlVec3 omega);
/* Another mass, with inertia in proportion to that of the whole; velocities stay. */
void vl_rigid_set_mass(vlRigid *rigid, double mass);
/* Inertia as the body lies. */
vlMat3 vl_rigid_inertia(const vlRigid *rigid);
/* The coordinates of V that are not locked; returns how many. */
int vl_rigid_free(const vlRigid *rigid, int coordinate[6]);
/* M as the body lies. */
vlMat6 vl_rigid_matrix(const vlRigid *rigid);

/* The velocities that bring a body in dt from its pose to another: of the centre on a straight line, and the turn the short
 * way. */
void vl_rigid_velocity_to(const vlRigid *rigid, vlPose target, double dt, vlVec3 *velocity, vlVec3 *omega);

/* V_free of a step of dt under its weight and an external force and torque about the centre; the state is not changed. */
void vl_rigid_begin(vlRigid *rigid, double dt, vlVec3 force, vlVec3 torque);
/* y_i = (S^-1 load)_i for nodes at x [count]; y may be load. */
void vl_rigid_solve(const vlRigid *rigid, const vlVec3 *x, int count, const vlVec3 *load, vlVec3 *y);
/* What a force and a torque about the centre add to V. */
vlRigidMode vl_rigid_answer(const vlRigid *rigid, vlVec3 force, vlVec3 torque);
/* A square root of dt (M + M_c + dt D)^-1: up to six modes f_k whose sum f_k f_k^T it is, none for what is locked; returns how many.
 * Between begin and finish. In their terms the body's matrix is the identity: V = V_free + sum f_k y_k, y = (N f)^T load. */
int vl_rigid_modes(const vlRigid *rigid, vlRigidMode mode[6]);
/* Momenta and pose at the step's end under loads on nodes at x; NULL: none. */
void vl_rigid_finish(vlRigid *rigid, const vlVec3 *x, int count, const vlVec3 *load);
/* A point of the form at rest as the body lies, and the velocity of a point of space that moves with it. */
vlVec3 vl_rigid_place(const vlRigid *rigid, vlVec3 rest);
vlVec3 vl_rigid_velocity_at(vlVec3 v, vlVec3 omega, vlVec3 center, vlVec3 x);

#endif
