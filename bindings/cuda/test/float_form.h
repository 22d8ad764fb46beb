// The float atomics behind one name, for the tests. On the host it needs warp_emulator.h
// before it.
#pragma once

#include "../atomtune_float_match.cuh"
#include "float_updates.h"

// update_float makes one update and returns the target's old value.
template <Op op, typename T>
__device__ T update_float(T* target, T a, [[maybe_unused]] T b) {
  if constexpr (op == Op::add) {
    return atomtune::atomic_add<T>(target, a);
  } else if constexpr (op == Op::mul) {
    return atomtune::atomic_mul(target, a);
  } else if constexpr (op == Op::mad) {
    return atomtune::atomic_mad(target, a, b);
  } else if constexpr (op == Op::div) {
    return atomtune::atomic_div(target, a);
  } else if constexpr (op == Op::min) {
    return atomtune::atomic_min(target, a);
  } else {
    return atomtune::atomic_max(target, a);
  }
}

constexpr bool has_match(Op op) {
  return op == Op::mul || op == Op::min || op == Op::max;
}

// match_float makes one update in the form that the warp reduces first.
template <Op op, typename T>
__device__ void match_float(T* A, uint32_t i, T a) {
  if constexpr (op == Op::mul) {
    atomtune::mul_match(A, i, a);
  } else if constexpr (op == Op::min) {
    atomtune::min_match(A, i, a);
  } else {
    static_assert(op == Op::max, "an operation without such a form");
    atomtune::max_match(A, i, a);
  }
}

// with_op calls body with the operation as a type.
template <typename Body>
void with_op(Op op, Body body) {
  switch (op) {
    case Op::add:
      return body(std::integral_constant<Op, Op::add>());
    case Op::mul:
      return body(std::integral_constant<Op, Op::mul>());
    case Op::mad:
      return body(std::integral_constant<Op, Op::mad>());
    case Op::div:
      return body(std::integral_constant<Op, Op::div>());
    case Op::min:
      return body(std::integral_constant<Op, Op::min>());
    case Op::max:
      return body(std::integral_constant<Op, Op::max>());
  }
}
