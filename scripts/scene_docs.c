/* Prints docs/scene.md: the table of keys of scene files as a page. `make docs` keeps the page up to date with it. */
#include "scene_docs.h"

int main(void)
{
  write_scene_docs(stdout);
  return fflush(stdout) == 0 ? 0 : 1;
}
