/* A frame is a handful of files: one table lists the kinds of things that are shown, another the files that show them. A
 * kind has a folder, a stem for the names of its files, a list of frames for ParaView and a switch in the scene; a file has
 * an ending, a writer and, where formats can be chosen, a switch in the scene as well.
 * The surface of the liquid is made once for all files that show it, and written last: a renderer beside the run takes a
 * frame for whole once it has one. */
#include "frames/frames.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/file.h"
#include "frames/frame_files.h"
#include "files/vtk.h"

typedef enum Kind { FIELDS, PARTICLES, SURFACE, BODIES, KIND_COUNT } Kind;

static const struct {
  const char *name; /* of its folder, and of its files up to the number */
  size_t wanted;    /* the scene's switch, offset in vlOutputDef */
  bool moving;      /* needs liquid that moves */
  bool bodies;      /* needs bodies */
} kinds[KIND_COUNT] = {
    [FIELDS] = {"fields", offsetof(vlOutputDef, fields), false, false},
    [PARTICLES] = {"particles", offsetof(vlOutputDef, particles), true, false},
    [SURFACE] = {"surface", offsetof(vlOutputDef, surface), true, false},
    [BODIES] = {"bodies", offsetof(vlOutputDef, bodies), false, true},
};

typedef struct FrameFile {
  Kind kind;
  const char *ending;
  size_t wanted; /* the scene's switch, offset in vlOutputDef */
  bool listed;   /* in the kind's PVD */
  vlFrameWriter *write;
  vlFrameSizer *size;
} FrameFile;

#define WANTED(member) offsetof(vlOutputDef, member)
static const FrameFile files[] = {
    {FIELDS, "vti", WANTED(fields), true, vl_frame_fields_vti, vl_frame_fields_vti_size},
    {PARTICLES, "vtp", WANTED(vtk), true, vl_frame_particles_vtp, vl_frame_particles_vtp_size},
    {PARTICLES, "ply", WANTED(ply), false, vl_frame_particles_ply, vl_frame_particles_ply_size},
    {BODIES, "vtu", WANTED(bodies), true, vl_frame_bodies_vtu, vl_frame_bodies_vtu_size},
    {BODIES, "vtp", WANTED(bodies), false, vl_frame_bodies_vtp, vl_frame_bodies_vtp_size},
    {BODIES, "ply", WANTED(ply), false, vl_frame_bodies_ply, vl_frame_bodies_ply_size},
    {SURFACE, "vtp", WANTED(vtk), true, vl_frame_surface_vtp, vl_frame_surface_vtp_size},
    {SURFACE, "ply", WANTED(ply), false, vl_frame_surface_ply, vl_frame_surface_ply_size},
};
enum { FILE_COUNT = sizeof files / sizeof *files };

struct vlFrames {
  vlSim *sim;
  char *folder;
  vlPvd *pvd[KIND_COUNT]; /* NULL: nothing is listed */
};

static bool switched_on(const vlSim *sim, size_t offset)
{
  return *(const bool *)((const char *)&vl_sim_scene(sim)->output + offset);
}

static bool kind_wanted(const vlSim *sim, Kind kind)
{
  bool moves = vl_sim_scene(sim)->liquid.transfer != VL_TRANSFER_STILL;
  return switched_on(sim, kinds[kind].wanted) && (moves || !kinds[kind].moving) &&
         (vl_sim_body_count(sim) > 0 || !kinds[kind].bodies);
}

static bool file_wanted(const vlSim *sim, const FrameFile *file)
{
  return kind_wanted(sim, file->kind) && switched_on(sim, file->wanted);
}

bool vl_frames_wanted(const vlSim *sim)
{
  bool any = false;
  for (int i = 0; i < FILE_COUNT; i++) any = any || file_wanted(sim, &files[i]);
  return any;
}

static vlCode open_kind(vlFrames *frames, const FrameFile *file, vlStatus *status)
{
  char name[32];
  snprintf(name, sizeof name, "%s.pvd", kinds[file->kind].name);
  char *folder = vl_path_join(frames->folder, kinds[file->kind].name), *list = vl_path_join(frames->folder, name);
  vlCode code = folder && list ? VL_OK : vl_fail_memory(status, strlen(frames->folder), "a folder's name");
  if (!code) code = vl_folder_create(folder, status);
  if (!code && file->listed) code = vl_pvd_create(&frames->pvd[file->kind], list, status);
  free(folder);
  free(list);
  return code;
}

vlCode vl_frames_create(vlFrames **frames, vlSim *sim, const char *folder, vlStatus *status)
{
  vlFrames *f = *frames = calloc(1, sizeof *f);
  if (!f || !(f->folder = strdup(folder))) {
    vl_frames_destroy(frames);
    return vl_fail_memory(status, sizeof *f, "the frames");
  }
  f->sim = sim;
  vlCode code = VL_OK;
  for (int i = 0; i < FILE_COUNT && !code; i++)
    if (file_wanted(sim, &files[i])) code = open_kind(f, &files[i], status);
  if (code) vl_frames_destroy(frames);
  return code;
}

vlCode vl_frames_continue(vlFrames *frames, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int kind = 0; kind < KIND_COUNT && !code; kind++)
    if (frames->pvd[kind]) code = vl_pvd_continue(frames->pvd[kind], vl_sim_time(frames->sim), status);
  return code;
}

void vl_frames_destroy(vlFrames **frames)
{
  if (!frames || !*frames) return;
  for (int kind = 0; kind < KIND_COUNT; kind++) vl_pvd_destroy(&(*frames)->pvd[kind]);
  free((*frames)->folder);
  free(*frames);
  *frames = NULL;
}

static vlCode write_file(vlFrames *frames, const FrameFile *file, int frame, const vlMeshView *surface, vlStatus *status)
{
  char name[64];
  const char *kind = kinds[file->kind].name;
  snprintf(name, sizeof name, "%s/%s_%05d.%s", kind, kind, frame, file->ending);
  char *path = vl_path_join(frames->folder, name);
  if (!path) return vl_fail_memory(status, strlen(frames->folder), "a file's name");
  vlCode code = file->write(path, frames->sim, surface, status);
  if (!code && file->listed) code = vl_pvd_add(frames->pvd[file->kind], vl_sim_time(frames->sim), name, status);
  free(path);
  return code;
}

/* The surface, when one is to be shown. */
static vlCode prepare_surface(vlMeshView *surface, vlSim *sim, vlStatus *status)
{
  *surface = (vlMeshView){0};
  return kind_wanted(sim, SURFACE) ? vl_sim_surface(sim, surface, status) : VL_OK;
}

vlCode vl_frames_write(vlFrames *frames, int frame, vlStatus *status)
{
  int before = omp_get_max_threads();
  omp_set_num_threads(vl_sim_threads(frames->sim));
  vlMeshView surface;
  vlCode code = prepare_surface(&surface, frames->sim, status);
  for (int i = 0; i < FILE_COUNT && !code; i++)
    if (file_wanted(frames->sim, &files[i])) code = write_file(frames, &files[i], frame, &surface, status);
  omp_set_num_threads(before);
  return code;
}

vlCode vl_frame_bytes(vlSim *sim, double *now, double *most, vlStatus *status)
{
  vlMeshView surface;
  *now = *most = 0.0;
  vlCode code = prepare_surface(&surface, sim, status);
  for (int i = 0; i < FILE_COUNT && !code; i++) {
    if (!file_wanted(sim, &files[i])) continue;
    vlFrameSize size = files[i].size(sim, &surface);
    *now += size.now;
    *most += size.most;
  }
  return code;
}
