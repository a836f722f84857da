/* The static solids of a scene as one closed surface.
 *
 * Solids fall into groups that keep clear of each other within the domain; what overlaps, touches or comes closer than a
 * quarter cell is one group. A solid wholly inside another (or an obstacle wholly outside all containers) has no surface
 * in the liquid and is left out. A group of one shape that is a polyhedron keeps its own triangles; any other group is
 * contoured in the domain grown by three cells: obstacles as their union; containers with the obstacles that cross their
 * walls as the space for liquid, union of containers minus obstacles, turned inside out. The cubes for that are half a cell
 * wide, and smaller, down to an eighth, until the thinnest wall is one and a half of them: a flat wall thicker than a cube
 * has nodes inside on every edge that passes through it and so no holes. What is lost all the same is reported.
 * In a slab solids are what the plane z = 0 cuts of them: only prisms across it keep their triangles, of all others the
 * section is contoured (section.c), and whatever is looked for is looked for in that plane.
 * Scene, grid -> triangles with normals out of the solid, and the distance min(solids, -min(containers)). */
#include "solid/statics.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/excerpt.h"
#include "mesh/bvh.h"
#include "mesh/contour.h"
#include "solid/unions.h"
#include "solid/walls.h"

typedef struct {
  const char *name; /* of the scene, only while building */
  vlSdf *sdf;
  bool container, mesh;
  bool hidden; /* adds no surface: out of the domain, or inside another */
  int parent;  /* towards the group's representative */
  int place;   /* in the scene's list */
} Solid;

struct vlStatics {
  Solid *solids; /* obstacles first, then containers */
  int count;
  vlUnion obstacles, containers;
  const vlSdf **sdfs; /* of the solids, in their order */
  vlTriMesh *surface;
  int *group_end;  /* triangles of the surface up to the end of each group's [group_count] */
  int *group_root; /* the solid that represents it [group_count] */
  int group_count;
};

/* Cubes are at most 1/1.5 of the thinnest wall, and at least a quarter of the largest; nor are they made smaller when the
 * surface would have more than this many triangles. */
static const double MARGIN = 3.0; /* cells around the domain that surfaces reach */
static const double WALL_CUBES = 1.5, REFINE_MOST = 4.0, TRIANGLES_MOST = 1e7;

typedef struct {
  vlBox3 domain, box; /* m: the grid, and grown by three cells */
  double h, reach;    /* m: largest contouring cubes; solids whose gap is under twice the reach belong together */
  double thickness;   /* m: 0; of a slab: how far solids go across it in all */
  vlLog log;
} Builder;

static vlCode load_solids(vlStatics *s, const vlScene *scene, vlStatus *status)
{
  size_t room = (size_t)scene->solid_count + 1;
  s->solids = calloc(room, sizeof *s->solids);
  s->sdfs = calloc(room, sizeof *s->sdfs);
  s->group_end = calloc(room, sizeof *s->group_end);
  s->group_root = calloc(room, sizeof *s->group_root);
  if (!s->solids || !s->sdfs || !s->group_end || !s->group_root)
    return vl_fail_memory(status, room * sizeof *s->solids, "the static solids");
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < scene->solid_count; i++) {
      const vlSolidDef *def = &scene->solids[i];
      if (def->container != (pass == 1)) continue;
      Solid *solid = &s->solids[s->count];
      *solid = (Solid){.name = def->name, .container = def->container, .parent = s->count, .place = i};
      solid->mesh = def->shape.kind == VL_SHAPE_MESH;
      vlCode code = vl_sdf_create(&solid->sdf, &def->shape, status);
      if (code) {
        vl_status_prefix(status, "solid '%s': ", def->name);
        vl_status_locate(status, scene->path, scene->text, def->shape.where);
        return code;
      }
      s->sdfs[s->count++] = solid->sdf;
      if (pass == 0) s->obstacles.count++;
    }
  s->obstacles.sdfs = s->sdfs;
  s->containers.sdfs = s->sdfs + s->obstacles.count;
  s->containers.count = s->count - s->obstacles.count;
  return VL_OK;
}

static int representative(const vlStatics *s, int i)
{
  while (s->solids[i].parent != i) i = s->solids[i].parent;
  return i;
}

static void join(vlStatics *s, int i, int j)
{
  int a = representative(s, i), b = representative(s, j);
  s->solids[a > b ? a : b].parent = a < b ? a : b;
}

