/* Groups of numbered things that hang together (union-find): each thing points up, to itself at first; a group's root points
 * to itself. The smallest of a group is its root, so that roots do not depend on the order of the links. */
#ifndef VL_BASE_GROUPS_H
#define VL_BASE_GROUPS_H

static inline int vl_group_root(int *up, int i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static inline void vl_group_join(int *up, int i, int j)
{
  int a = vl_group_root(up, i), b = vl_group_root(up, j);
  up[a > b ? a : b] = a < b ? a : b;
}

#endif
