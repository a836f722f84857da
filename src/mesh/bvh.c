/* A bounding-volume tree over triangles, built from the top.
 *
 * Each set of triangles is split in two by a plane across one axis: of 15 planes for each axis the one
 * with the least  area(left) n(left) + area(right) n(right)  is taken, the surface area heuristic, on 16
 * bins of box middles. Sets whose middles coincide, and sets below a depth that only contrived meshes
 * reach, are halved instead, which bounds the depth and so the stack of a walk.
 * Corners are copied in the order of the leaves, so that a leaf is read in one go. The order of the
 * splits is fixed: the same mesh gives the same tree.
 *
 * mesh → nodes, slots; then pseudo-normals (bvh_closest.c) and far fields (winding.c). */
#include "mesh/bvh.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "mesh/bvh_tree.h"

enum { BINS = 16 };

typedef struct Builder {
  vlBvh *bvh;
  vlBox3 *box;    /* m: of a triangle [triangle_count] */
  vlVec3 *middle; /* m: of its box [triangle_count] */
} Builder;

/* A plane between bin `bin` and the next one of the box of middles. */
typedef struct Split {
  int axis, bin; /* axis -1: none */
  double lo, width;
  double cost;
} Split;

typedef struct Task {
  int node, begin, end, depth;
} Task;

typedef struct Bin {
  vlBox3 box;
  int count;
} Bin;

/* Grows *box over `part`. By comparisons: fmin and fmax are calls, and this is the innermost loop. */
static void cover(vlBox3 *box, const vlBox3 *part)
{
  for (int a = 0; a < 3; a++) {
    if (part->lo.v[a] < box->lo.v[a]) box->lo.v[a] = part->lo.v[a];
    if (part->hi.v[a] > box->hi.v[a]) box->hi.v[a] = part->hi.v[a];
  }
}

