// A whole call: checks, the choice, working memory, launches; with sums in fixed point where
// they are to be the same on every run.
#pragma once

#include "atomtune_choice.cuh"
#include "atomtune_deterministic.cuh"
#include "atomtune_index.cuh"
#include "atomtune_widened.cuh"

namespace atomtune {

namespace calling {

// aligned reports whether p can hold values of type T.
template <typename T>
bool aligned(const T* p) {
  return reinterpret_cast<uintptr_t>(p) % alignof(T) == 0;
}

// readable reports whether values that are read from memory are aligned.
template <typename Values>
bool readable(const Values&) {
  return true;
}
template <typename T>
bool readable(const Loaded<T>& values) {
  return aligned(values.values);
}
template <typename V>
bool readable(const Widened<V>& values) {
  return aligned(reinterpret_cast<const uint16_t*>(values.values));
}

// Words are those of the workspace that every call has, before those of partitions.
struct Words {
  uint32_t error, chosen, top, unused[61];
};

// checked is an index that is checked while it is read.
template <typename I>
CheckedIndex<StoredIndex<I>> checked(const I* index, uint64_t K, Words* words,
                                     const CallOptions& options) {
  using Stored = StoredIndex<I>;
  const bool ignores = options.has_ignore && ignorable<I>(options.ignore);
  return {reinterpret_cast<const Stored*>(index),
          options.error != nullptr ? options.error : &words->error,
          ignores ? static_cast<Stored>(options.ignore) : ~Key<I>(0), index_limit<I>(K),
          ignores};
}

// Wrapping is the unsigned type in which integers of T are added, one for all of a size.
template <typename T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, Key<T>, T>;

template <typename T>
Wrapping<T>* wrapping(T* numbers) {
  static_assert(sizeof(T) == sizeof(Wrapping<T>), "integers of 32 or 64 bits");
  return reinterpret_cast<Wrapping<T>*>(numbers);
}
template <typename T>
const Wrapping<T>* wrapping(const T* numbers) {
  return wrapping(const_cast<T*>(numbers));
}

// run makes a call on targets that a choice knows as Named.
template <bool Returns, typename Named, typename T, typename I, typename Values>
cudaError_t run(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                Values values, T* old, uint64_t n, cudaStream_t stream,
                const CallOptions& options) {
  using Index = IndexOf<I>;
  if (K >= no_target || (n > 0 && !aligned(index)) || !aligned(out) || !aligned(old) ||
      (n > 0 && !readable(values)) || !aligned(static_cast<const uint4*>(workspace))) {
    return cudaErrorInvalidValue;
  }
  Device device;
  cudaError_t status = current_device(&device);
  if (status != cudaSuccess) return status;
  Choice choice;
  status = choose<Returns, Named, I, Values>(device, K, n, options, &choice);
  if (status != cudaSuccess) return status;
  std::conditional_t<Returns, NoFollowers<T, Index, Values>,
                     Followers<T, Index, Values>>
      followers;
  status = followers.prepare(&choice.tree, uint32_t(K), n);
  if (status != cudaSuccess) return status;
  const size_t needed = sizeof(Words) + followers.bytes();
  if (workspace == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return cudaErrorInvalidValue;
  if (options.clear && K > 0) {
    status = cudaMemsetAsync(out, 0, K * sizeof(T), stream);
    if (status != cudaSuccess) return status;
  }
  if (n == 0) return cudaSuccess;
  Words* const words = static_cast<Words*>(workspace);
  const Index indices = Index::of(checked(index, K, words, options));
  uint32_t* const chosen = options.chosen != nullptr ? options.chosen : &words->chosen;
  status = launch<Returns>(
      device, choice.tree,
      Call<T, Index, Values>{out, old, indices, values, n, uint32_t(K), 0, chosen, nullptr,
                             followers.cleared(words + 1)},
      stream, choice.grid);
  if (status != cudaSuccess) return status;
  return followers.run(words + 1, out, indices, values, chosen, stream);
}

// FixedSums are the sums in fixed point that lie in a workspace, whole ones or FirstWords with the
// last ones apart.
template <typename Sum>
struct FixedSums {
  Words* call;
  Sum* sums;
  LastWord* last;
};

// few_touched reports whether a call's updates are so few that it is left to them to clear and to
// finish the sums of their targets.
constexpr bool few_touched(uint64_t updates, uint64_t targets) { return updates <= targets / 8; }

// with_fixed adds in fixed point (atomtune_deterministic.cuh), at most updates of so many values
// to each target, by a call of two phases for the sums: add(memory, bytes, sums). The workspace has
// these. index_of(words) is the index of the updates, where each has one value and the last words
// lie apart.
template <typename Sum, typename T, typename Values, typename Indexed, typename Add>
cudaError_t with_fixed(void* workspace, size_t& bytes, T* out, uint64_t targets, Values values,
                       uint64_t number, uint64_t updates, bool clear, cudaStream_t stream,
                       [[maybe_unused]] Indexed index_of, Add add) {
  constexpr bool apart = std::is_same_v<Sum, FirstWords<T>>;
  if (!aligned(out) || (number > 0 && !readable(values)) ||
      !aligned(static_cast<const uint4*>(workspace))) {
    return cudaErrorInvalidValue;
  }
  Carver carver(workspace);
  FixedSums<Sum> sums;
  sums.call = carver.take<Words>(1);
  const bool few = apart && few_touched(updates, targets);
  const size_t zeros = few ? carver.bytes() : 0;
  sums.sums = carver.take<Sum>(targets);
  sums.last = carver.take<LastWord>(apart ? targets : 0);
  size_t rest = bytes >= carver.bytes() ? bytes - carver.bytes() : 0;
  if (workspace == nullptr) {
    const cudaError_t status = add(nullptr, rest, sums);
    bytes = carver.bytes() + rest;
    return status;
  }
  if (bytes < carver.bytes()) return cudaErrorInvalidValue;
  cudaError_t status = cudaSuccess;
  if (clear && targets > 0 && (few || number == 0)) {
    status = cudaMemsetAsync(out, 0, targets * sizeof(T), stream);
  }
  if (status != cudaSuccess || number == 0) return status;
  status = cudaMemsetAsync(workspace, 0, few ? zeros : carver.bytes(), stream);
  if (status != cudaSuccess) return status;
  Device device;
  status = current_device(&device);
  if (status != cudaSuccess) return status;
  const auto grid = [&](size_t items, size_t each, size_t per_sm) {
    return unsigned(at_most<size_t>((items + each - 1) / each, per_sm * size_t(device.sms)));
  };
  constexpr unsigned threads = 256;
  uint32_t* const top = &sums.call->top;
  // A warp of find_scale makes an atomic, so that there are no more than hide the latency.
  const unsigned blocks = grid(number * sizeof(T), 16 * threads, 4);
  if constexpr (apart) {
    if (few) {
      const auto index = index_of(sums.call);
      find_scale<<<blocks, threads, 0, stream>>>(
          top, values, number,
          ClearTouched<Sum, std::decay_t<decltype(index)>>{sums.sums, sums.last, index});
      status = add(carver.rest(), rest, sums);
      if (status != cudaSuccess) return status;
      finish_touched<<<grid(number, threads, 8), threads, 0, stream>>>(
          out, sums.sums, sums.last, index, top, updates);
      return cudaGetLastError();
    }
  }
  find_scale<<<blocks, threads, 0, stream>>>(top, values, number, NothingElse());
  status = add(carver.rest(), rest, sums);
  if (status != cudaSuccess || targets == 0) return status;
  finish_fixed<<<grid(targets, threads, 32), threads, 0, stream>>>(
      out, sums.sums, targets, top, updates, clear ? Finish::store : Finish::add, sums.last);
  return cudaGetLastError();
}

// run_fixed is run in fixed point, by whatever form is chosen for the sums but their last words.
template <typename T, typename I, typename Values>
cudaError_t run_fixed(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                      Values values, uint64_t n, cudaStream_t stream,
                      const CallOptions& options) {
  using Sum = FirstWords<T>;
  if (K >= no_target || (n > 0 && !aligned(index))) return cudaErrorInvalidValue;
  CallOptions adding = options;
  adding.clear = false;
  return with_fixed<Sum>(
      workspace, bytes, out, K, values, n, n, options.clear, stream,
      [&](Words* call) { return IndexOf<I>::of(checked(index, K, call, options)); },
      [&](void* memory, size_t& rest, const FixedSums<Sum>& sums) {
        return run<false, Sum>(memory, rest, sums.sums, K, index,
                               last_apart(fixed_point<T>(values, &sums.call->top, n), sums.last),
                               static_cast<Sum*>(nullptr), n, stream, adding);
      });
}

// OneOf reads 1 for each update, where a kernel wants numbers.
template <typename T>
struct OneOf {
  __device__ __forceinline__ T operator[](size_t) const { return T(1); }
};

// values_of reads values of the targets' type, or of 16 bits for targets of float.
template <typename T, typename V>
auto values_of(const V* values) {
  if constexpr (std::is_same_v<T, V>) {
    return Loaded<Wrapping<T>>{wrapping(values)};
  } else {
    static_assert(std::is_same_v<T, float>, "values are of the targets' type, or 16 bits wide");
    return Widened<V>{values};
  }
}

// run_sum is run, or run_fixed where the sums of floats are to be the same on every run.
template <typename T, typename I, typename Values>
cudaError_t run_sum(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                    Values values, uint64_t n, cudaStream_t stream,
                    const CallOptions& options) {
  return run<false, T>(workspace, bytes, wrapping(out), K, index, values,
                       static_cast<Wrapping<T>*>(nullptr), n, stream, options);
}

template <typename T, typename I, typename Values>
cudaError_t run_sum(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                    Values values, uint64_t n, cudaStream_t stream,
                    const Deterministic<CallOptions>& asked) {
  if constexpr (!std::is_floating_point_v<T>) {
    return run_sum(workspace, bytes, out, K, index, values, n, stream, asked.options);
  } else if constexpr (std::is_same_v<Values, Ones>) {
    return run_fixed(workspace, bytes, out, K, index, OneOf<T>{}, n, stream, asked.options);
  } else {
    return run_fixed(workspace, bytes, out, K, index, values, n, stream, asked.options);
  }
}

}  // namespace calling

}  // namespace atomtune
