/* All pictures of a run, one after the other. */
#ifndef VL_RENDER_SEQUENCE_H
#define VL_RENDER_SEQUENCE_H

#include "options.h"

/* stop: asked between tiles whether to end. A frame that fails is named on standard error and left out; the first failure is
 * the result. */
vlCode vl_sequence_render(const vlRenderOptions *options, bool (*stop)(void), vlStatus *status);

#endif
