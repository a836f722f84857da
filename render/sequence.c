/* Pictures in the order of time. A picture is kept when it is whole, newer than its frame, and carries the note that this
 * command would give it: a hash of everything else that decides what it looks like, the solids among it. So a command that
 * was stopped goes on where it was, and one with other options makes everything anew.
 * A frame that is broken, cut short or missing is named and left out; the others are made. A picture that cannot be written
 * ends it: the next ones could not either. The folder of the pictures is locked, so that two commands do not mix theirs. */
#include "sequence.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/file.h"
#include "film.h"
#include "legend.h"
#include "note.h"
#include "png_file.h"
#include "progress.h"
#include "sheet.h"
#include "stage.h"
#include "video.h"

typedef struct Picture {
  int number, frame;
  const char *liquid, *bodies; /* files; NULL: missing, or there are none in any frame */
  double angle;                /* rad: turn of the camera */
} Picture;

typedef struct Sequence {
  const vlRenderOptions *options;
  bool (*stop)(void);
  vlFrameList liquid, bodies;
  vlStage stage;
  bool dry; /* there is no frame of either: one picture of the solids */
  char *folder;
  int lock;          /* on the folder; < 0: none */
  Picture *pictures; /* [count] */
  int count;
  char **made;     /* paths of whole pictures, for the video and the sheet [made_count] */
  int *made_frame; /* what they show [made_count] */
  int made_count, kept, failed;
  bool unwritable; /* a picture could not be written */
  uint64_t look;   /* hash of what decides how pictures look, but for camera and frame */
  vlRenderProgress progress;
} Sequence;

/* The frames that count the pictures. */
static const vlFrameList *counted(const Sequence *s) { return s->liquid.count ? &s->liquid : &s->bodies; }

/* A run without a liquid that moves has bodies or solids to show at least. */
static vlCode check_frames(Sequence *s, vlStatus *status)
{
  const char *run = s->options->run;
  if (s->stage.look.body_count && !s->bodies.count)
    fprintf(stderr,
            "velella: warning: %s has no frames of its bodies, as a run with output.bodies no; pictures are without "
            "them\n",
            run);
  if (s->liquid.count || s->bodies.count) return VL_OK;
  s->dry = s->stage.solids.mesh && s->stage.solids.mesh->triangle_count;
  if (!s->dry)
    return vl_fail(status, VL_ERROR_FILE,
                   "%s has nothing to show: no frames of the liquid's surface (surface/surface_00000.vtp ...), which a run "
                   "writes unless liquid.transfer is still or output.surface is no, no bodies and no solids (solids.vtp)",
                   run);
  fprintf(stderr,
          "velella: warning: %s has no frames of the liquid's surface, as a run with liquid.transfer still or "
          "output.surface no; the picture shows its solids alone\n",
          run);
  return VL_OK;
}

/* Frames from the first to the last one that was asked for and can be there; what lies beyond is one error. */
static vlCode find_range(const Sequence *s, int *first, int *last, vlStatus *status)
{
  const vlRenderOptions *o = s->options;
  const vlFrameList *list = counted(s);
  int lowest = s->dry ? 0 : list->files[0].number, highest = s->dry ? 0 : list->files[list->count - 1].number;
  *first = o->range ? o->first : lowest;
  *last = o->range && o->last >= 0 && o->last < highest ? o->last : highest;
  if (*first <= *last && (*last >= lowest || !o->range)) return VL_OK;
  return vl_fail(status, VL_ERROR_FILE, "--frames from %d on: %s has the frames from %d to %d", *first, o->run, lowest,
                 highest);
}

