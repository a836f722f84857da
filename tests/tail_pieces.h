/* A tail of the pressure's links made from what they are without one: faces and cells of it, whole or in pieces. */
#ifndef VL_TESTS_TAIL_PIECES_H
#define VL_TESTS_TAIL_PIECES_H

#include "tank.h"

typedef struct Tail {
  vlLinkTail tail;
  vlTailLink *link;
  unsigned short (*faces)[3], *cut, *main;
  int *cell, *face; /* face: of each link [count] */
  int *first_extra; /* of each wet cell, -1: none */
  bool mains;       /* a cell's first piece is its main node */
  double *u, *p, *path;
} Tail;

static inline int wet_cell(const Tank *t, const int cell[3])
{
  int b = vl_blocks_find(&t->wet, cell[0] / VL_BLOCK, cell[1], cell[2]);
  assert_true(b >= 0);
  return b * VL_BLOCK + cell[0] % VL_BLOCK;
}

static inline int end_of(const Tail *m, int node, int piece)
{
  bool main = m->first_extra[node] < 0 || (m->mains && piece == 0);
  return main ? node : vl_tail_extra(m->first_extra[node] + piece - m->mains);
}

static inline void free_tail(Tail *m)
{
  void *all[] = {m->link, m->faces, m->cut, m->main, m->cell, m->face, m->first_extra, m->u, m->p, m->path};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* The links of the face below a cell, in as many as there are pieces: parts of its area. */
static inline void take_face(Tail *m, const Tank *t, const vlLinks *links, const vlFluid *fluid, int face, int axis,
                             int pieces, uint64_t *seed)
{
  vlLink link = vl_links_at(links, fluid, face, axis);
  vlBlockPosition p = t->wet.at[face / VL_BLOCK];
  int lower[3] = {p.bx * VL_BLOCK + face % VL_BLOCK, p.j, p.k};
  lower[axis]--;
  int below = link.kind & VL_LINK_BELOW ? wet_cell(t, lower) : -1, above = link.kind & VL_LINK_ABOVE ? face : -1;
  bool split = pieces == 2 && ((below >= 0 && m->first_extra[below] >= 0) || (above >= 0 && m->first_extra[above] >= 0));
  double share = split ? random_between(seed, 0.1, 0.9) : 1.0;
  m->faces[face / VL_BLOCK][axis] |= (unsigned short)(1u << face % VL_BLOCK);
  for (int piece = 0; piece < (split ? 2 : 1); piece++) {
    m->face[m->tail.count] = face;
    m->u[m->tail.count] = t->u_star[axis][link.at];
    m->link[m->tail.count++] = (vlTailLink){.below = below < 0 ? VL_TAIL_SURFACE : end_of(m, below, piece),
                                            .above = above < 0 ? VL_TAIL_SURFACE : end_of(m, above, piece),
                                            .axis = axis,
                                            .area = link.area * (piece ? 1.0 - share : share),
                                            .distance = link.distance,
                                            .pressure = link.pressure};
  }
}

/* Of the links of a fluid without tail: a share of the faces, and a share of the cells with all their faces, each as so many
 * pieces. mains: the first of them are main nodes. */
static inline Tail make_tail_of(const Tank *t, vlFluid *fluid, double faces, double cells, int pieces, bool mains,
                                uint64_t seed)
{
  vlStatus status = {0};
  vlLinks links = {0};
  assert_int_equal(vl_links_build(&links, fluid, &status), VL_OK);
  size_t blocks = (size_t)t->wet.count, count = blocks * VL_BLOCK;
  Tail m = {.mains = mains, .link = calloc(6 * count, sizeof *m.link), .faces = calloc(blocks, sizeof *m.faces)};
  m.cut = calloc(blocks, sizeof *m.cut);
  m.main = calloc(blocks, sizeof *m.main);
  m.cell = calloc(2 * count, sizeof *m.cell);
  m.face = calloc(6 * count, sizeof *m.face);
  m.first_extra = malloc(count * sizeof *m.first_extra);
  m.u = calloc(6 * count, sizeof *m.u);
  m.p = calloc(2 * count, sizeof *m.p);
  m.path = calloc(6 * count, sizeof *m.path);
  for (int node = 0; node < (int)count; node++) {
    m.first_extra[node] = -1;
    bool taken = random_between(&seed, 0, 1) < cells;
    if (!taken || !(links.active[node / VL_BLOCK] >> node % VL_BLOCK & 1u)) continue;
    m.first_extra[node] = m.tail.extras;
    m.cut[node / VL_BLOCK] |= (unsigned short)(1u << node % VL_BLOCK);
    if (mains) m.main[node / VL_BLOCK] |= (unsigned short)(1u << node % VL_BLOCK);
    for (int piece = mains; piece < pieces; piece++) m.cell[m.tail.extras++] = node;
  }
  for (int face = 0; face < (int)count; face++)
    for (int a = 0; a < 3; a++) {
      bool taken = random_between(&seed, 0, 1) < faces;
      if (!(vl_links_flow(&links, face / VL_BLOCK, a) >> face % VL_BLOCK & 1u)) continue;
      vlBlockPosition p = t->wet.at[face / VL_BLOCK];
      int lower[3] = {p.bx * VL_BLOCK + face % VL_BLOCK, p.j, p.k};
      lower[a]--;
      if (m.first_extra[face] >= 0 || m.first_extra[wet_cell(t, lower)] >= 0 || taken)
        take_face(&m, t, &links, fluid, face, a, pieces, &seed);
    }
  m.tail.link = m.link;
  m.tail.faces = (const unsigned short(*)[3])m.faces;
  m.tail.cut = m.cut;
  m.tail.main = m.main;
  m.tail.cell = m.cell;
  m.tail.u = m.u;
  m.tail.p = m.p;
  m.tail.path = m.path;
  vl_links_clear(&links);
  return m;
}

static inline Tail make_tail(const Tank *t, vlFluid *fluid, double faces, double cells, int pieces, uint64_t seed)
{
  return make_tail_of(t, fluid, faces, cells, pieces, false, seed);
}

#endif
