/* CRC-64 with the polynomial of ECMA-182, lowest bit first, all bits turned over at the start and the end (as in xz).
 *
 * The bytes are the coefficients of a polynomial over GF(2); the checksum is its remainder modulo
 *   G = x^64 + x^62 + x^57 + ... + x + 1,   bits reversed: C96C5795D7870F42.
 * Eight bytes at a time: table[t][b] is the remainder of byte b with t zero bytes behind it, and remainders add, so the
 * next remainder is the sum of eight lookups [kounavis2008].
 * Inputs: bytes, checksum so far. Output: checksum. */
#include "base/crc64.h"

#include <string.h>

#define POLYNOMIAL 0xc96c5795d7870f42u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "eight bytes are read as one number");

void vl_crc64_create(vlCrc64 *crc)
{
  for (int b = 0; b < 256; b++) {
    uint64_t r = (uint64_t)b;
    for (int bit = 0; bit < 8; bit++) r = r >> 1 ^ (r & 1 ? POLYNOMIAL : 0);
    crc->table[0][b] = r;
  }
  for (int t = 1; t < 8; t++)
    for (int b = 0; b < 256; b++) {
      uint64_t r = crc->table[t - 1][b];
      crc->table[t][b] = r >> 8 ^ crc->table[0][r & 255];
    }
}

uint64_t vl_crc64(const vlCrc64 *crc, uint64_t before, const void *data, size_t bytes)
{
  const unsigned char *p = data;
  uint64_t r = ~before;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    r ^= word;
    uint64_t next = 0;
    for (int t = 0; t < 8; t++) next ^= crc->table[7 - t][r >> 8 * t & 255];
    r = next;
  }
  for (; bytes; bytes--, p++) r = r >> 8 ^ crc->table[0][(r ^ *p) & 255];
  return ~r;
}
