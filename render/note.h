/* The note in a picture's file: by it a later command knows whether it would make the same picture. */
#ifndef VL_RENDER_NOTE_H
#define VL_RENDER_NOTE_H

#include "stage.h"

enum { VL_NOTE_ROOM = 64 };

/* A hash of what all pictures of a command share: options, looks, solids; bodies: they are shown. */
uint64_t vl_note_hash(const vlStage *stage, const vlRenderOptions *options, bool bodies);
/* Everything but the frame's files. */
void vl_note_write(uint64_t hash, const vlCamera *camera, int number, int frame, char note[static VL_NOTE_ROOM]);

#endif
