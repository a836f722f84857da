/* The commands of `velella`: one function each. */
#ifndef VL_APP_COMMAND_H
#define VL_APP_COMMAND_H

#include "options.h"
#include "velella/scene.h"

typedef struct vlCommand {
  const char *name, *words; /* words: what follows it, for help */
  int least, most;          /* words it takes */
  int bit;                  /* VL_FOR_..., 0: takes no options, VL_OWN_OPTIONS: reads them itself */
  vlCode (*run)(const vlOptions *options, vlStatus *status);
  const char *help; /* one line */
  const char *more; /* a paragraph or NULL */
} vlCommand;

/* All commands; the last entry's name is NULL. */
const vlCommand *vl_commands(void);
const vlCommand *vl_command_find(const char *name); /* NULL: none */
void vl_command_explain(const vlCommand *command);  /* its help, to standard output */

vlCode vl_command_run(const vlOptions *options, vlStatus *status);
vlCode vl_command_render(const vlOptions *options, vlStatus *status);
vlCode vl_command_check(const vlOptions *options, vlStatus *status);
vlCode vl_command_new(const vlOptions *options, vlStatus *status);
vlCode vl_command_list(const vlOptions *options, vlStatus *status);
vlCode vl_command_help(const vlOptions *options, vlStatus *status);
vlCode vl_command_schema(const vlOptions *options, vlStatus *status);
vlCode vl_command_info(const vlOptions *options, vlStatus *status);
vlCode vl_command_report(const vlOptions *options, vlStatus *status);
vlCode vl_command_mesh(const vlOptions *options, vlStatus *status);
vlCode vl_command_modes(const vlOptions *options, vlStatus *status);
vlCode vl_command_settle(const vlOptions *options, vlStatus *status);
vlCode vl_command_slice(const vlOptions *options, vlStatus *status);
vlCode vl_command_bench(const vlOptions *options, vlStatus *status);
vlCode vl_command_version(const vlOptions *options, vlStatus *status);

/* The scene that the options name, with their --set, --until and --check-level. *scene is a default one, or one that was
 * loaded before by the same words. */
vlCode vl_command_scene(vlScene *scene, const vlOptions *options, vlStatus *status);

#endif
