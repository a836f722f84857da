/* Numbers with units into SI.
 *
 * A quantity is a decimal number or a fraction of two, then perhaps a unit: a product of powers of known names
 * ("cm", "kg/m^3", "m s^-2", "1/s"). Each name carries a factor and the exponents of length, mass, time and angle;
 * the exponents of the product must be those of the expected dimension. A plain number is already SI (angles: degrees).
 * The number's grammar is checked here and not left to strtod, which would also take hexadecimal, "nan" and the locale's
 * decimal comma.
 * In: text and the dimension the key wants. Out: the value in SI, or one line that says what is wrong. */
#include "scene/quantity.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"

typedef struct Exponents {
  int length, mass, time, angle;
} Exponents;

typedef struct Unit {
  const char *name;
  double up, down; /* SI = x up / down, both exact, so that 30 cm is the double nearest to 0.3 */
  Exponents of;
} Unit;

/* A product of units: its factor as a fraction and its dimension. */
typedef struct Product {
  double up, down;
  Exponents of;
} Product;

static const Unit units[] = {
    {"m", 1, 1, {1, 0, 0, 0}},
    {"cm", 1, 100, {1, 0, 0, 0}},
    {"mm", 1, 1000, {1, 0, 0, 0}},
    {"um", 1, 1e6, {1, 0, 0, 0}},
    {"km", 1000, 1, {1, 0, 0, 0}},
    {"in", 254, 10000, {1, 0, 0, 0}},
    {"ft", 3048, 10000, {1, 0, 0, 0}},
    {"kg", 1, 1, {0, 1, 0, 0}},
    {"g", 1, 1000, {0, 1, 0, 0}},
    {"mg", 1, 1e6, {0, 1, 0, 0}},
    {"t", 1000, 1, {0, 1, 0, 0}},
    {"lb", 45359237, 1e8, {0, 1, 0, 0}},
    {"s", 1, 1, {0, 0, 1, 0}},
    {"ms", 1, 1000, {0, 0, 1, 0}},
    {"us", 1, 1e6, {0, 0, 1, 0}},
    {"min", 60, 1, {0, 0, 1, 0}},
    {"h", 3600, 1, {0, 0, 1, 0}},
    {"Hz", 1, 1, {0, 0, -1, 0}},
    {"kHz", 1000, 1, {0, 0, -1, 0}},
    {"rad", 1, 1, {0, 0, 0, 1}},
    {"deg", VL_PI, 180, {0, 0, 0, 1}},
    {"l", 1, 1000, {3, 0, 0, 0}},
    {"ml", 1, 1e6, {3, 0, 0, 0}},
    {"N", 1, 1, {1, 1, -2, 0}},
    {"Pa", 1, 1, {-1, 1, -2, 0}},
    {"kPa", 1000, 1, {-1, 1, -2, 0}},
    {"MPa", 1e6, 1, {-1, 1, -2, 0}},
    {"GPa", 1e9, 1, {-1, 1, -2, 0}},
    {"J", 1, 1, {2, 1, -2, 0}},
    {"W", 1, 1, {2, 1, -3, 0}},
    {"kN", 1000, 1, {1, 1, -2, 0}},
    {"mN", 1, 1000, {1, 1, -2, 0}},
    {"turn", 2 * VL_PI, 1, {0, 0, 0, 1}},
    {"turns", 2 * VL_PI, 1, {0, 0, 0, 1}},
    {"rpm", 2 * VL_PI, 60, {0, 0, -1, 1}},
};

