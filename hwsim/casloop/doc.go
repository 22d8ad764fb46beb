// Package casloop holds the float atomics that are built from
// compare-and-exchange: what each operation makes of the bits of a target, and
// the two loops of [streamhpc] executed under a memory model in which ordinary
// reads may be stale.
//
// # Operations
//
// An update by operand a (and b) makes of the target x:
//
//	add   x + a
//	mul   x · a
//	mad   x + a · b, rounded once
//	div   x / a
//	min   the smaller of x and a
//	max   the larger of x and a
//
// in IEEE 754 arithmetic, round to nearest even, subnormal numbers kept. The
// edges are the same in every package that takes operations from here:
//
//   - add, mul, mad and div return the quiet NaN without payload wherever the
//     result is NaN. Hardware differs in the payload: x86 passes on that of an
//     operand, NVIDIA's 32-bit instructions return 0x7fffffff.
//   - Overflow gives an infinity, x / 0 an infinity of the sign of both, 0 / 0,
//     0 · ∞, ∞ - ∞ and ∞ / ∞ NaN.
//   - min and max are minimumNumber and maximumNumber of IEEE 754-2019: a NaN
//     gives way to any number, -0 is below 0, and where both are NaN the target
//     stays as it is. So the result of a stream does not depend on the order of
//     its updates, which fmin of C and OpenCL leaves open for zeros.
//   - Devices may flush subnormal numbers to zero (OpenCL without CL_FP_DENORM,
//     CUDA with -ftz=true) and round 32-bit quotients coarsely (OpenCL allows 2.5
//     units in the last place); here nothing is flushed and all is rounded
//     correctly.
//
// testdata/edges.txt holds the cases, for tests of other implementations.
//
// # Loops
//
// Run executes a [Listing] on many lanes in a random order of their memory
// accesses. Its memory is that of OpenCL 1.2 at its weakest: the exchange acts on
// memory itself, an ordinary read returns what the lane's work-group read last,
// for as long as the device keeps that copy.
//
// Under this model neither loop ever overwrites an update, as an exchange
// succeeds only where memory holds the bits that the new value was computed from.
// [streamhpc] says that the first listing may give wrong results; what it does is
// get stuck (TestListings). It reads again after a failed exchange,
// and where the copy stays it reads the same stale value for ever: its loops do
// not end, and the updates they stand for are lost when the kernel is stopped. The
// second listing goes on from the value that the exchange returned, and every
// update arrives.
//
// Updates are overwritten by both where the compiler reads the target once for
// the new value and again for the comparison. volatile forbids that, so both
// listings need it; see [Options.ReadTwice]. Both overwrite updates too where the
// exchange is not an atomic operation but a comparison and a store: [Options.Split].
//
// [streamhpc] Atomic operations for floats in OpenCL, improved. StreamHPC blog.
package casloop
