/* How bodies lie that have settled, as text or JSON: how deep they float, how they lean, how they bend, who carries them and
 * what is left of the forces.
 *
 * The liquid's level at a body is the mean height of its surface in the columns of cells beside it, NEAR to FAR cells off
 * the box around it and off those of other bodies. A body that is free bends by what is left of its displacement when it is
 * turned and moved back as a whole; one with pins by all of it. In: a simulation at rest. Out: lines. */
#include "settle_tell.h"

#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "files/json.h"

enum { NEAR = 2, FAR = 6 };

typedef struct Lie {
  bool wet;                     /* liquid pushes it */
  bool held;                    /* it goes its own way, and stands */
  double level, lowest;         /* m: of the liquid there, NaN: none; of its nodes */
  double draft;                 /* m: NaN: dry */
  double under;                 /* m: of its top below the level; 0: it floats */
  double lean;                  /* degrees: between its own y axis and up */
  double bend;                  /* m: largest displacement of a node; 0: it keeps its form */
  vlVec3 bent;                  /* m: where that node is at rest */
  vlVec3 moved;                 /* m */
  double liquid, contact, pins; /* parts of its weight that they carry */
} Lie;

static vlBox3 bounds_of(vlBodyView body)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < body.node_count; i++) box = vl_box_add(box, body.x[i]);
  return box;
}

static bool is_beside(vlVec3 x, vlBox3 box, double off)
{
  return x.x < box.lo.x - off || x.x > box.hi.x + off || x.z < box.lo.z - off || x.z > box.hi.z + off;
}

static bool is_clear(const vlSim *sim, vlVec3 x, double off)
{
  for (int b = 0; b < vl_sim_body_count(sim); b++)
    if (!is_beside(x, bounds_of(vl_sim_body(sim, b)), off)) return false;
  return true;
}

static double level_at(const vlSim *sim, vlBox3 box)
{
  vlGridView g = vl_sim_grid(sim);
  double sum = 0.0, height[3];
  int count = 0;
  for (int k = 0; k < g.n[2]; k++)
    for (int i = 0; i < g.n[0]; i++) {
      vlVec3 x = vl_add(g.origin, vl_vec((i + 0.5) * g.dx, 0.0, (k + 0.5) * g.dx));
      const vlProbeDef probe = {.kind = VL_PROBE_HEIGHT, .position = x};
      if (is_beside(x, box, FAR * g.dx) || !is_clear(sim, x, NEAR * g.dx)) continue;
      if (vl_sim_probe(sim, &probe, height) != 1 || !(height[0] > 0.0)) continue;
      sum += x.y + height[0];
      count++;
    }
  return count > 0 ? sum / count : NAN;
}

static vlVec3 mean_of(const vlVec3 *x, int count)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < count; i++) sum = vl_axpy(sum, 1.0 / count, x[i]);
  return sum;
}

static vlMat3 rotation_of(vlVec3 turn) { return vl_quat_matrix(vl_quat_turn(turn)); }

static void find_bend(Lie *lie, vlBodyView body)
{
  vlVec3 now = mean_of(body.x, body.node_count), rest = mean_of(body.rest, body.node_count);
  vlMat3 turn = rotation_of(body.info.rotation);
  if (body.element_count == 0) return;
  for (int i = 0; i < body.node_count; i++) {
    vlVec3 back = body.pinned_nodes > 0 ? body.rest[i] : vl_add(now, vl_mat_apply(turn, vl_sub(body.rest[i], rest)));
    double way = vl_norm(vl_sub(body.x[i], back));
    if (way <= lie->bend) continue;
    lie->bend = way;
    lie->bent = body.rest[i];
  }
}

static double lean_of(const vlSim *sim, int index, vlVec3 turn)
{
  vlMat3 first = vl_sim_scene(sim)->bodies[index].rotation;
  vlVec3 up = vl_mat_apply(rotation_of(turn), vl_mat_apply(first, vl_vec(0, 1, 0)));
  return acos(fmax(-1.0, fmin(1.0, up.y))) * 180.0 / VL_PI;
}

