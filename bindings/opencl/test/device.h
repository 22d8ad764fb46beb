// An OpenCL device with the kernels of the tests built for it.
#ifndef DEVICE_H
#define DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stddef.h>

typedef struct {
  cl_context context;
  cl_device_id id;
  cl_command_queue queue;
  cl_program program;
  size_t compute_units;
  int has_f64;          // 64-bit floats and 64-bit compare-and-exchange
  int has_subnormals;   // of 32 bits
  int divides_exactly;  // 32-bit quotients are rounded correctly
} Device;

// An argument of a kernel; a null value of some size is local memory.
typedef struct {
  size_t size;
  const void *value;
} Argument;

// Opens the first CPU device and builds the kernels of a file for it with these
// options and its own. Whatever fails ends the program.
Device device_open(const char *path, const char *options);

void device_close(Device *device);

// Allocates a buffer and fills it; no data clears it.
cl_mem device_buffer(const Device *device, size_t bytes, const void *data);

void device_read(const Device *device, cl_mem buffer, size_t bytes, void *data);

// Runs a kernel to its end.
void device_run(const Device *device, const char *kernel, size_t groups, size_t group_size,
                const Argument *arguments, size_t count);

#endif
