// Updates of rows on a GPU by every form, of streams with indices that are ignored or out of range,
// against a serial loop.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../atomtune_rows_call.cuh"
#include "gpu_test.cuh"
#include "row_numbers.h"
#include "through_library.cuh"

namespace rowtest {

using atomtune::Element;
using atomtune::Extreme;
using atomtune::RowForm;
using atomtune::SumOf;

// Adding, Lowering and Raising are the calls, and the targets that they have of numbers N.
struct Adding {
  template <typename N>
  using Target = N;
  template <typename... Arguments>
  static cudaError_t call(Arguments&&... arguments) {
    return atomtune::scatter_add_rows(std::forward<Arguments>(arguments)...);
  }
};

struct Lowering {
  template <typename N>
  using Target = atomtune::Extremes<N, Extreme::least>;
  template <typename... Arguments>
  static cudaError_t call(Arguments&&... arguments) {
    return atomtune::scatter_min_rows(std::forward<Arguments>(arguments)...);
  }
};

struct Raising {
  template <typename N>
  using Target = atomtune::Extremes<N, Extreme::greatest>;
  template <typename... Arguments>
  static cudaError_t call(Arguments&&... arguments) {
    return atomtune::scatter_max_rows(std::forward<Arguments>(arguments)...);
  }
};

struct Shape {
  uint32_t width, offset;  // elements that arrays begin past an aligned address
  size_t updates;
};

// Made is how a call is made.
struct Made {
  RowForm form;
  uint32_t slots;
  bool deterministic, wraps;
};

// all_made are the forms, and those in fixed point where sums of N depend on the order. Each comes with
// indices that count from the end, too.
template <typename Way, typename N>
std::vector<Made> all_made() {
  std::vector<Made> list{{RowForm::hot, 2, false, false}};
  for (const RowForm form : {RowForm::automatic, RowForm::runs, RowForm::hot, RowForm::sort,
                             RowForm::naive}) {
    list.push_back({form, 0, false, false});
    list.push_back({form, 0, false, true});
    if (adds<typename Way::template Target<N>> && std::is_floating_point_v<N>) {
      list.push_back({form, 0, true, false});
    }
  }
  return list;
}

// Rows are the arrays of a call with numbers N, values S and indices I.
template <typename Way, typename N, typename S, typename I>
class Rows {
  using T = typename Way::template Target<N>;
  static constexpr size_t behind = 3;  // elements

 public:
  Rows(const std::vector<uint32_t>& stream, uint32_t bins, Shape shape)
      : bins_(bins), shape_(shape), index_(shape.updates),
        values_(shape.updates * shape.width + shape.offset),
        first_(shape.offset + size_t(bins) * shape.width + behind) {
    std::mt19937_64 random(shape.width);
    for (Element<S>& x : values_) x = any_value<T, S>(random);
    for (Element<N>& x : first_) x = any_value<T, N>(random);
    for (size_t u = 0; u < shape.updates; ++u) {
      beyond_ = beyond_ || u % 97 == 5;
      index_[u] = u % 97 == 5 ? I(bins + 1) : u % 89 == 3 ? I(-1) : I(stream[u]);
    }
  }

  void replace_values(std::vector<Element<S>> values) { values_ = std::move(values); }

  // made are the targets after a call.
  std::vector<Element<N>> made(const Made& how) const {
    const DeviceArray<I> index(index_);
    const DeviceArray<Element<S>> values(values_);
    const DeviceArray<Element<N>> out(first_);
    const DeviceArray<uint32_t> error(std::vector<uint32_t>{0});
    atomtune::RowOptions options;
    options.form = how.form, options.slots = how.slots;
    options.has_ignore = !how.wraps, options.ignore = -1, options.wraps = how.wraps;
    options.error = error.data();
    const auto call = [&](void* workspace, size_t& bytes) {
      const auto by = [&](const auto& asked) {
        return Way::call(workspace, bytes, reinterpret_cast<N*>(out.data() + shape_.offset),
                         uint64_t(bins_), index.data(),
                         reinterpret_cast<const S*>(values.data() + shape_.offset),
                         uint64_t(shape_.updates), shape_.width, nullptr, asked);
      };
      if constexpr (std::is_floating_point_v<T>) {
        if (how.deterministic) return by(atomtune::deterministic(options));
      }
      return by(options);
    };
    size_t bytes = 0;
    CHECK_CUDA(call(nullptr, bytes));
    const DeviceArray<unsigned char> workspace(bytes);
    CHECK_CUDA(call(workspace.data(), bytes));
    CHECK_CUDA(cudaDeviceSynchronize());
    expect((error.to_host()[0] != 0) == beyond_, name(how) + ": the error");
    return out.to_host();
  }