static Lie find_lie(const vlSettled *s, int index)
{
  vlBodyView body = vl_sim_body(s->sim, index);
  vlVec3 g = vl_sim_gravity(s->sim), up = vl_scale(g, -1.0 / (body.info.mass * vl_dot(g, g)));
  vlBox3 box = bounds_of(body);
  Lie lie = {.held = body.kind == VL_BODY_SCRIPTED,
             .wet = vl_norm(body.info.load_force) > 0.0,
             .level = level_at(s->sim, box),
             .lowest = box.lo.y,
             .draft = NAN,
             .lean = lean_of(s->sim, index, body.info.rotation),
             .moved = vl_sub(body.info.center, s->begun[index]),
             .liquid = vl_dot(body.info.load_force, up),
             .contact = vl_dot(body.info.contact_force, up),
             .pins = vl_dot(body.info.reaction, up)};
  if (lie.wet && lie.level > box.lo.y) lie.draft = fmin(lie.level, box.hi.y) - box.lo.y;
  if (lie.wet && lie.level > box.hi.y) lie.under = lie.level - box.hi.y;
  find_bend(&lie, body);
  return lie;
}

static void print_body(const vlSettled *s, int index)
{
  vlBodyView body = vl_sim_body(s->sim, index);
  Lie lie = find_lie(s, index);
  vlVec3 c = body.info.center;
  printf("%s (%s)%s\n", body.name, body.kind_name, lie.held ? ": stands where its motion begins" : "");
  if (lie.held) return;
  printf("  centre of mass  (%.5g, %.5g, %.5g) m, moved by (%.3g, %.3g, %.3g) m\n", c.x, c.y, c.z, lie.moved.x, lie.moved.y,
         lie.moved.z);
  if (lie.under > 0.0)
    printf("  under water     its top %.5g m below the level, %.5g m\n", lie.under, lie.level);
  else if (!isnan(lie.draft))
    printf("  draft           %.5g m, of a level of %.5g m\n", lie.draft, lie.level);
  else
    printf("  draft           none: %s\n", lie.wet ? "there is no level beside it" : "it is dry");
  printf("  leans by        %.3g degrees, its own y axis from up\n", lie.lean);
  if (body.element_count > 0)
    printf("  bends by        %.5g m, most where (%.4g, %.4g, %.4g) m is at rest\n", lie.bend, lie.bent.x, lie.bent.y,
           lie.bent.z);
  printf("  weight          carried by liquid to %.4g %%, by contact to %.4g %%, by pins to %.4g %%\n", 100.0 * lie.liquid,
         100.0 * lie.contact, 100.0 * lie.pins);
  printf("  left            %.2g of its weight, %.2g m/s\n", s->body[index].residual, s->body[index].speed);
}

void vl_settled_print(const vlSettled *s)
{
  for (int b = 0; b < vl_sim_body_count(s->sim); b++) print_body(s, b);
}

static void add_vector(vlJson *json, const char *key, vlVec3 x)
{
  vl_json_array(json, key);
  for (int a = 0; a < 3; a++) vl_json_number(json, NULL, x.v[a]);
  vl_json_end(json);
}

static void add_known(vlJson *json, const char *key, double value)
{
  if (isnan(value))
    vl_json_string(json, key, NULL);
  else
    vl_json_number(json, key, value);
}

static void add_body(vlJson *json, const vlSettled *s, int index)
{
  vlBodyView body = vl_sim_body(s->sim, index);
  Lie lie = find_lie(s, index);
  vl_json_object(json, NULL);
  vl_json_string(json, "name", body.name);
  vl_json_string(json, "kind", body.kind_name);
  add_vector(json, "center", body.info.center);
  add_vector(json, "moved", lie.moved);
  add_known(json, "level", lie.level);
  add_known(json, "draft", lie.draft);
  vl_json_number(json, "under", lie.under);
  vl_json_number(json, "lean", lie.lean);
  vl_json_number(json, "bend", lie.bend);
  vl_json_number(json, "by_liquid", lie.liquid);
  vl_json_number(json, "by_contact", lie.contact);
  vl_json_number(json, "by_pins", lie.pins);
  vl_json_number(json, "residual", s->body[index].residual);
  vl_json_number(json, "speed", s->body[index].speed);
  vl_json_end(json);
}

vlCode vl_settled_json(const vlSettled *s, bool has_settled, const char *out, vlStatus *status)
{
  vlJson json;
  vl_json_begin(&json, false);
  vl_json_object(&json, NULL);
  vl_json_bool(&json, "settled", has_settled);
  vl_json_string(&json, "out", out);
  vl_json_integer(&json, "steps", s->info->steps);
  vl_json_integer(&json, "cuts", s->info->cuts);
  vl_json_number(&json, "liquid_speed", s->info->liquid_speed);
  vl_json_array(&json, "bodies");
  for (int b = 0; b < vl_sim_body_count(s->sim); b++) add_body(&json, s, b);
  vl_json_end(&json);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (!code) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}
