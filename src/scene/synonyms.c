/* What was meant: the nearest of our words by its letters, or by words that people write for ours: "cube" for box,
 * "diameter" for radius. A synonym is only ever suggested, in a message, and only where its meaning is among the words
 * allowed there; so one word may stand for several of ours. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "scene/tree.h"

static const struct {
  const char *words; /* each between blanks */
  const char *meant;
  const char *note; /* what else is to be known; NULL: nothing */
} synonyms[] = {
    {" cube cuboid block brick rectangle ", "box", NULL},
    {" ball globe circle ", "sphere", NULL},
    {" plane half-space half_space halfplane floor ground wall ", "halfspace", NULL},
    {" tube pipe rod disk disc ", "cylinder", NULL},
    {" ring donut doughnut ", "torus", NULL},
    {" pill stadium ", "capsule", NULL},
    {" pyramid frustum ", "cone", NULL},
    {" tets tetmesh tetrahedra gmsh msh ", "mesh", NULL},
    {" file path stl obj ply model triangles ", "mesh", NULL},
    {" cut subtract minus ", "difference", NULL},
    {" add join merge ", "union", NULL},
    {" intersect common ", "intersection", NULL},
    {" type kind ", "shape", NULL},
    {" type kind shape ", "probe", NULL},
    {" type kind motion action ", "move", NULL},
    {" script scripted path animate animation moves kinematic driven ", "motion", NULL},
    {" keyframe keyframes frames ", "keys", NULL},
    {" translate translation linear ", "slide", NULL},
    {" rotate rotation turn ", "spin", NULL},
    {" oscillate wave shake ", "sway", NULL},
    {" rock pendulum ", "swing", NULL},
    {" pivot hinge anchor ", "about", NULL},
    {" omega angular_velocity speed rpm ", "rate", NULL},
    {" force forces thrust ", "pushes", NULL},
    {" eigenmode eigenmodes mode mode_shape mode_shapes initial_mode vibration ", "modes", NULL},
    {" eigenmode number index n order ", "mode", NULL},
    {" position pos location place at centre middle origin translate translation offset ", "center", NULL},
    {" center centre pos location place at point ", "position", NULL},
    {" diameter ", "radius", "the radius is half the diameter"},
    {" r ", "radius", NULL},
    {" width length dimensions dims extent extents edge edges side sides ", "size", NULL},
    {" rotation orientation angle angles turn euler ", "rotate", NULL},
    {" path filename mesh ", "file", NULL},
    {" size factor ", "scale", NULL},
    {" resolution res n ", "cells", NULL},
    {" h spacing cell_size cellsize ", "dx", NULL},
    {" 2d flat planar ", "slab", NULL},
    {" depth fill surface height waterline ", "level", NULL},
    {" rho ", "density", NULL},
    {" weight m ", "mass", NULL},
    {" e youngs young_modulus youngs_modulus modulus stiffness elasticity ", "young", NULL},
    {" nu poisson_ratio poissons_ratio ", "poisson", NULL},
    {" tau_m ", "mass_damping", NULL},
    {" tau_k ", "stiffness_damping", NULL},
    {" elements order ", "element", NULL},
    {" scheme ", "integrator", NULL},
    {" law elasticity_model material_model constitutive constitutive_model hyperelastic ", "model", NULL},
    {" omega angular_velocity ", "spin", NULL},
    {" pin pinned fixed hold holds anchors clamps supports constraints ", "pins", NULL},
    {" axis directions direction ", "axes", NULL},
    {" period ", "frequency", "the frequency is 1 over the period"},
    {" g acceleration ", "gravity", NULL},
    {" fluid water liquids ", "liquid", NULL},
    {" body elastic elastics deformable deformables softbodies ", "bodies", NULL},
    {" solid body obstacles objects walls boundaries ", "solids", NULL},
    {" domain mesh box ", "grid", NULL},
    {" inflow inflows inlet inlets emitters ", "sources", NULL},
    {" outflow outflows outlet drains ", "outlets", NULL},
    {" gauges sensors ", "probes", NULL},
    {" drag grab grabs hand hands ", "drags", NULL},
    {" until duration stop t_end tend end_time ", "end", NULL},
    {" fps framerate frame_rate ", "frames_per_second", NULL},
    {" dt timestep time_step ", "dt_fixed", NULL},
    {" preconditioner method ", "solver", NULL},
    {" tol eps epsilon ", "tolerance", NULL},
    {" maxiter max_iter iterations ", "max_iterations", NULL},
    {" title description comment name ", "about", NULL},
};

/* Is `word` among those of row i? Upper and lower case are the same. */
static bool is_listed(size_t i, const char *word)
{
  size_t n = strlen(word);
  if (!n || strchr(word, ' ')) return false;
  for (const char *c = synonyms[i].words; c[1]; c = strchr(c + 1, ' '))
    if (strncasecmp(c + 1, word, n) == 0 && c[n + 1] == ' ') return true;
  return false;
}

static const char *find_synonym(const char *word, const char *const *candidates, int count)
{
  for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
    if (!is_listed(i, word)) continue;
    for (int c = 0; c < count; c++)
      if (strcmp(candidates[c], synonyms[i].meant) == 0) return candidates[c];
  }
  return NULL;
}

const char *vl_synonym_note(const char *word, const char *meant)
{
  for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
    if (synonyms[i].note && is_listed(i, word) && strcmp(synonyms[i].meant, meant) == 0) return synonyms[i].note;
  return NULL;
}

static int lower(char c) { return tolower((unsigned char)c); }
static int smallest(int a, int b) { return a < b ? a : b; }

/* Edits that turn a into b: insert, delete, replace, swap neighbours; upper and lower case are the same. */
static int edit_distance(const char *a, const char *b)
{
  enum { LONGEST = 40 };
  int row[3][LONGEST + 1];
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n > LONGEST || m > LONGEST) return LONGEST;
  for (int j = 0; j <= m; j++) row[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = smallest(smallest(last[j], now[j - 1]) + 1, last[j - 1] + !equal);
      bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) now[j] = smallest(now[j], before[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

const char *vl_nearest(const char *word, const char *const *candidates, int count)
{
  const char *synonym = find_synonym(word, candidates, count);
  if (synonym) return synonym;
  size_t length = strnlen(word, 64);
  int best = 1 + (length > 3) + (length > 8); /* a third of the word or so */
  const char *nearest = NULL;
  for (int i = 0; i < count; i++) {
    int distance = edit_distance(word, candidates[i]);
    if (distance > best || distance >= (int)strlen(candidates[i]) || (nearest && distance == best)) continue;
    best = distance;
    nearest = candidates[i];
  }
  return nearest;
}
