/* Numbers in binary files: integers and floats of either byte order, and base64.
 *
 * Base64 writes three bytes as four letters of six bits each. Letters are taken one by one into a register; whenever it
 * holds eight bits or more the upper eight are a byte. Padding ends a part: what is left in the register is dropped, so
 * parts that were encoded one by one and put behind each other are read as one.
 *
 * bytes or text → numbers, bytes. */
#include "mesh/read.h"

int vl_value_bytes(vlValueType type)
{
  static const int bytes[VL_VALUE_TYPES] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
  return bytes[type];
}

uint64_t vl_bytes_integer(const char *bytes, int count, bool big)
{
  uint64_t bits = 0;
  for (int i = 0; i < count; i++) bits |= (uint64_t)(unsigned char)bytes[big ? count - 1 - i : i] << 8 * i;
  return bits;
}

double vl_value_decode(const char *bytes, vlValueType type, bool big)
{
  uint64_t bits = vl_bytes_integer(bytes, vl_value_bytes(type), big);
  uint32_t low = (uint32_t)bits;
  float single;
  double value;
  switch (type) {
  case VL_INT8:
    return (int8_t)bits;
  case VL_INT16:
    return (int16_t)bits;
  case VL_INT32:
    return (int32_t)bits;
  case VL_INT64:
    return (double)(int64_t)bits;
  case VL_FLOAT32:
    memcpy(&single, &low, sizeof single);
    return single;
  case VL_FLOAT64:
    memcpy(&value, &bits, sizeof value);
    return value;
  default:
    return (double)bits;
  }
}

/* The six bits of a letter, or -1. */
static int letter_bits(char c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t vl_base64_decode(const char **at, const char *end, char *bytes, size_t count)
{
  unsigned held = 0; /* bits not yet given out, right-aligned */
  int held_count = 0;
  size_t n = 0;
  for (; *at < end && n < count; ++*at) {
    char c = **at;
    int bits = letter_bits(c);
    if (bits >= 0) {
      held = held << 6 | (unsigned)bits;
      held_count += 6;
    } else if (c == '=') {
      held_count = 0;
    } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      return n;
    }
    if (held_count < 8) continue;
    held_count -= 8;
    bytes[n++] = (char)(held >> held_count);
    held &= (1u << held_count) - 1;
  }
  return n;
}