/* What a product of exponents is called; the first VL_DIM_COUNT rows are the dimensions keys may have. */
static const struct {
  Exponents of;
  const char *name, *unit, *units, *pattern;
} dimensions[] = {
    [VL_DIM_NONE] = {{0, 0, 0, 0}, "a plain number", "", "", ""},
    [VL_DIM_LENGTH] = {{1, 0, 0, 0}, "a length", "m", "m, cm, mm, km, in, ft", "m|cm|mm|um|km|in|ft"},
    [VL_DIM_TIME] = {{0, 0, 1, 0}, "a time", "s", "s, ms, us, min, h", "s|ms|us|min|h"},
    [VL_DIM_RATE] = {{0, 0, -1, 0}, "a rate", "1/s", "1/s, Hz, 1/min", "[A-Za-z1/][A-Za-z0-9/*^ -]*"},
    [VL_DIM_SPEED] = {{1, 0, -1, 0}, "a speed", "m/s", "m/s, cm/s, mm/s, km/h, ft/s", "[A-Za-z1][A-Za-z0-9/*^ -]*"},
    [VL_DIM_ACCELERATION] =
        {{1, 0, -2, 0}, "an acceleration", "m/s^2", "m/s^2, cm/s^2, ft/s^2", "[A-Za-z1][A-Za-z0-9/*^ -]*"},
    [VL_DIM_DENSITY] = {{-3, 1, 0, 0}, "a density", "kg/m^3", "kg/m^3, g/cm^3, kg/l, lb/ft^3", "[A-Za-z1][A-Za-z0-9/*^ -]*"},
    [VL_DIM_MASS] = {{0, 1, 0, 0}, "a mass", "kg", "kg, g, t, lb", "kg|g|mg|t|lb"},
    [VL_DIM_PRESSURE] = {{-1, 1, -2, 0}, "a pressure", "Pa", "Pa, kPa, MPa, GPa, N/m^2", "[A-Za-z1][A-Za-z0-9/*^ -]*"},
    [VL_DIM_ANGLE] = {{0, 0, 0, 1}, "an angle", "deg", "deg, rad, turn", "deg|rad|turn|turns"},
    [VL_DIM_SPIN] = {{0, 0, -1, 1}, "an angular speed", "rad/s", "rad/s, deg/s, turn/s, rpm", "[A-Za-z1][A-Za-z0-9/*^ -]*"},
    [VL_DIM_FORCE] = {{1, 1, -2, 0}, "a force", "N", "N, kN, mN", "[A-Za-z1][A-Za-z0-9/*^ -]*"},
    [VL_DIM_FLOW] = {{3, 0, -1, 0}, "a flow rate", "m^3/s", "m^3/s, l/s, l/min", "[A-Za-z1][A-Za-z0-9/*^ -]*"},
    {{2, 0, 0, 0}, "an area", "m^2", "", ""},
    {{3, 0, 0, 0}, "a volume", "m^3", "", ""},
    {{2, 1, -2, 0}, "an energy", "J", "", ""},
    {{2, 1, -3, 0}, "a power", "W", "", ""},
};
enum { DIMENSION_ROWS = sizeof dimensions / sizeof dimensions[0] };

const char *vl_dimension_name(vlDimension dimension) { return dimensions[dimension].name; }
const char *vl_dimension_unit(vlDimension dimension) { return dimensions[dimension].unit; }
const char *vl_dimension_units(vlDimension dimension) { return dimensions[dimension].units; }
const char *vl_dimension_pattern(vlDimension dimension) { return dimensions[dimension].pattern; }

const char *vl_quantity_text(double value, char text[static 32])
{
  locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  locale_t before = c ? uselocale(c) : (locale_t)0;
  snprintf(text, 32, "%.10g", value);
  if (c) {
    uselocale(before);
    freelocale(c);
  }
  return text;
}

static bool same(Exponents a, Exponents b)
{
  return a.length == b.length && a.mass == b.mass && a.time == b.time && a.angle == b.angle;
}

/* Length of [+-] digits [. digits] [e [+-] digits] with at least one digit before the exponent; 0: no number. */
static size_t number_length(const char *text)
{
  const char *c = text;
  if (*c == '+' || *c == '-') c++;
  const char *digits = c;
  while (isdigit((unsigned char)*c)) c++;
  size_t count = (size_t)(c - digits);
  if (*c == '.') {
    const char *fraction = ++c;
    while (isdigit((unsigned char)*c)) c++;
    count += (size_t)(c - fraction);
  }
  if (count == 0) return 0;
  if (*c == 'e' || *c == 'E') {
    const char *e = c + 1;
    if (*e == '+' || *e == '-') e++;
    if (isdigit((unsigned char)*e)) {
      while (isdigit((unsigned char)*e)) e++;
      c = e;
    }
  }
  return (size_t)(c - text);
}

static double read_number(const char *text)
{
  locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!c) return strtod(text, NULL);
  double value = strtod_l(text, NULL, c);
  freelocale(c);
  return value;
}

