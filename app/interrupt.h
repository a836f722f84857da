/* Ctrl-C and SIGTERM as a question one asks between steps. */
#ifndef VL_APP_INTERRUPT_H
#define VL_APP_INTERRUPT_H

void vl_interrupt_watch(void);
int vl_interrupt_signal(void); /* the signal that asked us to stop, 0: none */

#endif
