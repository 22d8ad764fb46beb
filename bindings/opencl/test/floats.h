// Tests of the float atomics: every operation, type and memory, on 1,000,000 updates
// of 1 to 64 targets.
#ifndef FLOATS_H
#define FLOATS_H

#include "device.h"

void floats_test(const Device *device);

// Checks that the work-groups of the device collide: that an add without atomics
// loses updates. Where it does not, the other test shows nothing.
void floats_control(const Device *device);

#endif
