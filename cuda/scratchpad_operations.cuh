// The operations on shared memory that scratchpad measures. Each returns what the
// word held before.
#pragma once

#include <climits>
#include <cstdint>

// sign_of is the top bit of a value, which is 0 here; the compiler does not know.
__device__ __forceinline__ uint32_t sign_of(uint32_t v) { return v >> 31; }
__device__ __forceinline__ uint32_t sign_of(float v) { return __float_as_uint(v) >> 31; }
__device__ __forceinline__ uint32_t sign_of(unsigned long long v) { return uint32_t(v >> 63); }
__device__ __forceinline__ uint32_t sign_of(double v) { return uint32_t(__double2hiint(v)) >> 31; }

struct Add {
  static constexpr bool whole_warp = false;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool) { return atomicAdd(p, v); }
};

struct AddOne {  // a constant; the result is used, so that nothing is merely counted
  static constexpr bool whole_warp = false;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T, bool) { return atomicAdd(p, T(1)); }
};

struct Min {
  static constexpr bool whole_warp = false;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool) { return atomicMin(p, v); }
};

struct Exch {
  static constexpr bool whole_warp = false;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool) { return atomicExch(p, v); }
};

// Bits of the types that a compare-and-swap loop adds in.
__device__ __forceinline__ uint32_t add_bits(uint32_t bits, uint32_t v) { return bits + v; }
__device__ __forceinline__ uint32_t add_bits(uint32_t bits, float v) {
  return __float_as_uint(__uint_as_float(bits) + v);
}
__device__ __forceinline__ unsigned long long add_bits(unsigned long long bits, double v) {
  return __double_as_longlong(__longlong_as_double(bits) + v);
}
__device__ __forceinline__ void from_bits(uint32_t bits, uint32_t* v) { *v = bits; }
__device__ __forceinline__ void from_bits(uint32_t bits, float* v) { *v = __uint_as_float(bits); }
__device__ __forceinline__ void from_bits(unsigned long long bits, double* v) {
  *v = __longlong_as_double(bits);
}

template <typename T>
struct BitsOf { using type = uint32_t; };
template <>
struct BitsOf<double> { using type = unsigned long long; };

// CasFree adds by the loop that a programmer writes first: it uses what the
// exchange returned in place of reading again. The compiler lets its lanes run
// apart (YIELD); the warp comes together after the loop.
struct CasFree {
  static constexpr bool whole_warp = true;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool active) {
    using Bits = typename BitsOf<T>::type;
    Bits* const word = reinterpret_cast<Bits*>(p);
    Bits old = *static_cast<volatile Bits*>(word), assumed = 0;
    if (active) {
      do {
        assumed = old;
        old = atomicCAS(word, assumed, add_bits(assumed, v));
      } while (old != assumed);
    }
    __syncwarp();
    T result;
    from_bits(old, &result);
    return result;
  }
};

// CasLoop is the same loop with the warp brought together in each turn.
struct CasLoop {
  static constexpr bool whole_warp = true;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool active) {
    using Bits = typename BitsOf<T>::type;
    Bits* const word = reinterpret_cast<Bits*>(p);
    Bits old = *static_cast<volatile Bits*>(word), assumed = 0;
    bool pending = active;
    while (__any_sync(0xffffffff, pending)) {
      if (pending) {
        assumed = old;
        old = atomicCAS(word, assumed, add_bits(assumed, v));
        pending = old != assumed;
      }
      __syncwarp();
    }
    T result;
    from_bits(old, &result);
    return result;
  }
};


__device__ __forceinline__ uint32_t load_word(uint32_t* p) {
  uint32_t v;
  asm volatile("ld.volatile.shared.u32 %0, [%1];"
               : "=r"(v) : "r"(uint32_t(__cvta_generic_to_shared(p))) : "memory");
  return v;
}
__device__ __forceinline__ unsigned long long load_word(unsigned long long* p) {
  unsigned long long v;
  asm volatile("ld.volatile.shared.u64 %0, [%1];"
               : "=l"(v) : "r"(uint32_t(__cvta_generic_to_shared(p))) : "memory");
  return v + (v << 32);  // both halves matter, or only one would be loaded
}

struct Load {
  static constexpr bool whole_warp = false;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T, bool) { return load_word(p); }
};

struct Store {  // and a load of the word, since a store returns nothing
  static constexpr bool whole_warp = false;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool) {
    *static_cast<volatile T*>(p) = v;
    return load_word(p);
  }
};

#define FOR_EACH_OPERATION(use)               \
  use("u32_load", Load, uint32_t)             \
  use("u32_store", Store, uint32_t)           \
  use("u32_add", Add, uint32_t)               \
  use("u32_inc", AddOne, uint32_t)            \
  use("u32_min", Min, uint32_t)               \
  use("u32_exch", Exch, uint32_t)             \
  use("u32_casloop", CasLoop, uint32_t)       \
  use("u32_casfree", CasFree, uint32_t)       \
  use("f32_add", Add, float)                  \
  use("f32_casloop", CasLoop, float)          \
  use("f32_casfree", CasFree, float)          \
  use("u64_load", Load, unsigned long long)   \
  use("u64_store", Store, unsigned long long) \
  use("u64_add", Add, unsigned long long)     \
  use("u64_exch", Exch, unsigned long long)   \
  use("f64_add", Add, double)                 \
  use("f64_casloop", CasLoop, double)

#define FOR_EACH_CONTENDED(use)   \
  use("u32_add", Add, uint32_t)   \
  use("f32_add", Add, float)      \
  use("f64_add", Add, double)     \
  use("u32_casloop", CasLoop, uint32_t)
