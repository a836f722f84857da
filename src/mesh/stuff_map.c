/* A hash table with open addressing: slots hold numbers of keys, the keys lie in a list. Half of the slots stay free, and a
 * key's place comes from its mixed bits, so that a search looks at two or three slots. The numbers depend on the order of
 * the calls alone. In: keys. Out: their numbers. */
#include "mesh/stuff_parts.h"

#include <limits.h>
#include <stdlib.h>

#include "base/memory.h"

void vl_keymap_clear(vlKeyMap *map)
{
  free(map->key);
  free(map->slot);
  *map = (vlKeyMap){0};
}

static size_t place_of(uint64_t key, size_t slots)
{
  key ^= key >> 31;
  key *= 0x9e3779b97f4a7c15u;
  key ^= key >> 29;
  return (size_t)key & (slots - 1);
}

int vl_keymap_find(const vlKeyMap *map, uint64_t key)
{
  if (!map->slots) return -1;
  for (size_t i = place_of(key, map->slots);; i = (i + 1) & (map->slots - 1)) {
    int number = map->slot[i] - 1;
    if (number < 0 || map->key[number] == key) return number;
  }
}

static void put(int *slot, size_t slots, uint64_t key, int number)
{
  size_t i = place_of(key, slots);
  while (slot[i]) i = (i + 1) & (slots - 1);
  slot[i] = number + 1;
}

static bool grow(vlKeyMap *map)
{
  size_t slots = map->slots ? 2 * map->slots : 64;
  int *slot = calloc(slots, sizeof *slot);
  if (!slot) return false;
  for (size_t i = 0; i < map->count; i++) put(slot, slots, map->key[i], (int)i);
  free(map->slot);
  map->slot = slot;
  map->slots = slots;
  return true;
}

int vl_keymap_add(vlKeyMap *map, uint64_t key)
{
  int number = vl_keymap_find(map, key);
  if (number >= 0) return number;
  if (map->count >= INT_MAX - 1) return -1;
  if (2 * (map->count + 1) > map->slots && !grow(map)) return -1;
  bool room = vl_array_reserve(&map->key, &map->capacity, map->count + 1, sizeof *map->key);
  if (!room) return -1;
  map->key[map->count] = key;
  put(map->slot, map->slots, key, (int)map->count);
  return (int)map->count++;
}
