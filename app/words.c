/* Words for people: the edit distance with swaps of neighbours behind "did you mean"; sizes, durations and bodies in few
 * words. */
#include "words.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"

enum { LONGEST = 63 };

static int least(int a, int b) { return a < b ? a : b; }

int vl_word_distance(const char *a, const char *b)
{
  size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST || m > LONGEST) return LONGEST + 1;
  /* d[i][j]: the distance of the first i letters of a and the first j of b */
  int d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= n; i++) {
    for (size_t j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = (int)(i + j);
        continue;
      }
      int change = a[i - 1] != b[j - 1];
      d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[n][m];
}

void vl_word_offer(const char *word, const char *candidate, const char **best)
{
  int distance = vl_word_distance(word, candidate), allowed = 1 + (int)strlen(candidate) / 4;
  if (distance > allowed) return;
  if (!*best || distance < vl_word_distance(word, *best)) *best = candidate;
}

const char *vl_words_bytes(double bytes, char text[static VL_WORDS_ROOM])
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024.0 && unit + 1 < sizeof units / sizeof *units; unit++) bytes /= 1024.0;
  snprintf(text, VL_WORDS_ROOM, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
  return text;
}

const char *vl_words_duration(double seconds, char text[static VL_WORDS_ROOM])
{
  if (seconds < 59.95) {
    snprintf(text, VL_WORDS_ROOM, seconds < 9.95 ? "%.2g s" : "%.0f s", seconds);
    return text;
  }
  /* beyond any run's length the digits mean nothing */
  double whole = seconds < 1e9 ? seconds + 0.5 : 1e9;
  long s = (long)whole, minutes = s / 60;
  if (minutes < 60)
    snprintf(text, VL_WORDS_ROOM, "%ld min %02ld s", minutes, s % 60);
  else
    snprintf(text, VL_WORDS_ROOM, "%ld h %02ld min", minutes / 60, minutes % 60);
  return text;
}

vlBodyWords vl_words_of_body(const vlSim *sim, int index)
{
  vlBodyView body = vl_sim_body(sim, index);
  vlSimFacts facts = vl_sim_facts(sim);
  return (vlBodyWords){.name = body.name,
                       .nodes = body.node_count,
                       .elements = body.element_count,
                       .mass = body.info.mass,
                       .pinned = body.pinned_nodes,
                       .missing = body.missing_volume,
                       .quadratic = body.element_nodes == 10,
                       .kind = body.kind_name,
                       .across = facts.n[2] == 1 ? facts.dx : 0.0};
}

const char *vl_words_fastest_body(const vlSim *sim, char text[static VL_BODY_WORDS_ROOM])
{
  int count = vl_sim_body_count(sim), fastest = 0;
  double most = -1.0;
  text[0] = 0;
  for (int b = 0; b < count; b++) {
    vlBodyView body = vl_sim_body(sim, b);
    double speed = 0.0;
    for (int i = 0; i < body.node_count; i++) speed = fmax(speed, vl_norm(body.v[i]));
    if (speed <= most) continue;
    most = speed;
    fastest = b;
  }
  if (count == 0) return text;
  const char *name = vl_sim_body(sim, fastest).name;
  if (count == 1)
    snprintf(text, VL_BODY_WORDS_ROOM, "%.63s at %.3g m/s", name, most);
  else
    snprintf(text, VL_BODY_WORDS_ROOM, "%d bodies, the fastest %.63s at %.3g m/s", count, name, most);
  return text;
}

const char *vl_words_body(const vlBodyWords *body, char text[static VL_BODY_WORDS_ROOM])
{
  char less[64] = "";
  if (body->missing > 0.0005) snprintf(less, sizeof less, " (%.1f %% less than its shape)", 100.0 * body->missing);
  bool slab = body->across > 0.0;
  double mass = slab ? body->mass / body->across : body->mass;
  const char *unit = slab ? "kg/m" : "kg";
  int n = 0;
  if (body->elements > 0.0)
    n = snprintf(text, VL_BODY_WORDS_ROOM, "%.63s: %.0f nodes, %.0f %stetrahedra, %.4g %s%s, ", body->name, body->nodes,
                 body->elements, body->quadratic ? "quadratic " : "", mass, unit, less);
  else /* a surface */
    n = snprintf(text, VL_BODY_WORDS_ROOM, "%.63s: %.0f nodes, %.4g %s, ", body->name, body->nodes, mass, unit);
  if (body->pinned > 0.0)
    snprintf(text + n, (size_t)(VL_BODY_WORDS_ROOM - n), "%.0f node%s pinned", body->pinned, body->pinned == 1.0 ? "" : "s");
  else
    snprintf(text + n, (size_t)(VL_BODY_WORDS_ROOM - n), "%s", body->elements > 0.0 ? "free" : body->kind);
  return text;
}
