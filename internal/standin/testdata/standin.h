// A stand-in for NVIDIA's driver, for tests on machines without a GPU: its device
// memory is the host's, its kernels are C, its clock is a count. Environment
// variables choose what goes wrong:
//
//   STANDIN_LOG=PATH       a line for each module, allocation, piece of memory freed and launch.
//                          Machine code, of a cuLibrary, is not run: its launches are no more
//                          than logged
//   STANDIN_FAULT=NAME     no_device, no_devices, stub, old_ptx, invalid_ptx
//   STANDIN_FAULT=NAME:N   memory, resources, address, timeout: at the N-th
//                          allocation or launch
//   STANDIN_FAULT=lost:N:CODE   each call from the N-th on returns CODE, once:N:CODE
//                          the N-th alone; the log has a line "failed" for each
//   STANDIN_FAULT=wrong:KERNEL   that kernel adds 1 too much to target 0
//   STANDIN_FAULT=registers:KERNEL   an SM holds no block of more than 512 threads of it
//   STANDIN_UUID=DIGIT     the device is another one of the same name
//   STANDIN_SLOW_US=N      a launch takes so long on the host
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {  // CUresult
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  STUB_LIBRARY = 34,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  INVALID_PTX = 218,
  UNSUPPORTED_PTX_VERSION = 222,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  LAUNCH_OUT_OF_RESOURCES = 701,
  LAUNCH_TIMEOUT = 702,
};

#define EXPORT __attribute__((visibility("default")))

// FALLIBLE begins a function of the driver that lost and once make fail. Those of several threads
// wait for each other.
#define FALLIBLE                                                            \
  const int locked __attribute__((cleanup(unlock), unused)) = lock();       \
  const int taken = taken_away(__func__);                                   \
  if (taken != SUCCESS) return taken

enum { LANES = 32, MOST_PARAMETERS = 16, SMS = 4 };

static const uint64_t total_bytes = 1ull << 30;  // of device memory

// Kernel is an entry of a module with the sizes of its parameters in bytes, or of machine code.
typedef struct Kernel {
  char* name;
  int machine_code, parameters;
  int bytes[MOST_PARAMETERS];
  size_t allowed;  // dynamic shared memory
  struct Kernel* next;
} Kernel;

// Grid is a launch: v[i] holds the bits of argument i.
typedef struct {
  const char* name;
  uint64_t blocks, threads, shared;
  int arguments;
  uint64_t v[MOST_PARAMETERS];
} Grid;

// perform runs a kernel and returns the nanoseconds that it takes on the stand-in's
// clock, or -1 for a kernel that it does not know.
double perform(const Grid* g);

// update performs a kernel of suite calls and returns 0 for one of another suite.
int update(const Grid* g);

extern uint64_t now_ns;  // the device's clock: whole, so that differences are exact
extern int dead;         // the fault after which nothing more runs

int lock(void);
void unlock(const int* locked);

// current is the context of the calling thread.
extern _Thread_local void* current;

// settle shows a pending fault.
int settle(void);

// held reports whether bytes from an address on lie within an allocation. Kernels
// that leave it end the program.
int held(uint64_t address, uint64_t bytes);
void* need(const Grid* g, int argument, uint64_t bytes);

// fault reports whether the named fault is chosen, and its number or kernel.
int fault(const char* name, const char** detail);
int fault_at(const char* name, uint64_t count);

// taken_away is what a function returns in place of its work, SUCCESS for none.
int taken_away(const char* function);

// note writes a line of the log.
void note(const char* format, ...) __attribute__((format(printf, 1, 2)));
