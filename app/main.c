/* The command `velella`: finds the command in a table, reads its options, runs it, says what went wrong.
 * Results go to standard output, everything else to standard error; the exit code is a vlCode. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "command.h"
#include "cpu.h"
#include "patience.h"
#include "words.h"

static const vlCommand commands[] = {
    {"run", "SCENE", 1, 1, VL_FOR_RUN, vl_command_run, "simulate a scene and write its frames",
     "SCENE is a scene file (YAML or JSON), the name of a built-in scene, or - for a scene from standard input. Everything\n"
     "is checked before the run's folder is made; a folder that holds a run is only replaced with --overwrite.\n"
     "Ctrl-C ends the run, which --resume goes on with."},
    {"render", "RUN", 1, 1, VL_OWN_OPTIONS, vl_command_render, "make pictures and a video of a run",
     "velella render --help lists its options."},
    {"check", "SCENE", 1, 1, VL_FOR_CHECK, vl_command_check, "validate a scene and estimate its memory, disk and time",
     "Reads the scene and its meshes, makes two steps to measure memory and time, writes nothing. Cells and memory of a "
     "grid\n"
     "that is too large to try are estimated from the scene's numbers."},
    {"new", "NAME", 1, 1, 0, vl_command_new, "write a commented scene to start from",
     "Writes NAME.yaml (or NAME, when it ends in .yaml or .yml); a file that is there is never overwritten."},
    {"list", "", 0, 0, VL_FOR_LIST, vl_command_list, "list the built-in scenes", NULL},
    {"help", "[WORD]", 0, 6, 0, vl_command_help, "explain a command, a key of scene files, or a topic", NULL},
    {"schema", "", 0, 0, 0, vl_command_schema, "print the JSON Schema of scene files", NULL},
    {"info", "[RUN]", 0, 1, VL_FOR_INFO, vl_command_info, "describe this build and machine, or a run",
     "RUN is the folder of a run or its run.json."},
    {"report", "RUN", 1, 1, 0, vl_command_report, "write a page about a run: pictures, video, charts",
     "RUN is the folder of a run. Writes RUN/report.html, one file that needs nothing else and no network: what was "
     "simulated,\n"
     "charts of every step, and the pictures and the video of `velella render` where they are there."},
    {"mesh", "FILE", 1, 1, VL_FOR_MESH, vl_command_mesh, "tell what a mesh is, and fill it with tetrahedra",
     "FILE is a surface (OBJ, PLY, STL), or a mesh of tetrahedra, whose surface is then filled anew. Prints extents, "
     "volume\n"
     "and holes, then counts and quality of the tetrahedra, and names where the surface is too thin for the cell."},
    {"modes", "SCENE", 1, 1, VL_FOR_MODES, vl_command_modes, "tell frequencies and shapes of a scene's elastic bodies",
     "Small free motions of each elastic body about its form at rest, dry, as its pins hold it: frequencies, and which "
     "part\n"
     "of the mass takes part when it is shaken along each axis. Nothing is simulated."},
    {"settle", "SCENE", 1, 1, VL_FOR_SETTLE, vl_command_settle, "find where a scene's bodies rest, to begin a run there",
     "Lets the bodies of a scene come to rest in its liquid: how deep they float, how they lean, how they bend.\n"
     "Time stands meanwhile, pins and motions too. Writes the state as a file that velella run SCENE --start FILE\n"
     "begins with; velocities that the scene gives at the start are lost. What still moves after all steps is told,\n"
     "and nothing is written."},
    {"slice", "RUN", 1, 1, VL_FOR_SLICE, vl_command_slice, "draw a plane through a run's grid, as SVG or PNG",
     "RUN is the folder of a run. The figure shows one layer of cells as the run computed with them: kinds of cells, "
     "pressure,\n"
     "velocity, the liquid's surface, and how solids and bodies cut cells and faces. Without --show it shows what\n"
     "suits the number of cells in view."},
    {"bench", "WHAT [PART...]", 1, 6, VL_FOR_BENCH, vl_command_bench, "measure our solver beside others",
     "WHAT is table1: seconds of a step of each scene of Zarifi and Batty (2017), stage by stage; table2: their coupled "
     "solve\n"
     "of liquid and beam in all forms, by our solvers and by Eigen's, on the same matrices; stability: their light and\n"
     "stiff beam under four ways of coupling; immersed: the engine of that name beside its\n"
     "paper, in parts: speed, fig9, fig10, fit, and table1 if it is named; or subgrid: liquid finer than the grid beside\n"
     "plain cells, stage by stage."},
    {"version", "", 0, 0, 0, vl_command_version, "print the version", NULL},
    {0},
};

static const struct {
  const char *word, *command;
} aliases[] = {{"--help", "help"}, {"-h", "help"}, {"--version", "version"}, {"-V", "version"}};

const vlCommand *vl_commands(void) { return commands; }

const vlCommand *vl_command_find(const char *name)
{
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
    if (strcmp(name, aliases[i].word) == 0) name = aliases[i].command;
  for (const vlCommand *c = commands; c->name; c++)
    if (strcmp(name, c->name) == 0) return c;
  return NULL;
}

static vlCode unknown_command(const char *name, vlStatus *status)
{
  const char *near = NULL;
  for (const vlCommand *c = commands; c->name; c++) vl_word_offer(name, c->name, &near);
  if (near) return vl_fail(status, VL_ERROR_USAGE, "there is no command '%s'; did you mean '%s'?", name, near);
  return vl_fail(status, VL_ERROR_USAGE, "there is no command '%s'\nsee: velella help", name);
}

static vlCode dispatch(int argc, char **argv, vlStatus *status)
{
  const vlCommand *command = vl_command_find(argc > 1 ? argv[1] : "help");
  if (!command) return unknown_command(argv[1], status);
  vlOptions options = {.arguments = (const char *const *)argv, .argument_count = argc};
  if (command->bit == VL_OWN_OPTIONS) return command->run(&options, status);
  vlCode code = vl_options_parse(&options, argc, argv, command->name, command->bit, status);
  if (code != VL_OK) return code;
  if (options.help)
    vl_command_explain(command);
  else if (options.word_count < command->least)
    code = vl_fail(status, VL_ERROR_USAGE, "'%s' needs a word more: velella %s %s", command->name, command->name,
                   command->words);
  else if (options.word_count > command->most)
    code = vl_fail(status, VL_ERROR_USAGE, "'%s' does not take '%s': velella %s %s", command->name,
                   options.words[command->most], command->name, command->words);
  else
    code = command->run(&options, status);
  vl_options_clear(&options);
  return code;
}

/* What could not be written, as on a full disk, is an error; that a reader has left, as `head` does, is none. */
static vlCode check_output(vlCode code, vlStatus *status)
{
  bool lost = fflush(stdout) != 0 || ferror(stdout);
  struct pollfd output = {.fd = STDOUT_FILENO};
  bool left = lost && poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP));
  if (!lost || left || code != VL_OK) return code;
  return vl_fail(status, VL_ERROR_FILE, "cannot write to standard output: is its disk full?");
}

int main(int argc, char **argv)
{
  signal(SIGPIPE, SIG_IGN); /* a failed write is seen instead */
  vl_patience_set(argv);
  vlStatus status = {0};
  vlCode code = vl_cpu_check(&status);
  if (code == VL_OK) code = dispatch(argc, argv, &status);
  code = check_output(code, &status);
  if (code == VL_INTERRUPTED)
    fprintf(stderr, "velella: %s\n", status.message);
  else if (code != VL_OK)
    fprintf(stderr, "velella: error: %s\n", status.message);
  return (int)code;
}