static vlCode list_pictures(Sequence *s, vlStatus *status)
{
  const vlRenderOptions *o = s->options;
  int first, last;
  vlCode code = check_frames(s, status);
  if (code == VL_OK) code = find_range(s, &first, &last, status);
  if (code != VL_OK) return code;
  int shown = (last - first) / o->step + 1;
  s->count = o->turntable ? o->turntable : shown;
  s->pictures = calloc((size_t)s->count, sizeof *s->pictures);
  s->made = calloc((size_t)s->count, sizeof *s->made);
  s->made_frame = calloc((size_t)s->count, sizeof *s->made_frame);
  if (!s->pictures || !s->made || !s->made_frame)
    return vl_fail_memory(status, (size_t)s->count * 24, "the list of pictures");
  for (int i = 0; i < s->count; i++) {
    int k = o->turntable ? (int)((long long)i * shown / s->count) : i, frame = first + k * o->step;
    s->pictures[i] = (Picture){.number = o->turntable ? i : frame, .frame = frame};
    s->pictures[i].liquid = vl_frame_list_find(&s->liquid, frame);
    s->pictures[i].bodies = vl_frame_list_find(&s->bodies, frame);
    s->pictures[i].angle = o->turntable ? 2.0 * VL_PI * i / s->count : 0.0;
  }
  return VL_OK;
}

static vlCode prepare(Sequence *s, vlStatus *status)
{
  const vlRenderOptions *o = s->options;
  const char *name = o->turntable ? "turntable" : o->preview ? "preview" : "render";
  s->folder = o->out ? strdup(o->out) : vl_path_join(o->run, name);
  vlCode code = s->folder ? VL_OK : vl_fail_memory(status, strlen(o->run), "a folder's name");
  if (code == VL_OK) code = vl_frame_list_create(&s->liquid, o->run, "surface", status);
  if (code == VL_OK) code = vl_frame_list_create(&s->bodies, o->run, "bodies", status);
  if (code == VL_OK) code = vl_stage_create(&s->stage, o, &s->liquid, &s->bodies, status);
  if (code == VL_OK) code = list_pictures(s, status);
  if (code == VL_OK) code = vl_folder_create(s->folder, status);
  if (code == VL_OK && vl_folder_lock(s->folder, &s->lock, status) != VL_OK)
    code = vl_fail(status, VL_ERROR_FILE,
                   "another command is making pictures in the folder %s; wait for it, or choose another folder with --out",
                   s->folder);
  if (code == VL_OK) s->look = vl_note_hash(&s->stage, o, s->bodies.count > 0);
  return code;
}

static vlCode expose(const Sequence *s, const vlWorld *world, const vlCamera *camera, int seed, vlFilm *film,
                     vlStatus *status)
{
  const vlRenderOptions *o = s->options;
  vlTraceOptions trace = {.bounces = o->bounces, .splits = o->preview ? 1 : 2, .brightest = 10.0f};
  vlCode code = vl_film_create(film, o->width, o->height, status);
  if (code == VL_OK && !vl_film_expose(film, world, camera, &trace, o->samples, seed, s->stop))
    code = vl_fail(status, VL_INTERRUPTED, "stopped; the same command goes on with the pictures that are missing");
  if (code == VL_OK && !o->no_denoise) code = vl_film_denoise(film, status);
  return code;
}

/* What colours mean, where they mean something. */
static vlCode add_legend(const Sequence *s, unsigned char *bytes, vlStatus *status)
{
  const vlStage *stage = &s->stage;
  vlLegend legend = {.width = s->options->width, .height = s->options->height};
  if (stage->fastest > 0.0) legend = (vlLegend){legend.width, legend.height, "speed", "m/s", stage->fastest};
  if (stage->highest > 0.0) legend = (vlLegend){legend.width, legend.height, "von Mises stress", "Pa", stage->highest};
  return legend.quantity ? vl_legend_draw(&legend, bytes, status) : VL_OK;
}

