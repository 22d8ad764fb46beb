// Each operator has a function that brings its arguments to the form of a call. It returns the reason
// where atomtune has nothing to offer.
#include "aten.h"

#include <c10/util/accumulate.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "operators.h"

namespace atomtune_torch::aten {
namespace {

using Sizes = at::IntArrayRef;
using Take = const char*;  // the reason, or NULL: it is taken

bool floating(const Tensor& t) { return at::isFloatingType(t.scalar_type()); }

bool deterministic() { return at::globalContext().deterministicAlgorithms(); }

// more_targets is for sums of 16 bits, which are computed in 32, as in PyTorch. Of few updates the
// conversion is most of the work.
bool more_targets(const Tensor& t, int64_t bins, int64_t updates) { return is_half(t) && bins > 4 * updates; }

// A Target is the contiguous target of a call. Each index has elements for its own: one, or a row.
// Sums of 16 bits are computed in 32 if wide is set, or if they must be deterministic.
class Target {
 public:
  Target(const Tensor& self, int64_t bins, bool in_place, bool wide = false)
      : self_(self), bins_(bins), in_place_(in_place) {
    const auto contiguous = at::MemoryFormat::Contiguous;
    if (is_half(self) && (wide || deterministic())) {
      out_ = self.to(at::kFloat, false, false, contiguous);
    } else {
      out_ = in_place ? self.contiguous() : self.clone(contiguous);
    }
  }

  static bool fits(const Tensor& self, uint64_t bins) {
    return bins < 0xffffffff && static_cast<uint64_t>(self.numel()) < bins << 32;
  }

  Tensor rows() const { return out_.view({bins_, -1}); }

  void add(const Tensor& index, const Tensor& values, bool row_wraps = false) const {
    run({.out = out_, .bins = bins_, .index = index, .values = values, .deterministic = deterministic(),
         .row_wraps = row_wraps});
  }

  void extreme(atomtune_op op, const Tensor& index, const Tensor& values) const {
    run({.op = op, .out = out_, .bins = bins_, .index = index, .values = values});
  }

  Tensor result() const {
    if (!in_place_) return out_.to(self_.scalar_type());
    if (!out_.is_same(self_)) self_.copy_(out_);
    return self_;
  }

