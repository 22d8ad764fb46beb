// Calls on the CPU, in place of atomtune/csrc/call.cpp: plain loops, so that operators and
// overrides are tested without a GPU. Counts the calls.
#include "call.h"

#include <utility>

namespace atomtune_torch {
namespace {

int64_t made = 0;
bool bad = false;

template <typename T, typename I, typename V>
void update(const Call& call, T (*combine)(T, T)) {
  T* const out = static_cast<T*>(call.out.data_ptr());
  const I* const index = static_cast<const I*>(call.index.data_ptr());
  const V* const values =
      call.values.defined() ? static_cast<const V*>(call.values.data_ptr()) : nullptr;
  for (int64_t u = 0; u < call.updates; ++u) {
    if (call.has_ignore && index[u] == call.ignore) continue;
    if (index[u] < 0 || index[u] >= call.out.numel() / call.width) {
      bad = true;
      continue;
    }
    for (int64_t j = 0; j < call.width; ++j) {
      const T value = values != nullptr ? static_cast<T>(values[u * call.width + j]) : T(1);
      T& target = out[index[u] * call.width + j];
      target = combine(target, value);
    }
  }
}

template <typename T, typename V>
void by_index(const Call& call) {
  T (*combine)(T, T) = [](T a, T b) { return T(a + b); };
  if (call.op == Op::min || call.op == Op::min_rows) {
    combine = [](T a, T b) { return a != a || a <= b ? a : b; };
  }
  if (call.op == Op::max || call.op == Op::max_rows) {
    combine = [](T a, T b) { return a != a || a >= b ? a : b; };
  }
  if (call.index.scalar_type() == at::kInt) {
    update<T, int32_t, V>(call, combine);
  } else {
    update<T, int64_t, V>(call, combine);
  }
}

int unused(Arguments&) { return 0; }

// Instances for operators and overrides to find: bfloat16 has one, float16 is converted, and so are
// indices of 32 bits of some rows.
const bool registered = [] {
  for (const Type index : {Type::i32, Type::i64}) {
    for (const Type target : {Type::i32, Type::i64, Type::f32, Type::f64}) {
      Registered({Op::add, target, index, target}, unused);
    }
    Registered({Op::add, Type::f32, index, Type::bf16}, unused);
    Registered({Op::add_rows, Type::f32, index, Type::f32}, unused);
    Registered({Op::add_rows, Type::f32, index, Type::bf16}, unused);
    Registered({Op::add_rows, Type::bf16, index, Type::bf16}, unused);
  }
  for (const Type target : {Type::f64, Type::i32, Type::i64, Type::f16}) {
    Registered({Op::add_rows, target, Type::i64, target}, unused);
  }
  for (const Type target : {Type::f32, Type::i32}) {
    Registered({Op::min_rows, target, Type::i64, target}, unused);
    Registered({Op::max_rows, target, Type::i64, target}, unused);
  }
  return true;
}();

}  // namespace

void run(const Call& call) {
  ++made;
  if (call.clear) call.out.zero_();
  switch (call.out.scalar_type()) {
    case at::kInt: return by_index<int32_t, int32_t>(call);
    case at::kLong: return by_index<int64_t, int64_t>(call);
    case at::kDouble: return by_index<double, double>(call);
    case at::kHalf: return by_index<at::Half, at::Half>(call);
    case at::kBFloat16: return by_index<at::BFloat16, at::BFloat16>(call);
    default: break;
  }
  TORCH_CHECK(call.out.scalar_type() == at::kFloat, "no such call");
  if (!call.values.defined() || call.values.scalar_type() == at::kFloat) {
    by_index<float, float>(call);
  } else {
    TORCH_CHECK(call.values.scalar_type() == at::kBFloat16, "values were not converted");
    by_index<float, at::BFloat16>(call);
  }
}

int64_t calls() { return made; }

bool out_of_range(int64_t) { return std::exchange(bad, false); }

}  // namespace atomtune_torch
