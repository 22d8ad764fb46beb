// Compiles the OpenCL sources for a CPU device and tests them. Run by test/run.
#include <stdio.h>

#include "check.h"
#include "coordinator.h"
#include "device.h"
#include "edges.h"
#include "floats.h"

int main(int argc, char **argv) {
  if (argc != 3) stop("usage: %s EDGES README_KERNELS", argv[0]);
  // Wide wavefronts make few requests: on a machine with few processors each one
  // may wait until the operating system lets the coordinator run.
  Device device = device_open("test/kernels.cl", "-cl-std=CL1.2 -DATOMTUNE_WAVEFRONT=1024");
  edges_test(&device, argv[1]);
  coordinator_test(&device, 1024, 200000);
  floats_control(&device);
  floats_test(&device);
  device_close(&device);

  device = device_open("test/kernels.cl", "-cl-std=CL3.0");
  edges_test(&device, argv[1]);
  coordinator_test(&device, 64, 50000);
  device_close(&device);

  device = device_open(argv[2], "-cl-std=CL1.2");
  device_close(&device);

  printf("%ld checks, %ld failures\n", checks, failures);
  return failures != 0 || checks == 0;
}
