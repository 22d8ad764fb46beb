// Tests of the add with a coordinator on streams of 1 to 64 targets.
#ifndef COORDINATOR_H
#define COORDINATOR_H

#include "device.h"

// The kernels must be built for wavefronts of that many work-items.
void coordinator_test(const Device *device, size_t wavefront, unsigned updates);

#endif
