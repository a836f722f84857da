/* Velella: liquids and bodies that push each other.
 *
 *   vlScene scene;             vl_scene_load(...) or vl_scene_default() and fill in
 *   vlSim *sim;                vl_sim_create(&sim, &scene, options, &status)
 *   vl_sim_step(sim, ...)      until vl_sim_time(sim) is late enough
 *   vl_sim_destroy(&sim)
 * No globals: several simulations may live in one process, each driven by one thread at a time. */
#ifndef VELELLA_VELELLA_H
#define VELELLA_VELELLA_H

#include "velella/scene.h"
#include "velella/types.h"

#define VELELLA_VERSION "0.1.0"

typedef struct vlSim vlSim;

typedef struct vlSimOptions {
  vlLog log;
  int threads; /* 0: all cores */
} vlSimOptions;

/* What one step did; a line of series.csv. */
typedef struct vlStepInfo {
  int64_t step;
  double time, dt;       /* s, at the end of the step */
  int64_t liquid_cells;  /* pressure unknowns */
  int null_components;   /* closed regions of liquid without air */
  double discarded_flux; /* m3/s: flux into closed regions that no pressure can balance */
  int iterations;
  double residual;         /* relative, 2-norm */
  double max_speed;        /* m/s, over faces next to liquid; of moving liquid only where a face is open to more than 5 % */
  double max_divergence;   /* 1/s, largest net outflow of a cell over dx^3 */
  double kinetic_energy;   /* J */
  double potential_energy; /* J: of the particles in gravity, zero at the box's lower corner */
  vlVec3 momentum;         /* kg m/s: of the particles */
  double volume;           /* m3 of liquid inside its surface */
  double particle_volume;  /* m3: number of particles times the volume each was seeded for */
  double filling;          /* particles per cell inside the liquid over the seeded number; 1 without particles */
  int64_t particles;
  int64_t added, removed; /* particles from sources, into sinks, in this step */
  int64_t stuck;          /* particles that could not be moved without entering a solid, in this step */
  vlVec3 wall_force;      /* N: pressure on solids and domain sides */
  vlVec3 weight;          /* N: W_a = rho g_a sum over faces along a of A_f d_f: the wall force of liquid at rest */
  double seconds[7];      /* forces, pressure set-up, pressure solve, velocity, motion, transfer, level set */
} vlStepInfo;

/* The static picture: what `velella check` prints. */
typedef struct vlSimFacts {
  int n[3];
  double dx;
  int64_t liquid_cells;
  int solid_triangles;
  double solid_volume; /* m3 inside the domain */
  double bytes;        /* memory, estimated */
} vlSimFacts;

vlCode vl_sim_create(vlSim **sim, const vlScene *scene, vlSimOptions options, vlStatus *status);
void vl_sim_destroy(vlSim **sim);
/* One time step, no longer than dt_limit. */
vlCode vl_sim_step(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status);
/* Everything a restart needs, in one file; resuming goes on with the same bits. The simulation must have been made from the
 * same scene. */
vlCode vl_sim_save(const vlSim *sim, const char *path, vlStatus *status);
vlCode vl_sim_resume(vlSim *sim, const char *path, vlStatus *status);
double vl_sim_time(const vlSim *sim);
int64_t vl_sim_step_count(const vlSim *sim);
vlSimFacts vl_sim_facts(const vlSim *sim);
/* The pressure system of the last step as Matrix Market: FOLDER/system_A.mtx, system_b.mtx and system_p.mtx. */
vlCode vl_sim_export_system(const vlSim *sim, const char *folder, vlStatus *status);

#endif
