/* Several mistakes in one message.
 *
 * Reading and checking go on behind a mistake, so that all are told at once. Each is told into a status of its own and then
 * put behind those before it; what came from a mistaken value is not told, since nobody asks about such a value again. In:
 * messages. Out: the caller's status with the first twenty, and how many there are. */
#include <stdio.h>
#include <string.h>

#include "scene/tree.h"

enum { COUNT_ROOM = 64 };

vlCode vl_mistakes_keep(vlMistakes *m, vlNode *node, vlCode code)
{
  if (code != VL_ERROR_SCENE && code != VL_ERROR_FILE) {
    if (m->all && code != VL_OK) *m->all = m->one;
    if (code != VL_OK) m->code = code;
    return code;
  }
  if (node) node->mistaken = true;
  if (m->count++ == 0) m->code = code;
  if (!m->all || m->shown + 1 < m->count || m->shown == VL_MISTAKES_SHOWN) return VL_OK;
  size_t used = m->shown ? strlen(m->all->message) : 0, left = sizeof m->all->message - used;
  if (strlen(m->one.message) + 2 + COUNT_ROOM > left) return VL_OK;
  snprintf(m->all->message + used, left, "%s%s", m->shown++ ? "\n" : "", m->one.message);
  return VL_OK;
}

vlCode vl_mistakes_finish(vlMistakes *m)
{
  bool scene = m->code == VL_ERROR_SCENE || m->code == VL_ERROR_FILE;
  if (!m->all || m->code == VL_OK || !scene) return m->code;
  size_t used = strlen(m->all->message), left = sizeof m->all->message - used;
  m->all->code = m->code;
  if (m->shown < m->count)
    snprintf(m->all->message + used, left, "\n%d mistakes; the first %d are shown", m->count, m->shown);
  else if (m->count > 1)
    snprintf(m->all->message + used, left, "\n%d mistakes", m->count);
  return m->code;
}

bool vl_node_mistaken(const vlNode *node)
{
  if (node->mistaken) return true;
  for (const vlNode *child = node->first; child; child = child->next)
    if (vl_node_mistaken(child)) return true;
  return false;
}
