/* What holds and moves parts of elastic bodies: the scene's pins (pins.c) as held unknowns, and the velocities that bring
 * them there. In a slab nodes are held along z. In: pins. Out: held unknowns. */
#include "solid/elastic_parts.h"
#include "solid/pins.h"

vlCode vl_elastic_hold_pins(vlBody *body, vlStatus *status)
{
  vlElastic *b = (vlElastic *)body;
  vlCode code = vl_pins_find(body, b->pin, status);
  for (int i = 0; i < 3 * body->node_count && !code; i++) {
    int node = i / 3, axis = i % 3;
    bool flat = body->scene->grid.slab && axis == 2;
    if (b->pin[i] < 0 && !flat) continue;
    double v = flat ? 0.0 : vl_pin_first_velocity(&body->def->pins[b->pin[i]], axis);
    vl_elastic_hold(b, node, axis, v);
    body->v[node].v[axis] = v;
  }
  return code;
}

void vl_elastic_move_pins(vlElastic *b, double time, double dt)
{
  for (int i = 0; i < 3 * b->body.node_count; i++) {
    if (b->pin[i] < 0) continue;
    int node = i / 3, axis = i % 3;
    double target = vl_pin_target(&b->body, b->pin[i], i, time, dt);
    if (vl_pin_over(&b->body, b->pin[i], time, dt))
      vl_elastic_release(b, node, axis);
    else
      vl_elastic_hold(b, node, axis, vl_elastic_velocity_to(b, dt, node, axis, target));
  }
}

int vl_elastic_pinned(const vlBody *body) { return vl_pins_count(body, ((const vlElastic *)body)->pin); }
