/* The table of scene keys. A new key is a row here and a field of vlScene or of what its lists hold; nothing else parses,
 * documents or checks it. Rows of
 * `render` are in keys_render.h, of bodies in keys_bodies.h, of what comes in and goes out in keys_inflow.h, for the length
 * of this file. */
#include "scene/keys.h"

#include <math.h>
#include <stddef.h>

#include "base/words.h"
#include "scene/keys_sets.h"

static const size_t format_switches[] = {offsetof(vlScene, output.vtk), offsetof(vlScene, output.ply)};

// clang-format off
const vlKey vl_keys[] = {
    {.name = "about", .group = VL_GROUP_SCENE, .type = VL_KEY_TEXT, FIELD(vlScene, about), .starter = true,
     .example = "A pool with a ball in it.",
     .about = "What the scene shows, in a sentence or two.",
     .absent = "no description"},

    {.name = "engine", .group = VL_GROUP_SCENE, .type = VL_KEY_WORD, .words = vl_engine_words, FIELD(vlScene, engine),
     .value = "sharp", .example = "immersed",
     .about = "What computes the scene. sharp: liquid with a sharp surface and bodies that keep theirs, in one pressure solve; "
              "immersed: liquid and reduced elastic bodies as one medium on the grid, at an even and low cost a step of 1/60 s."},

    {.name = "grid", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_GRID},
    {.name = "origin", .group = VL_GROUP_GRID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = PLACES,
     FIELD(vlScene, grid.origin), .value = "[0, 0, 0]", .flat = VL_FLAT_MUST, .example = "[-50 cm, 0, -50 cm]",
     .about = "Lower corner of the box. In a slab it has two entries, and z = 0 is the slab's middle plane."},
    {.name = "size", .group = VL_GROUP_GRID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = BETWEEN(1e-9, 1e9),
     FIELD(vlScene, grid.size), .value = "[1, 1, 1]", .flat = VL_FLAT_MUST, .example = "[2, 1, 1]",
     .about = "Edge lengths of the box, rounded to whole cells. In a slab it has two entries."},
    {.name = "cells", .group = VL_GROUP_GRID, .type = VL_KEY_INTEGER, .range = BETWEEN(1, 4096), FIELD(vlScene, grid.cells),
     .value = "64", .excludes = "dx", .example = "128",
     .about = "Cells along the longest side of the box. Cells are cubes. Give either cells or dx."},
    {.name = "dx", .group = VL_GROUP_GRID, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = BETWEEN(1e-12, 1e9),
     FIELD(vlScene, grid.dx), .excludes = "cells", .example = "1 cm",
     .about = "Edge length of a cell. Give either cells or dx.",
     .absent = "cells decides"},
    {.name = "slab", .group = VL_GROUP_GRID, .type = VL_KEY_SWITCH, FIELD(vlScene, grid.slab), .value = "no", .example = "yes",
     .about = "A two-dimensional scene: one cell thick along z. Places, sizes and velocities may then have two entries."},

    {.name = "gravity", .group = VL_GROUP_SCENE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_ACCELERATION, .range = BETWEEN(-1e6, 1e6),
     FIELD(vlScene, gravity), .value = "[0, -9.81, 0]", .flat = VL_FLAT_ZERO, .example = "[0, -1.62, 0]",
     .about = "Acceleration by gravity."},

    {.name = "liquid", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_LIQUID},
    {.name = "density", .group = VL_GROUP_LIQUID, .type = VL_KEY_NUMBER, .dimension = VL_DIM_DENSITY, .range = BETWEEN(1e-3, 1e12),
     FIELD(vlScene, liquid.density), .value = "1000", .example = "1 g/cm^3",
     .about = "Density of the liquid."},
    {.name = "level", .group = VL_GROUP_LIQUID, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = PLACES,
     FIELD(vlScene, liquid.level), .given = offsetof(vlScene, liquid.has_level), .example = "40 cm", .starter = true,
     .about = "Height y up to which everything that is not solid is liquid.",
     .absent = "only the shapes are liquid"},
    {.name = "shapes", .group = VL_GROUP_LIQUID, .type = VL_KEY_LIST, .section = VL_GROUP_SHAPE, .range = NOT_NEGATIVE,
     LIST(vlScene, liquid.shapes, liquid.shape_count),
     .example = "[{shape: box, center: [0.2, 0.3, 0.5], size: [0.4, 0.6, 1]}]",
     .about = "Further regions of liquid; what lies in solids is left out.",
     .absent = "only the level counts"},
    {.name = "velocity", .group = VL_GROUP_LIQUID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_SPEED, .range = SPEEDS,
     FIELD(vlScene, liquid.velocity), .value = "[0, 0, 0]", .flat = VL_FLAT_ZERO, .example = "[1, 0, 0]",
     .about = "Velocity of all liquid at the start."},
    {.name = "swirl_speed", .group = VL_GROUP_LIQUID, .type = VL_KEY_NUMBER, .dimension = VL_DIM_SPEED, .range = SPEEDS,
     FIELD(vlScene, liquid.swirl_speed), .value = "0", .example = "1",
     .about = "Besides its velocity the liquid starts with a vortex that fills a rectangle and stands still on its edges, "
              "with the stream function sin^2 sin^2; this is its largest speed. Seen with its z axis towards you it turns counter-clockwise."},
    {.name = "swirl_center", .group = VL_GROUP_LIQUID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = PLACES,
     FIELD(vlScene, liquid.swirl_center), .value = "[0, 0, 0]", .flat = VL_FLAT_MAY, .example = "[0.5, 0.5, 0]",
     .about = "Middle of the vortex."},
    {.name = "swirl_size", .group = VL_GROUP_LIQUID, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlScene, liquid.swirl_size), .value = "[1, 1, 1]", .flat = VL_FLAT_MAY, .example = "[0.6, 0.6, 1]",
     .about = "Edges of the vortex's rectangle along its own x and y; along its z it has no end."},
    {.name = "swirl_rotate", .group = VL_GROUP_LIQUID, .type = VL_KEY_ROTATION, .dimension = VL_DIM_ANGLE,
     FIELD(vlScene, liquid.swirl_rotation), .value = "z 0", .example = "\"z 22.5\"",
     .about = "Turns the vortex about its middle: axis and degrees, from left to right, about the fixed axes x, y, z."},
    {.name = "transfer", .group = VL_GROUP_LIQUID, .type = VL_KEY_WORD, .words = vl_transfer_words,
     FIELD(vlScene, liquid.transfer), .value = "flip", .example = "apic",
     .about = "How motion is carried: by particles that keep their velocity (flip), that also keep how it varies around "
              "them (apic) or that take it from the grid (pic, very smooth); traced back on the grid (semi-lagrangian); or "
              "not at all, the surface stays as drawn (still)."},
    {.name = "flip", .group = VL_GROUP_LIQUID, .type = VL_KEY_NUMBER, .range = BETWEEN(0, 1), FIELD(vlScene, liquid.flip),
     .value = "0.97", .example = "0.9",
     .about = "Share of flip in a transfer by flip; the rest is pic. 1 is the liveliest, and noisy."},
    {.name = "integrator", .group = VL_GROUP_LIQUID, .type = VL_KEY_WORD, .words = vl_integrator_words,
     FIELD(vlScene, liquid.integrator), .value = "rk2", .example = "rk3",
     .about = "Runge-Kutta method by which particles move, of order two or three."},
    {.name = "particles", .group = VL_GROUP_LIQUID, .type = VL_KEY_INTEGER, .range = BETWEEN(1, 4),
     FIELD(vlScene, liquid.particles), .value = "2", .example = "3",
     .about = "Particles per cell along each axis: 2 makes 8 in a cell, 4 in a slab."},
    {.name = "keep_volume", .group = VL_GROUP_LIQUID, .type = VL_KEY_SWITCH, FIELD(vlScene, liquid.keep_volume),
     .value = "yes", .example = "no",
     .about = "Correct the slow drift of the volume."},
    {.name = "surface", .group = VL_GROUP_LIQUID, .type = VL_KEY_WORD, .words = vl_liquid_surface_words,
     FIELD(vlScene, liquid.surface), .value = "cells", .example = "subgrid",
     .about = "What the pressure knows of the liquid's surface: where it passes between the middles of cells (cells), or every "
              "piece of liquid within a cell (subgrid): drops, sheets and gaps finer than the grid, at up to twice the cost."},
    {.name = "refine", .group = VL_GROUP_LIQUID, .type = VL_KEY_INTEGER, .range = BETWEEN(2, 8),
     FIELD(vlScene, liquid.refine), .value = "4", .example = "8",
     .about = "With surface: subgrid how many times finer than the grid the surface is: 2, 4 or 8."},
    {.name = "air", .group = VL_GROUP_LIQUID, .type = VL_KEY_WORD, .words = vl_liquid_air_words,
     FIELD(vlScene, liquid.air), .value = "free", .example = "trapped",
     .about = "With surface: subgrid what air does: nothing (free), or without a way to the top of the box or to an outlet it keeps "
              "its volume (trapped): bubbles rise, a bell pushed under water stays dry inside."},
