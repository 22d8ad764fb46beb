#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void must(cl_int status, const char *call) {
  if (status != CL_SUCCESS) stop("%s returns %d", call, (int)status);
}

static cl_device_id first_cpu(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) stop("there is no OpenCL platform");
  for (cl_uint p = 0; p < count && p < 16; ++p) {
    cl_device_id id;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_CPU, 1, &id, NULL) == CL_SUCCESS) return id;
  }
  stop("no OpenCL platform has a CPU device");
}

static int has_extension(cl_device_id id, const char *name) {
  char list[1 << 14];
  must(clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof list, list, NULL), "clGetDeviceInfo");
  for (char *word = strtok(list, " "); word != NULL; word = strtok(NULL, " ")) {
    if (strcmp(word, name) == 0) return 1;
  }
  return 0;
}

static char *read_file(const char *path) {
  static char text[1 << 16];
  FILE *file = fopen(path, "r");
  if (file == NULL) stop("%s: cannot be opened", path);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  if (length == sizeof text - 1) stop("%s: longer than %zu bytes", path, length);
  text[length] = 0;
  return text;
}

static void build(Device *device, const char *path, const char *its_options) {
  const char *source = read_file(path);
  cl_int status;
  device->program = clCreateProgramWithSource(device->context, 1, &source, NULL, &status);
  must(status, "clCreateProgramWithSource");
  char options[256];
  snprintf(options, sizeof options, "%s -Werror -I .%s", its_options,
           device->divides_exactly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
  if (clBuildProgram(device->program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS) return;
  static char log[1 << 16];
  clGetProgramBuildInfo(device->program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  stop("%s does not build with %s:\n%s", path, options, log);
}

Device device_open(const char *path, const char *options) {
  Device device = {.id = first_cpu()};
  cl_uint units;
  cl_device_fp_config floats;
  must(clGetDeviceInfo(device.id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
       "clGetDeviceInfo");
  must(clGetDeviceInfo(device.id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, NULL),
       "clGetDeviceInfo");
  device.compute_units = units;
  device.has_subnormals = (floats & CL_FP_DENORM) != 0;
  device.divides_exactly = (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  device.has_f64 = has_extension(device.id, "cl_khr_fp64") &&
                   has_extension(device.id, "cl_khr_int64_base_atomics");
  cl_int status;
  device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
  must(status, "clCreateContext");
  device.queue = clCreateCommandQueue(device.context, device.id, 0, &status);
  must(status, "clCreateCommandQueue");
  build(&device, path, options);
  return device;
}

void device_close(Device *device) {
  clReleaseProgram(device->program);
  clReleaseCommandQueue(device->queue);
  clReleaseContext(device->context);
}

cl_mem device_buffer(const Device *device, size_t bytes, const void *data) {
  void *cleared = data == NULL ? calloc(1, bytes) : NULL;
  if (data == NULL && cleared == NULL) stop("no memory for %zu bytes", bytes);
  cl_int status;
  cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                 data == NULL ? cleared : (void *)data, &status);
  must(status, "clCreateBuffer");
  free(cleared);
  return buffer;
}

void device_read(const Device *device, cl_mem buffer, size_t bytes, void *data) {
  must(clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
       "clEnqueueReadBuffer");
}

void device_run(const Device *device, const char *name, size_t groups, size_t group_size,
                const Argument *arguments, size_t count) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(device->program, name, &status);
  must(status, name);
  for (size_t k = 0; k < count; ++k) {
    must(clSetKernelArg(kernel, (cl_uint)k, arguments[k].size, arguments[k].value),
         "clSetKernelArg");
  }
  const size_t items = groups * group_size;
  must(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &items, &group_size, 0, NULL, NULL),
       name);
  must(clFinish(device->queue), name);
  clReleaseKernel(kernel);
}
