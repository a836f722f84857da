/* Handles, weights and clusters of a reduced body [brandt2018, sec. 4; brandt2019, sec. 4.1].
 *
 * Distance is the length of the shortest way along edges of the mesh, so that what is near through the air but far through
 * the body does not mix. Samples lie as far from each other as can be: the first is the mesh's first vertex, each further
 * one the vertex farthest from all that are there. Dijkstra's search from a new sample goes on only where it comes nearer
 * than the others, which makes all of them together hardly dearer than a few. With r twice the largest distance of a vertex
 * from the nearest handle,
 *
 *     w_g(v) = phi(d_g(v)) / sum_h phi(d_h(v))        phi(d) = (1 - (d/r)^2)^2 for d < r, else 0
 *
 * and weights below 1e-4 are left out. A vertex that no handle reaches, in a piece of the body without one, goes along with
 * the nearest in space. More samples of the same kind divide the body into clusters: a tetrahedron belongs to that of its
 * corner nearest to a sample; where there are no more tetrahedra than clusters, each is one by itself.
 * In: tetrahedra. Out: handles, weights, the cluster of each tetrahedron. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "solid/reduced_parts.h"

static const double REACH = 2.0, LEAST_WEIGHT = 1e-4;

/* Neighbours along edges. */
typedef struct Graph {
  int nodes;
  int64_t *start;
  int *to;
  double *length;
} Graph;

typedef struct Reached {
  double distance;
  int node;
} Reached;

typedef struct Heap {
  Reached *item;
  size_t count, capacity;
} Heap;

static bool before(Reached a, Reached b) { return a.distance < b.distance || (a.distance == b.distance && a.node < b.node); }

static bool push(Heap *h, Reached r)
{
  if (!vl_array_reserve(&h->item, &h->capacity, h->count + 1, sizeof *h->item)) return false;
  size_t i = h->count++;
  for (; i > 0 && before(r, h->item[(i - 1) / 2]); i = (i - 1) / 2) h->item[i] = h->item[(i - 1) / 2];
  h->item[i] = r;
  return true;
}

static Reached pop(Heap *h)
{
  Reached top = h->item[0], last = h->item[--h->count];
  size_t i = 0;
  for (size_t c; (c = 2 * i + 1) < h->count; i = c) {
    if (c + 1 < h->count && before(h->item[c + 1], h->item[c])) c++;
    if (!before(h->item[c], last)) break;
    h->item[i] = h->item[c];
  }
  if (h->count > 0) h->item[i] = last;
  return top;
}

static void clear_graph(Graph *g)
{
  free(g->start);
  free(g->to);
  free(g->length);
}

/* The other corners of the tetrahedra about each node, each once. */
static vlCode make_graph(Graph *g, const vlReduced *b, vlStatus *status)
{
  size_t nodes = (size_t)b->body.node_count, ends = (size_t)b->body.element_count * 12;
  *g = (Graph){.nodes = b->body.node_count,
               .start = calloc(nodes + 2, sizeof *g->start),
               .to = malloc(ends * sizeof *g->to),
               .length = malloc(ends * sizeof *g->length)};
  if (!g->start || !g->to || !g->length) return vl_fail_memory(status, ends * sizeof *g->length, "the edges of a body");
  for (size_t i = 0; i < 4 * (size_t)b->body.element_count; i++) g->start[b->body.node[i] + 2] += 3;
  for (size_t i = 2; i < nodes + 2; i++) g->start[i] += g->start[i - 1];
  for (size_t i = 0; i < 4 * (size_t)b->body.element_count; i++)
    for (size_t c = 0; c < 4; c++)
      if (c != i % 4) g->to[g->start[b->body.node[i] + 1]++] = b->body.node[i - i % 4 + c];
  int64_t used = 0;
  for (size_t v = 0; v < nodes; v++) {
    int64_t first = v > 0 ? g->start[v] : 0, end = g->start[v + 1], kept = used;
    g->start[v] = used;
    for (int64_t i = first; i < end; i++) {
      int64_t same = kept;
      while (same < used && g->to[same] != g->to[i]) same++;
      if (same == used) g->to[used++] = g->to[i];
    }
    for (int64_t i = kept; i < used; i++) g->length[i] = vl_norm(vl_sub(b->body.rest[v], b->body.rest[g->to[i]]));
    if (v + 1 == nodes) g->start[nodes] = used;
  }
  return VL_OK;
}

