/* Hands that hold an elastic body (grab.h), in S, w and the reactions.
 *
 * With C the shares c of all grabs along all axes, of unknowns that are not held, and D their resistances,
 *
 *     S_g = S + C D C^T,     S_g^-1 = S^-1 - Z (D^-1 + C^T Z)^-1 Z^T,     Z = S^-1 C          [hager1989]
 *
 * so that the factor of S stays what it is without grabs, closing and opening a hand analyse nothing anew, and a body that
 * is let go steps as if it never had been held. Who wants S_g itself gets its entries. Of held unknowns, which move at v_p,
 * what resists goes to w: w_g = w - C (pull - D c_p.v_p). In: S factored. Out: S_g^-1, S_g, w_g. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "linear/solve.h"
#include "solid/elastic_parts.h"
#include "solid/grab.h"

struct vlElasticGrabs {
  int count;       /* columns of C, three for each grab; 0: S is without them */
  size_t room;     /* of vectors in reply */
  vlVec3 *reply;   /* Z [count][node_count] */
  size_t entries;  /* of factor */
  double *factor;  /* of D^-1 + C^T Z [count][count] */
  double *scratch; /* [count] */
  size_t scratch_room;
  vlCsr *matrix; /* S_g */
};

void vl_elastic_grabs_destroy(struct vlElasticGrabs **grabs)
{
  if (!grabs || !*grabs) return;
  free((*grabs)->reply);
  free((*grabs)->factor);
  free((*grabs)->scratch);
  vl_csr_destroy(&(*grabs)->matrix);
  free(*grabs);
  *grabs = NULL;
}

double vl_elastic_grabs_bytes(const vlElastic *b)
{
  const struct vlElasticGrabs *z = b->grabs;
  if (!z) return 0.0;
  double entries = z->matrix ? (double)z->matrix->start[z->matrix->rows] : 0.0;
  return sizeof *z + (double)z->room * sizeof *z->reply + (double)(z->entries + z->scratch_room) * sizeof *z->factor +
         entries * (sizeof(double) + sizeof(int));
}

void vl_elastic_grabs_rest(vlElastic *b)
{
  if (!b->grabs) return;
  b->grabs->count = 0;
  vl_csr_destroy(&b->grabs->matrix);
}

void vl_elastic_solve(vlBody *body, const vlVec3 *r, vlVec3 *y)
{
  vlElastic *b = (vlElastic *)body;
  const struct vlElasticGrabs *z = b->grabs;
  vl_elastic_system_solve(b->system, b, r, y);
  if (!z || z->count == 0) return;
  for (int c = 0; c < z->count; c++) z->scratch[c] = vl_grab_mean(&body->control.grab[c / 3], y).v[c % 3];
  vl_dense_solve(z->factor, z->count, z->scratch);
  for (int c = 0; c < z->count; c++) {
    const vlVec3 *Z = z->reply + (size_t)c * (size_t)body->node_count;
    for (int i = 0; i < body->node_count; i++) y[i] = vl_axpy(y[i], -z->scratch[c], Z[i]);
  }
}

const vlCsr *vl_elastic_matrix(const vlBody *body, const int **unknown)
{
  const vlElastic *b = (const vlElastic *)body;
  const vlCsr *S = vl_elastic_system_matrix(b->system, unknown);
  return b->grabs && b->grabs->matrix ? b->grabs->matrix : S;
}

static vlCode reserve(struct vlElasticGrabs *z, size_t columns, size_t nodes, vlStatus *status)
{
  bool good = vl_array_reserve((void **)&z->reply, &z->room, columns * nodes, sizeof *z->reply);
  good = good && vl_array_reserve((void **)&z->factor, &z->entries, columns * columns, sizeof *z->factor);
  good = good && vl_array_reserve((void **)&z->scratch, &z->scratch_room, columns, sizeof *z->scratch);
  return good ? VL_OK : vl_fail_memory(status, columns * nodes * sizeof *z->reply, "the hold on an elastic body");
}

/* Z, and D^-1 + C^T Z factored. */
static vlCode reply(vlElastic *b, vlStatus *status)
{
  struct vlElasticGrabs *z = b->grabs;
  const vlBody *body = &b->body;
  int columns = 3 * body->control.grab_count;
  size_t nodes = (size_t)body->node_count;
  vlCode code = reserve(z, (size_t)columns, nodes, status);
  for (int c = 0; c < columns && !code; c++) {
    const vlGrab *grab = &body->control.grab[c / 3];
    vlVec3 *Z = z->reply + (size_t)c * nodes;
    for (size_t i = 0; i < nodes; i++) Z[i] = vl_vec(0, 0, 0);
    for (int i = 0; i < grab->hold.count; i++) Z[grab->hold.node[i]].v[c % 3] += grab->hold.share[i];
    vl_elastic_system_solve(b->system, b, Z, Z);
    for (int r = 0; r < columns; r++)
      z->factor[r * columns + c] =
          vl_grab_mean(&body->control.grab[r / 3], Z).v[r % 3] + (r == c ? 1.0 / grab->resistance : 0.0);
  }
  if (!code && !vl_dense_factor(z->factor, columns))
    code = vl_fail(status, VL_ERROR_SOLVER, "the hands that hold an elastic body lock each other");
  if (!code) z->count = columns;
  return code;
}

