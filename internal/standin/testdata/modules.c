// Modules: their text is parsed for the kernels and their parameters. Libraries of machine code,
// whose kernels are known by name alone.
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

typedef struct {
  Kernel* kernels;
} Module;

static int size_of(const char* type) {
  while (*type != 0 && (*type < '0' || *type > '9')) ++type;
  return atoi(type) / 8;
}

// parse reads the entries of a module's text.
static Module* parse(const char* text) {
  Module* module = calloc(1, sizeof *module);
  const char* at = text;
  while ((at = strstr(at, ".entry ")) != NULL) {
    Kernel* kernel = calloc(1, sizeof *kernel);
    const char *open = strchr(at, '('), *end = strchr(open, ')');
    kernel->name = strndup(at + 7, strcspn(at + 7, "( \n"));
    for (const char* p = open; (p = strstr(p, ".param ")) != NULL && p < end; p += 7) {
      kernel->bytes[kernel->parameters++] = size_of(p + 7);
    }
    kernel->next = module->kernels;
    module->kernels = kernel;
    at = end;
  }
  return module;
}

EXPORT int cuModuleLoadDataEx(void** to, const char* text, unsigned count, int* names, void** values) {
  FALLIBLE;
  note("module %.12s\n", text);
  if (settle() != SUCCESS) return dead;
  if (fault("old_ptx", NULL)) return UNSUPPORTED_PTX_VERSION;
  if (fault("invalid_ptx", NULL)) {
    for (unsigned i = 0; i < count; ++i) {
      if (names[i] == 5) strcpy(values[i], "ptxas fatal : the stand-in\nlikes no text");
    }
    return INVALID_PTX;
  }
  *to = parse(text);
  return SUCCESS;
}

EXPORT int cuModuleGetFunction(void** function, void* module, const char* name) {
  FALLIBLE;
  for (Kernel* k = ((Module*)module)->kernels; k != NULL; k = k->next) {
    if (strcmp(k->name, name) == 0) {
      *function = k;
      return SUCCESS;
    }
  }
  return NOT_FOUND;
}

EXPORT int cuFuncSetAttribute(void* function, int attribute, int value) {
  FALLIBLE;
  if (attribute == 8) ((Kernel*)function)->allowed = (size_t)value;
  return value >= 0 && value <= 232448 ? settle() : INVALID_VALUE;
}

// Code of nvcc begins with the magic of fatbinary_section.h's images.
EXPORT int cuLibraryLoadData(void** library, const void* code, int* options, void** values, unsigned count,
                             int* library_options, void** library_values, unsigned library_count) {
  FALLIBLE;
  note("library\n");
  if (options || values || count || library_options || library_values || library_count) return INVALID_VALUE;
  if (*(const uint32_t*)code != 0xba55ed50) return INVALID_IMAGE;
  if (fault("old_ptx", NULL)) return UNSUPPORTED_PTX_VERSION;
  *library = calloc(1, sizeof(Module));
  return settle();
}

EXPORT int cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  FALLIBLE;
  Module* module = library;
  Kernel* made = calloc(1, sizeof *made);
  *made = (Kernel){.name = strdup(name), .machine_code = 1, .next = module->kernels};
  *kernel = module->kernels = made;
  return SUCCESS;
}

EXPORT int cuKernelSetAttribute(int attribute, int value, void* kernel, int device) {
  return device == 0 ? cuFuncSetAttribute(kernel, attribute, value) : INVALID_DEVICE;
}

EXPORT int cuKernelGetAttribute(int* value, int attribute, void* kernel, int device) {
  FALLIBLE;
  *value = 90;  // the versions of PTX and machine code
  return kernel != NULL && device == 0 && (attribute == 5 || attribute == 6) ? SUCCESS : INVALID_VALUE;
}

#ifndef WITHOUT_OCCUPANCY
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads, size_t shared) {
  FALLIBLE;
  const int by_threads = 2048 / threads, by_shared = (int)(233472 / (shared + 1024));
  *blocks = by_threads < by_shared ? by_threads : by_shared;
  const char* wide;
  if (threads > 512 && fault("registers", &wide) && strcmp(wide, ((Kernel*)function)->name) == 0) *blocks = 0;
  return shared <= ((Kernel*)function)->allowed || shared <= 49152 ? settle() : INVALID_VALUE;
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void* function, int threads,
                                                                size_t shared, unsigned flags) {
  return flags == 0 ? cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared)
                    : INVALID_VALUE;
}
#endif
