// Device memory, which is the host's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

typedef struct Piece {
  uint64_t address, bytes;
  struct Piece* next;
} Piece;

static Piece* pieces;
static uint64_t used, allocations;

int held(uint64_t address, uint64_t bytes) {
  for (const Piece* p = pieces; p != NULL; p = p->next) {
    if (address >= p->address && address + bytes <= p->address + p->bytes) return 1;
  }
  return 0;
}

void* need(const Grid* g, int argument, uint64_t bytes) {
  if (!held(g->v[argument], bytes)) {
    fprintf(stderr, "stand-in: %s: argument %d, %#llx, does not hold %llu bytes\n", g->name,
            argument, (unsigned long long)g->v[argument], (unsigned long long)bytes);
    abort();
  }
  return (void*)(uintptr_t)g->v[argument];
}

EXPORT int cuMemGetInfo_v2(size_t* left, size_t* total) {
  FALLIBLE;
  *left = total_bytes - used;
  *total = total_bytes;
  return settle();
}

EXPORT int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  FALLIBLE;
  if (settle() != SUCCESS) return dead;
  if (fault_at("memory", ++allocations) || used + bytes > total_bytes) return OUT_OF_MEMORY;
  Piece* piece = malloc(sizeof *piece);
  void* memory = malloc(bytes);
  if (piece == NULL || memory == NULL) return OUT_OF_MEMORY;
  *piece = (Piece){(uint64_t)(uintptr_t)memory, bytes, pieces};
  pieces = piece;
  used += bytes;
  *address = piece->address;
  note("alloc %zu\n", bytes);
  return SUCCESS;
}

EXPORT int cuMemFree_v2(uint64_t address) {
  FALLIBLE;
  for (Piece** p = &pieces; *p != NULL; p = &(*p)->next) {
    Piece* piece = *p;
    if (piece->address != address) continue;
    *p = piece->next;
    used -= piece->bytes;
    note("free %llu\n", (unsigned long long)piece->bytes);
    free((void*)(uintptr_t)address);
    free(piece);
    return settle();
  }
  return INVALID_VALUE;
}

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  FALLIBLE;
  if (settle() != SUCCESS) return dead;
  if (!held(to, bytes)) return INVALID_VALUE;
  memcpy((void*)(uintptr_t)to, from, bytes);
  return SUCCESS;
}

EXPORT int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  FALLIBLE;
  if (settle() != SUCCESS) return dead;
  if (!held(from, bytes)) return INVALID_VALUE;
  memcpy(to, (void*)(uintptr_t)from, bytes);
  return SUCCESS;
}

EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void* stream) {
  FALLIBLE;
  if (dead != SUCCESS) return dead;
  if (!held(to, bytes) || stream != NULL) return INVALID_VALUE;
  memset((void*)(uintptr_t)to, value, bytes);
  now_ns += 1500 + bytes / 1000;
  return SUCCESS;
}
