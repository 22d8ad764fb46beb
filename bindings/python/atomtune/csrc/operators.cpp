// The kernels of the operators of _operators.py.
#include "operators.h"

#include <torch/library.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace atomtune_torch {
namespace {

// check demands an index for each value, or for each row.
void check(const Tensor& index, const Tensor& src) {
  TORCH_CHECK(index.dim() == 1 && src.dim() >= 1, "atomtune: index and src have ", index.dim(), " and ",
              src.dim(), " dimensions, want 1, and 1 at least");
  TORCH_CHECK(index.numel() == src.size(0), "atomtune: ", index.numel(), " indices for ", src.size(0),
              src.dim() == 1 ? " values" : " rows");
  const int64_t width = src.numel() == 0 ? 0 : src.numel() / src.size(0);
  TORCH_CHECK(width >> 32 == 0, "atomtune: rows of ", width, " elements");
  TORCH_CHECK(index.device() == src.device(), "atomtune: tensors are on ", index.device(), " and ",
              src.device());
}

// shape_of is that of as many targets, with rows like those of src.
std::vector<int64_t> shape_of(const Tensor& src, int64_t dim_size) {
  std::vector<int64_t> shape = src.sizes().vec();
  shape[0] = dim_size;
  return shape;
}

Tensor scatter_add(const Tensor& index, const Tensor& src, int64_t dim_size,
                   std::optional<int64_t> ignore, bool deterministic) {
  check(index, src);
  const at::ScalarType type = is_half(src) ? at::kFloat : src.scalar_type();
  const Tensor out = at::empty(shape_of(src, dim_size), src.options().dtype(type));
  run({.out = out, .bins = dim_size, .index = index.contiguous(), .values = src.contiguous(),
       .ignore = ignore, .clear = true, .deterministic = deterministic});
  return out;
}

// update changes a tensor of the caller, in a copy of it where it is not contiguous.
void update(atomtune_op op, const Tensor& out, const Tensor& index, const Tensor& src,
            std::optional<int64_t> ignore, bool deterministic = false) {
  check(index, src);
  TORCH_CHECK(out.device() == src.device(), "atomtune: tensors are on ", out.device(), " and ",
              src.device());
  TORCH_CHECK(out.dim() == src.dim() && out.sizes().slice(1) == src.sizes().slice(1),
              "atomtune: out has the shape ", out.sizes(), ", src ", src.sizes(),
              ", want them alike but for the first dimension");
  TORCH_CHECK(apart(out, {&index, &src}), "atomtune: out shares memory with index or src");
  const Tensor target = out.contiguous();
  run({.op = op, .out = target, .bins = out.size(0), .index = index.contiguous(),
       .values = src.contiguous(), .ignore = ignore, .deterministic = deterministic});
  if (!target.is_same(out)) out.copy_(target);
}

void scatter_add_(const Tensor& out, const Tensor& index, const Tensor& src,
                  std::optional<int64_t> ignore, bool deterministic) {
  update(ATOMTUNE_ADD, out, index, src, ignore, deterministic);
}

template <atomtune_op op>
void extreme_(const Tensor& out, const Tensor& index, const Tensor& src, std::optional<int64_t> ignore) {
  update(op, out, index, src, ignore);
}

template <atomtune_op op>
Tensor extreme(const Tensor& index, const Tensor& src, int64_t dim_size, std::optional<int64_t> ignore) {
  check(index, src);
  const Tensor out = at::full(shape_of(src, dim_size), identity(op, src.scalar_type()), src.options());
  update(op, out, index, src, ignore);
  return out;
}

// start opens the library and puts the kernels in place, for tensors of a key of the dispatcher.
void start(std::string path, std::string key) {
  load(path);
  dispatch_key = c10::parseDispatchKey(key);
  static auto& kernels =
      *new torch::Library(torch::Library::IMPL, "atomtune", dispatch_key, __FILE__, __LINE__);
  kernels.impl("scatter_add", TORCH_FN(scatter_add));
  kernels.impl("scatter_add_", TORCH_FN(scatter_add_));
  kernels.impl("scatter_min", TORCH_FN(extreme<ATOMTUNE_MIN>));
  kernels.impl("scatter_min_", TORCH_FN(extreme_<ATOMTUNE_MIN>));
  kernels.impl("scatter_max", TORCH_FN(extreme<ATOMTUNE_MAX>));
  kernels.impl("scatter_max_", TORCH_FN(extreme_<ATOMTUNE_MAX>));
  kernels.impl("bincount", TORCH_FN(count));
}

}  // namespace

Tensor count(const Tensor& index, int64_t bins, std::optional<int64_t> ignore) {
  TORCH_CHECK(index.dim() == 1, "atomtune: index has ", index.dim(), " dimensions, want 1");
  // A count below 2^31 takes 32 bits, which every GPU adds in shared memory by itself. Longer
  // streams are counted in parts.
  Tensor sum;
  for (const Tensor& part : index.contiguous().split(int64_t(1) << 30)) {
    const Tensor counts = at::empty({bins}, index.options().dtype(at::kInt));
    run({.out = counts, .bins = bins, .index = part, .ignore = ignore, .clear = true});
    sum = sum.defined() ? sum.add_(counts) : counts.to(at::kLong);
  }
  return sum;
}

at::Scalar identity(atomtune_op op, at::ScalarType type) {
  const auto end = [op](auto least, auto most) -> at::Scalar { return op == ATOMTUNE_MAX ? least : most; };
  if (at::isFloatingType(type)) return end(-INFINITY, INFINITY);
  using I32 = std::numeric_limits<int32_t>;
  using I64 = std::numeric_limits<int64_t>;
  return type == at::kInt ? end(I32::min(), I32::max()) : end(I64::min(), I64::max());
}

}  // namespace atomtune_torch

TORCH_LIBRARY_FRAGMENT(atomtune, m) {
  m.def("_start(str library, str key) -> ()", &atomtune_torch::start);
  m.def("_calls() -> int", [] { return atomtune_torch::calls.load(); });
  m.def("_out_of_range(int device) -> bool", &atomtune_torch::out_of_range);
}
