/* A picture while it is made: light and features of each pixel. */
#ifndef VL_RENDER_FILM_H
#define VL_RENDER_FILM_H

#include "camera.h"
#include "trace.h"

typedef struct vlFilm {
  int width, height, samples; /* 0: unknown */
  vlF3 *light;                /* radiance, mean over the samples [pixel] */
  vlF3 *normal;               /* mean of the first surface's [pixel] */
  vlF3 *albedo;               /* [pixel] */
  float *variance;            /* of the mean, mean over the channels [pixel] */
  float *albedo_variance;
} vlFilm;

vlCode vl_film_create(vlFilm *film, int width, int height, vlStatus *status);
void vl_film_clear(vlFilm *film);

/* `frame`: seeds the noise. Ends early and returns false once stop() says so; the film is then useless. */
bool vl_film_expose(vlFilm *film, const vlWorld *world, const vlCamera *camera, const vlTraceOptions *options, int samples,
                    int frame, bool (*stop)(void));

/* Smooths noise and keeps edges of normal, albedo and light. */
vlCode vl_film_denoise(vlFilm *film, vlStatus *status);

/* Radiance to the bytes of a screen [pixel][3]; exposure in stops. */
void vl_film_develop(const vlFilm *film, double exposure, unsigned char *bytes);
float vl_tone(float x); /* radiance to 0..1, both linear */

#endif
