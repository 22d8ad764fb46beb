// ATOMTUNE_INSTANCE(kind, op, type, given) compiles an instance, with the names of call.h, of
// atomtune_op and of Native.
#pragma once

#define ATOMTUNE_ANY_INDEX

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "atomtune_plan.cuh"
#include "atomtune_rows_call.cuh"
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
template <typename Result, typename Body>
Result with_index(int type, const void* index, Body body) {
  const auto as = [&](auto of) { return body(static_cast<const decltype(of)*>(index)); };
  switch (type) {
    case ATOMTUNE_INDEX_U8: return as(uint8_t());
    case ATOMTUNE_INDEX_I8: return as(int8_t());
    case ATOMTUNE_INDEX_U16: return as(uint16_t());
    case ATOMTUNE_INDEX_I16: return as(int16_t());
    case ATOMTUNE_INDEX_U32: return as(uint32_t());
    case ATOMTUNE_INDEX_I32: return as(int32_t());
    case ATOMTUNE_INDEX_U64: return as(uint64_t());
    default: return as(int64_t());
  }
}

// with_type calls body with the type of the targets, by which files of plans know a call: an
// instance of sums of unsigned integers has those of signed ones too.
template <Kind kind, int op, int type, typename Body>
auto with_type(const Update& call, Body body) {
  using T = typename Native<type>::Type;
  if constexpr (op == ATOMTUNE_ADD && kind != Kind::rows && std::is_integral_v<T>) {
    if (call.type != type) return body(std::make_signed_t<T>());
  }
  return body(T());
}

template <Kind kind, int op, typename T, Given given>
cudaError_t update_of(const Update& call, const DispatchTree* tree, void* workspace,
                      size_t& bytes) {
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
  return with_index<cudaError_t>(call.index_type, call.index, [&](auto index) {
    auto options = options_of<std::conditional_t<rows, RowOptions, CallOptions>>(call, tree);
    if constexpr (rows) {
      options.form = static_cast<RowForm>(call.row_form);
      options.slots = call.row_slots;
      options.wraps = call.row_wraps != 0;
    }
    if constexpr (kind == Kind::fixed || kind == Kind::rows_fixed) {
      return enqueue(index, deterministic(options));
    } else {
      return enqueue(index, options);
    }
  });
}

template <Kind kind, int op, int type, Given given>
cudaError_t update(const Update& call, const DispatchTree* tree, void* workspace, size_t& bytes) {
  return with_type<kind, op, type>(call, [&](auto of) {
    return update_of<kind, op, decltype(of), given>(call, tree, workspace, bytes);
  });
}

// PlannedSum is a plan of sums.
template <typename T, typename I, typename V>
class PlannedSum : public Planned {
 public:
  cudaError_t make(const Update& call, const DispatchTree* tree) override {
    const auto options = options_of<CallOptions>(call, tree);
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

template <int type, Given given>
std::unique_ptr<Planned> plan(const Update& call) {
  using Result = std::unique_ptr<Planned>;
  return with_type<Kind::plain, ATOMTUNE_ADD, type>(call, [&](auto of) {
    using T = decltype(of);
    return with_index<Result>(call.index_type, nullptr, [](auto index) -> Result {
      using I = std::remove_const_t<std::remove_pointer_t<decltype(index)>>;
      return std::make_unique<
          PlannedSum<T, I, std::conditional_t<given == Given::ones, One, T>>>();
    });
  });
}

template <Kind kind, int op, int type, Given given>
Instance instance() {
  Instance made;
  made.update = update<kind, op, type, given>;
  if constexpr (kind == Kind::plain && op == ATOMTUNE_ADD &&
                (given == Given::own || given == Given::ones)) {
    made.plan = plan<type, given>;
  }
  return made;
}

}  // namespace library

}  // namespace atomtune

#define ATOMTUNE_INSTANCE(kind, op, type, given)                                            \
  static const atomtune::library::Entered entered(                                          \
      {ATOMTUNE_##op, ATOMTUNE_##type, atomtune::library::Given::given,                     \
       atomtune::library::Kind::kind},                                                      \
      atomtune::library::instance<atomtune::library::Kind::kind, ATOMTUNE_##op,             \
                                  ATOMTUNE_##type, atomtune::library::Given::given>())
