// Atomic updates that OpenCL C 1.2 does not have, as functions to call from a
// kernel. README.md says how, and when each is right.
//
// The two parts stand alone: a program that cannot use #include passes the text
// of the one it needs to clCreateProgramWithSource, before its own.
#include "float_atomics.cl"
#include "coordinator.cl"
