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

static int allocate(uint64_t* address, size_t bytes, const char* how) {
  if (settle() != SUCCESS) return dead;
  if (fault_at("memory", ++allocations) || used + bytes > total_bytes) return OUT_OF_MEMORY;
  Piece* piece = malloc(sizeof *piece);
  void* memory = malloc(bytes);
  if (piece == NULL || memory == NULL) return OUT_OF_MEMORY;
  *piece = (Piece){(uint64_t)(uintptr_t)memory, bytes, pieces};
  pieces = piece;
  used += bytes;
  *address = piece->address;
  note("%s %zu\n", how, bytes);
  return SUCCESS;
}

static int release(uint64_t address, const char* how) {
  for (Piece** p = &pieces; *p != NULL; p = &(*p)->next) {
    Piece* piece = *p;
    if (piece->address != address) continue;
    *p = piece->next;
    used -= piece->bytes;
    note("%s %llu\n", how, (unsigned long long)piece->bytes);
    free((void*)(uintptr_t)address);
    free(piece);
    return settle();
  }
  return INVALID_VALUE;
}

EXPORT int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  FALLIBLE;
  return allocate(address, bytes, "alloc");
}

EXPORT int cuMemFree_v2(uint64_t address) {
  FALLIBLE;
  return current != NULL ? release(address, "free") : INVALID_CONTEXT;
}

EXPORT int cuMemAllocAsync(uint64_t* address, size_t bytes, void* stream) {
  FALLIBLE;
  (void)stream;
  if (bytes == 0) return INVALID_VALUE;
  return current != NULL ? allocate(address, bytes, "pool_alloc") : INVALID_CONTEXT;
}

EXPORT int cuMemFreeAsync(uint64_t address, void* stream) {
  FALLIBLE;
  (void)stream;
  return release(address, "pool_free");
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

EXPORT int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void* stream) {
  FALLIBLE;
  (void)stream;
  if (dead != SUCCESS) return dead;
  if (!held(from, bytes) && !held(to, bytes)) return INVALID_VALUE;
  memmove((void*)(uintptr_t)to, (void*)(uintptr_t)from, bytes);
  return SUCCESS;
}

EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void* stream) {
  FALLIBLE;
  if (dead != SUCCESS) return dead;
  (void)stream;
  if (!held(to, bytes)) return INVALID_VALUE;
  memset((void*)(uintptr_t)to, value, bytes);
  now_ns += 1500 + bytes / 1000;
  return SUCCESS;
}