static vlUnion one(const vlStatics *s, int i, bool outside) { return (vlUnion){&s->sdfs[i], 1, outside}; }

/* Whether solid i lies inside j within the domain, clear of its surface. */
static bool lies_inside(const vlStatics *s, const Builder *b, int i, int j)
{
  vlUnion inner = one(s, i, false), rest = one(s, j, true);
  return !vl_unions_meet(&inner, &rest, b->box, b->reach);
}

/* A mesh far larger than the box may have its numbers in another unit. */
static void doubt_size(const vlStatics *s, const Builder *b, int i)
{
  char doubt[256];
  vlBox3 own = vl_sdf_bounds(s->solids[i].sdf);
  if (s->solids[i].mesh && vl_mesh_doubt(vl_sub(own.hi, own.lo), vl_sub(b->domain.hi, b->domain.lo), doubt, sizeof doubt))
    vl_log(b->log, VL_LOG_WARNING, "solid '%s': %s", s->solids[i].name, doubt);
}

static void hide_distant(vlStatics *s, const Builder *b)
{
  for (int i = 0; i < s->count; i++) {
    doubt_size(s, b, i);
    vlUnion u = one(s, i, false);
    if (vl_unions_meet(&u, &u, b->domain, b->reach)) continue;
    s->solids[i].hidden = true;
    vl_log(b->log, VL_LOG_WARNING, "solid '%s' does not touch the domain and is left out", s->solids[i].name);
  }
}

/* Obstacles with obstacles, containers with containers. */
static void group_alike(vlStatics *s, const Builder *b)
{
  for (int i = 0; i < s->count; i++)
    for (int j = i + 1; j < s->count; j++) {
      Solid *p = &s->solids[i], *q = &s->solids[j];
      if (p->hidden || q->hidden || p->container != q->container) continue;
      vlUnion first = one(s, i, false), second = one(s, j, false);
      if (!vl_unions_meet(&first, &second, b->box, b->reach)) continue;
      if (lies_inside(s, b, i, j))
        p->hidden = true;
      else if (lies_inside(s, b, j, i))
        q->hidden = true;
      else
        join(s, i, j);
    }
}

/* Obstacles that cross a container's wall join it; those behind the walls are hidden. */
static void group_walls(vlStatics *s, const Builder *b)
{
  vlUnion room = s->containers, walls = s->containers;
  walls.outside = true;
  for (int i = 0; i < s->obstacles.count && room.count > 0; i++) {
    vlUnion obstacle = one(s, i, false);
    if (s->solids[i].hidden || !vl_unions_meet(&obstacle, &walls, b->box, b->reach)) continue;
    if (!vl_unions_meet(&obstacle, &room, b->box, b->reach)) {
      s->solids[i].hidden = true;
      vl_log(b->log, VL_LOG_INFO, "solid '%s' lies outside all containers", s->solids[i].name);
      continue;
    }
    for (int j = s->obstacles.count; j < s->count; j++) {
      vlUnion container = one(s, j, false);
      if (!s->solids[j].hidden && vl_unions_meet(&obstacle, &container, b->box, b->reach)) join(s, i, j);
    }
  }
}

/* The shapes of one group. With containers its region is the space for liquid, else the solid. */
typedef struct {
  const vlSdf **sdfs;
  vlUnion obstacles, containers;
  char names[512];
} Group;

static double group_distance(const void *data, vlVec3 x)
{
  const Group *g = data;
  if (g->containers.count == 0) return vl_union_distance(&g->obstacles, x);
  return fmax(vl_union_distance(&g->containers, x), -vl_union_distance(&g->obstacles, x));
}

static vlVec3 group_gradient(const void *data, vlVec3 x)
{
  const Group *g = data;
  if (g->containers.count == 0) return vl_union_gradient(&g->obstacles, x);
  bool wall = vl_union_distance(&g->containers, x) >= -vl_union_distance(&g->obstacles, x);
  return wall ? vl_union_gradient(&g->containers, x) : vl_scale(vl_union_gradient(&g->obstacles, x), -1.0);
}