static vlCode make_picture(Sequence *s, const Picture *picture, const vlCamera *camera, const char *path, const char *note,
                           vlStatus *status)
{
  const vlRenderOptions *o = s->options;
  vlFrameMesh liquid = {0}, bodies = {0};
  vlWorld *world = NULL;
  vlFilm film = {0};
  unsigned char *bytes = NULL;
  vlCode code = picture->liquid ? vl_frame_mesh_read(&liquid, picture->liquid, status) : VL_OK;
  if (code == VL_OK && picture->bodies) code = vl_frame_mesh_read(&bodies, picture->bodies, status);
  if (code == VL_OK) code = vl_stage_world(&s->stage, &liquid, &bodies, s->options->preview, &world, status);
  vl_frame_mesh_clear(&liquid);
  vl_frame_mesh_clear(&bodies);
  if (code == VL_OK) code = expose(s, world, camera, picture->number, &film, status);
  if (code == VL_OK && !(bytes = malloc(3 * (size_t)o->width * (size_t)o->height)))
    code = vl_fail_memory(status, 3 * (size_t)o->width * (size_t)o->height, "the picture");
  if (code == VL_OK) {
    vl_film_develop(&film, s->stage.look.def.exposure, bytes);
    code = add_legend(s, bytes, status);
  }
  if (code == VL_OK) {
    code = vl_png_write(path, o->width, o->height, bytes, note, status);
    s->unwritable = code != VL_OK;
  }
  free(bytes);
  vl_film_clear(&film);
  vl_world_destroy(&world);
  return code;
}

/* One picture, or none when it is there. */
static vlCode take(Sequence *s, const Picture *picture, vlStatus *status)
{
  char name[32], note[VL_NOTE_ROOM];
  snprintf(name, sizeof name, "frame_%05d.png", picture->number);
  char *path = vl_path_join(s->folder, name);
  if (!path) return vl_fail_memory(status, strlen(s->folder), "a file's name");
  vlCamera camera = vl_camera_turn(s->stage.camera, vl_stage_middle(&s->stage), picture->angle);
  vl_note_write(s->look, &camera, picture->number, picture->frame, note);
  bool newer = (!picture->liquid || vl_png_is_newer(path, picture->liquid)) &&
               (!picture->bodies || vl_png_is_newer(path, picture->bodies));
  bool kept = !s->options->overwrite && newer && vl_png_has_note(path, note);
  vlCode code = kept ? VL_OK : make_picture(s, picture, &camera, path, note, status);
  s->kept += kept;
  if (code == VL_OK) {
    s->made_frame[s->made_count] = picture->frame;
    s->made[s->made_count++] = path;
  } else {
    free(path);
  }
  return code;
}

/* The kind of file that a picture lacks; NULL: none. */
static const char *lacking(const Sequence *s, const Picture *picture)
{
  if (s->liquid.count && !picture->liquid) return "surface";
  return s->bodies.count && !picture->bodies ? "bodies" : NULL;
}

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* Names a frame that is missing and those missing after it; returns how many pictures they are. */
static int name_missing(Sequence *s, int i)
{
  const Picture *first = &s->pictures[i];
  const char *kind = lacking(s, first);
  char message[4096];
  int count = 1;
  while (i + count < s->count && same(lacking(s, &s->pictures[i + count]), kind)) count++;
  int last = s->pictures[i + count - 1].frame;
  snprintf(message, sizeof message, "%s/%s/%s_%05d.vtp %s", s->options->run, kind, kind, first->frame,
           last > first->frame ? "and those up to the last of these are missing" : "is missing");
  vl_render_progress_error(&s->progress, count, first->frame, last, message);
  return count;
}

/* What was asked for beyond the last frame. */
static void name_beyond(Sequence *s)
{
  const vlRenderOptions *o = s->options;
  const vlFrameList *list = counted(s);
  int last = s->dry ? 0 : list->files[list->count - 1].number, from = last + 1;
  if (!o->range || o->last <= last) return;
  char message[4096];
  snprintf(message, sizeof message, "the last frame of %s is %d", o->run, last);
  vl_render_progress_error(&s->progress, 0, from, o->last, message);
  s->failed += (o->last - last + o->step - 1) / o->step;
}

