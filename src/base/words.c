/* The words of the scene's enums, and how a word and its value find each other. */
#include "base/words.h"

#include <string.h>

#include "velella/scene.h"

const char *const vl_engine_words[] = {
    [VL_ENGINE_SHARP] = "sharp", [VL_ENGINE_IMMERSED] = "immersed", [VL_ENGINE_KIND_COUNT] = NULL};
const char *const vl_shape_words[] = {
    [VL_SHAPE_BOX] = "box",
    [VL_SHAPE_SPHERE] = "sphere",
    [VL_SHAPE_CAPSULE] = "capsule",
    [VL_SHAPE_CYLINDER] = "cylinder",
    [VL_SHAPE_CONE] = "cone",
    [VL_SHAPE_TORUS] = "torus",
    [VL_SHAPE_HALFSPACE] = "halfspace",
    [VL_SHAPE_MESH] = "mesh",
    [VL_SHAPE_UNION] = "union",
    [VL_SHAPE_INTERSECTION] = "intersection",
    [VL_SHAPE_DIFFERENCE] = "difference",
    [VL_SHAPE_KIND_COUNT] = NULL,
};

const char *const vl_body_shape_words[] = {
    [VL_BODY_BOX] = "box",
    [VL_BODY_MESH] = "mesh",
    [VL_BODY_SPHERE] = "sphere",
    [VL_BODY_CAPSULE] = "capsule",
    [VL_BODY_CYLINDER] = "cylinder",
    [VL_BODY_CONE] = "cone",
    [VL_BODY_TORUS] = "torus",
    [VL_BODY_UNION] = "union",
    [VL_BODY_INTERSECTION] = "intersection",
    [VL_BODY_DIFFERENCE] = "difference",
    [VL_BODY_SHAPE_COUNT] = NULL,
};

const char *const vl_motion_words[] = {
    [VL_MOTION_SLIDE] = "slide", [VL_MOTION_SWAY] = "sway", [VL_MOTION_SPIN] = "spin",
    [VL_MOTION_SWING] = "swing", [VL_MOTION_KEYS] = "keys", [VL_MOTION_KIND_COUNT] = NULL,
};

const char *const vl_probe_words[] = {
    [VL_PROBE_HEIGHT] = "height", [VL_PROBE_PRESSURE] = "pressure", [VL_PROBE_VELOCITY] = "velocity",
    [VL_PROBE_NODE] = "node",     [VL_PROBE_FLUX] = "flux",         [VL_PROBE_DEPTH] = "depth",
    [VL_PROBE_KIND_COUNT] = NULL,
};

const char *const vl_transfer_words[] = {
    [VL_TRANSFER_FLIP] = "flip",   [VL_TRANSFER_APIC] = "apic",
    [VL_TRANSFER_PIC] = "pic",     [VL_TRANSFER_SEMI_LAGRANGIAN] = "semi-lagrangian",
    [VL_TRANSFER_STILL] = "still", [VL_TRANSFER_KIND_COUNT] = NULL,
};

const char *const vl_liquid_surface_words[] = {
    [VL_LIQUID_SURFACE_CELLS] = "cells", [VL_LIQUID_SURFACE_SUBGRID] = "subgrid", [VL_LIQUID_SURFACE_KIND_COUNT] = NULL};

const char *const vl_liquid_air_words[] = {
    [VL_LIQUID_AIR_FREE] = "free", [VL_LIQUID_AIR_TRAPPED] = "trapped", [VL_LIQUID_AIR_KIND_COUNT] = NULL};

const char *const vl_integrator_words[] = {
    [VL_INTEGRATOR_RK2] = "rk2",
    [VL_INTEGRATOR_RK3] = "rk3",
    [VL_INTEGRATOR_KIND_COUNT] = NULL,
};

const char *const vl_time_scheme_words[] = {
    [VL_TIME_EULER] = "euler",
    [VL_TIME_LEAPFROG] = "leapfrog",
    [VL_TIME_SCHEME_KIND_COUNT] = NULL,
};

const char *const vl_axis_words[] = {"x", "y", "z", NULL};

const char *const vl_format_words[] = {"vtk", "ply", NULL};

