/* How long idle threads wait in a loop before they sleep. */
#ifndef VL_APP_PATIENCE_H
#define VL_APP_PATIENCE_H

/* Starts the program anew with a short wait, unless the user's environment already says how to wait. Returns when nothing is
 * to be done. */
void vl_patience_set(char **argv);

#endif
