/* Words for people: "did you mean", sizes, durations, bodies. */
#ifndef VL_APP_WORDS_H
#define VL_APP_WORDS_H

#include "velella/velella.h"

/* How many letters must be inserted, dropped, changed or swapped with their neighbour to turn a into b. */
int vl_word_distance(const char *a, const char *b);
/* Keeps in *best the nearest of all words offered so far to `word`; start with *best = NULL. Words that are too far off to
 * be a slip of the fingers are never kept. */
void vl_word_offer(const char *word, const char *candidate, const char **best);

enum { VL_WORDS_ROOM = 32, VL_BODY_WORDS_ROOM = 256 };
const char *vl_words_bytes(double bytes, char text[static VL_WORDS_ROOM]);      /* "1.5 GiB" */
const char *vl_words_duration(double seconds, char text[static VL_WORDS_ROOM]); /* "0.52 s", "3 min 20 s", "2 h 05 min" */

/* What a body is, for people. */
typedef struct vlBodyWords {
  const char *name;
  double nodes, elements, mass, pinned; /* mass: kg; pinned: nodes */
  double missing;                       /* share of its shape's volume; 0: none, or not known */
  bool quadratic;
  const char *kind; /* "rigid": of one without elements */
  double across;    /* m: thickness of the slab, whose masses are told by the metre; 0: no slab */
} vlBodyWords;

vlBodyWords vl_words_of_body(const vlSim *sim, int index);
/* "block at 0.3 m/s", or "2 bodies, the fastest ball at 0.5 m/s": by the fastest node. Empty without bodies. */
const char *vl_words_fastest_body(const vlSim *sim, char text[static VL_BODY_WORDS_ROOM]);
/* "beam: 135 nodes, 336 tetrahedra, 1.68 kg, 9 nodes pinned"; "ball: ..., 0.98 kg (2.1 % less than its shape), free";
 * in a slab "disc: 40 nodes, 25 kg/m, rigid" */
const char *vl_words_body(const vlBodyWords *body, char text[static VL_BODY_WORDS_ROOM]);

#endif
