/* The table of scene keys. A new key is a row here and a field of vlScene or of what its lists hold; nothing else parses,
 * documents or checks it. */
#include "scene/keys.h"

#include <math.h>
#include <stddef.h>

#include "scene/keys_groups.h"

#define FIELD(type, member) .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)
#define LIST(type, member, number) FIELD(type, member), .count = offsetof(type, number)

/* Ranges */
#define ANY                                                                                                                 \
  {                                                                                                                         \
    -INFINITY, INFINITY, false                                                                                              \
  }
#define POSITIVE                                                                                                            \
  {                                                                                                                         \
    0, INFINITY, true                                                                                                       \
  }
#define NOT_NEGATIVE                                                                                                        \
  {                                                                                                                         \
    0, INFINITY, false                                                                                                      \
  }
#define BETWEEN(a, b)                                                                                                       \
  {                                                                                                                         \
    a, b, false                                                                                                             \
  }
#define ABOVE_UP_TO(a, b)                                                                                                   \
  {                                                                                                                         \
    a, b, true                                                                                                              \
  }

/* Sets of shapes */
#define K(kind) (1u << VL_SHAPE_##kind)
#define ALL_SHAPES ((1u << VL_SHAPE_KIND_COUNT) - 1)
#define COMBINATIONS (K(UNION) | K(INTERSECTION) | K(DIFFERENCE))
#define ROUND_ONES (K(SPHERE) | K(CAPSULE) | K(CYLINDER) | K(CONE) | K(TORUS))
#define TALL_ONES (K(CAPSULE) | K(CYLINDER) | K(CONE))

/* Sets of bodies */
#define BODY(kind) (1u << VL_BODY_##kind)
#define ALL_BODIES ((1u << VL_BODY_SHAPE_COUNT) - 1)
#define FILLED_BODIES (ALL_BODIES & ~(BODY(BOX) | BODY(MESH)))
#define COMBINED_BODIES (BODY(UNION) | BODY(INTERSECTION) | BODY(DIFFERENCE))
#define ROUND_BODIES (BODY(SPHERE) | BODY(CAPSULE) | BODY(CYLINDER) | BODY(CONE) | BODY(TORUS))
#define TALL_BODIES (BODY(CAPSULE) | BODY(CYLINDER) | BODY(CONE))

/* Sets of probes */
#define FLUX (1u << VL_PROBE_FLUX)
#define NODE (1u << VL_PROBE_NODE)
#define ALL_PROBES ((1u << VL_PROBE_KIND_COUNT) - 1)

static const char *const transfer_words[] = {
    [VL_TRANSFER_FLIP] = "flip",   [VL_TRANSFER_APIC] = "apic",
    [VL_TRANSFER_PIC] = "pic",     [VL_TRANSFER_SEMI_LAGRANGIAN] = "semi-lagrangian",
    [VL_TRANSFER_STILL] = "still", [VL_TRANSFER_KIND_COUNT] = NULL,
};

static const char *const integrator_words[] = {
    [VL_INTEGRATOR_RK2] = "rk2",
    [VL_INTEGRATOR_RK3] = "rk3",
    [VL_INTEGRATOR_KIND_COUNT] = NULL,
};

static const char *const axis_words[] = {"x", "y", "z", NULL};

static const char *const format_words[] = {"vtk", "ply", NULL};
static const size_t format_switches[] = {offsetof(vlScene, write_vtk), offsetof(vlScene, write_ply)};

static const char *const solver_words[] = {
    [VL_SOLVER_MULTIGRID] = "multigrid", [VL_SOLVER_MIC] = "mic",         [VL_SOLVER_IC] = "ic",
    [VL_SOLVER_JACOBI] = "jacobi",       [VL_SOLVER_CHOLMOD] = "cholmod", [VL_SOLVER_KIND_COUNT] = NULL,
};

static const char *const weights_words[] = {
    [VL_WEIGHTS_AREA] = "area",   [VL_WEIGHTS_VOLUME] = "volume", [VL_WEIGHTS_LINE] = "line",
    [VL_WEIGHTS_VOXEL] = "voxel", [VL_WEIGHTS_KIND_COUNT] = NULL,
};

static const char *const coupling_words[] = {
    [VL_COUPLING_SCHUR] = "schur",   [VL_COUPLING_SPD] = "spd",   [VL_COUPLING_INDEFINITE] = "indefinite",
    [VL_COUPLING_MINRES] = "minres", [VL_COUPLING_WEAK] = "weak", [VL_COUPLING_DAMPING_ONLY] = "damping_only",
    [VL_COUPLING_KIND_COUNT] = NULL,
};

static const char *const element_words[] = {
    [VL_ELEMENT_LINEAR] = "linear",
    [VL_ELEMENT_QUADRATIC] = "quadratic",
    [VL_ELEMENT_KIND_COUNT] = NULL,
};

static const char *const scheme_words[] = {
    [VL_SCHEME_BACKWARD_EULER] = "backward_euler",
    [VL_SCHEME_BDF2] = "bdf2",
    [VL_SCHEME_KIND_COUNT] = NULL,
};

static const char *const model_words[] = {
    [VL_MODEL_COROTATIONAL] = "corotational",
    [VL_MODEL_NEO_HOOKEAN] = "neo_hookean",
    [VL_MODEL_KIND_COUNT] = NULL,
};

static const char *const material_words[] = {
    [VL_MATERIAL_AUTO] = "auto",     [VL_MATERIAL_MATTE] = "matte", [VL_MATERIAL_GLOSSY] = "glossy",
    [VL_MATERIAL_RUBBER] = "rubber", [VL_MATERIAL_GLASS] = "glass", [VL_MATERIAL_KIND_COUNT] = NULL,
};

