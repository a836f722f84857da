/* Frames: what a simulation shows at a moment, as files that ParaView and renderers open.
 *
 *   RUN/fields/fields_00012.vti                        fields on the cells around the liquid
 *   RUN/particles/particles_00012.vtp and .ply         the liquid's particles
 *   RUN/surface/surface_00012.vtp and .ply             the liquid's surface
 *   RUN/bodies/bodies_00012.vtu, .vtp and .ply         bodies: their elements, and twice their surface
 *   RUN/fields.pvd, particles.pvd, surface.pvd, bodies.pvd   which file is at which time, for ParaView
 * The scene says which of them are written; particles and surface need liquid that moves. */
#ifndef VL_FRAMES_FRAMES_H
#define VL_FRAMES_FRAMES_H

#include "velella/velella.h"

typedef struct vlFrames vlFrames;

/* Makes the folders; `sim` must outlive the frames. */
vlCode vl_frames_create(vlFrames **frames, vlSim *sim, const char *folder, vlStatus *status);
/* Takes over the lists of frames that are in the folder, up to the simulation's time. */
vlCode vl_frames_continue(vlFrames *frames, vlStatus *status);
/* All files of a frame at the simulation's time, then the lists. */
vlCode vl_frames_write(vlFrames *frames, int frame, vlStatus *status);
void vl_frames_destroy(vlFrames **frames);

enum { VL_FRAME_NAME = 64 };
/* The i-th of the names that frames of the scene have below the run's folder, with a '*' for their number, and of their
 * lists: "fields/fields_*.vti", "fields.pvd"; false: there are no more. */
bool vl_frames_name(const vlSim *sim, int i, char name[static VL_FRAME_NAME]);
/* Does the scene write frames at all? */
bool vl_frames_wanted(const vlSim *sim);
/* Bytes of a frame with the liquid where it is now, and with liquid all over the box. */
vlCode vl_frame_bytes(vlSim *sim, double *now, double *most, vlStatus *status);
/* About how many bytes vl_sim_save would write now. */
double vl_sim_checkpoint_bytes(const vlSim *sim);
/* FOLDER/solids.vtp: the surface of the static solids; each triangle with the number of its solid in the scene. With PLY
 * among the scene's formats also FOLDER/solids.ply, without these numbers. */
vlCode vl_frame_solids_write(const vlSim *sim, const char *folder, vlStatus *status);

#endif