static double half_area(vlBox3 b)
{
  vlVec3 d = vl_sub(b.hi, b.lo);
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

static int bin_of(double middle, double lo, double width)
{
  int bin = (int)((middle - lo) / width * BINS);
  return bin < BINS ? bin : BINS - 1;
}

static void try_axis(const Builder *b, const Task *task, vlBox3 middles, int axis, Split *best)
{
  double lo = middles.lo.v[axis], width = middles.hi.v[axis] - lo;
  if (!(width > 0.0)) return;
  Bin bins[BINS];
  for (int k = 0; k < BINS; k++) bins[k] = (Bin){vl_box_empty(), 0};
  for (int i = task->begin; i < task->end; i++) {
    int t = b->bvh->triangle[i];
    Bin *bin = &bins[bin_of(b->middle[t].v[axis], lo, width)];
    cover(&bin->box, &b->box[t]);
    bin->count++;
  }
  /* area times count of all bins from k on */
  double right[BINS];
  Bin sum = {vl_box_empty(), 0};
  for (int k = BINS - 1; k > 0; k--) {
    cover(&sum.box, &bins[k].box);
    sum.count += bins[k].count;
    right[k] = sum.count > 0 ? half_area(sum.box) * sum.count : 0.0;
  }
  sum = (Bin){vl_box_empty(), 0};
  for (int k = 0; k + 1 < BINS; k++) {
    cover(&sum.box, &bins[k].box);
    sum.count += bins[k].count;
    if (sum.count == 0 || sum.count == task->end - task->begin) continue;
    double cost = half_area(sum.box) * sum.count + right[k + 1];
    if (best->axis < 0 || cost < best->cost) *best = (Split){axis, k, lo, width, cost};
  }
}

/* Triangles left of the plane to the front; returns where the right ones begin. */
static int partition(const Builder *b, const Task *task, const Split *split)
{
  int *triangle = b->bvh->triangle, middle = task->begin;
  for (int i = task->begin; i < task->end; i++) {
    int t = triangle[i];
    if (bin_of(b->middle[t].v[split->axis], split->lo, split->width) > split->bin) continue;
    triangle[i] = triangle[middle];
    triangle[middle++] = t;
  }
  return middle;
}

static int split_task(const Builder *b, const Task *task)
{
  Split best = {.axis = -1};
  if (task->depth < VL_BVH_FREE_DEPTH) {
    vlBox3 middles = vl_box_empty();
    for (int i = task->begin; i < task->end; i++) {
      vlVec3 middle = b->middle[b->bvh->triangle[i]];
      cover(&middles, &(vlBox3){middle, middle});
    }
    for (int axis = 0; axis < 3; axis++) try_axis(b, task, middles, axis, &best);
  }
  if (best.axis >= 0) return partition(b, task, &best);
  return task->begin + (task->end - task->begin) / 2;
}

static void build_nodes(Builder *b)
{
  vlBvh *bvh = b->bvh;
  Task stack[VL_BVH_STACK];
  int top = 0;
  stack[top++] = (Task){0, 0, bvh->mesh->triangle_count, 0};
  bvh->node_count = 1;
  while (top > 0) {
    Task task = stack[--top];
    vlBvhNode *node = &bvh->node[task.node];
    node->box = vl_box_empty();
    for (int i = task.begin; i < task.end; i++) cover(&node->box, &b->box[bvh->triangle[i]]);
    if (task.end - task.begin <= VL_BVH_LEAF_SIZE) {
      node->first = task.begin;
      node->count = task.end - task.begin;
      continue;
    }
    int middle = split_task(b, &task);
    node->first = bvh->node_count;
    node->count = 0;
    bvh->node_count += 2;
    stack[top++] = (Task){node->first, task.begin, middle, task.depth + 1};
    stack[top++] = (Task){node->first + 1, middle, task.end, task.depth + 1};
  }
}

static void prepare(Builder *b)
{
  vlBvh *bvh = b->bvh;
  const vlTriMesh *mesh = bvh->mesh;
  for (int t = 0; t < mesh->triangle_count; t++) {
    bvh->triangle[t] = t;
    b->box[t] = vl_box_empty();
    for (int k = 0; k < 3; k++) b->box[t] = vl_box_add(b->box[t], mesh->x[mesh->tri[t][k]]);
    b->middle[t] = vl_scale(vl_add(b->box[t].lo, b->box[t].hi), 0.5);
  }
}

static void copy_corners(vlBvh *bvh)
{
  for (int i = 0; i < bvh->mesh->triangle_count; i++)
    for (int k = 0; k < 3; k++) bvh->corner[i][k] = bvh->mesh->x[bvh->mesh->tri[bvh->triangle[i]][k]];
}

static vlCode build_tree(vlBvh *bvh, vlStatus *status)
{
  size_t n = (size_t)bvh->mesh->triangle_count;
  vlCode code = VL_OK;
  Builder b = {bvh, malloc(n * sizeof *b.box), malloc(n * sizeof *b.middle)};
  bvh->node = vl_aligned_alloc(2 * n * sizeof *bvh->node);
  bvh->triangle = malloc(n * sizeof *bvh->triangle);
  bvh->corner = vl_aligned_alloc(n * sizeof *bvh->corner);
  if (!b.box || !b.middle || !bvh->node || !bvh->triangle || !bvh->corner) {
    code = vl_fail_memory(status, n * (sizeof *b.box + 2 * sizeof *bvh->node + sizeof *bvh->corner), "the tree of a mesh");
  } else {
    prepare(&b);
    build_nodes(&b);
    copy_corners(bvh);
  }
  free(b.box);
  free(b.middle);
  return code;
}

vlCode vl_bvh_create(vlBvh **bvh, const vlTriMesh *mesh, vlStatus *status)
{
  *bvh = NULL;
  if (mesh->triangle_count == 0)
    return vl_fail(status, VL_ERROR_MESH, "a mesh of 0 triangles has no distance, expected at least one");
  vlBvh *b = calloc(1, sizeof *b);
  if (!b) return vl_fail_memory(status, sizeof *b, "the tree of a mesh");
  b->mesh = mesh;
  vlCode code = build_tree(b, status);
  if (code == VL_OK) code = vl_bvh_build_normals(b, status);
  if (code == VL_OK) {
    b->far = malloc((size_t)b->node_count * sizeof *b->far);
    if (!b->far) code = vl_fail_memory(status, (size_t)b->node_count * sizeof *b->far, "the tree of a mesh");
  }
  if (code == VL_OK)
    vl_bvh_build_far(b);
  else
    vl_bvh_destroy(&b);
  *bvh = b;
  return code;
}

void vl_bvh_refit(vlBvh *bvh)
{
  copy_corners(bvh);
  for (int n = bvh->node_count - 1; n >= 0; n--) { /* children first */
    vlBvhNode *node = &bvh->node[n];
    node->box = vl_box_empty();
    for (int i = node->first; i < node->first + node->count; i++)
      for (int k = 0; k < 3; k++) cover(&node->box, &(vlBox3){bvh->corner[i][k], bvh->corner[i][k]});
    for (int child = 0; child < 2 && node->count == 0; child++) cover(&node->box, &bvh->node[node->first + child].box);
  }
  vl_bvh_update_normals(bvh);
  vl_bvh_build_far(bvh);
}

void vl_bvh_destroy(vlBvh **bvh)
{
  if (!bvh || !*bvh) return;
  vlBvh *b = *bvh;
  vl_aligned_free(b->node);
  vl_aligned_free(b->corner);
  free(b->far);
  free(b->triangle);
  free(b->face_normal);
  free(b->edge_normal);
  free(b->vertex_normal);
  free(b->edge_of);
  free(b);
  *bvh = NULL;
}

double vl_bvh_bytes(const vlBvh *b)
{
  if (!b) return 0.0;
  double triangle =
      2 * sizeof *b->node + sizeof *b->triangle + sizeof *b->corner + sizeof *b->face_normal + sizeof *b->edge_of;
  return sizeof *b + b->mesh->triangle_count * triangle + (double)b->node_count * sizeof *b->far +
         (double)b->edge_count * sizeof *b->edge_normal + (double)b->mesh->vertex_count * sizeof *b->vertex_normal;
}