/* Adds the triangles of `part` to *surface. */
static vlCode append(vlTriMesh **surface, const vlTriMesh *part, vlStatus *status)
{
  const vlTriMesh *old = *surface;
  int64_t vertices = (int64_t)old->vertex_count + part->vertex_count,
          triangles = (int64_t)old->triangle_count + part->triangle_count;
  if (vertices > INT_MAX || triangles > INT_MAX)
    return vl_fail(status, VL_ERROR_SCENE, "the static solids have %lld triangles, at most %d are possible",
                   (long long)triangles, INT_MAX);
  vlTriMesh *all = vl_trimesh_create((int)vertices, (int)triangles);
  if (!all) return vl_fail_memory(status, (size_t)triangles * sizeof *all->tri, "the surface of the static solids");
  for (int i = 0; i < all->vertex_count; i++) all->x[i] = i < old->vertex_count ? old->x[i] : part->x[i - old->vertex_count];
  for (int t = 0; t < all->triangle_count; t++)
    for (int c = 0; c < 3; c++)
      all->tri[t][c] = t < old->triangle_count ? old->tri[t][c] : part->tri[t - old->triangle_count][c] + old->vertex_count;
  vl_trimesh_destroy(surface);
  *surface = all;
  return VL_OK;
}

static double solid_distance(const void *data, vlVec3 x)
{
  const Group *g = data;
  return g->containers.count > 0 ? -group_distance(g, x) : group_distance(g, x);
}

static vlVec3 solid_gradient(const void *data, vlVec3 x)
{
  const Group *g = data;
  return vl_scale(group_gradient(g, x), g->containers.count > 0 ? -1.0 : 1.0);
}

static bool is_alone(const Group *g) { return g->obstacles.count + g->containers.count == 1; }

static double cube_side(const Builder *b, const vlWalls *walls)
{
  double h = b->h, triangles = (double)walls->surfaced;
  while (walls->thinnest < WALL_CUBES * h && h > 1.01 * b->h / REFINE_MOST && 4.0 * triangles < TRIANGLES_MOST) {
    h *= 0.5;
    triangles *= 4.0;
  }
  return h;
}

/* Looks for the thin walls in the contoured surface of the group's region. */
static vlCode report_lost(const Builder *b, const Group *g, const vlWalls *walls, const vlTriMesh *mesh, double h,
                          vlStatus *status)
{
  if (walls->thinnest >= WALL_CUBES * h || mesh->triangle_count == 0) return VL_OK;
  vlBvh *bvh = NULL;
  vlCode code = vl_bvh_create(&bvh, mesh, status);
  bool container = g->containers.count > 0;
  int lost = 0, first = walls->count, count = code ? 0 : walls->count;
#pragma omp parallel for schedule(static) reduction(+ : lost) reduction(min : first)
  for (int i = 0; i < count; i++) {
    double d = vl_bvh_signed_distance(bvh, walls->wall[i].middle);
    if ((container ? -d : d) < 1e-3 * h) continue;
    lost++;
    if (i < first) first = i;
  }
  vl_bvh_destroy(&bvh);
  if (lost == 0) return code;
  const vlWall *wall = &walls->wall[first];
  vl_log(b->log, VL_LOG_WARNING,
         "%s %s: the surface has holes at %d of %d places where walls are thin, the first near (%.4g, %.4g, %.4g) m where "
         "the wall is %.3g m thick; with cells of %g m walls must be at least %.3g m",
         is_alone(g) ? "solid" : "solids", g->names, lost, walls->count, wall->middle.x, wall->middle.y, wall->middle.z,
         wall->thickness, 2.0 * b->h, WALL_CUBES * h);
  return code;
}

/* The lattice misses the planes on which people put things, as that of vl_contour does. */
static vlCode contour_section(vlTriMesh **mesh, const Builder *b, vlRegion region, double h, vlStatus *status)
{
  vlBox3 box = b->box;
  box.lo = vl_sub(box.lo, vl_vec(0.37 * h, 0.41 * h, 0.0));
  return vl_section_prism(mesh, region, box, h, b->thickness, status);
}

