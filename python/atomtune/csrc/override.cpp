// Overrides of aten operators. Each takes the calls that atomtune has something to offer for
// and hands the others to PyTorch's own kernel.
//
// A structured operator has three entries, functional, in place and out=, each with a kernel of
// its own that does not go through the dispatcher again. The first two are overridden; the
// third is left alone, and is the way to PyTorch's kernel: with out the same tensor as self it
// is the operator in place. bincount has one entry, and is made here in all its cases.
#include <ATen/MemoryOverlap.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>

#include "call.h"

#ifndef ATOMTUNE_TORCH_KEY
#define ATOMTUNE_TORCH_KEY CUDA  // the tests compile for CPU
#endif

namespace atomtune_torch {
namespace {

// The least number of updates that is taken: below it a plain kernel is as good.
std::atomic<int64_t> smallest{0};

bool plain(const at::Tensor& t, int64_t dimensions, const at::Tensor& beside) {
  return t.dim() == dimensions && t.is_contiguous() && t.device() == beside.device();
}

bool apart(const at::Tensor& a, const at::Tensor& b) {
  return at::get_overlap_status(a, b) == at::MemOverlapStatus::No;
}

// fit tells what holds of the tensors of every call that is taken. src and out have as many
// dimensions.
bool fit(Op op, const at::Tensor& out, const at::Tensor& index, const at::Tensor& src) {
  return plain(out, out.dim(), out) && plain(index, 1, out) && plain(src, out.dim(), out) &&
         index.numel() >= smallest && out.scalar_type() == src.scalar_type() &&
         apart(out, index) && apart(out, src) &&
         find(instance_of({op, out, index, src, 0})) != nullptr;
}

// takes tells whether atomtune makes the call out[index[u]] += src[u] for the first indices.
bool takes(const at::Tensor& out, int64_t dim, const at::Tensor& index, const at::Tensor& src) {
  return (dim == 0 || dim == -1) && out.dim() == 1 && fit(Op::add, out, index, src) &&
         index.numel() <= src.numel();
}

void add(const at::Tensor& out, const at::Tensor& index, const at::Tensor& src) {
  Call call{Op::add, out, index, src, index.numel()};
  call.deterministic = at::globalContext().deterministicAlgorithms();
  run(call);
}

at::Tensor& scatter_add_(at::Tensor& self, int64_t dim, const at::Tensor& index,
                         const at::Tensor& src) {
  if (takes(self, dim, index, src)) {
    add(self, index, src);
    return self;
  }
  const at::AutoDispatchBelowADInplaceOrView guard;
  return at::scatter_add_out(self, self, dim, index, src);
}

at::Tensor scatter_add(const at::Tensor& self, int64_t dim, const at::Tensor& index,
                       const at::Tensor& src) {
  if (takes(self, dim, index, src)) {
    const at::Tensor out = self.clone();
    add(out, index, src);
    return out;
  }
  const at::AutoDispatchBelowADInplaceOrView guard;
  at::Tensor out = at::empty({0}, self.options());
  return at::scatter_add_out(out, self, dim, index, src);
}

// takes_index_add tells whether atomtune makes the call self[index[u]] += source[u], of values
// or of rows. Sums of rows of 16 bits are not the same on every run.
bool takes_index_add(const at::Tensor& self, int64_t dim, const at::Tensor& index,
                     const at::Tensor& source, const at::Scalar& alpha) {
  if (!alpha.equal(1) || source.dim() == 0 || index.numel() != source.size(0)) return false;
  if (self.dim() == 1) return takes(self, dim, index, source);
  const bool varies = self.scalar_type() == at::kHalf || self.scalar_type() == at::kBFloat16;
  return dim == 0 && !(varies && at::globalContext().deterministicAlgorithms()) && self.numel() > 0 &&
         self.dim() == source.dim() && self.sizes().slice(1) == source.sizes().slice(1) &&
         self.numel() / self.size(0) <= std::numeric_limits<uint32_t>::max() &&
         fit(Op::add_rows, self, index, source);
}

// add_rows adds values or rows.
void add_rows(const at::Tensor& out, const at::Tensor& index, const at::Tensor& source) {
  if (out.dim() == 1) return add(out, index, source);
  Call call{Op::add_rows, out, index, source, index.numel()};
  call.width = out.numel() / out.size(0);
  call.deterministic = at::globalContext().deterministicAlgorithms();
  run(call);
}

at::Tensor& index_add_(at::Tensor& self, int64_t dim, const at::Tensor& index,
                       const at::Tensor& source, const at::Scalar& alpha) {
  if (takes_index_add(self, dim, index, source, alpha)) {
    add_rows(self, index, source);
    return self;
  }
  const at::AutoDispatchBelowADInplaceOrView guard;
  return at::index_add_out(self, self, dim, index, source, alpha);
}

at::Tensor index_add(const at::Tensor& self, int64_t dim, const at::Tensor& index,
                     const at::Tensor& source, const at::Scalar& alpha) {
  if (takes_index_add(self, dim, index, source, alpha)) {
    const at::Tensor out = self.clone();
    add_rows(out, index, source);
    return out;
  }
  const at::AutoDispatchBelowADInplaceOrView guard;
  at::Tensor out = at::empty({0}, self.options());
  return at::index_add_out(out, self, dim, index, source, alpha);
}

// bins_of is the number of targets that bincount makes. It waits for the device.
int64_t bins_of(const at::Tensor& index, int64_t minlength) {
  TORCH_CHECK(minlength >= 0, "minlength should be >= 0");
  TORCH_CHECK(index.dim() == 1 && at::isIntegralType(index.scalar_type(), false),
              "bincount only supports 1-d non-negative integral inputs.");
  if (index.numel() == 0) return minlength;
  const auto ends = at::aminmax(index);
  const at::Tensor both = at::stack({std::get<0>(ends), std::get<1>(ends)}).to(at::kLong).cpu();
  const int64_t least = both.data_ptr<int64_t>()[0], most = both.data_ptr<int64_t>()[1];
  TORCH_CHECK(least >= 0, "bincount only supports 1-d non-negative integral inputs.");
  return std::max(minlength, most + 1);
}

at::Tensor bincount(const at::Tensor& self, const std::optional<at::Tensor>& weights,
                    int64_t minlength) {
  const bool weighted = weights.has_value() && weights->defined();
  TORCH_CHECK(!weighted || (weights->dim() == 1 && weights->size(0) == self.size(0)),
              "weights should be 1-d and have the same length as input");
  TORCH_CHECK(!weighted || weights->device() == self.device(), "input is on ", self.device(),
              ", weights on ", weighted ? weights->device() : self.device());
  const int64_t bins = bins_of(self, minlength);
  const bool wide = self.scalar_type() == at::kInt || self.scalar_type() == at::kLong;
  const at::Tensor index = (wide ? self : self.to(at::kInt)).contiguous();
  if (!weighted) return count(index, bins, std::nullopt);
  const bool narrow = weights->scalar_type() == at::kFloat;
  const at::Tensor values = weights->to(narrow ? at::kFloat : at::kDouble).contiguous();
  const at::Tensor out = at::zeros({bins}, values.options());
  add(out, index, values);
  return out;
}

// Overrides hold as long as this object lives.
std::unique_ptr<torch::Library> overrides;
std::mutex mutex;

// override turns the overrides on or off.
void override_aten(bool on, int64_t least) {
  const std::lock_guard<std::mutex> lock(mutex);
  smallest = least;
  if (on == (overrides != nullptr)) return;
  if (!on) return overrides.reset();
  auto library = std::make_unique<torch::Library>(
      torch::Library::IMPL, "aten", c10::DispatchKey::ATOMTUNE_TORCH_KEY, __FILE__, __LINE__);
  library->impl("scatter_add_", TORCH_FN(scatter_add_));
  library->impl("scatter_add", TORCH_FN(scatter_add));
  library->impl("index_add_", TORCH_FN(index_add_));
  library->impl("index_add", TORCH_FN(index_add));
  library->impl("bincount", TORCH_FN(bincount));
  overrides = std::move(library);
}

}  // namespace
}  // namespace atomtune_torch

TORCH_LIBRARY_FRAGMENT(atomtune, m) {
  m.def("_override(bool on, int smallest) -> ()", &atomtune_torch::override_aten);
}