#include "scene/keys_inflow.h"

    {.name = "solids", .group = VL_GROUP_SCENE, .type = VL_KEY_LIST, .range = NOT_NEGATIVE,
     LIST(vlScene, solids, solid_count), .section = VL_GROUP_SOLID,
     .example = "[{shape: sphere, center: [0.5, 0.3, 0.5], radius: 20 cm}]",
     .about = "Solids that stay where they are, a list of shapes. They may overlap.",
     .absent = "no solids"},
    {.name = "name", .group = VL_GROUP_SOLID, .type = VL_KEY_NAME, FIELD(vlSolidDef, name), .example = "rock", .starter = true,
     .about = "A name for messages and settings (solids.rock.scale=2): letters, digits, '-' and '_'; no two the same.",
     .absent = "its place, as in solids[0]"},
    {.name = "solid", .group = VL_GROUP_SOLID, .type = VL_KEY_WORD, .words = vl_side_words, FIELD(vlSolidDef, container),
     .value = "inside", .example = "outside",
     .about = "Which side of the surface is solid. With outside the shape is a container: liquid may be in it, and what "
              "is in no container of the scene is solid."},
    {.name = "color", .group = VL_GROUP_SOLID, .type = VL_KEY_VECTOR, .range = BETWEEN(0, 1), FIELD(vlSolidDef, color),
     .given = offsetof(vlSolidDef, has_color), .example = "[0.9, 0.4, 0.2]", .starter = true,
     .about = "Its color in pictures: red, green and blue.",
     .absent = "each solid gets one"},
    {.name = "separation", .group = VL_GROUP_SOLID, .type = VL_KEY_SWITCH, FIELD(vlSolidDef, separation),
     .given = offsetof(vlSolidDef, has_separation), .example = "no",
     .about = "Whether liquid lets go of it (pressure.separation). Where liquid touches several things, it parts if it may "
              "part from one of them.",
     .absent = "as pressure.separation has it"},
    {.name = "material", .group = VL_GROUP_SOLID, .type = VL_KEY_WORD, .words = vl_material_words,
     FIELD(vlSolidDef, material), .value = "auto", .example = "rubber",
     .about = "What it is made of in pictures; glass is faint, so that the liquid behind it is seen. auto: glass for "
              "containers, else satin, between glossy and rubber."},

    {.name = "shape", .group = VL_GROUP_SHAPE, .type = VL_KEY_WORD, .words = vl_shape_words, FIELD(vlShape, kind),
     .kinds = ALL_SHAPES, .required = ALL_SHAPES, .example = "sphere",
     .about = "What shape it is."},
    {.name = "center", .group = VL_GROUP_SHAPE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = PLACES,
     FIELD(vlShape, center), .kinds = ALL_SHAPES, .value = "[0, 0, 0]", .flat = VL_FLAT_MAY, .example = "[0.5, 30 cm, 0.5]",
     .about = "Where its middle is; halfspace: a point of the plane; mesh: where its origin goes; union, "
              "intersection, difference: origin of the parts' coordinates."},
    {.name = "rotate", .group = VL_GROUP_SHAPE, .type = VL_KEY_ROTATION, .dimension = VL_DIM_ANGLE, FIELD(vlShape, rotation),
     .kinds = ALL_SHAPES, .value = "", .example = "\"z 17, x 31\"",
     .about = "Turns about its own center: axis and degrees, from left to right, about the fixed axes x, y, z."},
    {.name = "size", .group = VL_GROUP_SHAPE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlShape, size), .kinds = K(BOX), .required = K(BOX), .flat = VL_FLAT_MAY, .example = "[0.6, 0.2, 0.6]",
     .about = "Edge lengths. In a slab two entries are enough: it is thicker than the slab."},
    {.name = "radius", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlShape, radius), .kinds = ROUND_ONES, .required = ROUND_ONES, .zero = K(CONE), .example = "20 cm",
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
     .kinds = K(HALFSPACE), .value = "[0, 1, 0]", .flat = VL_FLAT_MAY, .example = "[1, 1, 0]",
     .about = "Direction out of the half-space, of any length but zero."},
    {.name = "file", .group = VL_GROUP_SHAPE, .type = VL_KEY_FILE, FIELD(vlShape, file), .kinds = K(MESH),
     .required = K(MESH), .example = "rock.obj",
     .about = "Mesh file, relative to the scene file's folder; in a setting, to the current one. Where there is none, a mesh "
              "that is built in, as in meshes/funnel.obj."},
    {.name = "scale", .group = VL_GROUP_SHAPE, .type = VL_KEY_VECTOR, .single = true, .range = POSITIVE, .flat = VL_FLAT_MAY,
     FIELD(vlShape, scale), .kinds = K(MESH), .value = "1", .example = "0.001",
     .about = "Factor on the file's coordinates, which are then metres; three for three axes."},
    {.name = "fit", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = POSITIVE,
     FIELD(vlShape, fit), .kinds = K(MESH), .example = "30 cm", .absent = "as long as scale makes it",
     .about = "Length of its longest side; of scale only the proportions count then."},
    {.name = "origin", .group = VL_GROUP_SHAPE, .type = VL_KEY_WORD, .words = vl_origin_words, FIELD(vlShape, origin),
     .kinds = K(MESH), .value = "file", .example = "middle",
     .about = "What goes to center: the origin of the file's coordinates, or the middle of the mesh's extents."},
    {.name = "repair", .group = VL_GROUP_SHAPE, .type = VL_KEY_SWITCH, FIELD(vlShape, repair), .kinds = K(MESH),
     .value = "no", .example = "yes",
     .about = "Close holes and bad edges by the winding number instead of refusing the mesh."},
    {.name = "round", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlShape, round), .kinds = K(BOX) | K(CYLINDER) | K(CONE), .value = "0", .example = "1 cm",
     .about = "Radius that rounds its edges; its faces stay where they are."},
    {.name = "blend", .group = VL_GROUP_SHAPE, .type = VL_KEY_NUMBER, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlShape, blend), .kinds = COMBINATIONS, .value = "0", .example = "2 cm",
     .about = "Radius over which the parts melt into each other."},
    {.name = "parts", .group = VL_GROUP_SHAPE, .type = VL_KEY_LIST, .section = VL_GROUP_SHAPE, .range = BETWEEN(1, INFINITY),
     LIST(vlShape, parts, part_count), .kinds = COMBINATIONS, .required = COMBINATIONS,
     .example = "[{shape: sphere, radius: 10 cm}, {shape: box, size: [0.1, 0.3, 0.1]}]",
     .about = "A list of shapes."},

