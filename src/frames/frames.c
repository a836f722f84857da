/* A frame is a handful of files: one table lists the kinds of things that are shown, another the files that show them. A
 * kind has a folder, a stem for the names of its files, a list of frames for ParaView, a switch in the scene and a writer; a
 * file has a format and, where formats can be chosen, a switch in the scene as well.
 * The surface of the liquid is made once for all files that show it, and written last: a renderer beside the run takes a
 * frame for whole once it has one. */
#include "frames/frames.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "files/file.h"
#include "files/vtk.h"
#include "frames/frame_files.h"

#define WANTED(member) offsetof(vlOutputDef, member)
static const struct {
  const char *name; /* of its folder, and of its files up to the number */
  size_t wanted;    /* the scene's switch, offset in vlOutputDef */
  bool moving;      /* needs liquid that moves */
  bool bodies;      /* needs bodies */
  vlFrameWriter *write;
  vlFrameSizer *size;  /* NULL: no part of frames */
  const char *endings; /* in words */
} kinds[] = {
    [VL_OUTPUT_FIELDS] = {"fields", WANTED(fields), false, false, vl_frame_fields, vl_frame_fields_size, ".vti"},
    [VL_OUTPUT_PARTICLES] = {"particles", WANTED(particles), true, false, vl_frame_particles, vl_frame_particles_size,
                             ".vtp or .ply"},
    [VL_OUTPUT_SURFACE] = {"surface", WANTED(surface), true, false, vl_frame_surface, vl_frame_surface_size, ".vtp or .ply"},
    [VL_OUTPUT_SOLIDS] = {"solids", WANTED(solids), false, false, vl_frame_solids, NULL, ".vtp or .ply"},
    [VL_OUTPUT_BODIES] = {"bodies", WANTED(bodies), false, true, vl_frame_bodies, vl_frame_bodies_size,
                          ".vtu, .vtp or .ply"},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static const char *const endings[] = {
    [VL_FRAME_VTI] = ".vti", [VL_FRAME_VTU] = ".vtu", [VL_FRAME_VTP] = ".vtp", [VL_FRAME_PLY] = ".ply"};

typedef struct FrameFile {
  vlOutputKind kind;
  vlFrameFormat format;
  size_t wanted; /* the scene's switch, offset in vlOutputDef */
  bool listed;   /* in the kind's PVD */
} FrameFile;

static const FrameFile files[] = {
    {VL_OUTPUT_FIELDS, VL_FRAME_VTI, WANTED(fields), true},  {VL_OUTPUT_PARTICLES, VL_FRAME_VTP, WANTED(vtk), true},
    {VL_OUTPUT_PARTICLES, VL_FRAME_PLY, WANTED(ply), false}, {VL_OUTPUT_BODIES, VL_FRAME_VTU, WANTED(bodies), true},
    {VL_OUTPUT_BODIES, VL_FRAME_VTP, WANTED(bodies), false}, {VL_OUTPUT_BODIES, VL_FRAME_PLY, WANTED(ply), false},
    {VL_OUTPUT_SURFACE, VL_FRAME_VTP, WANTED(vtk), true},    {VL_OUTPUT_SURFACE, VL_FRAME_PLY, WANTED(ply), false},
    {VL_OUTPUT_SOLIDS, VL_FRAME_VTP, WANTED(solids), false}, {VL_OUTPUT_SOLIDS, VL_FRAME_PLY, WANTED(ply), false},
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

/* In frames. */
static bool kind_wanted(const vlSim *sim, vlOutputKind kind)
{
  bool moves = vl_sim_scene(sim)->liquid.transfer != VL_TRANSFER_STILL;
  return kinds[kind].size && switched_on(sim, kinds[kind].wanted) && (moves || !kinds[kind].moving) &&
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

bool vl_frames_name(const vlSim *sim, int i, char name[static VL_FRAME_NAME])
{
  for (int f = 0; f < FILE_COUNT; f++) {
    if (!file_wanted(sim, &files[f])) continue;
    const char *kind = kinds[files[f].kind].name;
    if (i-- == 0) return snprintf(name, VL_FRAME_NAME, "%s/%s_*%s", kind, kind, endings[files[f].format]) > 0;
    if (files[f].listed && i-- == 0) return snprintf(name, VL_FRAME_NAME, "%s.pvd", kind) > 0;
  }
  return false;
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
  snprintf(name, sizeof name, "%s/%s_%05d%s", kind, kind, frame, endings[file->format]);
  char *path = vl_path_join(frames->folder, name);
  if (!path) return vl_fail_memory(status, strlen(frames->folder), "a file's name");
  vlCode code = kinds[file->kind].write(path, file->format, frames->sim, surface, status);
  if (!code && file->listed) code = vl_pvd_add(frames->pvd[file->kind], vl_sim_time(frames->sim), name, status);
  free(path);
  return code;
}

/* The surface, when one is to be shown. */
static vlCode prepare_surface(vlMeshView *surface, vlSim *sim, vlStatus *status)
{
  *surface = (vlMeshView){0};
  return kind_wanted(sim, VL_OUTPUT_SURFACE) ? vl_sim_surface(sim, surface, status) : VL_OK;
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
    vlFrameSize size = kinds[files[i].kind].size(files[i].format, sim, &surface);
    *now += size.now;
    *most += size.most;
  }
  return code;
}

static bool ends_in(const char *path, const char *ending)
{
  size_t n = strlen(path), m = strlen(ending);
  return n > m && strcasecmp(path + n - m, ending) == 0;
}

static vlCode fail_ending(vlOutputKind kind, const char *path, vlStatus *status)
{
  if ((unsigned)kind >= KIND_COUNT)
    return vl_fail(status, VL_ERROR_FILE, "%s: there is no output of the kind %d", path, (int)kind);
  return vl_fail(status, VL_ERROR_FILE, "%s: %s are written to files that end in %s", path, kinds[kind].name,
                 kinds[kind].endings);
}

/* A single file of the present, for programs that want no run folder; its name's ending tells the format. */
vlCode vl_sim_write(const vlSim *sim, vlOutputKind kind, const char *path, vlStatus *status)
{
  int i = 0;
  while (i < FILE_COUNT && !(files[i].kind == kind && ends_in(path, endings[files[i].format]))) i++;
  if (i == FILE_COUNT) return fail_ending(kind, path, status);
  if (kinds[kind].moving && vl_sim_scene(sim)->liquid.transfer == VL_TRANSFER_STILL)
    return vl_fail(status, VL_ERROR_SCENE, "%s: with liquid.transfer: still there are no %s to be written", path,
                   kinds[kind].name);
  if (kinds[kind].bodies && vl_sim_body_count(sim) == 0)
    return vl_fail(status, VL_ERROR_SCENE, "%s: the scene has no bodies to be written", path);
  vlMeshView surface = {0};
  int before = omp_get_max_threads();
  vlCode code = kind == VL_OUTPUT_SURFACE ? vl_sim_surface((vlSim *)sim, &surface, status) : VL_OK;
  omp_set_num_threads(vl_sim_threads(sim));
  if (!code) code = kinds[kind].write(path, files[i].format, sim, &surface, status);
  omp_set_num_threads(before);
  return code;
}