 private:
  const Tensor& self_;
  Tensor out_;
  const int64_t bins_;
  const bool in_place_;
};

// refused is the reason against the tensors, or NULL.
Take refused(const Tensor& self, const Tensor& index, const Tensor& src) {
  if (type_of(self) < 0) return "type";
  if (self.scalar_type() != src.scalar_type() || !is_index(index)) return "types";
  if (self.device() != src.device() || self.device() != index.device()) return "devices";
  if (self.dim() != src.dim() || self.dim() == 0) return "dimensions";
  if (self.numel() == 0) return "empty";
  if (!apart(self, {&src, &index})) return "shared memory";
  return nullptr;
}

// places returns those that index, along dim, has in a tensor of that shape, as one contiguous
// dimension. Behind the dimensions of index lie rows.
Tensor places(const Tensor& index, int64_t dim, Sizes shape) {
  const int64_t number = index.dim();
  if (number < 2) return index.contiguous();
  Tensor others;
  int64_t step = 1, own_step = 1;
  for (int64_t d = number - 1; d >= 0; step *= shape[d--]) {
    if (d == dim) {
      own_step = step;
      continue;
    }
    std::vector<int64_t> along(number - d, 1);
    along[0] = index.size(d);
    const Tensor range =
        at::arange(0, index.size(d) * step, step, index.options().dtype(at::kLong)).view(along);
    others = others.defined() ? others.add(range) : range;
  }
  return at::add(others, index, own_step).reshape({-1}).contiguous();
}

// A Form is what a call takes.
struct Form {
  int64_t bins;
  Tensor index, values;
};

using Bring = Take(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Form* form);

// by_index is the form of index_add and its like: one index for each entry of dim.
Take by_index(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Form* form) {
  if (const Take reason = refused(self, index, src)) return reason;
  if (dim < -self.dim() || dim >= self.dim()) return "dim";
  if (dim < 0) dim += self.dim();
  const Sizes own = self.sizes();
  std::vector<int64_t> shape = own.vec();
  shape[dim] = index.numel();
  if (index.dim() != 1 || src.sizes() != Sizes(shape)) return "shapes";
  shape.resize(dim + 1);
  *form = {c10::multiply_integers(own.slice(0, dim + 1)),
           places(dim > 0 ? index.expand(shape) : index, dim, own), src.contiguous()};
  return nullptr;
}

// within reports whether no size of the dimensions from first to end is above the other.
bool within(Sizes sizes, Sizes others, int64_t first, int64_t end) {
  for (int64_t d = first; d < end; ++d) {
    if (sizes[d] > others[d]) return false;
  }
  return true;
}

// by_element is the form of scatter_add and its like, which have an index for each element.
Take by_element(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Form* form) {
  if (const Take reason = refused(self, index, src)) return reason;
  const int64_t number = self.dim();
  if (dim < -number || dim >= number) return "dim";
  if (dim < 0) dim += number;
  if (index.dim() != number) return "dimensions";
  const Sizes own = self.sizes(), shape = index.sizes(), strides = index.strides();
  if (!within(shape, src.sizes(), 0, number) || !within(shape, own, 0, dim) ||
      !within(shape, own, dim + 1, number)) {
    return "shapes";
  }
  // Expanded behind dim: the strides there are 0, or of one element.
  bool rows = dim + 1 < number;
  for (int64_t d = dim + 1; d < number; ++d) {
    rows = rows && shape[d] == own[d] && (shape[d] < 2 || strides[d] == 0);
  }
  const int64_t lead = rows ? dim + 1 : number;
  const Tensor first = rows ? index.as_strided(shape.slice(0, lead), strides.slice(0, lead)) : index;
  const Tensor values = src.sizes() == shape ? src : src.as_strided(shape, src.strides());
  *form = {c10::multiply_integers(own.slice(0, lead)), places(first, dim, own), values.contiguous()};
  return nullptr;
}

Take add(const Tensor& self, const Form& form, bool in_place, c10::IValue* result) {
  if (!Target::fits(self, form.bins)) return "sizes";
  const Target target(self, form.bins, in_place);
  target.add(form.index, form.values);
  *result = target.result();
  return nullptr;
}

template <bool in_place>
Take index_add(Arguments a, c10::IValue* result) {
  const Tensor& self = a[0].toTensor();
  Form form;
  if (const Take reason = by_index(self, a[1].toInt(), a[2].toTensor(), a[3].toTensor(), &form)) return reason;
  if (!a[4].isInt() && !(a[4].isDouble() && floating(self))) return "alpha";
  const at::Scalar alpha = a[4].toScalar();
  if (!alpha.equal(1)) form.values = form.values.mul(alpha);
  return add(self, form, in_place, result);
}

template <bool in_place>
Take scatter_add(Arguments a, c10::IValue* result) {
  const Tensor& self = a[0].toTensor();
  Form form;
  const Take reason = by_element(self, a[1].toInt(), a[2].toTensor(), a[3].toTensor(), &form);
  return reason != nullptr ? reason : add(self, form, in_place, result);
}

// divide divides each row by the number of its updates, and its own if it counts.
void divide(const Tensor& rows, const Tensor& index, int64_t own) {
  Tensor numbers = at::full({rows.size(0)}, own, rows.options().dtype(at::kInt));
  run({.out = numbers, .bins = rows.size(0), .index = index});
  numbers = numbers.clamp_(1).unsqueeze(1);
  if (floating(rows)) {
    rows.div_(numbers.to(at::promote_types(rows.scalar_type(), at::kFloat)));
  } else {
    rows.div_(numbers, "floor");
  }
}

template <Bring bring, bool in_place>
Take reduce(Arguments a, c10::IValue* result) {
  const Tensor& self = a[0].toTensor();
  const std::string& how = a[4].toStringRef();
  const bool include_self = a[5].toBool(), mean = how == "mean", sums = how == "sum" || mean;
  const atomtune_op op = how == "amax" ? ATOMTUNE_MAX : ATOMTUNE_MIN;
  if (!sums && how != "amax" && how != "amin") return "product";
  Form form;
  if (const Take reason = bring(self, a[1].toInt(), a[2].toTensor(), a[3].toTensor(), &form)) return reason;
  if (!Target::fits(self, form.bins)) return "sizes";
  // Means of 16 bits are of sums of 32.
  const bool wide = mean && !more_targets(self, form.bins, form.index.numel());
  const Target target(self, form.bins, in_place, wide);
  if (!include_self) {
    target.rows().index_fill_(0, form.index.to(at::kLong), sums ? 0 : identity(op, self.scalar_type()));
  }
  if (sums) {
    target.add(form.index, form.values);
  } else {
    target.extreme(op, form.index, form.values);
  }
  if (mean) divide(target.rows(), form.index, include_self);
  *result = target.result();
  return nullptr;
}

// broadcasts reports whether sizes, from the last on, are 1 or those of the shape.
bool broadcasts(Sizes sizes, Sizes shape) {
  if (sizes.size() > shape.size()) return false;
  return std::equal(sizes.rbegin(), sizes.rend(), shape.rbegin(),
                    [](int64_t have, int64_t want) { return have == 1 || have == want; });
}

// broadcast brings shape to that of it and other together, as far as they go together.
void broadcast(std::vector<int64_t>* shape, Sizes other) {
  if (shape->size() < other.size()) shape->insert(shape->begin(), other.size() - shape->size(), 1);
  for (size_t d = shape->size() - other.size(), o = 0; o < other.size(); ++d, ++o) {
    if ((*shape)[d] == 1) (*shape)[d] = other[o];
  }
}

Take index_put(Arguments a, c10::IValue* result) {
  const Tensor &self = a[0].toTensor(), &values = a[2].toTensor();
  std::vector<Tensor> tensors;
  int64_t first = 0, d = 0;
  for (const c10::IValue& index : a[1].toListRef()) {
    if (index.isTensor() && index.toTensor().defined()) {
      if (tensors.empty()) first = d;
      if (first + static_cast<int64_t>(tensors.size()) != d) return "dimensions apart";
      tensors.push_back(index.toTensor());
    }
    ++d;
  }
  if (tensors.empty()) return "no index";
  std::vector<int64_t> shape;
  for (const Tensor& index : tensors) {
    if (!is_index(index)) return "mask";
    if (index.device() != self.device() || self.device() != values.device()) return "devices";
    broadcast(&shape, index.sizes());
  }
  const int64_t end = first + static_cast<int64_t>(tensors.size());
  if (type_of(self) < 0 || self.scalar_type() != values.scalar_type()) return "type";
  if (self.numel() == 0) return "empty";
  if (!apart(self, {&values})) return "shared memory";
  if (end > self.dim()) return "dimensions";
  for (const Tensor& index : tensors) {
    if (!apart(self, {&index})) return "shared memory";
    if (!broadcasts(index.sizes(), shape)) return "shapes";
  }
  const Sizes own = self.sizes(), outer = own.slice(0, first), behind = own.slice(end);
  const int64_t updates = c10::multiply_integers(shape);
  const int64_t bins = c10::multiply_integers(own.slice(first, end - first));
  if (more_targets(self, bins, updates)) return "more targets than updates";
  // Else indices below 0 are brought above it here.
  const bool row_wraps = end == 1 && self.numel() > bins;
  Tensor flat = row_wraps ? tensors[0] : Tensor();
  for (size_t i = 0; i < tensors.size() && !row_wraps; ++i) {
    const int64_t size = own[first + i];
    const Tensor index = tensors[i].add(tensors[i].lt(0), size);
    flat = flat.defined() ? flat.to(at::kLong).mul(size).add(index) : index;
  }
  flat = flat.expand(shape).reshape({-1});
  shape.insert(shape.begin(), outer.begin(), outer.end());
  shape.insert(shape.end(), behind.begin(), behind.end());
  if (!broadcasts(values.sizes(), shape)) return "shapes";
  const int64_t targets = c10::multiply_integers(outer) * bins;
  if (!Target::fits(self, targets)) return "sizes";
  const Target target(self, targets, true, true);
  std::vector<int64_t> space = outer.vec();
  if (first > 0) {
    space.push_back(updates);
    flat = flat.expand(space);
    space.back() = bins;
  }
  target.add(places(flat, first, space), values.expand(shape).contiguous(), row_wraps);
  *result = target.result();
  return nullptr;
}

Take embedding(const Tensor& grad, const Tensor& indices, int64_t bins, int64_t padding, bool scale,
               c10::IValue* result) {
  if (type_of(grad) < 0 || !is_index(indices)) return "type";
  if (grad.device() != indices.device()) return "devices";
  const int64_t width = grad.dim() > indices.dim() ? grad.size(-1) : 0;
  if (grad.numel() != indices.numel() * width || grad.numel() == 0) return "shapes";
  if (more_targets(grad, bins, indices.numel())) return "more targets than updates";
  const Tensor index = indices.reshape({-1}).contiguous();
  const Tensor out =
      at::empty({bins, width}, is_half(grad) ? grad.options().dtype(at::kFloat) : grad.options());
  run({.out = out, .bins = bins, .index = index, .values = grad.contiguous(),
       .ignore = padding >= 0 ? std::optional(padding) : std::nullopt, .clear = true,
       .deterministic = deterministic()});
  if (scale) divide(out, index, 0);
  *result = out.to(grad.scalar_type());
  return nullptr;
}

Take embedding_dense_backward(Arguments a, c10::IValue* result) {
  return embedding(a[0].toTensor(), a[1].toTensor(), a[2].toInt(), a[3].toInt(), a[4].toBool(), result);
}

Take embedding_bag_dense_backward(Arguments a, c10::IValue* result) {
  const Tensor &grad = a[0].toTensor(), &indices = a[1].toTensor(), &bag = a[2].toTensor();
  const int64_t mode = a[7].toInt();
  // PyTorch's CPU kernel divides by the number of another index than PyTorch documents.
  if ((mode != 0 && mode != 1) || a[6].toBool()) return "mode";
  if (grad.dim() != 2 || indices.sizes() != bag.sizes()) return "shapes";
  Tensor values = grad.index_select(0, bag);
  if (mode == 1) values.div_(a[3].toTensor().clamp(1).index_select(0, bag).unsqueeze(1));
  const auto weights = a[8].toOptional<Tensor>();
  if (weights.has_value() && weights->defined()) values.mul_(weights->unsqueeze(1));
  return embedding(values, indices, a[5].toInt(), a[9].toInt(), false, result);
}

// on_host reads two numbers. It waits, as PyTorch does.
std::pair<int64_t, int64_t> on_host(const Tensor& first, const Tensor& second) {
  const Tensor both = at::stack({first, second}).cpu().to(at::kLong);
  return {both.const_data_ptr<int64_t>()[0], both.const_data_ptr<int64_t>()[1]};
}

Take bincount(Arguments a, c10::IValue* result) {
  const Tensor& self = a[0].toTensor();
  const at::ScalarType type = self.scalar_type();
  const Tensor weights = a[1].isTensor() ? a[1].toTensor() : Tensor();
  const int64_t minlength = a[2].toInt();
  if (self.dim() != 1 || !at::isIntegralType(type, false) || at::isBarebonesUnsignedType(type)) return "type";
  if (minlength < 0) return "minlength";
  if (weights.defined() && (weights.sizes() != self.sizes() || weights.device() != self.device() ||
                            weights.is_complex())) {
    return "weights";
  }
  if (self.numel() == 0) return "empty";
  const auto [least, most] = std::apply(on_host, at::aminmax(self));
  if (least < 0) return "negative";
  const int64_t bins = std::max(minlength, most + 1);
  const Tensor index = is_index(self) ? self.contiguous() : self.to(at::kInt).contiguous();
  if (!weights.defined()) {
    *result = count(index, bins, std::nullopt);
    return nullptr;
  }
  const Tensor values = weights.to(weights.scalar_type() == at::kFloat ? at::kFloat : at::kDouble);
  const Tensor out = at::empty({bins}, values.options());
  run({.out = out, .bins = bins, .index = index, .values = values.contiguous(), .clear = true,
       .deterministic = deterministic()});
  *result = out;
  return nullptr;
}

Take histc(Arguments a, c10::IValue* result) {
  const Tensor& self = a[0].toTensor();
  if (!is_index(self)) return "type";
  const int64_t bins = a[1].toInt();
  if (!a[2].isInt() || !a[3].isInt()) return "no bin for each integer";
  const int64_t min = a[2].toInt(), max = a[3].toInt();
  if (min >= max || static_cast<uint64_t>(bins) != static_cast<uint64_t>(max) - min + 1) {
    return "no bin for each integer";
  }
  if (min <= identity(ATOMTUNE_MAX, self.scalar_type()).toLong() ||
      max >= identity(ATOMTUNE_MIN, self.scalar_type()).toLong() || bins >= 0xfffffffd) {
    return "sizes";
  }
  // A bin on each side is for the rest.
  const Tensor index = self.clamp(min - 1, max + 1).sub_(min - 1);
  *result = count(index.reshape({-1}), bins + 2, std::nullopt).slice(0, 1, -1).to(self.scalar_type());
  return nullptr;
}

Take segment_reduce(Arguments a, c10::IValue* result) {
  const Tensor& data = a[0].toTensor();
  const std::string& how = a[1].toStringRef();
  const bool by_offsets = a[4].isTensor(), initial = !a[7].isNone();
  const c10::IValue& given = by_offsets ? a[4] : a[2];
  const int64_t axis = a[5].toInt();
  if (how != "sum" && how != "mean") return "product";
  if (type_of(data) < 0 || !floating(data)) return "type";
  if (!a[3].isNone() || !given.isTensor() || (by_offsets && !a[2].isNone())) return "indices";
  Tensor offsets = given.toTensor();
  if ((axis != 0 && axis != -data.dim()) || offsets.dim() != 1 || data.dim() == 0) return "dimensions";
  if (data.device() != offsets.device() || !is_index(offsets)) return "types";
  if (data.numel() == 0 || offsets.numel() <= by_offsets) return "empty";
  if (!by_offsets) {
    if (!a[6].toBool()) {
      const auto [least, total] = on_host(offsets.amin(), offsets.sum());
      if (least < 0 || total != data.size(0)) return "lengths";
    }
    offsets = at::constant_pad_nd(offsets.cumsum(0), {1, 0});
  }
  // A row goes to the target of as many offsets as there are up to it. So rows before the first segment
  // and behind the last one have targets of their own.
  const int64_t rows = data.size(0);
  const Tensor begins = at::empty({rows + 1}, offsets.options().dtype(at::kInt));
  run({.out = begins, .bins = rows + 1, .index = offsets.contiguous(), .clear = true});
  const Tensor index = begins.slice(0, 0, rows).cumsum(0, at::kInt);
  std::vector<int64_t> shape = data.sizes().vec();
  const int64_t bins = shape[0] = offsets.numel() + 1;
  const Tensor out = at::full(shape, initial ? a[7].toScalar() : 0, data.options());
  if (!Target::fits(out, bins)) return "sizes";
  const Target target(out, bins, true, true);
  target.add(index, data.contiguous());
  if (how == "mean") {
    // An empty segment is what initial says, else 0 / 0.
    target.rows().slice(0, 1, -1).div_(offsets.diff().clamp_(initial ? 1 : 0).unsqueeze(1));
  }
  *result = target.result().slice(0, 1, -1);
  return nullptr;
}

}  // namespace

Operator operators[] = {
    {"scatter_add", scatter_add<false>, 2},
    {"scatter_add_", scatter_add<true>, 2},
    {"index_add", index_add<false>, 2},
    {"index_add_", index_add<true>, 2},
    {"scatter_reduce.two", reduce<by_element, false>, 2},
    {"scatter_reduce_.two", reduce<by_element, true>, 2},
    {"index_reduce", reduce<by_index, false>, 2},
    {"index_reduce_", reduce<by_index, true>, 2},
    {"_index_put_impl_", index_put, 1},
    {"embedding_dense_backward", embedding_dense_backward, 1},
    {"_embedding_bag_dense_backward", embedding_bag_dense_backward, 1},
    {"bincount", bincount, 0},
    {"histc", histc, 0},
    {"segment_reduce", segment_reduce, 0},
};

}  // namespace atomtune_torch::aten
