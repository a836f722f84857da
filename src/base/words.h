/* What scene files, run.json, messages and options call the values of the scene's enums: each list stands here and nowhere
 * else, in the order of its enum and ended by NULL. */
#ifndef VL_BASE_WORDS_H
#define VL_BASE_WORDS_H

extern const char *const vl_engine_words[];         /* vlEngineKind */
extern const char *const vl_shape_words[];          /* vlShapeKind */
extern const char *const vl_body_shape_words[];     /* vlBodyShape */
extern const char *const vl_motion_words[];         /* vlMotionKind */
extern const char *const vl_probe_words[];          /* vlProbeKind */
extern const char *const vl_transfer_words[];       /* vlTransferKind */
extern const char *const vl_integrator_words[];     /* vlIntegratorKind */
extern const char *const vl_liquid_surface_words[]; /* vlLiquidSurfaceKind */
extern const char *const vl_liquid_air_words[];     /* vlLiquidAirKind */
extern const char *const vl_time_scheme_words[];    /* vlTimeSchemeKind */
extern const char *const vl_axis_words[];
extern const char *const vl_format_words[];
extern const char *const vl_solver_words[];     /* vlSolverKind */
extern const char *const vl_guess_words[];      /* vlGuessKind */
extern const char *const vl_density_words[];    /* vlDensityKind */
extern const char *const vl_coupling_words[];   /* vlCouplingKind */
extern const char *const vl_weights_words[];    /* vlWeightsKind */
extern const char *const vl_separation_words[]; /* vlSeparationKind */
extern const char *const vl_body_mass_words[];  /* vlRigidMassKind */
extern const char *const vl_element_words[];    /* vlElementKind */
extern const char *const vl_scheme_words[];     /* vlSchemeKind */
extern const char *const vl_model_words[];      /* vlModelKind */
extern const char *const vl_material_words[];   /* vlMaterialKind */
extern const char *const vl_sky_words[];        /* vlSkyKind */
extern const char *const vl_coloring_words[];   /* vlColoringKind */
extern const char *const vl_box_side_words[];   /* vlBoxSide */
extern const char *const vl_origin_words[];
extern const char *const vl_side_words[];

const char *vl_word(const char *const *words, int value);     /* "unknown": there is no such value */
int vl_word_find(const char *const *words, const char *word); /* -1: none */

#endif