  // check makes the call in every form.
  void check() const {
    const auto want = wanted(false), wrapped = wanted(true);
    for (const Made& how : all_made<Way, N>()) {
      expect(same_numbers(numbers(made(how)), how.wraps ? wrapped : want),
             name(how) + ": wrong targets");
    }
  }

 private:
  std::vector<SumOf<N>> wanted(bool wraps) const {
    std::vector<SumOf<N>> want = numbers(first_);
    for (size_t u = 0; u < shape_.updates; ++u) {
      const size_t row = index_[u] == I(-1) && wraps ? bins_ - 1 : size_t(index_[u]);
      if (row >= bins_) continue;
      for (size_t j = 0; j < shape_.width; ++j) {
        auto& target = want[shape_.offset + row * shape_.width + j];
        const auto x = number_in<S>(values_[shape_.offset + u * shape_.width + j]);
        target = after<T>(target, SumOf<N>(x));
      }
    }
    return want;
  }

  static std::vector<SumOf<N>> numbers(const std::vector<Element<N>>& elements) {
    std::vector<SumOf<N>> list;
    for (const Element<N>& e : elements) list.push_back(number_in<N>(e));
    return list;
  }

  std::string name(const Made& how) const {
    const char kind = !std::is_integral_v<SumOf<N>> ? 'f' : std::is_signed_v<N> ? 'i' : 'u';
    return std::string(adds<T> ? "sums" : "extremes") + " of rows of " +
           std::to_string(shape_.width) + " " + kind + std::to_string(8 * sizeof(Element<N>)) +
           " by " + std::to_string(8 * sizeof(Element<S>)) + " bits, form " +
           std::to_string(int(how.form)) + (how.deterministic ? ", fixed" : "") + (how.wraps ? ", wrapped" : "") + ", " +
           std::to_string(shape_.updates) + " updates of " + std::to_string(bins_);
  }

  uint32_t bins_;
  Shape shape_;
  std::vector<I> index_;
  std::vector<Element<S>> values_;
  std::vector<Element<N>> first_;
  bool beyond_ = false;
};

template <typename Way, typename N, typename S, typename I>
void check(const std::vector<uint32_t>& stream, uint32_t bins, Shape shape) {
  Rows<Way, N, S, I>(stream, bins, shape).check();
}

// skewed has a third of its updates on the middle row where one is to be hot.
inline std::vector<uint32_t> skewed(size_t n, uint32_t bins, bool hot) {
  std::mt19937_64 random(18);
  std::vector<uint32_t> index = random_indices(random, n, bins);
  for (uint32_t& i : index) i = hot && random() % 3 == 0 ? bins / 2 : i;
  return index;
}

// check_widths has rows of one lane and more, of a warp and beyond, on few and on many targets. Sums
// of 16 bits are on many alone, where they are exact.
template <typename Way, typename N, typename I>
void check_widths() {
  const bool few = !atomtune::is_short<N> || !adds<typename Way::template Target<N>>;
  for (const uint32_t bins : {50u, 4000u}) {
    if (bins == 50 && !few) continue;
    const std::vector<uint32_t> stream = skewed(1501, bins, few);
    for (const uint32_t width : {1u, 2u, 3u, 4u, 8u, 33u, 64u, 128u, 260u}) {
      check<Way, N, N, I>(stream, bins, {width, 0, width < 128 ? 1501u : 301u});
    }
    check<Way, N, N, I>(stream, bins, {8, 1, 301});
    check<Way, N, N, I>(stream, bins, {8, 0, 0});
  }
  // As many as are sampled.
  if (few) check<Way, N, N, I>(skewed(70001, 4000, true), 4000, {4, 0, 70001});
}

// check_types is check_widths of these numbers.
template <typename Way, typename I, typename... N>
void check_types() {
  (check_widths<Way, N, I>(), ...);
}

}  // namespace rowtest
