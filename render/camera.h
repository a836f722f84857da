/* A pinhole camera, and where to put it. */
#ifndef VL_RENDER_CAMERA_H
#define VL_RENDER_CAMERA_H

#include "f3.h"

typedef struct vlCamera {
  vlVec3 position, right, up, forward; /* m; unit vectors */
  double half_height, half_width;      /* of the picture at distance 1 */
} vlCamera;

/* fov: degrees, from the lower to the upper edge; aspect: width / height. */
vlCamera vl_camera(vlVec3 position, vlVec3 target, double fov, double aspect);
/* Looks along `direction` at the box, so that its corners just fit, in the middle of the picture. */
vlCamera vl_camera_frame(vlBox3 box, vlVec3 direction, double fov, double aspect);
/* Turned about the vertical line through `about` by an angle in radians. */
vlCamera vl_camera_turn(vlCamera camera, vlVec3 about, double angle);
/* Unit direction through the place (x, y) of the picture, 0..1 from its upper left corner. */
vlVec3 vl_camera_direction(const vlCamera *camera, double x, double y);

#endif
