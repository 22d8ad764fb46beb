// One compiled call: ATOMTUNE_INSTANCE(op, target, index, value) with names of registry.h.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "atomtune_dispatch.cuh"
#include "atomtune_rows_call.cuh"
#include "registry.h"

namespace atomtune_torch {

template <Type>
struct Native;
template <> struct Native<Type::i32> { using type = int32_t; };
template <> struct Native<Type::i64> { using type = int64_t; };
template <> struct Native<Type::f32> { using type = float; };
template <> struct Native<Type::f64> { using type = double; };
template <> struct Native<Type::f16> { using type = __half; };
template <> struct Native<Type::bf16> { using type = __nv_bfloat16; };
template <> struct Native<Type::none> { using type = void; };

template <Op op, Type target, Type index, Type value>
int launch(Arguments& a) {
  constexpr bool rows = op == Op::add_rows || op == Op::min_rows || op == Op::max_rows;
  std::conditional_t<rows, atomtune::RowOptions, atomtune::CallOptions> options;
  options.clear = a.clear;
  options.has_ignore = a.has_ignore;
  options.ignore = a.ignore;
  options.error = a.error;
  auto* const out = static_cast<typename Native<target>::type*>(a.out);
  const auto* const indices = static_cast<const typename Native<index>::type*>(a.index);
  const auto* const values = static_cast<const typename Native<value>::type*>(a.values);
  const auto stream = static_cast<cudaStream_t>(a.stream);
  [[maybe_unused]] const auto call = [&](auto function) {
    if constexpr (rows) {
      return function(a.workspace, a.bytes, out, a.bins, indices, values, a.updates, a.width,
                      stream, options);
    } else {
      return function(a.workspace, a.bytes, out, a.bins, indices, values, a.updates, stream,
                      options);
    }
  };
  // Sums of floats alone depend on the order.
  [[maybe_unused]] const auto sum = [&](auto function) {
    return a.deterministic ? function(atomtune::deterministic(options)) : function(options);
  };
  if constexpr (op == Op::count) {
    return sum([&](const auto& how) {
      return atomtune::histogram(a.workspace, a.bytes, out, a.bins, indices, a.updates, stream,
                                 how);
    });
  } else if constexpr (op == Op::add) {
    return sum([&](const auto& how) {
      return atomtune::scatter_add(a.workspace, a.bytes, out, a.bins, indices, values, a.updates,
                                   stream, how);
    });
  } else if constexpr (op == Op::add_rows) {
    return sum([&](const auto& how) {
      return atomtune::scatter_add_rows(a.workspace, a.bytes, out, a.bins, indices, values,
                                        a.updates, a.width, stream, how);
    });
  } else if constexpr (op == Op::min_rows) {
    return call([](auto&&... x) { return atomtune::scatter_min_rows(x...); });
  } else if constexpr (op == Op::max_rows) {
    return call([](auto&&... x) { return atomtune::scatter_max_rows(x...); });
  } else if constexpr (op == Op::min) {
    return call([](auto&&... x) { return atomtune::scatter_min(x...); });
  } else {
    return call([](auto&&... x) { return atomtune::scatter_max(x...); });
  }
}

}  // namespace atomtune_torch

#define ATOMTUNE_INSTANCE(op, target, index, value)                                          \
  [[maybe_unused]] static const atomtune_torch::Registered registered(                       \
      {atomtune_torch::Op::op, atomtune_torch::Type::target, atomtune_torch::Type::index,    \
       atomtune_torch::Type::value},                                                         \
      &atomtune_torch::launch<atomtune_torch::Op::op, atomtune_torch::Type::target,          \
                              atomtune_torch::Type::index, atomtune_torch::Type::value>)