const char *const vl_solver_words[] = {
    [VL_SOLVER_MULTIGRID] = "multigrid", [VL_SOLVER_MIC] = "mic",         [VL_SOLVER_IC] = "ic",
    [VL_SOLVER_JACOBI] = "jacobi",       [VL_SOLVER_CHOLMOD] = "cholmod", [VL_SOLVER_SWEEPS] = "sweeps",
    [VL_SOLVER_KIND_COUNT] = NULL,
};

const char *const vl_guess_words[] = {[VL_GUESS_LAST] = "last", [VL_GUESS_ZERO] = "zero", [VL_GUESS_KIND_COUNT] = NULL};

const char *const vl_density_words[] = {
    [VL_DENSITY_FACES] = "faces", [VL_DENSITY_CELLS] = "cells", [VL_DENSITY_KIND_COUNT] = NULL};

const char *const vl_coupling_words[] = {
    [VL_COUPLING_SCHUR] = "schur",   [VL_COUPLING_SPD] = "spd",   [VL_COUPLING_INDEFINITE] = "indefinite",
    [VL_COUPLING_MINRES] = "minres", [VL_COUPLING_WEAK] = "weak", [VL_COUPLING_DAMPING_ONLY] = "damping_only",
    [VL_COUPLING_KIND_COUNT] = NULL,
};

const char *const vl_weights_words[] = {
    [VL_WEIGHTS_AREA] = "area",   [VL_WEIGHTS_VOLUME] = "volume", [VL_WEIGHTS_LINE] = "line",
    [VL_WEIGHTS_VOXEL] = "voxel", [VL_WEIGHTS_KIND_COUNT] = NULL,
};

const char *const vl_separation_words[] = {
    [VL_SEPARATION_NO] = "no",       [VL_SEPARATION_YES] = "yes",       [VL_SEPARATION_POLICY] = "policy",
    [VL_SEPARATION_MPRGP] = "mprgp", [VL_SEPARATION_KIND_COUNT] = NULL,
};

const char *const vl_body_mass_words[] = {
    [VL_RIGID_MASS_EXACT] = "exact",
    [VL_RIGID_MASS_SLICE] = "slice",
    [VL_RIGID_MASS_KIND_COUNT] = NULL,
};

const char *const vl_element_words[] = {
    [VL_ELEMENT_LINEAR] = "linear",
    [VL_ELEMENT_QUADRATIC] = "quadratic",
    [VL_ELEMENT_KIND_COUNT] = NULL,
};

const char *const vl_scheme_words[] = {
    [VL_SCHEME_BACKWARD_EULER] = "backward_euler",
    [VL_SCHEME_BDF2] = "bdf2",
    [VL_SCHEME_KIND_COUNT] = NULL,
};

const char *const vl_model_words[] = {
    [VL_MODEL_COROTATIONAL] = "corotational",
    [VL_MODEL_NEO_HOOKEAN] = "neo_hookean",
    [VL_MODEL_KIND_COUNT] = NULL,
};

const char *const vl_material_words[] = {
    [VL_MATERIAL_AUTO] = "auto",     [VL_MATERIAL_MATTE] = "matte", [VL_MATERIAL_GLOSSY] = "glossy",
    [VL_MATERIAL_RUBBER] = "rubber", [VL_MATERIAL_GLASS] = "glass", [VL_MATERIAL_KIND_COUNT] = NULL,
};

const char *const vl_sky_words[] = {
    [VL_SKY_STUDIO] = "studio",
    [VL_SKY_DAY] = "day",
    [VL_SKY_EVENING] = "evening",
    [VL_SKY_KIND_COUNT] = NULL,
};

const char *const vl_coloring_words[] = {
    [VL_COLORING_NATURAL] = "natural",
    [VL_COLORING_SPEED] = "speed",
    [VL_COLORING_STRESS] = "stress",
    [VL_COLORING_KIND_COUNT] = NULL,
};

const char *const vl_box_side_words[] = {"x-", "x+", "y-", "y+", "z-", "z+", NULL};
const char *const vl_origin_words[] = {"file", "middle", NULL};
const char *const vl_side_words[] = {"inside", "outside", NULL};

const char *vl_word(const char *const *words, int value)
{
  for (int i = 0; words[i]; i++)
    if (i == value) return words[i];
  return "unknown";
}

int vl_word_find(const char *const *words, const char *word)
{
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], word) == 0) return i;
  return -1;
}