static vlCode take_all(Sequence *s, vlStatus *status)
{
  vlCode first = VL_OK;
  bool ends = false;
  vl_render_progress_begin(&s->progress, s->options->quiet, s->count);
  for (int i = 0; i < s->count && !ends; i++) {
    const Picture *picture = &s->pictures[i];
    vlStatus own = {0};
    int kept = s->kept, lost = 1;
    if (lacking(s, picture)) {
      lost = name_missing(s, i);
      s->failed += lost;
      i += lost - 1;
      if (first == VL_OK) first = VL_ERROR_FILE;
      continue;
    }
    vlCode code = take(s, picture, &own);
    if (code == VL_OK) {
      vl_render_progress_picture(&s->progress, picture->frame, s->kept > kept);
      continue;
    }
    ends = code == VL_INTERRUPTED || code == VL_ERROR_MEMORY || s->unwritable;
    if (!ends) vl_render_progress_error(&s->progress, 1, picture->frame, picture->frame, own.message);
    s->failed++;
    if (first == VL_OK || ends) {
      first = code;
      *status = own;
    }
  }
  if (!ends) name_beyond(s);
  if (first == VL_OK && s->failed) first = VL_ERROR_FILE;
  vl_render_progress_end(&s->progress);
  if (first != VL_OK && !ends)
    vl_fail(status, first, "%d of %d pictures could not be made; their frames are named above", s->failed,
            s->failed + s->made_count);
  return first;
}

static vlCode make_sheet(const Sequence *s, vlStatus *status)
{
  if (s->made_count < 2) return VL_OK;
  char *path = vl_path_join(s->folder, "sheet.png");
  if (!path) return vl_fail_memory(status, strlen(s->folder), "a file's name");
  vlCode code = vl_sheet_write(path, s->made, s->made_frame, s->made_count, s->stage.look.frames_per_second, status);
  if (code == VL_OK) printf("%s\n", path);
  free(path);
  return code;
}

static vlCode make_video(const Sequence *s, vlStatus *status)
{
  const vlRenderOptions *o = s->options;
  if (o->no_video || s->made_count < 2) return VL_OK;
  char *path = vl_path_join(s->folder, "video.mp4");
  if (!path) return vl_fail_memory(status, strlen(s->folder), "a file's name");
  double rate = o->turntable ? 30.0 : s->stage.look.frames_per_second / o->step;
  vlStatus own = {0};
  vlCode code = vl_video_write(path, s->made, s->made_count, rate, &own);
  if (code == VL_OK) {
    printf("%s\n", path);
  } else if (s->stop && s->stop()) { /* Ctrl-C reaches ffmpeg too */
    code = vl_fail(status, VL_INTERRUPTED, "stopped before the video was whole; the same command makes it");
  } else if (o->video) {
    *status = own;
  } else {
    fprintf(stderr, "velella: warning: %s\n", own.message);
    code = VL_OK;
  }
  free(path);
  return code;
}

/* What the colours mean. */
static void tell_colors(const vlStage *stage)
{
  bool stress = stage->look.def.coloring == VL_COLORING_STRESS;
  if (stage->fastest > 0.0) printf("speed: dark blue is 0, orange %.3g m/s and more\n", stage->fastest);
  if (stress && stage->highest > 0.0) printf("stress: dark blue is 0, orange %.3g Pa and more\n", stage->highest);
  if (stress && !(stage->highest > 0.0))
    fprintf(stderr,
            "velella: warning: no stress is shown: the run has no elastic bodies, and its solids have no array 'stress'\n");
}

vlCode vl_sequence_render(const vlRenderOptions *options, bool (*stop)(void), vlStatus *status)
{
  Sequence s = {.options = options, .stop = stop, .lock = -1};
  if (options->threads) omp_set_num_threads(options->threads);
  vlCode code = prepare(&s, status);
  if (code == VL_OK) {
    code = take_all(&s, status);
    if (s.made_count) printf("%d picture%s in %s (%d of them were there)\n", s.made_count, s.made_count == 1 ? "" : "s", s.folder, s.kept);
    if (s.made_count) tell_colors(&s.stage);
    if (code != VL_INTERRUPTED && !s.unwritable) {
      vlStatus own = {0};
      vlCode after = make_sheet(&s, &own);
      if (after == VL_OK) after = make_video(&s, &own);
      if (code == VL_OK && after != VL_OK) *status = own;
      if (code == VL_OK) code = after;
    }
  }
  for (int i = 0; i < s.made_count; i++) free(s.made[i]);
  free(s.made);
  free(s.made_frame);
  free(s.pictures);
  free(s.folder);
  vl_folder_unlock(&s.lock);
  vl_stage_clear(&s.stage);
  vl_frame_list_clear(&s.liquid);
  vl_frame_list_clear(&s.bodies);
  return code;
}
