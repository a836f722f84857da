/* The bodies of a simulation, whatever their kinds: what contacts, cut cells, the pressure and files walk over. */
#ifndef VL_SOLID_BODY_SET_H
#define VL_SOLID_BODY_SET_H

#include "grid/visitor.h"
#include "solid/body.h"
#include "solid/body_distance.h"
#include "solid/statics.h"

typedef struct vlBodySet {
  vlBody **body; /* [count], in the scene's order */
  int count;
  int *first_node; /* number of each body's node 0 among all nodes [count + 1] */
  /* Where they are. */
  const vlGrid *grid;
  const vlStatics *statics;       /* NULL: none */
  const vlBodyDistance *distance; /* trees of their surfaces as they lie */
} vlBodySet;

/* Meshes and places the scene's bodies; the log is told of each before. Errors name file, line and the body. */
vlCode vl_bodies_create(vlBodySet *bodies, const vlScene *scene, vlLog log, vlStatus *status);
void vl_bodies_clear(vlBodySet *bodies);
/* Refuses bodies that begin inside each other, unless one of the two says that it may (body_overlap.c). */
vlCode vl_bodies_check_apart(const vlBodySet *bodies, const vlScene *scene, vlStatus *status);
/* Warns of what may go wrong with them in the box, before the first step. */
void vl_bodies_doubt(const vlBodySet *bodies, vlBox3 box, vlLog log);
/* Holds, moves and pushes them for a step from `time` to time + dt as the scene says; before they begin it. */
void vl_bodies_drive(vlBodySet *bodies, double time, double dt);
/* s: `dt`, or as much less as keeps those whose way is known from going farther than `way` or half of their own size in a
 * step from `time`. */
double vl_bodies_longest_step(const vlBodySet *bodies, double time, double dt, double way);
/* Their state at `time`. Restoring, all that a next step needs. */
vlCode vl_bodies_visit(vlBodySet *bodies, vlVisitor *visitor, double time, vlStatus *status);
/* What beginning a step changes of their state (VL_BODY_TRIED), and how it comes back where the step is not taken. */
typedef struct vlBodyMark {
  unsigned char *bytes;
  size_t capacity;
} vlBodyMark;
vlCode vl_bodies_mark(const vlBodySet *bodies, vlBodyMark *mark, vlStatus *status);
void vl_bodies_back(vlBodySet *bodies, const vlBodyMark *mark);
/* They stand still where they are, until forces move them. */
void vl_bodies_halt(const vlBodySet *bodies);
/* Largest speed of any node, m/s; 0 without bodies. */
double vl_bodies_fastest(const vlBodySet *bodies);
static inline int vl_bodies_nodes(const vlBodySet *bodies)
{
  return bodies->count > 0 ? bodies->first_node[bodies->count] : 0;
}
/* The body of a node. */
static inline int vl_bodies_owner(const vlBodySet *bodies, int node)
{
  int b = 0;
  while (node >= bodies->first_node[b + 1]) b++;
  return b;
}

#endif
