// ATOMTUNE_INSTANCE(kind, op, type, given, bits) compiles an instance, with the names of call.h,
// of atomtune_op and of Native. bits are those of an index, 0 for rows.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "atomtune_plan.cuh"
#include "atomtune_rows_update.cuh"
#include "call.h"

namespace atomtune {

namespace library {

template <int type>
struct Native;
#define ATOMTUNE_NATIVE(name, of) \
  template <>                     \
  struct Native<name> {           \
    using Type = of;              \
  }
ATOMTUNE_NATIVE(ATOMTUNE_U32, uint32_t);
ATOMTUNE_NATIVE(ATOMTUNE_I32, int32_t);
ATOMTUNE_NATIVE(ATOMTUNE_F32, float);
ATOMTUNE_NATIVE(ATOMTUNE_U64, uint64_t);
ATOMTUNE_NATIVE(ATOMTUNE_I64, int64_t);
ATOMTUNE_NATIVE(ATOMTUNE_F64, double);
ATOMTUNE_NATIVE(ATOMTUNE_F16, __half);
ATOMTUNE_NATIVE(ATOMTUNE_BF16, __nv_bfloat16);
#undef ATOMTUNE_NATIVE

template <Given given, typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<Given::f16, T> {
  using Type = __half;
};
template <typename T>
struct ValueOf<Given::bf16, T> {
  using Type = __nv_bfloat16;
};

// options_of are the options of a call.
template <typename Options>
Options options_of(const Update& call, const DispatchTree* tree) {
  Options options;
  options.clear = call.clear != 0;
  options.has_ignore = call.has_ignore != 0;
  options.ignore = call.ignore;
  options.error = call.error;
  options.chosen = call.chosen;
  options.tree = tree;
  return options;
}

// with_index calls body with the indices in their type.
template <unsigned bits, typename Body>
cudaError_t with_index(const Update& call, Body body) {
  const auto as = [&](auto index) {
    return body(static_cast<const decltype(index)*>(call.index));
  };
  switch (call.index_type) {
    case ATOMTUNE_INDEX_U32: if constexpr (bits == 0 || bits == 32) return as(uint32_t()); break;
    case ATOMTUNE_INDEX_I32: if constexpr (bits == 0 || bits == 32) return as(int32_t()); break;
    case ATOMTUNE_INDEX_U64: if constexpr (bits == 0 || bits == 64) return as(uint64_t()); break;
    case ATOMTUNE_INDEX_I64: if constexpr (bits == 0 || bits == 64) return as(int64_t()); break;
    case ATOMTUNE_INDEX_U8: if constexpr (bits == 0 || bits == 8) return as(uint8_t()); break;
    case ATOMTUNE_INDEX_I8: if constexpr (bits == 0 || bits == 8) return as(int8_t()); break;
    case ATOMTUNE_INDEX_U16: if constexpr (bits == 0 || bits == 16) return as(uint16_t()); break;
    case ATOMTUNE_INDEX_I16: if constexpr (bits == 0 || bits == 16) return as(int16_t()); break;
  }
  return cudaErrorInvalidValue;
}

template <Kind kind, int op, int type, Given given, unsigned bits>
cudaError_t update(const Update& call, const DispatchTree* tree, void* workspace, size_t& bytes) {
  using T = typename Native<type>::Type;
  using V = typename ValueOf<given, T>::Type;
  constexpr bool rows = kind == Kind::rows || kind == Kind::rows_fixed;
  T* const out = static_cast<T*>(call.out);
  const V* const values = static_cast<const V*>(call.values);
  const auto stream = static_cast<cudaStream_t>(call.stream);
  const uint64_t K = call.bins, n = call.updates;
  // enqueue makes the call with options of its kind.
  const auto enqueue = [&](auto index, const auto& options) {
    if constexpr (rows) {
      const auto width = static_cast<uint32_t>(call.width);
      if constexpr (op == ATOMTUNE_ADD) {
        return scatter_add_rows(workspace, bytes, out, K, index, values, n, width, stream, options);
      } else if constexpr (op == ATOMTUNE_MIN) {
        return scatter_min_rows(workspace, bytes, out, K, index, values, n, width, stream, options);
      } else {
        return scatter_max_rows(workspace, bytes, out, K, index, values, n, width, stream, options);
      }
    } else if constexpr (kind == Kind::old) {
      return fetch_add(workspace, bytes, out, K, index, values, static_cast<T*>(call.old), n,
                       stream, options);
    } else if constexpr (given == Given::ones) {
      return histogram(workspace, bytes, out, K, index, n, stream, options);
    } else if constexpr (op == ATOMTUNE_ADD) {
      return scatter_add(workspace, bytes, out, K, index, values, n, stream, options);
    } else if constexpr (op == ATOMTUNE_MIN) {
      return scatter_min(workspace, bytes, out, K, index, values, n, stream, options);
    } else {
      return scatter_max(workspace, bytes, out, K, index, values, n, stream, options);
    }
  };
  return with_index<bits>(call, [&](auto index) {
    auto options = options_of<std::conditional_t<rows, RowOptions, CallOptions>>(call, tree);
    if constexpr (rows) {
      options.form = static_cast<RowForm>(call.row_form);
      options.slots = call.row_slots;
    }
    if constexpr (kind == Kind::fixed || kind == Kind::rows_fixed) {
      return enqueue(index, deterministic(options));
    } else {
      return enqueue(index, options);
    }
  });
}

// PlannedSum is a plan of sums.
template <typename T, typename I, typename V>
class PlannedSum : public Planned {
 public:
  cudaError_t make(const Update& call) override {
    const auto options = options_of<CallOptions>(call, nullptr);
    const auto index = static_cast<const I*>(call.index);
    const auto stream = static_cast<cudaStream_t>(call.stream);
    constexpr uint64_t many = 1000;
    return call.calls >= many ? plan_.tune(call.bins, index, call.updates, stream, options)
                              : plan_.inspect(call.bins, index, call.updates, stream, options);
  }
  cudaError_t run(const Update& call) override {
    const auto options = options_of<CallOptions>(call, nullptr);
    const auto run = [&](auto values) {
      return plan_.run(static_cast<T*>(call.out), static_cast<const I*>(call.index), values,
                       static_cast<cudaStream_t>(call.stream), options);
    };
    if constexpr (is_one<V>) {
      return run(One());
    } else {
      return run(static_cast<const T*>(call.values));
    }
  }
  std::string explain() const override { return plan_.explain(); }
  bool save(const char* path) const override { return plan_.save(path); }