/* Goes on from what is in the heap as long as it comes below `distance`, which it lowers, and below `most`. */
static bool search(const Graph *g, Heap *heap, double *distance, double most, int *owner, int mark)
{
  while (heap->count > 0) {
    Reached r = pop(heap);
    if (r.distance > distance[r.node]) continue;
    if (owner) owner[r.node] = mark;
    for (int64_t i = g->start[r.node]; i < g->start[r.node + 1]; i++) {
      double d = r.distance + g->length[i];
      if (!(d < most) || !(d < distance[g->to[i]])) continue;
      distance[g->to[i]] = d;
      if (!push(heap, (Reached){d, g->to[i]})) return false;
    }
  }
  return true;
}

/* Samples as far from each other as can be; distance to the nearest and which it is, of each node. */
static bool sample(const Graph *g, int count, int *seed, double *distance, int *owner)
{
  Heap heap = {0};
  bool good = true;
  for (int i = 0; i < g->nodes; i++) distance[i] = INFINITY, owner[i] = 0;
  for (int s = 0, next = 0; s < count && good; s++) {
    seed[s] = next;
    distance[next] = 0.0;
    good = push(&heap, (Reached){0.0, next}) && search(g, &heap, distance, INFINITY, owner, s);
    for (int i = 0; i < g->nodes; i++)
      if (distance[i] > distance[next]) next = i;
  }
  free(heap.item);
  return good;
}

/* What one handle reaches. */
typedef struct Ring {
  int *node;
  double *phi;
  int count;
} Ring;

/* Nodes nearer than r to the seed; distance is infinite all over, before and after. */
static bool reach(const Graph *g, Heap *heap, double *distance, int seed, double r, Ring *ring)
{
  distance[seed] = 0.0;
  bool good = push(heap, (Reached){0.0, seed}) && search(g, heap, distance, r, NULL, 0);
  for (int i = 0; i < g->nodes; i++) ring->count += distance[i] < INFINITY;
  ring->node = malloc((size_t)ring->count * sizeof *ring->node);
  ring->phi = malloc((size_t)ring->count * sizeof *ring->phi);
  good = good && ring->node && ring->phi;
  for (int i = 0, k = 0; i < g->nodes; i++) {
    if (!(distance[i] < INFINITY)) continue;
    double d = distance[i] / r, fall = 1.0 - d * d;
    if (good) ring->node[k] = i, ring->phi[k++] = fall * fall;
    distance[i] = INFINITY;
  }
  return good;
}

static bool reach_all(const Graph *g, const int *seed, int count, double r, Ring *ring)
{
  bool good = true;
#pragma omp parallel
  {
    Heap heap = {0};
    double *distance = malloc((size_t)g->nodes * sizeof *distance);
    for (int i = 0; distance && i < g->nodes; i++) distance[i] = INFINITY;
#pragma omp for schedule(dynamic)
    for (int k = 0; k < count; k++)
      if (!distance || !reach(g, &heap, distance, seed[k], r, &ring[k])) {
#pragma omp atomic write
        good = false;
      }
    free(distance);
    free(heap.item);
  }
  return good;
}

static int nearest_handle(const vlReduced *b, vlVec3 x)
{
  int best = 0;
  for (int k = 1; k < b->handle_count; k++)
    if (vl_norm(vl_sub(b->handle[k], x)) < vl_norm(vl_sub(b->handle[best], x))) best = k;
  return best;
}

/* Weights of one node from phi, in place: those that count, summing to 1. Returns how many. */
static int64_t normalise(vlReduced *b, int node, int64_t from, int64_t end, int64_t to)
{
  double sum = 0.0, kept = 0.0;
  int64_t count = 0;
  for (int64_t i = from; i < end; i++) sum += b->weight[i];
  if (!(sum > 0.0)) {
    b->of[to] = nearest_handle(b, vl_sub(b->body.rest[node], b->center));
    b->weight[to] = 1.0;
    return 1;
  }
  for (int64_t i = from; i < end; i++) {
    if (b->weight[i] < LEAST_WEIGHT * sum) continue;
    kept += b->weight[i];
    b->of[to + count] = b->of[i];
    b->weight[to + count++] = b->weight[i];
  }
  for (int64_t i = to; i < to + count; i++) b->weight[i] /= kept;
  return count;
}

