/* The camera. Framing: seen along a fixed direction, each corner of the box must lie inside the pyramid of view with a
 * margin. For a camera at distance s from the box's middle a corner at (x, y, z) in the camera's axes has depth s + z, and
 * needs |x| <= (s + z) w and |y| <= (s + z) h: the largest s over all corners fits. Near corners look larger than far ones,
 * so the picture of the box is off the middle; the target is moved there and the distance found again. */
#include "camera.h"

static const double MARGIN = 0.95; /* part of the picture that the box may fill */

vlCamera vl_camera(vlVec3 position, vlVec3 target, double fov, double aspect)
{
  vlCamera c = {.position = position, .forward = vl_unit(vl_sub(target, position))};
  vlVec3 above = fabs(c.forward.y) < 0.999 ? vl_vec(0, 1, 0) : vl_vec(0, 0, -1);
  c.right = vl_unit(vl_cross(c.forward, above));
  c.up = vl_cross(c.right, c.forward);
  c.half_height = tan(0.5 * fov * VL_PI / 180.0);
  c.half_width = c.half_height * aspect;
  return c;
}

static vlVec3 corner(vlBox3 box, int i)
{
  return vl_vec(i & 1 ? box.hi.x : box.lo.x, i & 2 ? box.hi.y : box.lo.y, i & 4 ? box.hi.z : box.lo.z);
}

/* Distance from the target at which all corners are seen. */
static double fit_distance(const vlCamera *c, vlBox3 box, vlVec3 target)
{
  double s = 0.0;
  for (int i = 0; i < 8; i++) {
    vlVec3 r = vl_sub(corner(box, i), target);
    double x = fabs(vl_dot(r, c->right)) / (MARGIN * c->half_width), y = fabs(vl_dot(r, c->up)) / (MARGIN * c->half_height);
    s = fmax(s, fmax(x, y) - vl_dot(r, c->forward));
  }
  return s;
}

/* Middle of the box's picture, as fractions of half the picture's size. */
static void find_middle(const vlCamera *c, vlBox3 box, double middle[2])
{
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < 8; i++) {
    vlVec3 r = vl_sub(corner(box, i), c->position);
    double depth = vl_dot(r, c->forward);
    double at[2] = {vl_dot(r, c->right) / (depth * c->half_width), vl_dot(r, c->up) / (depth * c->half_height)};
    for (int a = 0; a < 2; a++) {
      lo[a] = fmin(lo[a], at[a]);
      hi[a] = fmax(hi[a], at[a]);
    }
  }
  for (int a = 0; a < 2; a++) middle[a] = 0.5 * (lo[a] + hi[a]);
}

vlCamera vl_camera_frame(vlBox3 box, vlVec3 direction, double fov, double aspect)
{
  vlVec3 target = vl_scale(vl_add(box.lo, box.hi), 0.5), d = vl_unit(direction);
  vlCamera c = vl_camera(vl_sub(target, d), target, fov, aspect);
  for (int pass = 0; pass < 8; pass++) {
    double distance = fit_distance(&c, box, target), middle[2];
    c.position = vl_axpy(target, -distance, d);
    find_middle(&c, box, middle);
    target = vl_axpy(target, middle[0] * c.half_width * distance, c.right);
    target = vl_axpy(target, middle[1] * c.half_height * distance, c.up);
  }
  c.position = vl_axpy(target, -fit_distance(&c, box, target), d);
  return c;
}

static vlVec3 turn(vlVec3 v, double angle)
{
  double c = cos(angle), s = sin(angle);
  return vl_vec(c * v.x + s * v.z, v.y, c * v.z - s * v.x);
}

vlCamera vl_camera_turn(vlCamera camera, vlVec3 about, double angle)
{
  camera.position = vl_add(about, turn(vl_sub(camera.position, about), angle));
  camera.right = turn(camera.right, angle);
  camera.up = turn(camera.up, angle);
  camera.forward = turn(camera.forward, angle);
  return camera;
}

vlVec3 vl_camera_direction(const vlCamera *c, double x, double y)
{
  vlVec3 d = vl_axpy(c->forward, (2.0 * x - 1.0) * c->half_width, c->right);
  return vl_unit(vl_axpy(d, (1.0 - 2.0 * y) * c->half_height, c->up));
}
