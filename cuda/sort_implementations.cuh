// The implementations that bring equal indices together and reduce segments, with
// CUB's device-wide algorithms.
#pragma once

#include <climits>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>

#include "kernels.cuh"
#include "workload.cuh"

struct Plus {
  template <typename T>
  __host__ __device__ __forceinline__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

// Scratch is working memory that CUB asks for by bytes.
class Scratch {
 public:
  // A CUB call without memory says how much it wants; the buffer serves the call
  // that wants most.
  template <typename Call>
  void reserve(Call call) {
    size_t bytes = 0;
    CHECK_CUDA(call(nullptr, bytes));
    bytes_ = std::max(bytes_, bytes);
  }
  void allocate() { memory_ = std::make_unique<DeviceArray<unsigned char>>(bytes_ + 1); }

  template <typename Call>
  void run(Call call) {
    size_t bytes = bytes_;
    CHECK_CUDA(call(memory_->data(), bytes));
  }

 private:
  size_t bytes_ = 0;
  std::unique_ptr<DeviceArray<unsigned char>> memory_;
};

// key_bits is the number of low bits that tell the targets apart.
inline int key_bits(uint32_t bins) {
  int bits = 1;
  while (bits < 32 && (bins - 1) >> bits != 0) ++bits;
  return bits;
}

inline int item_count(size_t updates) {
  if (updates > INT_MAX) throw std::runtime_error("too many updates to sort");
  return int(updates);
}

// Segments holds the runs of equal indices and their sums of type S.
template <typename T, typename S>
struct Segments {
  explicit Segments(const Workload<T>& w)
      : target(w.distinct()), sum(w.distinct()), runs(1),
        blocks(w.blocks_for(w.distinct(), 256, 8 * sm_count())) {}

  DeviceArray<uint32_t> target;
  DeviceArray<S> sum;
  DeviceArray<uint32_t> runs;
  unsigned blocks;

  void store(T* A) const {
    store_sums<<<blocks, 256>>>(A, target.data(), sum.data(), runs.data());
    CHECK_LAUNCH();
  }
};

// reduce_call sums the values of each run of equal indices.
template <typename T>
auto reduce_call(const uint32_t* index, const T* values, const Segments<T, T>& s, int n) {
  return [=, target = s.target.data(), sum = s.sum.data(), runs = s.runs.data()](
             void* memory, size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(memory, bytes, index, target, values, sum,
                                          runs, Plus{}, n);
  };
}

// encode_call counts each run of equal indices.
template <typename T>
auto encode_call(const uint32_t* index, const Segments<T, uint32_t>& s, int n) {
  return [=, target = s.target.data(), count = s.sum.data(), runs = s.runs.data()](
             void* memory, size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(memory, bytes, index, target, count, runs,
                                              n);
  };
}

// Word has T's size; sorting moves values without looking at them, so two widths
// serve all types.
template <typename T>
using Word = std::conditional_t<sizeof(T) == 4, uint32_t, unsigned long long>;

// prepare_sort_pairs sorts indices and values by the index bits that matter, reduces
// the runs and stores their sums.
template <typename T>
Prepared prepare_sort_pairs(const Workload<T>& w) {
  const int n = item_count(w.updates()), bits = key_bits(w.bins());
  auto keys = std::make_shared<DeviceArray<uint32_t>>(w.updates());
  auto values = std::make_shared<DeviceArray<T>>(w.updates());
  auto segments = std::make_shared<Segments<T, T>>(w);
  auto scratch = std::make_shared<Scratch>();
  const auto sort = [=, in = w.in_order](void* memory, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        memory, bytes, static_cast<const uint32_t*>(in->index.data()), keys->data(),
        reinterpret_cast<const Word<T>*>(in->values.data()),
        reinterpret_cast<Word<T>*>(values->data()), n, 0, bits);
  };
  const auto reduce = reduce_call<T>(keys->data(), values->data(), *segments, n);
  scratch->reserve(sort);
  scratch->reserve(reduce);
  scratch->allocate();
  return {std::nullopt, [=, keep = values, target = w.target.data()] {
    scratch->run(sort);
    scratch->run(reduce);
    segments->store(target);
  }};
}

// prepare_sort_keys is prepare_sort_pairs where each update adds 1: runs are
// counted.
template <typename T>
Prepared prepare_sort_keys(const Workload<T>& w) {
  const int n = item_count(w.updates()), bits = key_bits(w.bins());
  auto keys = std::make_shared<DeviceArray<uint32_t>>(w.updates());
  auto segments = std::make_shared<Segments<T, uint32_t>>(w);
  auto scratch = std::make_shared<Scratch>();
  const auto sort = [=, in = w.in_order](void* memory, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(
        memory, bytes, static_cast<const uint32_t*>(in->index.data()), keys->data(), n, 0,
        bits);
  };
  const auto encode = encode_call<T>(keys->data(), *segments, n);
  scratch->reserve(sort);
  scratch->reserve(encode);
  scratch->allocate();
  return {std::nullopt, [=, target = w.target.data()] {
    scratch->run(sort);
    scratch->run(encode);
    segments->store(target);
  }};
}

// prepare_segments reduces the runs of a grouped stream where they lie.
template <typename T, typename S, typename MakeCall>
Prepared prepare_segments(const Workload<T>& w, MakeCall make_call) {
  auto segments = std::make_shared<Segments<T, S>>(w);
  auto scratch = std::make_shared<Scratch>();
  const auto call = make_call(*w.in_order, *segments, item_count(w.updates()));
  scratch->reserve(call);
  scratch->allocate();
  return {std::nullopt, [=, in = w.in_order, target = w.target.data()] {
    scratch->run(call);
    segments->store(target);
  }};
}

template <typename T>
Prepared prepare_segreduce(const Workload<T>& w) {
  if (w.ones) {
    return prepare_segments<T, uint32_t>(w, [](const auto& in, const auto& s, int n) {
      return encode_call<T>(in.index.data(), s, n);
    });
  }
  return prepare_segments<T, T>(w, [](const auto& in, const auto& s, int n) {
    return reduce_call<T>(in.index.data(), in.values.data(), s, n);
  });
}

template <typename T>
void list_sorting(const Workload<T>& w, std::vector<Implementation>& list) {
  list.push_back({"sort", [&w] {
    return w.ones ? prepare_sort_keys(w) : prepare_sort_pairs(w);
  }});
  if (w.stream.grouped) {
    list.push_back({"segreduce", [&w] { return prepare_segreduce(w); }});
  }
}
