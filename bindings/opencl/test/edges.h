// Test of the float atomics bit by bit on the edges of the types.
#ifndef EDGES_H
#define EDGES_H

#include "device.h"

// Reads lines `TYPE OP OLD A B NEW`, numbers as bits in hexadecimal, and checks that
// an update of OLD by A (and B) gives NEW and returns OLD, on global and local
// memory. A NaN may have any bits. What a device may flush to zero or round
// otherwise is left out where the device says that it does.
void edges_test(const Device *device, const char *path);

#endif
