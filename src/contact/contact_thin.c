/* Thinning the contacts of rigid bodies.
 *
 * Two rigid things that touch with one normal n move against each other by a plane's three numbers: contact i asks for
 *
 *     v_n + omega . (r_i x n) >= -gap_i / dt
 *
 * so it follows from the others if the point (r_i, gap_i), r_i across n, lies above the lower convex hull of theirs. Of a
 * group with nearly one normal those points stay that a body leaning by a slope s in one of some directions d would set down
 * first, the largest s (d . r) - gap: the deepest, four for slopes as small as a hundredth and eight for a tenth, more than
 * a body turns in a step. A can that lands flat, with hundreds of nodes on the floor, stands on twelve of its rim.
 * contacts, bodies -> fewer contacts. */
#include "contact/contact_parts.h"

#include <math.h>

#include "base/vec.h"

enum { ENOUGH = 13, STEEP = 8, GENTLE = 4 };

static const double ALIKE = 0.94; /* cosine between normals of one group: 20 degrees */
static const double SLOPE[2] = {0.1, 0.01};

static bool is_stiff(const vlContact *c, const vlBodySet *s)
{
  return s->body[c->body[0]]->stiff && (c->body[1] < 0 || s->body[c->body[1]]->stiff);
}

/* The same two things, whichever of them has the point, seen along the same normal. */
static bool is_alike(const vlContact *a, const vlContact *b)
{
  bool same = a->body[0] == b->body[0] && a->body[1] == b->body[1];
  bool turned = a->body[0] == b->body[1] && a->body[1] == b->body[0];
  double along = vl_dot(a->frame[0], b->frame[0]);
  return (same && along > ALIKE) || (turned && along < -ALIKE);
}

static vlVec3 place(const vlContact *c, const vlBodySet *s)
{
  vlVec3 x = vl_vec(0, 0, 0);
  const vlBody *body = s->body[c->body[0]];
  for (int k = 0; k < c->own; k++) x = vl_axpy(x, c->weight[k], body->x[c->node[k] - s->first_node[c->body[0]]]);
  return x;
}

/* group[first]: number of the contact that leads the group of each, its own where it does. */
static void keep_set_down(const vlContacts *contacts, const vlBodySet *s, const int *group, int first, bool *keep,
                          vlVec3 direction)
{
  int best = first;
  double most = -INFINITY;
  for (int c = first; c < contacts->count; c++) {
    if (group[c] != first) continue;
    double value = vl_dot(direction, place(&contacts->list[c], s)) - contacts->list[c].gap;
    if (value <= most) continue;
    most = value;
    best = c;
  }
  keep[best] = true;
}

static void thin_group(const vlContacts *contacts, const vlBodySet *s, const int *group, int first, bool *keep)
{
  const vlVec3 *frame = contacts->list[first].frame;
  for (int c = first; c < contacts->count; c++)
    if (group[c] == first) keep[c] = false;
  keep_set_down(contacts, s, group, first, keep, vl_vec(0, 0, 0));
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0, n = pass ? GENTLE : STEEP; k < n; k++) {
      double angle = 2.0 * VL_PI * (k + 0.5 * pass) / n;
      vlVec3 d = vl_add(vl_scale(frame[1], cos(angle)), vl_scale(frame[2], sin(angle)));
      keep_set_down(contacts, s, group, first, keep, vl_scale(d, SLOPE[pass]));
    }
}

/* Groups are led by their first contact. */
static int group_of(const vlContacts *contacts, const int *group, int c)
{
  for (int g = 0; g < c; g++)
    if (group[g] == g && is_alike(&contacts->list[g], &contacts->list[c])) return g;
  return c;
}

void vl_contacts_thin(vlContacts *contacts, const vlBodySet *s)
{
  int kept = 0, *group = contacts->group;
  bool *keep = contacts->keep;
  for (int c = 0; c < contacts->count; c++) {
    keep[c] = true;
    group[c] = is_stiff(&contacts->list[c], s) ? group_of(contacts, group, c) : -1;
  }
  for (int g = 0; g < contacts->count; g++) {
    int size = 0;
    for (int c = g; c < contacts->count && group[g] == g; c++) size += group[c] == g;
    if (size > ENOUGH) thin_group(contacts, s, group, g, keep);
  }
  for (int c = 0; c < contacts->count; c++)
    if (keep[c]) contacts->list[kept++] = contacts->list[c];
  contacts->count = kept;
}