static vlCode contour_group(vlTriMesh **mesh, const Builder *b, const Group *g, vlStatus *status)
{
  vlWalls walls = {0};
  vlRegion region = {group_distance, group_gradient, g}, solid = {solid_distance, solid_gradient, g};
  bool slab = b->thickness > 0.0;
  vlCode code = vl_walls_find(&walls, slab ? vl_region_flat(&solid) : solid, b->domain, b->h, WALL_CUBES * b->h, status);
  double h = cube_side(b, &walls);
  if (!code) code = slab ? contour_section(mesh, b, region, h, status) : vl_contour(mesh, region, b->box, h, status);
  if (!code) code = report_lost(b, g, &walls, *mesh, h, status);
  if (!code)
    vl_log(b->log, VL_LOG_INFO, "%s %s: %d triangles, contoured on cubes of %.3g m",
           is_alone(g) ? "solid" : "solids united:", g->names, (*mesh)->triangle_count, h);
  if (!code && (*mesh)->triangle_count == 0)
    vl_log(b->log, VL_LOG_WARNING, "%s %s: too small for cells of %g m, left out", is_alone(g) ? "solid" : "solids",
           g->names, 2.0 * b->h);
  vl_walls_clear(&walls);
  return code;
}

/* Whether the surface is that of a prism along z where it passes through the slab. */
static bool crosses_slab(const vlTriMesh *mesh, double half)
{
  for (int t = 0; t < mesh->triangle_count; t++) {
    vlVec3 x[3];
    for (int c = 0; c < 3; c++) x[c] = mesh->x[mesh->tri[t][c]];
    if (fmin(x[0].z, fmin(x[1].z, x[2].z)) > half || fmax(x[0].z, fmax(x[1].z, x[2].z)) < -half) continue;
    vlVec3 n = vl_unit(vl_cross(vl_sub(x[1], x[0]), vl_sub(x[2], x[0])));
    if (fabs(n.z) > 1e-12) return false; /* sin 180 degrees is not 0 */
  }
  return true;
}

/* The triangles of a group that is a polyhedron; NULL: it is none that can keep them. */
static vlCode own_triangles(vlTriMesh **mesh, const Builder *b, const Group *g, vlStatus *status)
{
  vlCode code = is_alone(g) ? vl_sdf_exact_surface(mesh, g->sdfs[0], status) : VL_OK;
  if (*mesh && b->thickness > 0.0 && !crosses_slab(*mesh, b->h)) vl_trimesh_destroy(mesh);
  return code;
}

static vlCode mesh_group(vlStatics *s, const Builder *b, const Group *g, vlStatus *status)
{
  vlTriMesh *mesh = NULL;
  vlCode code = own_triangles(&mesh, b, g, status);
  if (!code && mesh)
    vl_log(b->log, VL_LOG_INFO, "solid %s: %d triangles, its own", g->names, mesh->triangle_count);
  else if (!code)
    code = contour_group(&mesh, b, g, status);
  if (!code && g->containers.count > 0) vl_trimesh_flip(mesh);
  if (!code) code = append(&s->surface, mesh, status);
  vl_trimesh_destroy(&mesh);
  return code;
}

/* Collects the visible solids of the group that solid `root` represents: obstacles first, as in the list of all. */
static void collect(const vlStatics *s, int root, Group *g)
{
  int count = 0, length = 0;
  g->obstacles = g->containers = (vlUnion){0};
  g->names[0] = '\0';
  for (int i = root; i < s->count; i++) {
    const Solid *solid = &s->solids[i];
    if (solid->hidden || representative(s, i) != root) continue;
    g->sdfs[count++] = solid->sdf;
    vlUnion *kind = solid->container ? &g->containers : &g->obstacles;
    kind->count++;
    int room = (int)sizeof g->names - length;
    int n = snprintf(g->names + length, (size_t)room, "%s'%s'", count > 1 ? ", " : "", solid->name);
    length += n < room ? n : room - 1;
  }
  g->obstacles.sdfs = g->sdfs;
  g->containers.sdfs = g->sdfs + g->obstacles.count;
}

static vlCode build_surface(vlStatics *s, const Builder *b, vlStatus *status)
{
  s->surface = vl_trimesh_create(0, 0);
  Group g = {.sdfs = calloc((size_t)s->count + 1, sizeof *g.sdfs)};
  vlCode code = s->surface && g.sdfs ? VL_OK : vl_fail_memory(status, sizeof *s->surface, "the static solids");
  hide_distant(s, b);
  group_alike(s, b);
  group_walls(s, b);
  for (int i = 0; i < s->count && !code; i++) {
    if (s->solids[i].parent != i) continue;
    collect(s, i, &g);
    if (g.obstacles.count + g.containers.count > 0) code = mesh_group(s, b, &g, status);
    if (code) break;
    s->group_root[s->group_count] = i;
    s->group_end[s->group_count++] = s->surface->triangle_count;
  }
  free(g.sdfs);
  return code;
}