 private:
  Plan<T, I, V> plan_;
};

template <typename T, unsigned bits, typename V>
std::unique_ptr<Planned> plan(bool index_is_signed) {
  using I = std::conditional_t<
      bits == 8, int8_t,
      std::conditional_t<bits == 16, int16_t, std::conditional_t<bits == 32, int32_t, int64_t>>>;
  if (index_is_signed) return std::make_unique<PlannedSum<T, I, V>>();
  return std::make_unique<PlannedSum<T, std::make_unsigned_t<I>, V>>();
}

template <Kind kind, int op, int type, Given given, unsigned bits>
Instance instance() {
  Instance made;
  made.update = update<kind, op, type, given, bits>;
  if constexpr (kind == Kind::plain && op == ATOMTUNE_ADD &&
                (given == Given::own || given == Given::ones)) {
    using T = typename Native<type>::Type;
    made.plan = plan<T, bits, std::conditional_t<given == Given::ones, One, T>>;
  }
  return made;
}

}  // namespace library

}  // namespace atomtune

#define ATOMTUNE_INSTANCE(kind, op, type, given, bits)                                        \
  static const atomtune::library::Entered entered(                                            \
      {ATOMTUNE_##op, ATOMTUNE_##type, atomtune::library::Given::given, bits / 8,             \
       atomtune::library::Kind::kind},                                                        \
      atomtune::library::instance<atomtune::library::Kind::kind, ATOMTUNE_##op,               \
                                  ATOMTUNE_##type, atomtune::library::Given::given, bits>())
