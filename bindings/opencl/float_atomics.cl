// Float atomics through compare-and-exchange, for OpenCL C 1.2.
//
//   atomtune_OP_SPACE_TYPE(target, operand)     returns the value before
//
//   OP     add mul mad div min max; mad takes two operands and adds their product
//   SPACE  global local
//   TYPE   f32, and f64 where the device has cl_khr_fp64 and cl_khr_int64_base_atomics
//
// The loop is the second listing of [streamhpc]: after a failed exchange the next
// turn starts from the value that the exchange returned. An exchange fails only
// where another one has succeeded, so the work-items together always get on. The
// first value comes from an ordinary read, which may be stale or, for 64 bits,
// torn: that costs one turn and nothing else, as an exchange succeeds only where
// memory holds the very bits that the new value was computed from. The target is
// volatile because a compiler that reads it twice, once for the comparison and
// once for the new value, breaks just this. The comparison is one of bits, so a
// NaN ends the loop as well.
//
// [streamhpc] Atomic operations for floats in OpenCL, improved. StreamHPC blog.
#ifndef ATOMTUNE_FLOAT_ATOMICS_CL
#define ATOMTUNE_FLOAT_ATOMICS_CL

// The body of a function that makes *target NEXT, an expression in old.
#define ATOMTUNE_EXCHANGE_LOOP(SPACE, REAL, BITS, EXCHANGE, NEXT)                 \
  BITS current = as_##BITS(*target);                                              \
  BITS expected;                                                                  \
  do {                                                                            \
    expected = current;                                                           \
    const REAL old = as_##REAL(expected);                                         \
    current = EXCHANGE((volatile SPACE BITS *)target, expected, as_##BITS(NEXT)); \
  } while (current != expected);                                                  \
  return as_##REAL(current);

#define ATOMTUNE_UPDATE(NAME, SPACE, REAL, BITS, EXCHANGE, NEXT)             \
  static inline REAL NAME(volatile SPACE REAL *target, const REAL operand) { \
    ATOMTUNE_EXCHANGE_LOOP(SPACE, REAL, BITS, EXCHANGE, NEXT)                \
  }

// mad rounds once, as fma does: the built-in mad may lose the product's low bits.
#define ATOMTUNE_UPDATES(PLACE, TYPE, SPACE, REAL, BITS, EXCHANGE)                   \
  ATOMTUNE_UPDATE(atomtune_add_##PLACE, SPACE, REAL, BITS, EXCHANGE, old + operand)  \
  ATOMTUNE_UPDATE(atomtune_mul_##PLACE, SPACE, REAL, BITS, EXCHANGE, old * operand)  \
  ATOMTUNE_UPDATE(atomtune_div_##PLACE, SPACE, REAL, BITS, EXCHANGE, old / operand)  \
  ATOMTUNE_UPDATE(atomtune_min_##PLACE, SPACE, REAL, BITS, EXCHANGE,                 \
                  atomtune_minimum_##TYPE(old, operand))                             \
  ATOMTUNE_UPDATE(atomtune_max_##PLACE, SPACE, REAL, BITS, EXCHANGE,                 \
                  atomtune_maximum_##TYPE(old, operand))                             \
  static inline REAL atomtune_mad_##PLACE(volatile SPACE REAL *target, const REAL a, \
                                          const REAL b) {                            \
    ATOMTUNE_EXCHANGE_LOOP(SPACE, REAL, BITS, EXCHANGE, fma(a, b, old))              \
  }

// Minimum and maximum are IEEE 754-2019's minimumNumber and maximumNumber: a NaN
// gives way to any number, and -0 is below 0, so that the result does not depend
// on the order of the updates. They are computed on the bits, where no compiler
// option takes NaN, -0 or subnormal numbers away. The key of a number is a signed
// integer that ascends with it.
#define ATOMTUNE_EXTREMES(TYPE, REAL, BITS, KEY, SIGN, INFINITE)                   \
  static inline int atomtune_is_nan_##TYPE(const BITS x) {                         \
    return (x & ~(SIGN)) > (INFINITE);                                             \
  }                                                                                \
  static inline KEY atomtune_key_##TYPE(const BITS x) {                            \
    return as_##KEY((x & (SIGN)) != 0 ? x ^ ~(SIGN) : x);                          \
  }                                                                                \
  static inline REAL atomtune_minimum_##TYPE(const REAL old, const REAL operand) { \
    const BITS x = as_##BITS(old), y = as_##BITS(operand);                         \
    if (atomtune_is_nan_##TYPE(y)) return old;                                     \
    if (atomtune_is_nan_##TYPE(x)) return operand;                                 \
    return atomtune_key_##TYPE(y) < atomtune_key_##TYPE(x) ? operand : old;        \
  }                                                                                \
  static inline REAL atomtune_maximum_##TYPE(const REAL old, const REAL operand) { \
    const BITS x = as_##BITS(old), y = as_##BITS(operand);                         \
    if (atomtune_is_nan_##TYPE(y)) return old;                                     \
    if (atomtune_is_nan_##TYPE(x)) return operand;                                 \
    return atomtune_key_##TYPE(y) > atomtune_key_##TYPE(x) ? operand : old;        \
  }

ATOMTUNE_EXTREMES(f32, float, uint, int, 0x80000000u, 0x7f800000u)
ATOMTUNE_UPDATES(global_f32, f32, __global, float, uint, atomic_cmpxchg)
ATOMTUNE_UPDATES(local_f32, f32, __local, float, uint, atomic_cmpxchg)

#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define ATOMTUNE_HAS_F64 1
ATOMTUNE_EXTREMES(f64, double, ulong, long, 0x8000000000000000ul, 0x7ff0000000000000ul)
ATOMTUNE_UPDATES(global_f64, f64, __global, double, ulong, atom_cmpxchg)
ATOMTUNE_UPDATES(local_f64, f64, __local, double, ulong, atom_cmpxchg)
#endif

#endif
