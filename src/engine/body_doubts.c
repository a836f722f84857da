/* Warnings of bodies before the first step: tetrahedra too coarse for the shape, pieces that fall apart, volume that is
 * missing, surfaces of very many triangles, pins and motions that carry a body out of the box.
 *
 * In: the bodies of a simulation. Out: lines in its log, each with the body's name. */
#include "engine/body_doubts.h"

#include <math.h>

#include "base/status.h"
#include "engine/body_drive.h"
#include "engine/body_pins.h"

enum { MANY_NODES = 50000 };

static const double TOO_MUCH = 0.05; /* share of a body's volume that is worth a word */

static void doubt_mesh(const vlBodyDef *def, const vlStuffInfo *info, vlLog log)
{
  if (vl_stuff_is_coarse(info))
    vl_log(log, VL_LOG_WARNING,
           "body '%.63s' is thin for tetrahedra of cell %g m, first at (%g, %g, %g) m of its own coordinates: parts of it "
           "may be missing or joined; a smaller cell keeps them",
           def->name, def->cell, info->first_thin.x, info->first_thin.y, info->first_thin.z);
  if (info->pieces > 1)
    vl_log(log, VL_LOG_WARNING, "body '%.63s' consists of %d pieces that do not hang together", def->name, info->pieces);
  if (info->missing > TOO_MUCH)
    vl_log(log, VL_LOG_WARNING,
           "body '%.63s' has %.1f %% less volume, and so less mass, than its shape: tetrahedra of cell %g m cut off that "
           "much; a smaller cell keeps it",
           def->name, 100.0 * info->missing, def->cell);
}

static void doubt_pins(const vlSim *sim, int body, vlLog log)
{
  vlPinExit exit = vl_bodies_pin_exit(&sim->state.bodies, sim->scene, body, vl_grid_box(&sim->grid));
  if (exit.pin < 0) return;
  vl_log(log, VL_LOG_WARNING,
         "body '%.63s': pins[%d] carries it out of the box along %c at t = %.4g s; what is outside does not push the liquid",
         sim->scene->bodies[body].name, exit.pin, "xyz"[exit.axis], exit.time);
}

static void doubt_path(const vlSim *sim, int body, vlLog log)
{
  double exit = vl_bodies_path_exit(&sim->state.bodies, sim->scene, body, vl_grid_box(&sim->grid));
  if (exit == 0.0)
    vl_log(log, VL_LOG_WARNING,
           "body '%.63s': a part of it is out of the box from the beginning; what is outside does not push the liquid",
           sim->scene->bodies[body].name);
  else if (isfinite(exit))
    vl_log(
        log, VL_LOG_WARNING,
        "body '%.63s': its motion takes a part of it out of the box at t = %.4g s; what is outside does not push the liquid",
        sim->scene->bodies[body].name, exit);
}

/* A contour that is halved until thin walls are there may be far finer than the liquid can see. So may a mesh's own
 * triangles be; with a cell they are contoured too. */
static void doubt_surface(const vlSim *sim, int body, vlLog log)
{
  const vlElastic *b = sim->state.bodies.body[body];
  const vlBodyDef *def = &sim->scene->bodies[body];
  if (!b->rigid || def->cell > 0.0 || b->node_count <= MANY_NODES) return;
  vl_log(
      log, VL_LOG_WARNING,
      "body '%.63s' has a surface of %d nodes, which makes steps slow; a cell makes it coarser, though walls much thinner "
      "than that get holes",
      def->name, b->node_count);
}

void vl_body_doubts_say(const vlSim *sim)
{
  for (int b = 0; b < sim->state.bodies.count; b++) {
    doubt_mesh(&sim->scene->bodies[b], &sim->state.bodies.stuffed[b], sim->log);
    doubt_surface(sim, b, sim->log);
    doubt_pins(sim, b, sim->log);
    doubt_path(sim, b, sim->log);
  }
}
