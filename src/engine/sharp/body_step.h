/* Bodies in a step of the engine. */
#ifndef VL_ENGINE_SHARP_BODY_STEP_H
#define VL_ENGINE_SHARP_BODY_STEP_H

#include "engine/sharp/sharp.h"

/* All that the liquid needs of the bodies as they lie. */
vlCode vl_body_step_create(vlSharp *sim, vlStatus *status);
void vl_body_step_clear(vlSharp *sim);
/* Warns of how they begin. */
void vl_body_step_doubt(const vlSharp *sim);
/* Patches and cut cells of the bodies as they lie now, merged with those of the static solids. */
vlCode vl_body_step_cut(vlSharp *sim, vlStatus *status);
/* Distances to the bodies as they lie now, on the blocks of `within`; NULL: everywhere. */
vlCode vl_body_step_distance(vlSharp *sim, const vlBlocks *within, vlStatus *status);
/* S and w of every body for a step of dt. May be repeated with another dt. */
vlStageRun vl_body_step_begin;
/* After a pressure solve: whether the contacts that were taken for closed are, or it was tried often enough; else it must be
 * repeated with the new ones. */
bool vl_body_step_contacts_hold(vlSharp *sim);
/* The liquid has changed its mind about walls: contacts are looked for anew from the present pressure. */
void vl_body_step_contacts_again(vlSharp *sim);
/* body_warn.c: warns of what no solve can mend, once and again when it is ten times as bad: enclosed liquid that scripted
 * bodies squeeze, and bodies that they press into something. After a solve, before the bodies move. */
vlStageRun vl_body_warn;
/* After a solve: what the liquid that bodies carry does to them. */
vlStageRun vl_body_step_layer;
/* What all loads on them come to, which must be finite; then the bodies move under them. */
vlStageRun vl_body_step_check, vl_body_step_finish;
/* lift.c: pressure on bodies is bounded where it acts: before a solve of a step in which liquid may part, its cells found;
 * then, once p is in work.p, the liquid's u* and p as they were, and the bodies' w and load. */
vlCode vl_lift_begin(vlSharp *sim, vlStatus *status);
void vl_lift_end_liquid(vlSharp *sim);
void vl_lift_end_bodies(vlSharp *sim);
/* m2: adds the bodies' areas in cells of a wet block that parted, which have no row of J but a lift. */
void vl_lift_add_areas(const vlSharp *sim, int wet, vlVec3 area[VL_BLOCK]);
/* Puts particles that ended deep in a body back before its surface, or takes them away where there is no room. */
vlCode vl_body_step_rescue(vlSharp *sim, vlStepInfo *info, vlStatus *status);

#endif
