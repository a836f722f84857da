/* Groups of keys: sections of the scene and entries of its lists, with the kinds of shapes, bodies, motions and probes. A
 * new kind of list is a row here, a struct in velella/scene.h, and the rows of its keys in keys.c: reading, copying,
 * freeing, checking, help and schema walk them. */
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
    [VL_PROBE_DEPTH] = ("Depth of the liquid that stands on the ground in the column of cells there, above the "
                        "position; no spray."),
};

#define ENTRY(type) .bytes = sizeof(type), .where = offsetof(type, where)
#define SHAPED(type, member)                                                                                                \
  .bytes = sizeof(type), .where = offsetof(type, member.where), .is_shape = true, .shape = offsetof(type, member)
#define KINDS(key, one, many, words, abouts, number)                                                                        \
  .kind_key = key, .kind = one, .kinds = many, .kind_words = words, .kind_abouts = abouts, .kind_count = number

// clang-format off
const vlGroup vl_groups[] = {
    [VL_GROUP_SCENE] = {.name = "", .about = "Keys of the scene itself."},
    [VL_GROUP_GRID] = {.name = "grid",
     .about = "The box that is simulated and its cells. All six sides of the box are closed but for liquid.outlets."},
    [VL_GROUP_LIQUID] = {.name = "liquid",
     .about = "The liquid at the start: everything below a level, and any shapes; how it moves, where it comes in and goes "
              "out."},
    [VL_GROUP_SOURCE] = {.name = "sources", SHAPED(vlSourceDef, shape), .one = "source",
     .about = "Where liquid comes in: entries of liquid.sources. Every entry is a shape and may also have these keys."},
    [VL_GROUP_SINK] = {.name = "sinks", SHAPED(vlSinkDef, shape), .one = "sink",
     .about = "Where liquid goes out: entries of liquid.sinks. Every entry is a shape and may also have these keys. Liquid that "
              "comes into the shape is gone; where the pressure in it is higher than around it liquid comes out of it."},
    [VL_GROUP_OUTLET] = {.name = "outlets", ENTRY(vlOutletDef), .one = "outlet", .many = "outlets",
     .example = "{side: x+, level: 30 cm}",
     .about = "Sides of the box through which liquid goes out: entries of liquid.outlets. Beyond such a side there is air, or "
              "what the entry says; liquid that comes to it is gone, and where the pressure there is higher than before it "
              "liquid comes in. Solids that stand at the side close it."},
    [VL_GROUP_SOLID] = {.name = "solids", SHAPED(vlSolidDef, shape), .one = "solid",
     .about = "Solids that stay where they are. Every entry is a shape and may also have these keys. In a slab they are what "
              "is cut at z = 0, as thick as the slab."},
    [VL_GROUP_SHAPE] = {.name = "shape", ENTRY(vlShape), .one = "shape", .many = "shapes",
     KINDS("shape", "shape", "shapes", vl_shape_words, shape_abouts, VL_SHAPE_KIND_COUNT),
     .example = "{shape: sphere, radius: 0.1}",
     .about = "Shapes: entries of solids, of liquid.shapes, liquid.sources and liquid.sinks, of pins and of parts."},
    [VL_GROUP_BODY] = {.name = "bodies", ENTRY(vlBodyDef), .one = "body", .many = "bodies",
     KINDS("shape", "body", "bodies", vl_body_shape_words, body_abouts, VL_BODY_SHAPE_COUNT),
     .example = "{shape: box, size: [0.2, 0.2, 0.2]}",
     .about = "Elastic and rigid bodies, which push the liquid and are pushed by it. In a slab they are what is cut of "
              "them at z = 0, as thick as the slab, and move in its plane."},
    [VL_GROUP_PIN] = {.name = "pins", SHAPED(vlPinDef, region), .one = "pin",
     .about = "Where a body is held, or moved as the scene says: entries of a body's pins. Every entry is a shape and may "
              "also have these keys; it takes the nodes that begin in the shape or on its surface. In a slab only their x "
              "and y count."},
    [VL_GROUP_MOTION] = {.name = "motion", ENTRY(vlMotionDef), .one = "motion", .many = "motions",
     KINDS("move", "move", "moves", vl_motion_words, motion_abouts, VL_MOTION_KIND_COUNT),
     .example = "{move: spin, rate: 10 rpm}",
     .about = "How a scripted body moves: entries of a body's motion. Each moves the body as the entries before it have left "
              "it, along and about axes of the scene; before its start and after its end it leaves things as they are then. "
              "In a slab all is in its plane."},
    [VL_GROUP_KEY] = {.name = "keys", ENTRY(vlKeyDef), .one = "key", .many = "keys",
     .example = "{time: 1 s, rotate: z 360}",
     .about = "Where a body is at a time: entries of the keys of a motion."},
    [VL_GROUP_PUSH] = {.name = "pushes", ENTRY(vlPushDef), .one = "push", .many = "pushes",
     .example = "{force: [0, 10, 0], start: 1 s}",
     .about = "Forces on a body: entries of its pushes."},
    [VL_GROUP_MODE] = {.name = "modes", ENTRY(vlModeDef), .one = "mode", .many = "modes",
     .example = "{mode: 1, amplitude: 1 cm}",
     .about = "Free motions that an elastic body starts with: entries of its modes, which add up. velella modes SCENE lists "
              "their frequencies. They are small motions about its form at rest without liquid and gravity, held as its pins "
              "hold it at the start; their shapes have a largest displacement of 1 whose largest entry is positive."},
    [VL_GROUP_DRAG] = {.name = "drags", ENTRY(vlDragDef), .one = "drag", .many = "drags",
     .example = "{body: jelly, point: [0.5, 0.7, 0.5], path: [{time: 1 s, position: [0.5, 0.9, 0.5]}]}",
     .about = "Hands that take a body and drag it: entries of drags. A hand is a stiff spring, so that what it holds stays "
              "within about a centimeter of its path and feels its force there alone."},
    [VL_GROUP_PATH] = {.name = "path", ENTRY(vlDragKeyDef), .one = "place", .many = "places",
     .example = "{time: 1 s, position: [0.5, 0.9, 0.5]}",
     .about = "Where a hand is at a time: entries of the path of a drag."},
    [VL_GROUP_PROBE] = {.name = "probes", ENTRY(vlProbeDef), .one = "probe", .many = "probes",
     KINDS("probe", "probe", "probes", vl_probe_words, probe_abouts, VL_PROBE_KIND_COUNT),
     .example = "{probe: height, position: [0.5, 0, 0.5]}",
     .about = "Places at which something is measured in every step."},
    [VL_GROUP_TIME] = {.name = "time", .about = "How long, how often a frame is written, how long a step may be."},
    [VL_GROUP_PRESSURE] = {.name = "pressure", .about = "How the pressure is solved in each step."},
    [VL_GROUP_SOLVER] = {.name = "solver", .about = "How liquid and bodies are solved together."},
    [VL_GROUP_OUTPUT] = {.name = "output", .about = "What is written with each frame."},
    [VL_GROUP_RENDER] = {.name = "render",
     .about = "What pictures of the run look like (velella render); nothing here changes the run."},
};
// clang-format on
