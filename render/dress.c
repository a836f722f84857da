/* Materials by the scene's choice, or by default, and triangles by the number of the thing that they belong to. Opaque and
 * glass triangles are listed apart, since the world takes them as parts of their own. */
#include "dress.h"

#include <stdlib.h>

#include "base/status.h"

static vlCode create(vlDress *dress, int count, vlStatus *status)
{
  dress->count = count > 0 ? count : 1;
  dress->materials = calloc((size_t)dress->count, sizeof *dress->materials);
  return dress->materials ? VL_OK : vl_fail_memory(status, (size_t)dress->count * sizeof *dress->materials, "materials");
}

/* `color`: without one of its own. */
static vlMaterial material_of(const vlLookSolid *look, vlF3 color)
{
  vlMaterialKind kind = look->material;
  if (kind == VL_MATERIAL_AUTO && look->container) kind = VL_MATERIAL_GLASS;
  if (kind == VL_MATERIAL_GLASS) color = f3(0.75f, 0.88f, 0.9f);
  return vl_material(kind, look->has_color ? vl_linear_color(look->color) : color);
}

vlCode vl_dress_solids(vlDress *dress, const vlLookSolid *looks, int count, vlStatus *status)
{
  vlCode code = create(dress, count, status);
  for (int i = 0; code == VL_OK && i < dress->count; i++) {
    vlLookSolid look = i < count ? looks[i] : (vlLookSolid){0};
    dress->materials[i] = material_of(&look, vl_palette_color(i));
  }
  return code;
}

vlCode vl_dress_bodies(vlDress *dress, const vlLookSolid *looks, int count, vlStatus *status)
{
  vlCode code = create(dress, count, status);
  for (int i = 0; code == VL_OK && i < dress->count; i++) {
    vlLookSolid look = i < count ? looks[i] : (vlLookSolid){0};
    dress->materials[i] = material_of(&look, vl_linear_color(vl_look_color(i)));
  }
  return code;
}

void vl_dress_clear(vlDress *dress)
{
  free(dress->materials);
  *dress = (vlDress){0};
}

/* The arrays that tell whose a triangle is; both NULL: nobody's. */
typedef struct Owners {
  const float *of_triangle, *of_vertex;
} Owners;

static Owners find_owners(const vlFrameMesh *frame)
{
  Owners o = {.of_triangle = vl_frame_mesh_array(frame, "solid", false, 1)};
  if (!o.of_triangle) o.of_triangle = vl_frame_mesh_array(frame, "body", false, 1);
  if (!o.of_triangle) o.of_vertex = vl_frame_mesh_array(frame, "body", true, 1);
  return o;
}

vlCode vl_dress_wear(const vlDress *dress, const vlFrameMesh *frame, vlWorn *worn, vlStatus *status)
{
  size_t triangles = frame->mesh ? (size_t)frame->mesh->triangle_count : 0;
  *worn = (vlWorn){.opaque_of = malloc((triangles + 1) * sizeof(int)), .glass_of = malloc((triangles + 1) * sizeof(int))};
  if (!worn->opaque_of || !worn->glass_of) return vl_fail_memory(status, triangles * 8, "the triangles' materials");
  Owners owners = find_owners(frame);
  for (size_t t = 0; t < triangles; t++) {
    float owner = owners.of_triangle ? owners.of_triangle[t] : 0.0f;
    if (owners.of_vertex) owner = owners.of_vertex[frame->mesh->tri[t][0]];
    int of = owner >= 0.0f && owner < (float)dress->count ? (int)owner : 0;
    bool glass = dress->materials[of].kind == VL_SURFACE_GLASS;
    worn->opaque_of[t] = glass ? -1 : of;
    worn->glass_of[t] = glass ? of : -1;
  }
  return VL_OK;
}

void vl_worn_clear(vlWorn *worn)
{
  free(worn->opaque_of);
  free(worn->glass_of);
  *worn = (vlWorn){0};
}