/* From lists of the handles to lists of the nodes, handles ascending. */
static vlCode weigh(vlReduced *b, const Ring *ring, vlStatus *status)
{
  size_t nodes = (size_t)b->body.node_count, total = nodes; /* a place for those that none reaches */
  int64_t *at = calloc(nodes + 1, sizeof *at);
  for (int k = 0; k < b->handle_count; k++) total += (size_t)ring[k].count;
  b->start = calloc(nodes + 1, sizeof *b->start);
  b->of = malloc(total * sizeof *b->of);
  b->weight = malloc(total * sizeof *b->weight);
  if (!at || !b->start || !b->of || !b->weight) {
    free(at);
    return vl_fail_memory(status, total * sizeof *b->weight, "the weights of a reduced body");
  }
  for (int k = 0; k < b->handle_count; k++)
    for (int i = 0; i < ring[k].count; i++) at[ring[k].node[i] + 1]++;
  for (size_t v = 0; v < nodes; v++) at[v + 1] += at[v] + 1;
  for (size_t v = 0; v < nodes; v++) b->start[v] = at[v];
  for (int k = 0; k < b->handle_count; k++)
    for (int i = 0; i < ring[k].count; i++) {
      int64_t place = b->start[ring[k].node[i]]++;
      b->of[place] = k;
      b->weight[place] = ring[k].phi[i];
    }
  int64_t used = 0;
  for (size_t v = 0; v < nodes; v++) {
    int64_t end = b->start[v];
    b->start[v] = used;
    used += normalise(b, (int)v, at[v], end, used);
  }
  b->start[nodes] = used;
  free(at);
  return VL_OK;
}

static vlCode find_clusters(vlReduced *b, const int *owner, const double *distance, int clusters, vlStatus *status)
{
  size_t tets = (size_t)b->body.element_count;
  int *number = malloc((tets + (size_t)clusters + 1) * sizeof *number);
  b->cluster = malloc(tets * sizeof *b->cluster);
  if (!number || !b->cluster) {
    free(number);
    return vl_fail_memory(status, tets * sizeof *b->cluster, "the clusters of a reduced body");
  }
  for (size_t i = 0; i < tets + (size_t)clusters + 1; i++) number[i] = -1;
  for (size_t e = 0; e < tets; e++) {
    const int *node = b->body.node + 4 * e;
    int near = node[0];
    for (int c = 1; c < 4; c++)
      if (distance[node[c]] < distance[near]) near = node[c];
    int own = tets <= (size_t)clusters ? (int)e : owner[near];
    if (number[own] < 0) number[own] = b->cluster_count++;
    b->cluster[e] = number[own];
  }
  free(number);
  return VL_OK;
}

/* No more handles than one for each eight nodes, since the fewer they share, the less their linear parts mean, and one for
 * each sixty grains: nearer to each other than two cells, they would answer to what the grid does not carry (a light ball of
 * 99 handles with 21 grains each tore itself apart in three seconds; with 35 of 60 its strain stays at 3 %). */
static int limit_handles(const vlReduced *b, int handles)
{
  int most = b->grains.count / 60 < b->body.node_count / 8 ? b->grains.count / 60 : b->body.node_count / 8;
  if (handles > most) handles = most;
  return handles > 0 ? handles : 1;
}

static vlCode take_handles(vlReduced *b, const Graph *g, const int *seed, const double *distance, vlStatus *status)
{
  double farthest = 0.0;
  Ring *ring = calloc((size_t)b->handle_count, sizeof *ring);
  for (int i = 0; i < g->nodes; i++)
    if (distance[i] < INFINITY) farthest = fmax(farthest, distance[i]);
  b->radius = REACH * farthest;
  for (int k = 0; k < b->handle_count; k++) b->handle[k] = vl_sub(b->body.rest[seed[k]], b->center);
  vlCode code = ring && reach_all(g, seed, b->handle_count, b->radius, ring)
                    ? weigh(b, ring, status)
                    : vl_fail_memory(status, (size_t)g->nodes * sizeof *distance, "the handles of a reduced body");
  for (int k = 0; ring && k < b->handle_count; k++) free(ring[k].node), free(ring[k].phi);
  free(ring);
  return code;
}

vlCode vl_reduced_find_handles(vlReduced *b, int handles, int clusters, vlStatus *status)
{
  Graph graph;
  b->handle_count = limit_handles(b, handles);
  b->size = 4 * b->handle_count;
  int samples = clusters < b->body.node_count ? clusters : b->body.node_count;
  int most = samples > b->handle_count ? samples : b->handle_count;
  size_t nodes = (size_t)b->body.node_count;
  int *seed = malloc((size_t)most * sizeof *seed), *owner = malloc(nodes * sizeof *owner);
  double *distance = malloc(nodes * sizeof *distance);
  b->handle = malloc((size_t)b->handle_count * sizeof *b->handle);
  vlCode code = make_graph(&graph, b, status);
  bool good = seed && owner && distance && b->handle;
  if (!code && !(good && sample(&graph, b->handle_count, seed, distance, owner)))
    code = vl_fail_memory(status, nodes * sizeof *distance, "the handles of a reduced body");
  if (!code) code = take_handles(b, &graph, seed, distance, status);
  if (!code && !sample(&graph, samples, seed, distance, owner))
    code = vl_fail_memory(status, nodes * sizeof *distance, "the clusters of a reduced body");
  if (!code) code = find_clusters(b, owner, distance, clusters, status);
  clear_graph(&graph);
  free(seed);
  free(owner);
  free(distance);
  return code;
}