#include "scene/keys_bodies.h"

    {.name = "probes", .group = VL_GROUP_SCENE, .type = VL_KEY_LIST, .range = NOT_NEGATIVE,
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
     .about = "Name of the body; without one its place, as in bodies[0]."},
    {.name = "position", .group = VL_GROUP_PROBE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = PLACES,
     FIELD(vlProbeDef, position), .kinds = ALL_PROBES, .required = ALL_PROBES, .flat = VL_FLAT_MAY, .example = "[0.5, 0, 0.5]",
     .about = "Where it is, in the box; height, depth: the point from which it is measured upwards; flux: middle of the "
              "rectangle; node: a point of the body at rest. In a slab z is 0."},
    {.name = "axis", .group = VL_GROUP_PROBE, .type = VL_KEY_WORD, .words = vl_axis_words, FIELD(vlProbeDef, axis),
     .kinds = FLUX, .required = FLUX, .example = "x",
     .about = "Axis along which the flux counts; the rectangle stands across it."},
    {.name = "size", .group = VL_GROUP_PROBE, .type = VL_KEY_VECTOR, .dimension = VL_DIM_LENGTH, .range = NOT_NEGATIVE,
     FIELD(vlProbeDef, size), .kinds = FLUX, .required = FLUX, .flat = VL_FLAT_MAY, .example = "[0, 0.4, 1]",
     .about = "Edge lengths of the rectangle; the entry along axis does not count and may be 0. What lies outside of the "
              "box adds nothing."},

    {.name = "time", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_TIME},
    {.name = "end", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = POSITIVE,
     FIELD(vlScene, time.end), .value = "1", .example = "5 s",
     .about = "Time at which the run ends; it starts at 0."},
    {.name = "frames_per_second", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .dimension = VL_DIM_RATE,
     .range = ABOVE_UP_TO(0, 1e6), FIELD(vlScene, time.frames_per_second), .value = "30", .example = "60",
     .about = "Frames in a second of simulated time. Steps end at frames."},
    {.name = "cfl", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .range = ABOVE_UP_TO(0, 100), FIELD(vlScene, time.cfl),
     .value = "2", .example = "1",
     .about = "Cells the fastest liquid may cross in a step."},
    {.name = "dt_max", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = POSITIVE,
     FIELD(vlScene, time.dt_max), .unset = INFINITY, .example = "10 ms",
     .about = "Longest step.",
     .absent = "only cfl and the frames limit the step"},
    {.name = "dt_fixed", .group = VL_GROUP_TIME, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = POSITIVE,
     FIELD(vlScene, time.dt_fixed), .example = "1/60 s",
     .about = "Steps of this length, whatever cfl says, or a little shorter: equal ones that end at frames. At most a frame.",
     .absent = "cfl decides"},

    {.name = "scheme", .group = VL_GROUP_TIME, .type = VL_KEY_WORD, .words = vl_time_scheme_words,
     FIELD(vlScene, time.scheme), .value = "euler", .example = "leapfrog",
     .about = "How liquid and bodies step together: euler, whose elastic bodies lose their swing as their integrator has it, "
              "more so with water on them, or leapfrog, of second order, which keeps it, as it does the "
              "speed of vortices."},

    {.name = "pressure", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_PRESSURE},
    {.name = "solver", .group = VL_GROUP_PRESSURE, .type = VL_KEY_WORD, .words = vl_solver_words, FIELD(vlScene, pressure.solver),
     .value = "multigrid", .example = "mic",
     .about = "Conjugate gradients preconditioned by multigrid, by a (modified) incomplete Cholesky factor (mic, ic) or "
              "by the diagonal (jacobi); cholmod is a sparse direct solver for reference; sweeps, in engine immersed alone, is "
              "Jacobi's own iteration, as games and its paper have it, for comparison."},
    {.name = "tolerance", .group = VL_GROUP_PRESSURE, .type = VL_KEY_NUMBER, .range = BETWEEN(1e-14, 0.1),
     FIELD(vlScene, pressure.tolerance), .value = "1e-6", .example = "1e-10",
     .about = "Residual at which the solver stops, relative to the right-hand side, both in the 2-norm."},
    {.name = "max_iterations", .group = VL_GROUP_PRESSURE, .type = VL_KEY_INTEGER, .range = BETWEEN(1, 1000000),
     FIELD(vlScene, pressure.max_iterations), .value = "500", .example = "2000",
     .about = "Iterations after which the solver gives up. In engine immersed those that a step makes at most, after which it "
              "goes on with what it has: 4, or 200 sweeps, unless given."},
    {.name = "guess", .group = VL_GROUP_PRESSURE, .type = VL_KEY_WORD, .words = vl_guess_words, FIELD(vlScene, pressure.guess),
     .value = "last", .example = "zero",
     .about = "What the solver begins with: the last pressure, or nothing (zero), in engine immersed alone: where iterations are "
              "few, pressure of deep liquid is missing then. For comparison."},
    {.name = "density", .group = VL_GROUP_PRESSURE, .type = VL_KEY_WORD, .words = vl_density_words,
     FIELD(vlScene, pressure.density), .value = "faces", .example = "cells",
     .about = "Where the density of bodies in the medium enters: at every face, in the matrix, or (cells), in engine immersed alone, "
              "in the right side, times the density of the cell, which leaves divergence where densities differ. For comparison "
              "with the program of its paper."},
    {.name = "weights", .group = VL_GROUP_PRESSURE, .type = VL_KEY_WORD, .words = vl_weights_words, FIELD(vlScene, pressure.weights),
     .value = "area", .example = "volume",
     .about = "How much of a face between two cells solids and bodies leave to the liquid: the open area of the face itself, "
              "the open volume of the cube around it, the open part of the line between the middles of the cells, or "
              "(voxel) all if both middles are open and nothing else, which makes every wall a staircase. Only area "
              "converges; the others are for comparison."},
    {.name = "separation", .group = VL_GROUP_PRESSURE, .type = VL_KEY_WORD, .words = vl_separation_words,
     FIELD(vlScene, pressure.separation), .value = "yes", .example = "no",
     .about = "Liquid lets go of walls, ceilings and bodies: pressure there pushes and does not pull. Costs a few solves more "
              "a step: policy iteration, and bound-constrained conjugate gradients (MPRGP) should its sets return. policy and "
              "mprgp name one of the two alone, for comparison. Solids and bodies may have a word of their own."},
    {.name = "theta_min", .group = VL_GROUP_PRESSURE, .type = VL_KEY_NUMBER, .range = BETWEEN(1e-8, 0.5),
     FIELD(vlScene, pressure.theta_min), .value = "1e-4", .example = "1e-3",
     .about = "Smallest distance from a cell's center to the free surface that is used, in cells."},

    {.name = "solver", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_SOLVER},
    {.name = "coupling", .group = VL_GROUP_SOLVER, .type = VL_KEY_WORD, .words = vl_coupling_words, FIELD(vlScene, coupling.kind),
     .value = "schur", .example = "spd",
     .about = "Pressure with the bodies eliminated (schur, the fast way); pressure and velocities in a positive definite "
              "system (spd) or as they stand, by BiCGSTAB (indefinite) or MINRES (minres); for comparison: bodies under the "
              "last pressure, then the liquid between them (weak), or elastic forces explicit and only damping coupled "
              "(damping_only). The last two go wrong for light or stiff bodies."},
    {.name = "sigma", .group = VL_GROUP_SOLVER, .type = VL_KEY_NUMBER, .range = BETWEEN(0.01, 0.99), FIELD(vlScene, coupling.sigma),
     .value = "0.9", .example = "0.5",
     .about = "spd: share of the mass that is inverted to make the system positive definite."},
    {.name = "alpha", .group = VL_GROUP_SOLVER, .type = VL_KEY_NUMBER, .range = NOT_NEGATIVE, FIELD(vlScene, coupling.alpha),
     .value = "0.001", .example = "0",
     .about = "spd: factor on the velocities; 0: chosen in each step from the norms of the right-hand sides."},
    {.name = "skins", .group = VL_GROUP_SOLVER, .type = VL_KEY_SWITCH, FIELD(vlScene, coupling.skins), .value = "yes",
     .example = "no",
     .about = "engine: immersed: skins of bodies stop particles of liquid, besides the pressure; no is for comparison: fast liquid "
              "goes through thin walls in long steps."},

    {.name = "output", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_OUTPUT},
    {.name = "fields", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, output.fields), .value = "yes",
     .example = "no",
     .about = "Write pressure, velocity and level set of each frame (VTI)."},
    {.name = "solids", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, output.solids), .value = "yes",
     .example = "no",
     .about = "Write the surface of the solids once."},
    {.name = "particles", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, output.particles), .value = "no",
     .example = "no",
     .about = "Write the liquid's particles of each frame."},
    {.name = "surface", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, output.surface), .value = "yes",
     .example = "no",
     .about = "Write the liquid's surface of each frame."},
    {.name = "bodies", .group = VL_GROUP_OUTPUT, .type = VL_KEY_SWITCH, FIELD(vlScene, output.bodies), .value = "yes",
     .example = "no",
     .about = "Write the bodies of each frame."},
    {.name = "format", .group = VL_GROUP_OUTPUT, .type = VL_KEY_WORDS, .words = vl_format_words, .range = BETWEEN(1, INFINITY),
     .switches = format_switches, .value = "vtk", .example = "[vtk, ply]",
     .about = "Format of particles and surfaces, one or a list: vtk (VTP, for ParaView) or ply."},
    {.name = "checkpoint", .group = VL_GROUP_OUTPUT, .type = VL_KEY_INTEGER, .range = BETWEEN(0, 1000000),
     FIELD(vlScene, output.checkpoint_every), .value = "0", .example = "30",
     .about = "Frames from one checkpoint to the next, from which a run can go on (run --resume); 0: by time alone, and at its end."},
    {.name = "checkpoint_time", .group = VL_GROUP_OUTPUT, .type = VL_KEY_NUMBER, .dimension = VL_DIM_TIME, .range = NOT_NEGATIVE,
     FIELD(vlScene, output.checkpoint_seconds), .value = "300", .example = "30 min",
     .about = "Time on the wall's clock after which a checkpoint is made, whatever the frames; 0: never for that reason."},

    {.name = "render", .group = VL_GROUP_SCENE, .type = VL_KEY_SECTION, .section = VL_GROUP_RENDER},
#include "scene/keys_render.h"

    {.name = "checks", .group = VL_GROUP_SCENE, .type = VL_KEY_INTEGER, .range = BETWEEN(0, 3), FIELD(vlScene, check_level),
     .value = "1", .example = "3",
     .about = "How many invariants are checked in each step: 0 none, 3 all, slowly."},
};
// clang-format on

const int vl_key_count = sizeof vl_keys / sizeof vl_keys[0];
