// The operators of python/atomtune/_operators.py on a device.
#include <ATen/MemoryOverlap.h>
#include <torch/library.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "call.h"

#ifndef ATOMTUNE_TORCH_KEY
#define ATOMTUNE_TORCH_KEY CUDA  // the tests compile for CPU
#endif

namespace atomtune_torch {
namespace {

Type type_of(at::ScalarType t) {
  switch (t) {
    case at::kInt: return Type::i32;
    case at::kLong: return Type::i64;
    case at::kFloat: return Type::f32;
    case at::kDouble: return Type::f64;
    case at::kHalf: return Type::f16;
    case at::kBFloat16: return Type::bf16;
    default: return Type::none;
  }
}

// check demands an index for each value, or for each row.
void check(const at::Tensor& index, const at::Tensor& src) {
  TORCH_CHECK(index.dim() == 1 && src.dim() >= 1, "atomtune: index and src have ", index.dim(),
              " and ", src.dim(), " dimensions, want 1, and 1 at least");
  TORCH_CHECK(index.numel() == src.size(0), "atomtune: ", index.numel(), " indices for ",
              src.size(0), src.dim() == 1 ? " values" : " rows");
  TORCH_CHECK(index.device() == src.device(), "atomtune: index is on ", index.device(),
              ", src on ", src.device());
}

at::ScalarType sum_type(at::ScalarType t) {
  return t == at::kHalf || t == at::kBFloat16 ? at::kFloat : t;
}

// width_of is the number of elements of a row, which fits 32 bits.
int64_t width_of(const at::Tensor& src) {
  int64_t width = 1;
  for (int64_t d = 1; d < src.dim(); ++d) width *= src.size(d);
  TORCH_CHECK(width <= std::numeric_limits<uint32_t>::max(), "atomtune: rows of ", width, " elements");
  return width;
}

// shape_of is that of as many targets, with rows like those of src.
std::vector<int64_t> shape_of(const at::Tensor& src, int64_t dim_size) {
  std::vector<int64_t> shape = src.sizes().vec();
  shape[0] = dim_size;
  return shape;
}

// call_of converts values to the targets' type, and indices to 64 bits, where there is no instance
// for theirs. Values are not defined where ones are counted.
Call call_of(Op op, const at::Tensor& out, const at::Tensor& index, const at::Tensor& values,
             std::optional<int64_t> ignore_index, bool deterministic) {
  Call call{op, out, index.contiguous(), values, index.numel()};
  if (values.defined()) {
    if (values.dim() > 1) call.op = rows_of(op), call.width = width_of(values);
    const auto known = [&] { return find(instance_of(call)) != nullptr; };
    if (!known()) call.values = values.to(out.scalar_type());
    if (!known()) call.index = call.index.to(at::kLong);
    call.values = call.values.contiguous();
  }
  call.has_ignore = ignore_index.has_value();
  call.ignore = ignore_index.value_or(0);
  call.deterministic = deterministic;
  return call;
}

at::Tensor scatter_add(const at::Tensor& index, const at::Tensor& src, int64_t dim_size,
                       std::optional<int64_t> ignore_index, bool deterministic) {
  check(index, src);
  const int64_t width = width_of(src);
  const at::Tensor out = at::empty(shape_of(src, dim_size), src.options().dtype(sum_type(src.scalar_type())));
  if (width == 0) return out;
  Call call = call_of(Op::add, out, index, src, ignore_index, deterministic);
  call.clear = true;
  run(call);
  return out;
}

// update makes the calls that change a tensor of the caller, in a copy of it where it is not
// contiguous.
void update(Op op, const at::Tensor& out, const at::Tensor& index, const at::Tensor& src,
            std::optional<int64_t> ignore_index, bool deterministic) {
  check(index, src);
  TORCH_CHECK(out.dim() == src.dim() && out.sizes().slice(1) == src.sizes().slice(1),
              "atomtune: out has the shape ", out.sizes(), ", src ", src.sizes(),
              ", want them alike but for the first dimension");
  TORCH_CHECK(out.device() == src.device(), "atomtune: out is on ", out.device(), ", src on ",
              src.device());
  at::assert_no_overlap(out, index);
  at::assert_no_overlap(out, src);
  if (width_of(src) == 0) return;
  const at::Tensor target = out.contiguous();
  run(call_of(op, target, index, src, ignore_index, deterministic));
  if (!target.is_same(out)) out.copy_(target);
}

void scatter_add_(const at::Tensor& out, const at::Tensor& index, const at::Tensor& src,
                  std::optional<int64_t> ignore_index, bool deterministic) {
  update(Op::add, out, index, src, ignore_index, deterministic);
}

void scatter_min_(const at::Tensor& out, const at::Tensor& index, const at::Tensor& src,
                  std::optional<int64_t> ignore_index) {
  update(Op::min, out, index, src, ignore_index, false);
}

void scatter_max_(const at::Tensor& out, const at::Tensor& index, const at::Tensor& src,
                  std::optional<int64_t> ignore_index) {
  update(Op::max, out, index, src, ignore_index, false);
}

// identity is what no update moves: the largest value for a minimum, the least for a maximum.
at::Scalar identity(Op op, at::ScalarType t) {
  const bool least = op == Op::max;
  if (at::isFloatingType(t)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return least ? -infinity : infinity;
  }
  if (t == at::kInt) {
    using Limits = std::numeric_limits<int32_t>;
    return least ? Limits::min() : Limits::max();
  }
  using Limits = std::numeric_limits<int64_t>;
  return least ? Limits::min() : Limits::max();
}

at::Tensor extreme(Op op, const at::Tensor& index, const at::Tensor& src, int64_t dim_size,
                   std::optional<int64_t> ignore_index) {
  check(index, src);
  const at::Tensor out = at::full(shape_of(src, dim_size), identity(op, src.scalar_type()),
                                  src.options());
  update(op, out, index, src, ignore_index, false);
  return out;
}

at::Tensor scatter_min(const at::Tensor& index, const at::Tensor& src, int64_t dim_size,
                       std::optional<int64_t> ignore_index) {
  return extreme(Op::min, index, src, dim_size, ignore_index);
}

at::Tensor scatter_max(const at::Tensor& index, const at::Tensor& src, int64_t dim_size,
                       std::optional<int64_t> ignore_index) {
  return extreme(Op::max, index, src, dim_size, ignore_index);
}

}  // namespace

Instance instance_of(const Call& call) {
  return {call.op, type_of(call.out.scalar_type()), type_of(call.index.scalar_type()),
          call.values.defined() ? type_of(call.values.scalar_type()) : Type::none};
}

at::Tensor count(const at::Tensor& index, int64_t bins, std::optional<int64_t> ignore) {
  TORCH_CHECK(index.dim() == 1, "atomtune: index has ", index.dim(), " dimensions, want 1");
  // A count below 2^31 takes 32 bits, which every GPU adds in shared memory by itself. Longer
  // streams are counted in parts.
  constexpr int64_t part = int64_t(1) << 30;
  at::Tensor sum;
  for (int64_t first = 0; first == 0 || first < index.numel(); first += part) {
    const int64_t updates = std::min(part, index.numel() - first);
    const at::Tensor counts = at::empty({bins}, index.options().dtype(at::kInt));
    Call call = call_of(Op::count, counts, index.narrow(0, first, updates), {}, ignore,
                        false);
    call.clear = true;
    run(call);
    sum = sum.defined() ? sum.add_(counts) : counts.to(at::kLong);
  }
  return sum;
}

// register_kernels puts the kernels in place of those that built this library.
void register_kernels() {
  static torch::Library* const library =
      new torch::Library(torch::Library::IMPL, "atomtune",
                         c10::DispatchKey::ATOMTUNE_TORCH_KEY, __FILE__, __LINE__);
  library->impl("scatter_add", TORCH_FN(scatter_add));
  library->impl("scatter_add_", TORCH_FN(scatter_add_));
  library->impl("scatter_min", TORCH_FN(scatter_min));
  library->impl("scatter_min_", TORCH_FN(scatter_min_));
  library->impl("scatter_max", TORCH_FN(scatter_max));
  library->impl("scatter_max_", TORCH_FN(scatter_max_));
  library->impl("bincount", TORCH_FN(count));
}

}  // namespace atomtune_torch

TORCH_LIBRARY_FRAGMENT(atomtune, m) {
  m.def("_register() -> ()", &atomtune_torch::register_kernels);
  m.def("_calls() -> int", &atomtune_torch::calls);
  m.def("_out_of_range(int device) -> bool", &atomtune_torch::out_of_range);
}
