/* What people look for and Velella does not have: said plainly, with the keys that come nearest. A word that is a key is
 * never looked up here. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scene/keys.h"
#include "scene/scene.h"

static const struct {
  const char *words; /* each between blanks; '_' for blanks, dashes and points */
  const char *what;
  const char *nearest; /* paths of keys */
} absent[] = {
    {" viscosity viscous kinematic_viscosity dynamic_viscosity friction_of_liquid honey syrup oil lava paint shear ",
     "The liquid has no viscosity: nothing slows it inside but what the grid and the transfer smooth away.",
     "liquid.transfer, liquid.flip"},
    {" surface_tension tension capillary capillarity contact_angle wetting meniscus soap ",
     "There is no surface tension: drops and thin sheets of some millimetres do not pull together.", "pressure.separation"},
    {" temperature heat thermal boiling boil freezing ice melting evaporation steam convection conductivity ",
     "Nothing has a temperature: there is no heat, and nothing boils, freezes or expands.", "liquid.density"},
    {" air gas wind atmosphere ambient drag bubble bubbles foam spray mist smoke fire cavitation vapor vapour ",
     "The air weighs nothing and has the pressure 0 everywhere: there is no wind, no drag, and no bubble that resists.",
     "bodies.pushes, bodies.mass_damping, liquid.sources"},
    {" cloth shell shells membrane rope cable hair thread string chain paper fabric ",
     "There are no bodies without thickness and no ropes.", "bodies.shape, bodies.cells, bodies.element"},
    {" fracture plastic plasticity break breaking crack tear yield viscoelastic ",
     "Bodies are elastic or rigid: they do not break, flow or stay bent.", "bodies.model, bodies.stiffness_damping"},
    {" joint joints motor motors spring springs constraint ", "There are no joints between bodies and no springs.",
     "bodies.pins, bodies.motion, bodies.pushes"},
    {" sand granular mud snow gravel powder grains ", "The liquid is a liquid: it does not pile up.",
     "bodies, liquid.density"},
    {" gpu cuda opencl device ", "Velella computes on the processor (run --threads N).", "grid.cells, solver.coupling"},
    {" phases multiphase two_phase second_liquid mixture mixing salt salinity concentration dye tracer ",
     "There is one liquid, the same everywhere, and nothing is dissolved in it.", "liquid.density, render.water_color"},
    {" turbulence turbulent les rans k_epsilon eddy_viscosity ",
     "There is no model of turbulence: what the cells do not show is not there.", "grid.cells, liquid.transfer"},
    {" waves wave_maker wavemaker swell tide current ", "There are no waves by key; something has to make them.",
     "bodies.motion, liquid.velocity, liquid.shapes"},
    {" periodic periodicity open_boundary boundary_condition boundary_conditions ",
     "The six sides of the box are walls on which liquid slips, but for outlets.",
     "liquid.outlets, liquid.sources, liquid.sinks"},
    {" no_slip noslip slip roughness wall_friction ", "Liquid slips along all walls and bodies without friction.",
     "bodies.friction"},
    {" adaptive refinement amr octree nested_grid ", "All cells of a grid are cubes of one size.", "grid.cells, grid.dx"},
    {" porous porosity permeability sponge ", "Solids and bodies let no liquid through.", "solids"},
    {" compressible compressibility sound acoustics shock bulk_modulus ", "The liquid keeps its volume: there is no sound.",
     "liquid.density"},
    {" magnetic electric charge electromagnetic ", "There are no fields but gravity.", "gravity, bodies.pushes"},
};

/* "Surface tension" → " surface_tension " */
static bool as_listed(const char *word, char out[64])
{
  size_t n = 1;
  out[0] = ' ';
  for (const char *c = word; *c && n < 61; c++)
    out[n++] = (char)(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : '_');
  out[n] = ' ';
  out[n + 1] = 0;
  return n > 1;
}

const char *vl_scene_absent(const char *word, const char **nearest)
{
  char listed[64];
  const char *last = strrchr(word, '.');
  if (!as_listed(last ? last + 1 : word, listed)) return NULL;
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
    if (!strstr(absent[i].words, listed)) continue;
    *nearest = absent[i].nearest;
    return absent[i].what;
  }
  return NULL;
}

/* The keys of a list of paths, with what they mean. */
static void list_keys(FILE *out, const char *paths)
{
  char path[64], all[512], *rest = all;
  snprintf(all, sizeof all, "%s", paths);
  for (char *one = strtok_r(rest, ", ", &rest); one; one = strtok_r(rest, ", ", &rest))
    for (int i = 0; i < vl_key_count; i++)
      if (strcmp(vl_key_path(&vl_keys[i], path, sizeof path), one) == 0)
        fprintf(out, "  %-26s %s\n", path, vl_key_meaning(&vl_keys[i]));
}

bool vl_scene_help_absent(FILE *out, const char *word)
{
  const char *nearest, *what = vl_scene_absent(word, &nearest);
  if (!what) return false;
  fprintf(out, "%s: not there\n  %s\n\nnearest\n", word, what);
  list_keys(out, nearest);
  return true;
}

/* Has the text the word, with no letter before or behind it? */
static bool has_word(const char *text, const char *word)
{
  size_t n = strlen(word);
  for (const char *c = text; *c; c++)
    if (strncasecmp(c, word, n) == 0 && (c == text || !isalpha((unsigned char)c[-1])) && !isalpha((unsigned char)c[n]))
      return true;
  return false;
}

bool vl_scene_help_mentions(FILE *out, const char *word)
{
  char path[64];
  bool found = false;
  for (int i = 0; i < vl_key_count && strlen(word) > 2; i++) {
    const char *meaning = vl_key_meaning(&vl_keys[i]);
    if (!has_word(meaning, word)) continue;
    if (!found) fprintf(out, "%s: no command, topic or key; these speak of it\n", word);
    fprintf(out, "  %-26s %s\n", vl_key_path(&vl_keys[i], path, sizeof path), meaning);
    found = true;
  }
  return found;
}