/* (resistance) c c^T of one grab, along all axes, over the rows of S. */
static vlCode make_block(vlCsr **block, const vlElastic *b, const vlGrab *grab, vlStatus *status)
{
  const int *unknown;
  const vlCsr *S = vl_elastic_system_matrix(b->system, &unknown);
  int list[3][VL_GRAB_NODES], count[3] = {0};
  int64_t entries = 0, at = 0;
  double *share = calloc((size_t)S->rows + 1, sizeof *share);
  if (!share) return vl_fail_memory(status, (size_t)S->rows * sizeof *share, "the hold on an elastic body");
  for (int i = 0; i < 3 * grab->hold.count; i++) {
    int u = 3 * (int)grab->hold.node[i / 3] + i % 3;
    if (!b->body.held[u]) share[b->row[u]] = grab->hold.share[i / 3];
  }
  for (int r = 0; r < S->rows; r++)
    if (share[r] != 0.0) list[unknown[r] % 3][count[unknown[r] % 3]++] = r;
  for (int a = 0; a < 3; a++) entries += count[a] * count[a];
  vlCode code = vl_csr_create(block, S->rows, entries, status);
  for (int r = 0; r < S->rows && !code; r++) {
    int a = unknown[r] % 3;
    for (int k = 0; k < count[a] && share[r] != 0.0; k++, at++) {
      (*block)->column[at] = list[a][k];
      (*block)->value[at] = grab->resistance * (share[r] * share[list[a][k]]);
    }
    (*block)->start[r + 1] = at;
  }
  free(share);
  return code;
}

static vlCode add_blocks(vlElastic *b, vlStatus *status)
{
  const int *unknown;
  const vlCsr *S = vl_elastic_system_matrix(b->system, &unknown);
  vlCode code = VL_OK;
  for (int g = 0; g < b->body.control.grab_count && !code; g++) {
    vlCsr *block = NULL, *sum = NULL;
    code = make_block(&block, b, &b->body.control.grab[g], status);
    if (!code) code = vl_rect_add(&sum, b->grabs->matrix ? b->grabs->matrix : S, 1.0, block, status);
    vl_csr_destroy(&block);
    if (code) break;
    vl_csr_destroy(&b->grabs->matrix);
    b->grabs->matrix = sum;
  }
  return code;
}

/* w -= C (pull - D c_p.v_p), in the rows of what is held too. */
static void pull(vlElastic *b)
{
  for (int g = 0; g < b->body.control.grab_count; g++) {
    const vlGrab *grab = &b->body.control.grab[g];
    vlVec3 f = vl_axpy(grab->pull, -grab->resistance, vl_grab_mean(grab, b->body.given));
    for (int i = 0; i < grab->hold.count; i++) {
      vlVec3 *w = &b->body.w[grab->hold.node[i]];
      *w = vl_axpy(*w, -grab->hold.share[i], f);
    }
  }
}

vlCode vl_elastic_grabs_begin(vlElastic *b, vlStatus *status)
{
  vlBody *body = &b->body;
  double mass = 0.0;
  if (body->control.grab_count == 0) return VL_OK;
  if (!b->grabs && !(b->grabs = calloc(1, sizeof *b->grabs)))
    return vl_fail_memory(status, sizeof *b->grabs, "the hold on an elastic body");
  for (int i = 0; i < body->node_count; i++) mass += b->mass[i];
  vl_grabs_begin(body, mass, body->base, body->span);
  pull(b);
  vlCode code = reply(b, status);
  return code ? code : add_blocks(b, status);
}

void vl_elastic_grabs_finish(vlElastic *b, const vlVec3 *v)
{
  for (int g = 0; g < b->body.control.grab_count; g++) {
    vlGrab *grab = &b->body.control.grab[g];
    vlVec3 mean = vl_grab_mean(grab, v), added = vl_sub(mean, vl_grab_mean(grab, b->body.given));
    vl_grab_finish(grab, mean);
    for (int i = 0; i < 3 * grab->hold.count; i++) { /* w knows what held nodes do alone */
      int node = (int)grab->hold.node[i / 3], a = i % 3;
      if (b->body.held[3 * node + a]) b->body.reaction[node].v[a] += grab->hold.share[i / 3] * grab->resistance * added.v[a];
    }
  }
}