vlCode vl_statics_create(vlStatics **statics, const vlScene *scene, const vlGrid *grid, vlLog log, vlStatus *status)
{
  vlStatics *s = *statics = calloc(1, sizeof **statics);
  if (!s) return vl_fail_memory(status, sizeof *s, "the static solids");
  vlBox3 domain = vl_grid_box(grid);
  Builder b = {domain, vl_box_grow(domain, MARGIN * grid->dx), 0.5 * grid->dx, 0.125 * grid->dx, 0.0, log};
  if (scene->grid.slab) {
    b.thickness = (1.0 + 2.0 * MARGIN) * grid->dx;
    b.domain.lo.z = b.domain.hi.z = b.box.lo.z = b.box.hi.z = 0.0;
  }
  vlCode code = load_solids(s, scene, status);
  if (!code) code = build_surface(s, &b, status);
  if (code) vl_statics_destroy(statics);
  return code;
}

void vl_statics_destroy(vlStatics **statics)
{
  if (!statics || !*statics) return;
  vlStatics *s = *statics;
  for (int i = 0; s->solids && i <= s->count; i++) vl_sdf_destroy(&s->solids[i].sdf);
  free(s->solids);
  free(s->sdfs);
  free(s->group_end);
  free(s->group_root);
  vl_trimesh_destroy(&s->surface);
  free(s);
  *statics = NULL;
}

double vl_statics_bytes(const vlStatics *s)
{
  double bytes = sizeof *s + vl_trimesh_bytes(s->surface);
  for (int i = 0; i < s->count; i++)
    bytes += sizeof *s->solids + sizeof *s->sdfs + 2 * sizeof(int) + vl_sdf_bytes(s->solids[i].sdf);
  return bytes;
}

const vlTriMesh *vl_statics_surface(const vlStatics *statics) { return statics->surface; }

bool vl_statics_solid_at_infinity(const vlStatics *statics) { return statics->containers.count > 0; }

double vl_statics_distance(const vlStatics *s, vlVec3 x)
{
  double d = vl_union_distance(&s->obstacles, x);
  return s->containers.count > 0 ? fmin(d, -vl_union_distance(&s->containers, x)) : d;
}

/* A solid with a surface of its own; root 0 or more: and of this group. */
static bool has_part(const vlStatics *s, int i, int root)
{
  return !s->solids[i].hidden && (root < 0 || representative(s, i) == root);
}

/* The place of the one of them whose surface is nearest, of equally near ones the first; -1: there is none. */
static int nearest_solid(const vlStatics *s, int root, vlVec3 x)
{
  int first = root < 0 ? 0 : root, nearest = -1, count = 0;
  for (int i = first; i < s->count; i++) count += has_part(s, i, root);
  double least = INFINITY;
  for (int i = first; i < s->count; i++) {
    if (!has_part(s, i, root)) continue;
    double distance = count == 1 ? 0.0 : fabs(vl_sdf_distance(s->solids[i].sdf, x));
    if (distance >= least) continue;
    least = distance;
    nearest = s->solids[i].place;
  }
  return nearest;
}

int vl_statics_owner(const vlStatics *s, int triangle, vlVec3 x)
{
  int g = 0;
  while (g < s->group_count && triangle >= s->group_end[g]) g++;
  return g < s->group_count ? nearest_solid(s, s->group_root[g], x) : -1;
}

int vl_statics_nearest(const vlStatics *s, vlVec3 x) { return nearest_solid(s, -1, x); }

bool vl_statics_touch(const vlStatics *s, int solid, vlVec3 center, double dx)
{
  int i = 0;
  while (i < s->count && s->solids[i].place != solid) i++;
  if (i == s->count) return false;
  double distance = fabs(vl_sdf_distance(s->solids[i].sdf, center));
  if (distance > dx) return false;
  vlVec3 n = vl_sdf_gradient(s->solids[i].sdf, center);
  return distance <= 0.5 * dx * (fabs(n.x) + fabs(n.y) + fabs(n.z)) * (1.0 + 1e-6);
}