static const char *const sky_words[] = {
    [VL_SKY_STUDIO] = "studio",
    [VL_SKY_DAY] = "day",
    [VL_SKY_EVENING] = "evening",
    [VL_SKY_KIND_COUNT] = NULL,
};

static const char *const coloring_words[] = {
    [VL_COLORING_NATURAL] = "natural",
    [VL_COLORING_SPEED] = "speed",
    [VL_COLORING_STRESS] = "stress",
    [VL_COLORING_KIND_COUNT] = NULL,
};

static const char *const side_words[] = {"inside", "outside", NULL};

// clang-format off
const vlKey vl_keys[] = {
    {.name = "about", .group = VL_GROUP_SCENE, .type = VL_KEY_TEXT, FIELD(vlScene, about), .starter = true,
     .example = "A pool with a ball in it.",
     .about = "What the scene shows, in a sentence or two.",
     .absent = "no description"},

    {.name = "grid", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_GRID},
    {.name = "origin", .group = VL_GROUP_GRID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlScene, origin), .value = "[0, 0, 0]", .flat = true, .example = "[-50 cm, 0, -50 cm]",
     .about = "Lower corner of the box. In a slab it has two entries, and z = 0 is the slab's middle plane."},
    {.name = "size", .group = VL_GROUP_GRID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = BETWEEN(1e-9, 1e9),
     FIELD(vlScene, size), .value = "[1, 1, 1]", .flat = true, .example = "[2, 1, 1]",
     .about = "Edge lengths of the box, rounded to whole cells. In a slab it has two entries."},
    {.name = "cells", .group = VL_GROUP_GRID, .type = VL_KEY_INTEGER, .range = BETWEEN(1, 4096), FIELD(vlScene, cells),
     .value = "64", .excludes = "dx", .example = "128",
     .about = "Cells along the longest side of the box. Cells are cubes. Give either cells or dx."},
    {.name = "dx", .group = VL_GROUP_GRID, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = BETWEEN(1e-12, 1e9),
     FIELD(vlScene, dx), .excludes = "cells", .example = "1 cm",
     .about = "Edge length of a cell. Give either cells or dx.",
     .absent = "cells decides"},
    {.name = "slab", .group = VL_GROUP_GRID, .type = VL_KEY_SWITCH, FIELD(vlScene, slab), .value = "no", .example = "yes",
     .about = "A two-dimensional scene: one cell thick along z. Places, sizes and velocities may then have two entries."},

    {.name = "gravity", .group = VL_GROUP_SCENE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_ACCELERATION, .range = ANY,
     FIELD(vlScene, gravity), .value = "[0, -9.81, 0]", .flat = true, .example = "[0, -1.62, 0]",
     .about = "Acceleration by gravity."},

    {.name = "liquid", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_LIQUID},
    {.name = "density", .group = VL_GROUP_LIQUID, .type = VL_KEY_NUMBER, .dimension = VL_DIM_DENSITY, .range = POSITIVE,
     FIELD(vlScene, liquid.density), .value = "1000", .example = "1 g/cm^3",
     .about = "Density of the liquid."},
    {.name = "level", .group = VL_GROUP_LIQUID, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlScene, liquid.level), .given = offsetof(vlScene, liquid.has_level), .example = "40 cm", .starter = true,
     .about = "Height y up to which everything that is not solid is liquid.",
     .absent = "only the shapes are liquid"},
    {.name = "shapes", .group = VL_GROUP_LIQUID, .type = VL_KEY_SHAPES, .range = NOT_NEGATIVE,
     LIST(vlScene, liquid.shapes, liquid.shape_count),
     .example = "[{shape: box, center: [0.2, 0.3, 0.5], size: [0.4, 0.6, 1]}]",
     .about = "Further regions of liquid; what lies in solids is left out.",
     .absent = "only the level counts"},
    {.name = "velocity", .group = VL_GROUP_LIQUID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_SPEED, .range = ANY,
     FIELD(vlScene, liquid.velocity), .value = "[0, 0, 0]", .flat = true, .example = "[1, 0, 0]",
     .about = "Velocity of all liquid at the start."},
    {.name = "swirl_speed", .group = VL_GROUP_LIQUID, .type = VL_KEY_NUMBER, .dimension = VL_DIM_SPEED, .range = ANY,
     FIELD(vlScene, liquid.swirl_speed), .value = "0", .example = "1",
     .about = "Besides its velocity the liquid starts with a vortex that fills a rectangle and stands still on its edges, "
              "with the stream function sin^2 sin^2; this is its largest speed. Seen with its z axis towards you it turns counter-clockwise."},
    {.name = "swirl_center", .group = VL_GROUP_LIQUID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlScene, liquid.swirl_center), .value = "[0, 0, 0]", .flat = true, .example = "[0.5, 0.5, 0]",
     .about = "Middle of the vortex."},
    {.name = "swirl_size", .group = VL_GROUP_LIQUID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlScene, liquid.swirl_size), .value = "[1, 1, 1]", .flat = true, .example = "[0.6, 0.6, 1]",
     .about = "Edges of the vortex's rectangle along its own x and y; along its z it has no end."},
    {.name = "swirl_rotate", .group = VL_GROUP_LIQUID, .type = VL_KEY_ROTATION, .dimension = VL_DIM_ANGLE,
     FIELD(vlScene, liquid.swirl_rotation), .value = "z 0", .example = "\"z 22.5\"",
     .about = "Turns the vortex about its middle: axis and degrees, from left to right, about the fixed axes x, y, z."},
    {.name = "transfer", .group = VL_GROUP_LIQUID, .type = VL_KEY_WORD, .words = transfer_words,
     FIELD(vlScene, liquid.transfer), .value = "flip", .example = "apic",
     .about = "How motion is carried: by particles that keep their velocity (flip), that also keep how it varies around "
              "them (apic) or that take it from the grid (pic, very smooth); traced back on the grid (semi-lagrangian); or "
              "not at all, the surface stays as drawn (still)."},
    {.name = "flip", .group = VL_GROUP_LIQUID, .type = VL_KEY_NUMBER, .range = BETWEEN(0, 1), FIELD(vlScene, liquid.flip),
     .value = "0.97", .example = "0.9",
     .about = "Share of flip in a transfer by flip; the rest is pic. 1 is the liveliest, and noisy."},
    {.name = "integrator", .group = VL_GROUP_LIQUID, .type = VL_KEY_WORD, .words = integrator_words,
     FIELD(vlScene, liquid.integrator), .value = "rk2", .example = "rk3",
     .about = "Runge-Kutta method by which particles move, of order two or three."},
    {.name = "particles", .group = VL_GROUP_LIQUID, .type = VL_KEY_INTEGER, .range = BETWEEN(1, 4),
     FIELD(vlScene, liquid.particles), .value = "2", .example = "3",
     .about = "Particles per cell along each axis: 2 makes 8 in a cell, 4 in a slab."},
    {.name = "keep_volume", .group = VL_GROUP_LIQUID, .type = VL_KEY_SWITCH, FIELD(vlScene, liquid.keep_volume),
     .value = "yes", .example = "no",
     .about = "Correct the slow drift of the volume."},
    {.name = "sources", .group = VL_GROUP_LIQUID, .type = VL_KEY_SOURCES, .range = NOT_NEGATIVE,
     LIST(vlScene, liquid.sources, liquid.source_count), .section = VL_GROUP_SOURCE,
     .example = "[{shape: sphere, center: [0.5, 0.8, 0.5], radius: 5 cm, velocity: [0, -1, 0]}]",
     .about = "Regions that are kept full of liquid, a list of shapes with a velocity.",
     .absent = "no liquid comes in"},
    {.name = "velocity", .group = VL_GROUP_SOURCE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_SPEED, .range = ANY,
     FIELD(vlSourceDef, velocity), .value = "[0, 0, 0]", .flat = true, .example = "[0, 2 m/s, 0]",
     .about = "Velocity of the liquid in the source."},
    {.name = "start", .group = VL_GROUP_SOURCE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = NOT_NEGATIVE,
     FIELD(vlSourceDef, start), .value = "0", .example = "500 ms",
     .about = "Time from which it runs."},
    {.name = "end", .group = VL_GROUP_SOURCE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = POSITIVE,
     FIELD(vlSourceDef, end), .unset = INFINITY, .example = "2 s",
     .about = "Time at which it stops.",
     .absent = "it never stops"},
    {.name = "sinks", .group = VL_GROUP_LIQUID, .type = VL_KEY_SHAPES, .range = NOT_NEGATIVE,
     LIST(vlScene, liquid.sinks, liquid.sink_count),
     .example = "[{shape: box, center: [0.9, 0.05, 0.5], size: [0.2, 0.1, 1]}]",
     .about = "Regions in which liquid is taken away, a list of shapes.",
     .absent = "no liquid goes out"},

    {.name = "solids", .group = VL_GROUP_SCENE, .type = VL_KEY_SOLIDS, .range = NOT_NEGATIVE,
     LIST(vlScene, solids, solid_count), .section = VL_GROUP_SOLID,
     .example = "[{shape: sphere, center: [0.5, 0.3, 0.5], radius: 20 cm}]",
     .about = "Solids that stay where they are, a list of shapes. They may overlap.",
     .absent = "no solids"},
    {.name = "name", .group = VL_GROUP_SOLID, .type = VL_KEY_NAME, FIELD(vlSolidDef, name), .example = "rock",
     .about = "A name for messages and settings (solids.rock.scale=2): letters, digits, '-' and '_'; no two the same.",
     .absent = "its place, as in solids[0]"},
    {.name = "solid", .group = VL_GROUP_SOLID, .type = VL_KEY_WORD, .words = side_words, FIELD(vlSolidDef, container),
     .value = "inside", .example = "outside",
     .about = "Which side of the surface is solid. With outside the shape is a container: liquid may be in it, and what "
              "is in no container of the scene is solid."},
    {.name = "color", .group = VL_GROUP_SOLID, .type = VL_KEY_VECTOR, .range = BETWEEN(0, 1), FIELD(vlSolidDef, color),
     .given = offsetof(vlSolidDef, has_color), .example = "[0.9, 0.4, 0.2]",
     .about = "Its color in pictures: red, green and blue.",
     .absent = "each solid gets one"},
    {.name = "material", .group = VL_GROUP_SOLID, .type = VL_KEY_WORD, .words = material_words,
     FIELD(vlSolidDef, material), .value = "auto", .example = "rubber",
     .about = "What it is made of in pictures; glass is faint, so that the liquid behind it is seen. auto: glass for "
              "containers, else matte."},

    {.name = "shape", .group = VL_GROUP_SHAPE, .type = VL_KEY_WORD, .words = vl_shape_words, FIELD(vlShape, kind),
     .kinds = ALL_SHAPES, .required = ALL_SHAPES, .example = "sphere",
     .about = "What shape it is."},
    {.name = "center", .group = VL_GROUP_SHAPE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlShape, center), .kinds = ALL_SHAPES, .value = "[0, 0, 0]", .flat = true, .example = "[0.5, 30 cm, 0.5]",
     .about = "Where its middle is; halfspace: a point of the plane; mesh: where the file's origin goes; union, "
              "intersection, difference: origin of the parts' coordinates."},
    {.name = "rotate", .group = VL_GROUP_SHAPE, .type = VL_KEY_ROTATION, .dimension = VL_DIM_ANGLE, FIELD(vlShape, rotation),
     .kinds = ALL_SHAPES, .value = "", .example = "\"z 17, x 31\"",
     .about = "Turns about its own center: axis and degrees, from left to right, about the fixed axes x, y, z."},
    {.name = "size", .group = VL_GROUP_SHAPE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlShape, size), .kinds = K(BOX), .required = K(BOX), .flat = true, .example = "[0.6, 0.2, 0.6]",
     .about = "Edge lengths. In a slab two entries are enough: it is thicker than the slab."},
    {.name = "radius", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlShape, radius), .kinds = ROUND_ONES, .required = ROUND_ONES, .example = "20 cm",
     .about = "Radius; cone: of its lower end; torus: from its middle to the middle of the tube."},
    {.name = "radius_top", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlShape, radius_top), .kinds = K(CONE), .value = "0", .example = "5 cm",
     .about = "Radius of the upper end; 0: a tip."},
    {.name = "tube_radius", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlShape, tube_radius), .kinds = K(TORUS), .required = K(TORUS), .example = "4 cm",
     .about = "Radius of the tube, less than radius."},
    {.name = "height", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlShape, height), .kinds = TALL_ONES, .required = TALL_ONES, .example = "50 cm",
     .about = "Length along y from end to end; capsule: between the centers of its half balls."},
    {.name = "normal", .group = VL_GROUP_SHAPE, .type = VL_KEY_VECTOR, .range = ANY, FIELD(vlShape, normal),
     .kinds = K(HALFSPACE), .value = "[0, 1, 0]", .flat = true, .example = "[1, 1, 0]",
     .about = "Direction out of the half-space, of any length but zero."},
    {.name = "file", .group = VL_GROUP_SHAPE, .type = VL_KEY_FILE, FIELD(vlShape, file), .kinds = K(MESH),
     .required = K(MESH), .example = "rock.obj",
     .about = "Mesh file, relative to the scene file's folder; in a setting, to the current one. Where there is none, a mesh "
              "that is built in, as in meshes/funnel.obj."},
    {.name = "scale", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .range = POSITIVE, FIELD(vlShape, scale),
     .kinds = K(MESH), .value = "1", .example = "0.001",
     .about = "Factor on the file's coordinates, which are then metres."},
    {.name = "repair", .group = VL_GROUP_SHAPE, .type = VL_KEY_SWITCH, FIELD(vlShape, repair), .kinds = K(MESH),
     .value = "no", .example = "yes",
     .about = "Close holes and bad edges by the winding number instead of refusing the mesh."},
    {.name = "round", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlShape, round), .kinds = K(BOX) | K(CYLINDER) | K(CONE), .value = "0", .example = "1 cm",
     .about = "Radius that rounds its edges; its faces stay where they are."},
    {.name = "blend", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlShape, blend), .kinds = COMBINATIONS, .value = "0", .example = "2 cm",
     .about = "Radius over which the parts melt into each other."},
    {.name = "parts", .group = VL_GROUP_SHAPE, .type = VL_KEY_SHAPES, .range = BETWEEN(1, INFINITY),
     LIST(vlShape, parts, part_count), .kinds = COMBINATIONS, .required = COMBINATIONS,
     .example = "[{shape: sphere, radius: 10 cm}, {shape: box, size: [0.1, 0.3, 0.1]}]",
     .about = "A list of shapes."},

    {.name = "bodies", .group = VL_GROUP_SCENE, .type = VL_KEY_BODIES, .range = NOT_NEGATIVE,
     LIST(vlScene, bodies, body_count), .section = VL_GROUP_BODY,
     .example = "[{name: jelly, shape: box, center: [0.5, 0.6, 0.5], size: [0.2, 0.2, 0.2], cells: [4, 4, 4]}]",
     .about = "Elastic bodies, a list of shapes and meshes that are made of tetrahedra. They begin in the box.",
     .absent = "no elastic bodies"},
    {.name = "name", .group = VL_GROUP_BODY, .type = VL_KEY_NAME, FIELD(vlBodyDef, name), .kinds = ALL_BODIES,
     .example = "jelly",
     .about = "A name for messages, probes, files and settings (bodies.jelly.young=1e4): letters, digits, '-' and '_'; no "
              "two the same.",
     .absent = "its place, as in bodies[0]"},
    {.name = "shape", .group = VL_GROUP_BODY, .type = VL_KEY_WORD, .words = vl_body_words, FIELD(vlBodyDef, shape),
     .kinds = ALL_BODIES, .required = ALL_BODIES, .example = "box",
     .about = "What its tetrahedra make up."},
    {.name = "cell", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlBodyDef, cell), .kinds = ALL_BODIES, .required = FILLED_BODIES, .excludes = "cells", .example = "3 cm",
     .about = "Longest edge of the tetrahedra with which it is filled at its surface; deep inside they are larger. Walls "
              "thinner than 1.3 of it get holes. box: instead of cells; mesh: for files of surfaces (OBJ, PLY, STL). Not in a slab.",
     .absent = "box: made of cells; mesh: the file's tetrahedra"},
    {.name = "center", .group = VL_GROUP_BODY, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlBodyDef, center), .kinds = ALL_BODIES, .value = "[0, 0, 0]", .flat = true, .example = "[0.5, 60 cm, 0.5]",
     .about = "Where its middle is; mesh: where the file's origin goes; union, intersection, difference: origin of the parts' "
              "coordinates. In a slab z is 0."},
    {.name = "rotate", .group = VL_GROUP_BODY, .type = VL_KEY_ROTATION, .dimension = VL_DIM_ANGLE,
     FIELD(vlBodyDef, rotation), .kinds = ALL_BODIES, .value = "", .example = "\"z 17, x 31\"",
     .about = "Turns about its own center: axis and degrees, from left to right, about the fixed axes x, y, z. In a slab "
              "only about z."},
    {.name = "size", .group = VL_GROUP_BODY, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlBodyDef, size), .kinds = BODY(BOX), .required = BODY(BOX), .flat = true, .example = "[0.2, 0.4, 0.2]",
     .about = "Edge lengths at rest. In a slab two entries are enough: it is as thick as the slab."},
    {.name = "cells", .group = VL_GROUP_BODY, .type = VL_KEY_COUNTS, .range = BETWEEN(1, 1000), FIELD(vlBodyDef, cells),
     .kinds = BODY(BOX), .value = "[1, 1, 1]", .excludes = "cell", .flat = true, .example = "[4, 8, 4]",
     .about = "Cuboids along each of its edges. In a slab two entries are enough: there is one across."},
    {.name = "radius", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlBodyDef, solid.radius), .kinds = ROUND_BODIES, .required = ROUND_BODIES, .example = "20 cm",
     .about = "Radius; cone: of its lower end; torus: from its middle to the middle of the tube."},
    {.name = "radius_top", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlBodyDef, solid.radius_top), .kinds = BODY(CONE), .value = "0", .example = "5 cm",
     .about = "Radius of the upper end; 0: a tip."},
    {.name = "tube_radius", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlBodyDef, solid.tube_radius), .kinds = BODY(TORUS), .required = BODY(TORUS), .example = "4 cm",
     .about = "Radius of the tube, less than radius."},
    {.name = "height", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlBodyDef, solid.height), .kinds = TALL_BODIES, .required = TALL_BODIES, .example = "50 cm",
     .about = "Length along its y axis from end to end; capsule: between the centers of its half balls."},
    {.name = "round", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlBodyDef, solid.round), .kinds = BODY(BOX) | BODY(CYLINDER) | BODY(CONE), .value = "0", .example = "1 cm",
     .about = "Radius that rounds its edges; its faces stay where they are. A box needs cell for it."},
    {.name = "blend", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlBodyDef, solid.blend), .kinds = COMBINED_BODIES, .value = "0", .example = "2 cm",
     .about = "Radius over which the parts melt into each other."},
    {.name = "parts", .group = VL_GROUP_BODY, .type = VL_KEY_SHAPES, .range = BETWEEN(1, INFINITY),
     LIST(vlBodyDef, solid.parts, solid.part_count), .kinds = COMBINED_BODIES, .required = COMBINED_BODIES,
     .example = "[{shape: sphere, radius: 10 cm}, {shape: box, size: [0.1, 0.3, 0.1]}]",
     .about = "A list of shapes."},
    {.name = "file", .group = VL_GROUP_BODY, .type = VL_KEY_FILE, FIELD(vlBodyDef, file), .kinds = BODY(MESH),
     .required = BODY(MESH), .example = "duck.msh",
     .about = "File of tetrahedra (Gmsh .msh, MEDIT .mesh, TetGen .node or .ele, VTU), or of a closed surface to be filled "
              "(OBJ, PLY, STL), relative to the scene file's folder; in a setting, to the current one."},
    {.name = "repair", .group = VL_GROUP_BODY, .type = VL_KEY_SWITCH, FIELD(vlBodyDef, solid.repair), .kinds = BODY(MESH),
     .value = "no", .example = "yes",
     .about = "Close holes and bad edges of a surface by the winding number instead of refusing it."},
    {.name = "scale", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .range = POSITIVE, FIELD(vlBodyDef, scale),
     .kinds = BODY(MESH), .value = "1", .example = "0.001",
     .about = "Factor on the file's coordinates, which are then metres."},
    {.name = "density", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_DENSITY, .range = POSITIVE,
     FIELD(vlBodyDef, density), .kinds = ALL_BODIES, .value = "1000", .example = "700",
     .about = "Density at rest."},
    {.name = "rigid", .group = VL_GROUP_BODY, .type = VL_KEY_SWITCH, FIELD(vlBodyDef, rigid), .kinds = ALL_BODIES,
     .value = "no", .example = "yes",
     .about = "It does not yield: of its material only the density counts. Pins do not hold it."},
    {.name = "young", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_PRESSURE, .range = POSITIVE,
     FIELD(vlBodyDef, young), .kinds = ALL_BODIES, .value = "2e5", .example = "30 kPa",
     .about = "Young's modulus: how stiff it is. Jelly has some kPa, rubber some MPa."},
    {.name = "poisson", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .range = BETWEEN(0, 0.45),
     FIELD(vlBodyDef, poisson), .kinds = ALL_BODIES, .value = "0.3", .example = "0.4",
     .about = "Poisson's ratio: how much it thins when it is pulled long."},
    {.name = "friction", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .range = BETWEEN(0, 10),
     FIELD(vlBodyDef, friction), .kinds = ALL_BODIES, .value = "0.3", .example = "0.8",
     .about = "Coulomb's friction where it touches solids, the box or, with the geometric mean of both, other bodies."},
    {.name = "mass_damping", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_RATE,
     .range = NOT_NEGATIVE, FIELD(vlBodyDef, mass_damping), .kinds = ALL_BODIES, .value = "0.1", .example = "0",
     .about = "Damping in proportion to the mass, which slows all motion, free flight too."},
    {.name = "stiffness_damping", .group = VL_GROUP_BODY, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME,
     .range = NOT_NEGATIVE, FIELD(vlBodyDef, stiffness_damping), .kinds = ALL_BODIES, .value = "1e-3", .example = "0",
     .about = "Damping in proportion to the stiffness, which slows changes of shape, fast ones most."},
    {.name = "model", .group = VL_GROUP_BODY, .type = VL_KEY_WORD, .words = model_words, FIELD(vlBodyDef, model),
     .kinds = ALL_BODIES, .value = "corotational", .example = "neo_hookean",
     .about = "How stress follows from strain; the same for small strains. corotational: in proportion to the stretches; "
              "neo_hookean: as rubber, which keeps its volume when pulled long and stiffens when pressed short."},
    {.name = "element", .group = VL_GROUP_BODY, .type = VL_KEY_WORD, .words = element_words, FIELD(vlBodyDef, element),
     .kinds = ALL_BODIES, .value = "linear", .example = "quadratic",
     .about = "Tetrahedra of 4 nodes (linear), which bend too stiffly where few lie across a thickness, or of 10 "
              "(quadratic), which bend freely with one across and cost more."},
    {.name = "integrator", .group = VL_GROUP_BODY, .type = VL_KEY_WORD, .words = scheme_words, FIELD(vlBodyDef, scheme),
     .kinds = ALL_BODIES, .value = "backward_euler", .example = "bdf2",
     .about = "How it steps in time: backward_euler also damps what the step resolves, bdf2 is of second order."},
    {.name = "velocity", .group = VL_GROUP_BODY, .type = VL_KEY_VECTOR, .dimension = VL_DIM_SPEED, .range = ANY,
     FIELD(vlBodyDef, velocity), .kinds = ALL_BODIES, .value = "[0, 0, 0]", .flat = true, .example = "[0, -1, 0]",
     .about = "Its velocity at the start."},
    {.name = "spin", .group = VL_GROUP_BODY, .type = VL_KEY_VECTOR, .dimension = VL_DIM_SPIN, .range = ANY,
     FIELD(vlBodyDef, spin), .kinds = ALL_BODIES, .value = "[0, 0, 0]", .example = "[0, 0, 90 deg/s]",
     .about = "Its angular velocity about its center of mass at the start. In a slab only about z."},
    {.name = "stretch", .group = VL_GROUP_BODY, .type = VL_KEY_VECTOR, .range = POSITIVE, FIELD(vlBodyDef, stretch),
     .kinds = ALL_BODIES, .value = "[1, 1, 1]", .flat = true, .example = "[0.5, 0.5, 0.5]",
     .about = "How long it is at the start along each of its own axes, against its length at rest; about its center of "
              "mass. In a slab z is 1."},
    {.name = "pins", .group = VL_GROUP_BODY, .type = VL_KEY_PINS, .range = NOT_NEGATIVE,
     LIST(vlBodyDef, pins, pin_count), .kinds = ALL_BODIES, .section = VL_GROUP_PIN,
     .example = "[{shape: box, center: [0.5, 0.7, 0.5], size: [0.3, 0.01, 0.3]}]",
     .about = "Where it is held or moved, a list of shapes in the scene's coordinates. Of two that take a node the later "
              "one counts.",
     .absent = "it is free"},
    {.name = "color", .group = VL_GROUP_BODY, .type = VL_KEY_VECTOR, .range = BETWEEN(0, 1), FIELD(vlBodyDef, color),
     .kinds = ALL_BODIES, .given = offsetof(vlBodyDef, has_color), .example = "[0.9, 0.4, 0.2]",
     .about = "Its color in pictures: red, green and blue.",
     .absent = "each body gets one"},
    {.name = "material", .group = VL_GROUP_BODY, .type = VL_KEY_WORD, .words = material_words,
     FIELD(vlBodyDef, material), .kinds = ALL_BODIES, .value = "auto", .example = "glossy",
     .about = "What it is made of in pictures. auto: rubber."},
    {.name = "axes", .group = VL_GROUP_PIN, .type = VL_KEY_AXES, FIELD(vlPinDef, axes), .value = "xyz", .example = "yz",
     .about = "Axes along which the nodes are held; along the others they are free."},
    {.name = "velocity", .group = VL_GROUP_PIN, .type = VL_KEY_VECTOR, .dimension = VL_DIM_SPEED, .range = ANY,
     FIELD(vlPinDef, velocity), .value = "[0, 0, 0]", .flat = true, .example = "[0, 0.1, 0]",
     .about = "Velocity at which the nodes are moved from start to end; before and after they stay where they are."},
    {.name = "amplitude", .group = VL_GROUP_PIN, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlPinDef, amplitude), .value = "[0, 0, 0]", .flat = true, .example = "[5 cm, 0, 0]",
     .about = "Sway to and fro, a sine from start to end, besides the velocity."},
    {.name = "frequency", .group = VL_GROUP_PIN, .type = VL_KEY_NUMBER, .dimension = VL_DIM_RATE, .range = NOT_NEGATIVE,
     FIELD(vlPinDef, frequency), .value = "0", .example = "2 Hz",
     .about = "How often a second it sways; needed with an amplitude."},
    {.name = "start", .group = VL_GROUP_PIN, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = NOT_NEGATIVE,
     FIELD(vlPinDef, start), .value = "0", .example = "500 ms",
     .about = "Time from which the nodes are moved."},
    {.name = "end", .group = VL_GROUP_PIN, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = POSITIVE,
     FIELD(vlPinDef, end), .unset = INFINITY, .example = "2 s",
     .about = "Time at which they stop.",
     .absent = "they never stop"},
    {.name = "release", .group = VL_GROUP_PIN, .type = VL_KEY_SWITCH, FIELD(vlPinDef, release), .value = "no",
     .example = "yes",
     .about = "Let go of the nodes at the end instead of holding them where they are."},

    {.name = "probes", .group = VL_GROUP_SCENE, .type = VL_KEY_PROBES, .range = NOT_NEGATIVE,
     LIST(vlScene, probes, probe_count), .section = VL_GROUP_PROBE,
     .example = "[{name: gauge, probe: height, position: [0.5, 0, 0.5]}]",
     .about = "Places at which something is measured in every step.",
     .absent = "nothing is measured"},
    {.name = "name", .group = VL_GROUP_PROBE, .type = VL_KEY_NAME, FIELD(vlProbeDef, name), .kinds = ALL_PROBES,
     .example = "gauge",
     .about = "A name for its column of numbers and for settings: letters, digits, '-' and '_'; no two the same.",
     .absent = "its place, as in probes[0]"},
    {.name = "probe", .group = VL_GROUP_PROBE, .type = VL_KEY_WORD, .words = vl_probe_words, FIELD(vlProbeDef, kind),
     .kinds = ALL_PROBES, .required = ALL_PROBES, .example = "height",
     .about = "What it measures."},
    {.name = "body", .group = VL_GROUP_PROBE, .type = VL_KEY_BODY, FIELD(vlProbeDef, body), .kinds = NODE,
     .required = NODE, .example = "jelly",
     .about = "Name of the elastic body; without one its place, as in bodies[0]."},
    {.name = "position", .group = VL_GROUP_PROBE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlProbeDef, position), .kinds = ALL_PROBES, .required = ALL_PROBES, .flat = true, .example = "[0.5, 0, 0.5]",
     .about = "Where it is, in the box; height: the point from which it is measured upwards; flux: middle of the "
              "rectangle; node: a point of the body at rest. In a slab z is 0."},
    {.name = "axis", .group = VL_GROUP_PROBE, .type = VL_KEY_WORD, .words = axis_words, FIELD(vlProbeDef, axis),
     .kinds = FLUX, .required = FLUX, .example = "x",
     .about = "Axis along which the flux counts; the rectangle stands across it."},
    {.name = "size", .group = VL_GROUP_PROBE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlProbeDef, size), .kinds = FLUX, .required = FLUX, .example = "[0, 0.4, 1]",
     .about = "Edge lengths of the rectangle; the entry along axis does not count and may be 0. What lies outside of the "
              "box adds nothing."},

    {.name = "time", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_TIME},
    {.name = "end", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = POSITIVE,
     FIELD(vlScene, end_time), .value = "1", .example = "5 s",
     .about = "Time at which the run ends; it starts at 0."},
    {.name = "frames_per_second", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .dimension = VL_DIM_RATE,
     .range = ABOVE_UP_TO(0, 1e6), FIELD(vlScene, frames_per_second), .value = "30", .example = "60",
     .about = "Frames in a second of simulated time. Steps end at frames."},
    {.name = "cfl", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .range = ABOVE_UP_TO(0, 100), FIELD(vlScene, cfl),
     .value = "2", .example = "1",
     .about = "Cells the fastest liquid may cross in a step."},
    {.name = "dt_max", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = POSITIVE,
     FIELD(vlScene, dt_max), .unset = INFINITY, .example = "10 ms",
     .about = "Longest step.",
     .absent = "only cfl and the frames limit the step"},
    {.name = "dt_fixed", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = POSITIVE,
     FIELD(vlScene, dt_fixed), .example = "1/60 s",
     .about = "Steps of this length, whatever cfl says, or a little shorter: equal ones that end at frames. At most a frame.",
     .absent = "cfl decides"},

    {.name = "pressure", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_PRESSURE},
    {.name = "solver", .group = VL_GROUP_PRESSURE, .type = VL_KEY_WORD, .words = solver_words, FIELD(vlScene, solver),
     .value = "multigrid", .example = "mic",
     .about = "Conjugate gradients preconditioned by multigrid, by a (modified) incomplete Cholesky factor (mic, ic) or "
              "by the diagonal (jacobi); cholmod is a sparse direct solver for reference."},
    {.name = "tolerance", .group = VL_GROUP_PRESSURE, .type = VL_KEY_NUMBER, .range = BETWEEN(1e-14, 0.1),
     FIELD(vlScene, tolerance), .value = "1e-6", .example = "1e-10",
     .about = "Residual at which the solver stops, relative to the right-hand side, both in the 2-norm."},
    {.name = "max_iterations", .group = VL_GROUP_PRESSURE, .type = VL_KEY_INTEGER, .range = BETWEEN(1, 1000000),
     FIELD(vlScene, max_iterations), .value = "500", .example = "2000",
     .about = "Iterations after which the solver gives up."},
    {.name = "weights", .group = VL_GROUP_PRESSURE, .type = VL_KEY_WORD, .words = weights_words, FIELD(vlScene, weights),
     .value = "area", .example = "volume",
     .about = "How much of a face between two cells solids and bodies leave to the liquid: the open area of the face itself, "
              "the open volume of the cube around it, the open part of the line between the middles of the cells, or "
              "(voxel) all if both middles are open and nothing else, which makes every wall a staircase. Only area "
              "converges; the others are for comparison."},
    {.name = "separation", .group = VL_GROUP_PRESSURE, .type = VL_KEY_SWITCH, FIELD(vlScene, separation), .value = "no",
     .example = "yes",
     .about = "Liquid lets go of walls, ceilings and bodies: pressure there pushes and does not pull. Costs a few solves more "
              "a step."},
    {.name = "theta_min", .group = VL_GROUP_PRESSURE, .type = VL_KEY_NUMBER, .range = BETWEEN(1e-8, 0.5),
     FIELD(vlScene, theta_min), .value = "1e-4", .example = "1e-3",
     .about = "Smallest distance from a cell's center to the free surface that is used, in cells."},

    {.name = "solver", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_SOLVER},
    {.name = "coupling", .group = VL_GROUP_SOLVER, .type = VL_KEY_WORD, .words = coupling_words, FIELD(vlScene, coupling),
     .value = "schur", .example = "spd",
     .about = "Pressure with the bodies eliminated (schur, the fast way); pressure and velocities in a positive definite "
              "system (spd) or as they stand, by BiCGSTAB (indefinite) or MINRES (minres); for comparison: bodies under the "
              "last pressure, then the liquid between them (weak), or elastic forces explicit and only damping coupled "
              "(damping_only). The last two go wrong for light or stiff bodies."},
    {.name = "sigma", .group = VL_GROUP_SOLVER, .type = VL_KEY_NUMBER, .range = BETWEEN(0.01, 0.99), FIELD(vlScene, sigma),
     .value = "0.9", .example = "0.5",
     .about = "spd: share of the mass that is inverted to make the system positive definite."},
    {.name = "alpha", .group = VL_GROUP_SOLVER, .type = VL_KEY_NUMBER, .range = NOT_NEGATIVE, FIELD(vlScene, alpha),
     .value = "0.001", .example = "0",
     .about = "spd: factor on the velocities; 0: chosen in each step from the norms of the right-hand sides."},

    {.name = "output", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_OUTPUT},
    {.name = "fields", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, write_fields), .value = "yes",
     .example = "no",
     .about = "Write pressure, velocity and level set of each frame (VTI)."},
    {.name = "solids", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, write_solids), .value = "yes",
     .example = "no",
     .about = "Write the surface of the solids once."},
    {.name = "particles", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, write_particles), .value = "no",
     .example = "no",
     .about = "Write the liquid's particles of each frame."},
    {.name = "surface", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, write_surface), .value = "yes",
     .example = "no",
     .about = "Write the liquid's surface of each frame."},
    {.name = "bodies", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, write_bodies), .value = "yes",
     .example = "no",
     .about = "Write the elastic bodies of each frame."},
    {.name = "format", .group = VL_GROUP_OUTPUT, .type = VL_KEY_WORDS, .words = format_words, .range = BETWEEN(1, INFINITY),
     .switches = format_switches, .value = "vtk", .example = "[vtk, ply]",
     .about = "Format of particles and surfaces, one or a list: vtk (VTP, for ParaView) or ply."},
    {.name = "checkpoint", .group = VL_GROUP_OUTPUT, .type = VL_KEY_INTEGER, .range = BETWEEN(0, 1000000),
     FIELD(vlScene, checkpoint_every), .value = "0", .example = "30",
     .about = "Frames from one checkpoint to the next, from which a run can go on (run --resume); 0: only at its end or when it is stopped."},

    {.name = "render", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_RENDER},
    {.name = "camera", .group = VL_GROUP_RENDER, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlScene, look.camera), .given = offsetof(vlScene, look.has_camera), .example = "[2, 1, 3]",
     .about = "Where the camera is.",
     .absent = "it stands back until all that moves is in the picture, a little above it"},
    {.name = "target", .group = VL_GROUP_RENDER, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = ANY,
     FIELD(vlScene, look.target), .given = offsetof(vlScene, look.has_target), .example = "[0.5, 0.3, 0.5]",
     .about = "The point in the middle of the picture.",
     .absent = "the middle of all that is seen"},
    {.name = "fov", .group = VL_GROUP_RENDER, .type = VL_KEY_NUMBER, .range = BETWEEN(1, 160), FIELD(vlScene, look.fov),
     .value = "28", .example = "40",
     .about = "Angle of view from the picture's lower to its upper edge, in degrees."},
    {.name = "sun", .group = VL_GROUP_RENDER, .type = VL_KEY_VECTOR, .range = ANY, FIELD(vlScene, look.sun),
     .value = "[-0.6, 1, -0.45]", .example = "[1, 2, 0]",
     .about = "Direction towards the sun, of any length but zero."},
    {.name = "sky", .group = VL_GROUP_RENDER, .type = VL_KEY_WORD, .words = sky_words, FIELD(vlScene, look.sky),
     .value = "studio", .example = "day",
     .about = "The light all around: a bright studio, a blue day or a low warm sun."},
    {.name = "exposure", .group = VL_GROUP_RENDER, .type = VL_KEY_NUMBER, .range = BETWEEN(-10, 10),
     FIELD(vlScene, look.exposure), .value = "0", .example = "0.5",
     .about = "Brightness of the picture in stops: 1 doubles the light."},
    {.name = "water_color", .group = VL_GROUP_RENDER, .type = VL_KEY_VECTOR, .range = BETWEEN(0.001, 1),
     FIELD(vlScene, look.water_color), .value = "[0.2, 0.63, 0.79]", .example = "[0.3, 0.7, 0.4]",
     .about = "Color of white light that went through water_depth of the liquid: red, green and blue."},
    {.name = "water_depth", .group = VL_GROUP_RENDER, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlScene, look.water_depth), .example = "30 cm",
     .about = "Way through the liquid that gives light its water_color; longer makes it clearer.",
     .absent = "0.8 of the box's longest side; a slab's thickness"},
    {.name = "ground", .group = VL_GROUP_RENDER, .type = VL_KEY_SWITCH, FIELD(vlScene, look.ground), .value = "yes",
     .example = "no",
     .about = "A floor under the box that takes its shadow."},
    {.name = "walls", .group = VL_GROUP_RENDER, .type = VL_KEY_SWITCH, FIELD(vlScene, look.walls), .value = "yes",
     .example = "no",
     .about = "The sides of the box as faint glass, in scenes without containers."},
    {.name = "coloring", .group = VL_GROUP_RENDER, .type = VL_KEY_WORD, .words = coloring_words,
     FIELD(vlScene, look.coloring), .value = "natural", .example = "speed",
     .about = "Liquid and solids as they are, the liquid by its speed, or solids by their stress where frames have it."},

    {.name = "checks", .group = VL_GROUP_SCENE, .type = VL_KEY_INTEGER, .range = BETWEEN(0, 3), FIELD(vlScene, check_level),
     .value = "1", .example = "3",
     .about = "How many invariants are checked in each step: 0 none, 3 all, slowly."},
};
// clang-format on

const int vl_key_count = sizeof vl_keys / sizeof vl_keys[0];
