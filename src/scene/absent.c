/* What people look for and Velella does not have, or has by another name: said plainly, with the keys that come nearest. A
 * word that is a key is never looked up here. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scene/keys.h"
#include "scene/scene.h"

typedef struct Word {
  const char *words; /* each between blanks; '_' for blanks, dashes and points */
  const char *what;
  const char *nearest; /* paths of keys */
} Word;

static const Word absent[] = {
    {" viscosity viscous kinematic_viscosity dynamic_viscosity friction_of_liquid honey syrup oil lava paint shear ",
     "The liquid has no viscosity: nothing slows it inside but what the grid and the transfer smooth away.",
     "liquid.transfer, liquid.flip"},
    {" surface_tension tension capillary capillarity contact_angle wetting meniscus soap ",
     "There is no surface tension: drops and thin sheets of some millimetres do not pull together.", "pressure.separation"},
    {" temperature heat thermal boiling boil freezing ice melt melting evaporation steam convection conductivity ",
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
    {" wave waves wave_maker wavemaker swell tide current ", "There are no waves by key; something has to make them.",
     "bodies.motion, liquid.velocity, liquid.shapes"},
    {" periodic periodicity open_boundary boundary_condition boundary_conditions ",
     "The six sides of the box are walls on which liquid slips, but for outlets.",
     "liquid.outlets, liquid.sources, liquid.sinks"},
    {" no_slip noslip slip free_slip roughness wall_friction ", "Liquid slips along all walls and bodies without friction.",
     "bodies.friction"},
    {" adaptive refinement amr octree nested_grid ", "All cells of a grid are cubes of one size.", "grid.cells, grid.dx"},
    {" porous porosity permeability sponge ", "Solids and bodies let no liquid through.", "solids"},
    {" compressible compressibility sound acoustics shock bulk_modulus ", "The liquid keeps its volume: there is no sound.",
     "liquid.density"},
    {" magnetic electric charge electromagnetic ", "There are no fields but gravity.", "gravity, bodies.pushes"},
};

/* What is there, but under another name. */
static const Word elsewhere[] = {
    {" immersed medium real_time realtime interactive brandt ",
     "engine: immersed makes liquid and elastic bodies one medium, in even steps. There are no rigid bodies in it, no "
     "liquid that "
     "parts from walls, no leapfrog, no still liquid; bodies neither settle nor show modes.",
     "engine, bodies.reduced, drags"},
    {" wall boundary boundaries obstacle obstacles tank container terrain bottom ",
     "What stands still is a solid; the six sides of the box are walls by themselves.",
     "solids, solids.solid, liquid.outlets"},
    {" inflow inflows inlet inlets tap faucet pour pouring pump emitter jet rain shower ",
     "Liquid comes in by sources, at a velocity or a flow.", "liquid.sources, sources.velocity, sources.flow, sources.ramp"},
    {" outflow outflows outlet drain drains overflow weir ",
     "Liquid goes out by sides of the box, or in sinks, which are shapes.",
     "liquid.outlets, outlets.level, outlets.pressure, liquid.sinks, sinks.level"},
    {" hinge hinges pivot clamp support anchor fixed ",
     "Elastic bodies are held by pins; a thin part of soft material bends as a "
     "hinge does. Rigid bodies have no hinges.",
     "bodies.pins, bodies.motion, pins.axes"},
    {" moving moved animation animate keyframe keyframes scripted propeller ",
     "Bodies go their own way by motion, nodes of elastic ones by pins.", "bodies.motion, bodies.pins, pins.velocity"},
    {" symmetry mirror symmetry_plane ",
     "A wall on which liquid slips is a plane of symmetry; the sides of the box are such walls.", "grid.size, grid.origin"},
    {" time_step timestep step_size steps ", "Steps are as long as liquid and bodies allow, or as time.dt_fixed says.",
     "time.cfl, time.dt_fixed, time.dt_max"},
    {" resolution cell_size mesh_size ", "The grid is of equal cubes: so many along the longest side, or of a size.",
     "grid.cells, grid.dx"},
    {" contact contacts collision collisions ", "Bodies touch each other, solids and the box by themselves.",
     "bodies.friction, bodies.overlap"},
    {" boat ship raft float floats floating buoy draft draught ",
     "Bodies float by themselves, as dense as they are; velella settle tells how they come to rest.",
     "bodies.density, bodies.mass, bodies.rigid"},
    {" energy kinetic_energy momentum ", "Energies and momenta are written in every step: series.csv and bodies/NAME.csv.",
     "probes"},
    {" thrust torque torques moment ",
     "Forces on bodies are pushes; torques are told by programs alone (vl_sim_push in docs/api.md). Forces and torques that "
     "act stand in walls.csv and bodies/NAME.csv.",
     "bodies.pushes, pushes.force"},
    {" lift buoyancy forces load loads reaction ",
     "What the liquid does to walls and bodies is written in every step: walls.csv and bodies/NAME.csv.", "solids, bodies"},
    {" inertia moment_of_inertia centre_of_mass center_of_mass ", "Mass is spread evenly; inertia follows from the shape.",
     "bodies.density, bodies.mass"},
    {" gauge gauges sensor sensors measure monitor ",
     "What is measured in every step is named by probes, and written to probes.csv.", "probes, probes.probe"},
    {" obj stl ply fbx gltf glb abc alembic usd step iges import cad model_file ",
     "Meshes are read from OBJ, PLY, STL, Gmsh, MEDIT, TetGen and VTU files; velella mesh FILE tells what is in one.",
     "bodies.file, bodies.fit, bodies.scale"},
    {" export vtu vtp vti paraview blender houdini csv output_format ",
     "Frames are VTK files, or PLY for renderers (docs/outputs.md).", "output.format, output.particles, output.surface"},
    {" restart restarts autosave backup ", "A run goes on from its checkpoint by velella run --resume.",
     "output.checkpoint, output.checkpoint_time"},
    {" video movie mp4 picture pictures image images light lights lighting transparency lens ",
     "Pictures and a video are made by velella render RUN.", "render.sun, render.sky, render.exposure, render.camera"},
    {" threads thread_count parallel cores openmp mpi cluster ",
     "One machine's cores, all of them by default: velella run --threads N. Results do not depend on their number.",
     "grid.cells, solver.coupling"},
    {" reynolds froude weber mach ", "Numbers without dimension are not keys: lengths are metres, times seconds.",
     "grid.size, liquid.velocity, gravity"},
    {" sph mpm fem fvm lbm method ",
     "Liquid is carried by particles (FLIP) with pressure on a grid; bodies are finite elements.",
     "engine, liquid.transfer, bodies.element"},
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

/* The row of the table that lists the word; NULL: none does. */
static const Word *find_word(const Word *table, size_t count, const char *word)
{
  char listed[64];
  const char *last = strrchr(word, '.');
  if (!as_listed(last ? last + 1 : word, listed)) return NULL;
  for (size_t i = 0; i < count; i++)
    if (strstr(table[i].words, listed)) return &table[i];
  return NULL;
}

const char *vl_scene_absent(const char *word, const char **nearest)
{
  const Word *found = find_word(absent, sizeof absent / sizeof *absent, word);
  if (!found) return NULL;
  *nearest = found->nearest;
  return found->what;
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
  const Word *there = find_word(elsewhere, sizeof elsewhere / sizeof *elsewhere, word);
  const Word *found = there ? there : find_word(absent, sizeof absent / sizeof *absent, word);
  if (!found) return false;
  fprintf(out, "%s: %s\n  %s\n\n%s\n", word, there ? "no key of this name" : "not there", found->what,
          there ? "see" : "nearest");
  list_keys(out, found->nearest);
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