/* One name or 1 with its exponent, as in "cm", "s^2", "m3"; moves *cursor behind it. */
static bool read_unit_term(const char **cursor, int sign, Product *product)
{
  const char *c = *cursor;
  if (*c == '1' && !isalnum((unsigned char)c[1])) {
    *cursor = c + 1;
    return true;
  }
  size_t length = 0;
  while (isalpha((unsigned char)c[length])) length++;
  const Unit *unit = NULL;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (strlen(units[i].name) == length && strncmp(units[i].name, c, length) == 0) unit = &units[i];
  if (!unit) return false;
  c += length;
  int power = 1;
  if (*c == '^') c++;
  if (*c == '-') {
    sign = -sign;
    c++;
  }
  if (isdigit((unsigned char)*c)) power = *c++ - '0';
  if (isdigit((unsigned char)*c) || power == 0) return false;
  product->up *= pow(sign > 0 ? unit->up : unit->down, power);
  product->down *= pow(sign > 0 ? unit->down : unit->up, power);
  product->of.length += sign * power * unit->of.length;
  product->of.mass += sign * power * unit->of.mass;
  product->of.time += sign * power * unit->of.time;
  product->of.angle += sign * power * unit->of.angle;
  *cursor = c;
  return true;
}

static bool read_unit(const char *text, Product *product)
{
  const char *c = text;
  int sign = 1;
  *product = (Product){1.0, 1.0, {0}};
  if (*c == '/') {
    sign = -1;
    c++;
  }
  while (true) {
    while (*c == ' ') c++;
    if (!read_unit_term(&c, sign, product)) return false;
    while (*c == ' ') c++;
    if (!*c) return true;
    sign = *c == '/' ? -1 : 1;
    if (*c == '/' || *c == '*') c++;
  }
}

static void expect(char why[VL_WHY], vlDimension dimension, const char *problem)
{
  const char *list = dimensions[dimension].units;
  snprintf(why, VL_WHY, "%s; %s is expected%s%s", problem, dimensions[dimension].name, *list ? ": " : "", list);
}

static void explain_number(const char *text, vlDimension dimension, char why[VL_WHY])
{
  const char *c = text;
  if (*c == '+' || *c == '-') c++;
  if (*c == '.') c++;
  if (strncasecmp(c, "nan", 3) == 0 || strncasecmp(c, "inf", 3) == 0) {
    snprintf(why, VL_WHY, "not a finite number; %s is expected", dimensions[dimension].name);
    return;
  }
  if (!*text)
    expect(why, dimension, "nothing is written here");
  else
    expect(why, dimension, "not a number");
}

static void explain_unit(const char *unit, Exponents of, bool known, vlDimension dimension, char why[VL_WHY])
{
  char problem[VL_WHY / 2];
  const char *name = NULL;
  for (int i = 0; i < DIMENSION_ROWS && known; i++)
    if (same(dimensions[i].of, of)) name = dimensions[i].name;
  if (*unit == ',')
    snprintf(problem, sizeof problem, "numbers are written with a point, not a comma");
  else if (!known)
    snprintf(problem, sizeof problem, "%.24s is not a known unit", unit);
  else if (name)
    snprintf(problem, sizeof problem, "%.24s is %s", unit, name);
  else
    snprintf(problem, sizeof problem, "%.24s has the wrong dimension", unit);
  expect(why, dimension, problem);
}

bool vl_quantity_read(const char *text, size_t length, vlDimension dimension, double *value, char why[VL_WHY])
{
  char copy[96];
  while (length && isspace((unsigned char)*text)) text++, length--;
  while (length && isspace((unsigned char)text[length - 1])) length--;
  if (length >= sizeof copy) {
    expect(why, dimension, "not a number");
    return false;
  }
  memcpy(copy, text, length);
  copy[length] = 0;

  size_t n = number_length(copy);
  if (n == 0) {
    explain_number(copy, dimension, why);
    return false;
  }
  double x = read_number(copy);
  const char *c = copy + n;
  if (*c == '/' && number_length(c + 1)) {
    x /= read_number(c + 1);
    c += 1 + number_length(c + 1);
  }
  if (!isfinite(x)) {
    snprintf(why, VL_WHY, "not a finite number; %s is expected", dimensions[dimension].name);
    return false;
  }
  while (*c == ' ') c++;

  Product product = {1.0, 1.0, dimensions[dimension].of};
  bool known = read_unit(*c ? c : dimensions[dimension].unit, &product);
  if (*c && (!known || !same(product.of, dimensions[dimension].of))) {
    explain_unit(c, product.of, known, dimension, why);
    return false;
  }
  *value = x * product.up / product.down;
  if (isfinite(*value)) return true;
  expect(why, dimension, "too large");
  return false;
}
