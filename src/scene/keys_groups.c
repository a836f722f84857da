/* Groups of keys, and the kinds of shapes, bodies, motions and probes: what they are called and what they are. */
#include <stddef.h>

#include "base/words.h"
#include "scene/keys.h"

static const char *const shape_abouts[] = {
    [VL_SHAPE_BOX] = "A cuboid.",
    [VL_SHAPE_SPHERE] = "A ball.",
    [VL_SHAPE_CAPSULE] = "A cylinder along y with a half ball on either end.",
    [VL_SHAPE_CYLINDER] = "A cylinder along y.",
    [VL_SHAPE_CONE] = "A cone along y, pointed or cut off; it stands on its wide end unless it is turned.",
    [VL_SHAPE_TORUS] = "A ring around the y axis.",
    [VL_SHAPE_HALFSPACE] = "Everything on one side of a plane.",
    [VL_SHAPE_MESH] = "A closed triangle mesh from a file.",
    [VL_SHAPE_UNION] = "All parts together.",
    [VL_SHAPE_INTERSECTION] = "What all parts have in common.",
    [VL_SHAPE_DIFFERENCE] = "The first part without all others.",
};

static const char *const body_abouts[] = {
    [VL_BODY_BOX] = "A cuboid of equal cuboids, each made of six tetrahedra; or filled, where cell is given.",
    [VL_BODY_MESH] =
        "Tetrahedra from a file: Gmsh, MEDIT, TetGen or VTU; or a closed surface that is filled: OBJ, PLY, STL.",
    [VL_BODY_SPHERE] = "A ball.",
    [VL_BODY_CAPSULE] = "A cylinder along y with a half ball on either end.",
    [VL_BODY_CYLINDER] = "A cylinder along y.",
    [VL_BODY_CONE] = "A cone along y, pointed or cut off.",
    [VL_BODY_TORUS] = "A ring around the y axis.",
    [VL_BODY_UNION] = "All parts together.",
    [VL_BODY_INTERSECTION] = "What all parts have in common.",
    [VL_BODY_DIFFERENCE] = "The first part without all others.",
};

static const char *const motion_abouts[] = {
    [VL_MOTION_SLIDE] = "Straight on at an even speed.",           [VL_MOTION_SWAY] = "To and fro along a line, a sine.",
    [VL_MOTION_SPIN] = "Round and round at an even rate.",         [VL_MOTION_SWING] = "To and fro about an axis, a sine.",
    [VL_MOTION_KEYS] = "Through places and turns at given times.",
};

static const char *const probe_abouts[] = {
    [VL_PROBE_HEIGHT] = "Height of the surface above the position, in the column of cells there.",
    [VL_PROBE_PRESSURE] = "Pressure at the position.",
    [VL_PROBE_VELOCITY] = "Velocity at the position.",
    [VL_PROBE_NODE] = "Displacement, from its place at rest, of the node of a body that is nearest to the position.",
    [VL_PROBE_FLUX] = "Volume of liquid that passes a rectangle in a second, counted along its axis.",
};

static const struct {
  const char *name, *about;
  bool of_entries;
  const char *kind_key;
  const char *const *kind_words, *const *kind_abouts;
  int kind_count;
} groups[] = {
    [VL_GROUP_SCENE] = {.name = "", .about = "Keys of the scene itself."},
    [VL_GROUP_GRID] = {.name = "grid",
                       .about = "The box that is simulated and its cells. All six sides of the box are closed."},
    [VL_GROUP_LIQUID] =
        {.name = "liquid",
         .about = "The liquid at the start: everything below a level, and any shapes; how it moves, where it comes in "
                  "and goes out."},
    [VL_GROUP_SOURCE] =
        {.name = "sources",
         .about = "Where liquid comes in: entries of liquid.sources. Every entry is a shape and may also have these "
                  "keys.",
         .of_entries = true},
    [VL_GROUP_SOLID] = {.name = "solids",
                        .about = "Solids that stay where they are. Every entry is a shape and may also have these keys.",
                        .of_entries = true},
    [VL_GROUP_SHAPE] =
        {.name = "shape",
         .about = "Shapes: entries of solids, of liquid.shapes, liquid.sources and liquid.sinks, of pins and of parts.",
         .of_entries = true,
         .kind_key = "shape",
         .kind_words = vl_shape_words,
         .kind_abouts = shape_abouts,
         .kind_count = VL_SHAPE_KIND_COUNT},
    [VL_GROUP_BODY] = {.name = "bodies",
                       .about = "Elastic and rigid bodies, which push the liquid and are pushed by it. In a slab they are "
                                "as thick as the slab and move in its plane; elastic ones are boxes.",
                       .of_entries = true,
                       .kind_key = "shape",
                       .kind_words = vl_body_shape_words,
                       .kind_abouts = body_abouts,
                       .kind_count = VL_BODY_SHAPE_COUNT},
    [VL_GROUP_PIN] = {.name = "pins",
                      .about =
                          "Where a body is held, or moved as the scene says: entries of a body's pins. Every entry is a "
                          "shape and may also have these keys; it takes the nodes that begin in the shape or on its "
                          "surface. In a slab only their x and y count.",
                      .of_entries = true},
    [VL_GROUP_MOTION] =
        {.name = "motion",
         .about = "How a scripted body moves: entries of a body's motion. Each moves the body as the entries before it have "
                  "left it, along and about axes of the scene; before its start and after its end it leaves things as they "
                  "are then. In a slab all is in its plane.",
         .of_entries = true,
         .kind_key = "move",
         .kind_words = vl_motion_words,
         .kind_abouts = motion_abouts,
         .kind_count = VL_MOTION_KIND_COUNT},
    [VL_GROUP_KEY] = {.name = "keys",
                      .about = "Where a body is at a time: entries of the keys of a motion.",
                      .of_entries = true},
    [VL_GROUP_PUSH] = {.name = "pushes", .about = "Forces on a body: entries of its pushes.", .of_entries = true},
    [VL_GROUP_PROBE] = {.name = "probes",
                        .about = "Places at which something is measured in every step.",
                        .of_entries = true,
                        .kind_key = "probe",
                        .kind_words = vl_probe_words,
                        .kind_abouts = probe_abouts,
                        .kind_count = VL_PROBE_KIND_COUNT},
    [VL_GROUP_TIME] = {.name = "time", .about = "How long, how often a frame is written, how long a step may be."},
    [VL_GROUP_PRESSURE] = {.name = "pressure", .about = "How the pressure is solved in each step."},
    [VL_GROUP_SOLVER] = {.name = "solver", .about = "How liquid and bodies are solved together."},
    [VL_GROUP_OUTPUT] = {.name = "output", .about = "What is written with each frame."},
    [VL_GROUP_RENDER] = {.name = "render",
                         .about = "What pictures of the run look like (velella render); nothing here changes the run."},
};

const char *vl_group_name(vlKeyGroup group) { return groups[group].name; }
const char *vl_group_about(vlKeyGroup group) { return groups[group].about; }
bool vl_group_of_entries(vlKeyGroup group) { return groups[group].of_entries; }
const char *vl_group_kind_key(vlKeyGroup group) { return groups[group].kind_key; }
int vl_group_kind_count(vlKeyGroup group) { return groups[group].kind_count; }
const char *vl_kind_word(vlKeyGroup group, int kind) { return groups[group].kind_words[kind]; }
const char *vl_kind_about(vlKeyGroup group, int kind) { return groups[group].kind_abouts[kind]; }
