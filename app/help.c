/* velella help: commands, topics and keys of scene files share one space of words, searched in this order. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "command.h"
#include "scene/quantity.h"
#include "scene/scene.h"
#include "velella/velella.h"
#include "words.h"

static const struct {
  vlCode code;
  const char *meaning;
} exit_codes[] = {
    {VL_OK, "all went well"},
    {VL_ERROR_INTERNAL, "a bug of Velella's"},
    {VL_ERROR_USAGE, "the command line: unknown command, option or value"},
    {VL_ERROR_SCENE, "the scene file: syntax, unknown key, value out of range"},
    {VL_ERROR_FILE, "a file: missing, unreadable, unwritable, disk full, run exists"},
    {VL_ERROR_MESH, "a mesh file: syntax, holes, bad edges"},
    {VL_ERROR_MEMORY, "not enough memory"},
    {VL_ERROR_SOLVER, "a step failed; what was written before can be read"},
    {VL_ERROR_BACKEND, "this build or machine lacks what was asked for"},
    {VL_INTERRUPTED, "stopped by Ctrl-C or SIGTERM; what was written can be read"},
};

static void show_exit_codes(void)
{
  printf("Exit codes of velella:\n");
  for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++)
    printf("  %d  %s\n", (int)exit_codes[i].code, exit_codes[i].meaning);
}

static void show_units(void)
{
  printf(
      "Numbers in scenes, in --set and in --until are SI; a number may be a fraction and carry a unit, as in 30 cm, 1/60 s\n"
      "or 1 g/cm^3. Units may be multiplied, divided and raised to powers: kg/m^3, m s^-2.\n\n");
  for (int d = VL_DIM_LENGTH; d < VL_DIM_COUNT; d++)
    printf("  %-16s  %-7s  %s\n", vl_dimension_name((vlDimension)d), vl_dimension_unit((vlDimension)d),
           vl_dimension_units((vlDimension)d));
  printf("\nThe second column is the unit of a plain number.\n");
}

static void show_scene_keys(void) { vl_scene_help(stdout); }

static const struct {
  const char *word;
  void (*show)(void);
  const char *help;
} topics[] = {
    {"scene", show_scene_keys, "all keys of scene files"},
    {"units", show_units, "units that numbers may carry"},
    {"exit-codes", show_exit_codes, "what the exit codes mean"},
};

enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

static void show_overview(void)
{
  printf("Velella %s: liquids and bodies that push each other.\n\n", VELELLA_VERSION);
  printf("  velella COMMAND ...\n\n");
  for (const vlCommand *c = vl_commands(); c->name; c++) {
    char head[48];
    snprintf(head, sizeof head, "%s %s", c->name, c->words);
    printf("  %-14s  %s\n", head, c->help);
  }
  printf("\n  velella help COMMAND     its options\n  velella help KEY         a key of scene files, as in grid.cells\n");
  for (int i = 0; i < TOPIC_COUNT; i++) {
    char head[48];
    snprintf(head, sizeof head, "velella help %s", topics[i].word);
    printf("  %-23s  %s\n", head, topics[i].help);
  }
}

void vl_command_explain(const vlCommand *command)
{
  printf("velella %s %s\n%s.\n", command->name, command->words, command->help);
  if (command->more) printf("\n%s\n", command->more);
  if (command->bit) {
    printf("\n");
    vl_options_help(stdout, command->bit);
  }
}

static vlCode unknown_word(const char *word, vlStatus *status)
{
  const char *near = NULL;
  for (const vlCommand *c = vl_commands(); c->name; c++) vl_word_offer(word, c->name, &near);
  for (int i = 0; i < TOPIC_COUNT; i++) vl_word_offer(word, topics[i].word, &near);
  if (!near) near = vl_scene_nearest_key(word);
  if (near) return vl_fail(status, VL_ERROR_USAGE, "no help on '%s'; did you mean '%s'?", word, near);
  return vl_fail(status, VL_ERROR_USAGE,
                 "no help on '%s': it is no command, no topic and no key of scene files\nsee: velella help", word);
}

/* What is asked for in several words is one: "surface tension". */
static void join_words(const vlOptions *options, char *word, size_t size)
{
  size_t used = 0;
  word[0] = 0;
  for (int i = 0; i < options->word_count && used < size; i++)
    used += (size_t)snprintf(word + used, size - used, "%s%s", i ? " " : "", options->words[i]);
}

vlCode vl_command_help(const vlOptions *options, vlStatus *status)
{
  char word[256];
  if (options->word_count == 0) {
    show_overview();
    return VL_OK;
  }
  join_words(options, word, sizeof word);
  const vlCommand *command = vl_command_find(word);
  if (command) {
    vl_command_explain(command);
    return VL_OK;
  }
  for (int i = 0; i < TOPIC_COUNT; i++) {
    if (strcmp(word, topics[i].word) == 0) {
      topics[i].show();
      return VL_OK;
    }
  }
  if (vl_scene_help_key(stdout, word) || vl_scene_help_absent(stdout, word)) return VL_OK;
  vlCode code = unknown_word(word, status);
  bool near = !status || strstr(status->message, "did you mean");
  return !near && vl_scene_help_mentions(stdout, word) ? VL_OK : code;
}
