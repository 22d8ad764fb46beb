// The implementations by atomics, and the one by thread-private counters.
#pragma once

#include "kernels.cuh"
#include "workload.cuh"

// prepare_global updates the global targets directly: 256 threads a block, eight
// blocks an SM.
template <typename Form, typename T>
Prepared prepare_global(const Workload<T>& w, std::shared_ptr<Updates<T>> updates) {
  const Launch launch{w.blocks_for(w.updates(), 256, 8 * sm_count()), 256, 0};
  return w.with_values(*updates, [&](auto values) {
    T* const target = w.target.data();
    const size_t n = w.updates();
    return Prepared{launch, [=] {
      update_global<Form><<<launch.blocks, launch.threads>>>(
          target, updates->index.data(), values, n);
      CHECK_LAUNCH();
    }};
  });
}

// allow_shared lets a kernel have bytes of shared memory and asks for the split of
// the SM's memory that favours it.
template <typename Kernel>
void allow_shared(Kernel* kernel, size_t bytes) {
  CHECK_CUDA(cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
  CHECK_CUDA(cudaFuncSetAttribute(kernel,
                                  cudaFuncAttributePreferredSharedMemoryCarveout,
                                  int(cudaSharedmemCarveoutMaxShared)));
}

// resident_blocks is how many blocks of the launch the whole device holds at once.
template <typename Kernel>
unsigned resident_blocks(Kernel* kernel, unsigned threads, size_t shared_bytes) {
  int per_sm = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads,
                                                           shared_bytes));
  if (per_sm == 0) throw std::runtime_error("no block of the kernel fits an SM");
  return unsigned(per_sm * sm_count());
}

// prepare_private keeps copies of the targets in shared memory. Blocks stay for the
// whole call: as many as fit at once, of 1,024 threads where a block's copies take
// more than 32 KiB, else of 256.
template <typename Form, typename T>
Prepared prepare_private(const Workload<T>& w, Copies copies) {
  const size_t bytes = copies.words() * sizeof(T);
  const unsigned threads = bytes > 32 * 1024 ? 1024 : 256;
  return w.with_values(*w.in_order, [&](auto values) {
    auto* const kernel = &update_private<Form, T, decltype(values)>;
    allow_shared(kernel, bytes);
    const unsigned resident = resident_blocks(kernel, threads, bytes);
    const Launch launch{w.blocks_for(w.updates(), threads, resident), threads, bytes};
    T* const target = w.target.data();
    const size_t n = w.updates();
    return Prepared{launch, [=, updates = w.in_order] {
      kernel<<<launch.blocks, launch.threads, launch.shared_bytes>>>(
          target, updates->index.data(), values, n, copies);
      CHECK_LAUNCH();
    }};
  });
}

inline constexpr size_t threadprivate_limit_bytes = 100 * 1024;

// threadprivate_threads is the largest power of two from 32 to 256 whose counters
// fit in 100 KiB, or 0 if there is none.
template <typename T>
unsigned threadprivate_threads(uint32_t bins) {
  for (unsigned threads = 256; threads >= 32; threads /= 2) {
    if (size_t(bins) * threads * sizeof(T) <= threadprivate_limit_bytes) return threads;
  }
  return 0;
}

template <typename T>
Prepared prepare_threadprivate(const Workload<T>& w) {
  const unsigned threads = threadprivate_threads<T>(w.bins());
  const size_t bytes = size_t(w.bins()) * threads * sizeof(T);
  return w.with_values(*w.in_order, [&](auto values) {
    auto* const kernel = &update_threadprivate<T, decltype(values)>;
    allow_shared(kernel, bytes);
    const unsigned resident = resident_blocks(kernel, threads, bytes);
    const Launch launch{w.blocks_for(w.updates(), threads, resident), threads, bytes};
    auto partial = std::make_shared<DeviceArray<T>>(size_t(w.bins()) * launch.blocks);
    T* const target = w.target.data();
    const uint32_t bins = w.bins();
    const size_t n = w.updates();
    return Prepared{launch, [=, updates = w.in_order] {
      kernel<<<launch.blocks, launch.threads, launch.shared_bytes>>>(
          partial->data(), updates->index.data(), values, n, bins);
      CHECK_LAUNCH();
      sum_partials<<<(bins + 7) / 8, 256>>>(target, partial->data(), bins,
                                            launch.blocks);
      CHECK_LAUNCH();
    }};
  });
}

template <typename T>
void list_global(const Workload<T>& w, std::vector<Implementation>& list) {
  list.push_back({"naive", [&w] { return prepare_global<Naive>(w, w.in_order); }});
  list.push_back({"sr", [&w] { return prepare_global<ScanReduce>(w, w.in_order); }});
  list.push_back({"vr", [&w] { return prepare_global<VoteReduce>(w, w.in_order); }});
  list.push_back({"ss", [&w] { return prepare_global<Naive>(w, w.scattered()); }});
  list.push_back(
      {"sr+ss", [&w] { return prepare_global<ScanReduce>(w, w.scattered()); }});
  list.push_back({"peers", [&w] { return prepare_global<Peers>(w, w.in_order); }});
  list.push_back({"match", [&w] { return prepare_global<Match>(w, w.in_order); }});
}

template <typename T>
void list_private(const Workload<T>& w, std::vector<Implementation>& list) {
  const size_t limit = max_shared_bytes();
  const auto fits = [&](Copies copies) { return copies.words() * sizeof(T) <= limit; };
  const auto add = [&](const std::string& name, Copies copies, auto prepare) {
    if (!fits(copies)) return;
    list.push_back({name, [&w, copies, prepare] { return prepare(w, copies); }});
  };
  for (uint32_t r : {1u, 2u, 4u, 8u, 16u, 32u}) {
    for (uint32_t pad : {0u, 1u}) {
      add("private:r=" + std::to_string(r) + ",pad=" + std::to_string(pad),
          Copies{w.bins(), r, pad, false}, prepare_private<Naive, T>);
    }
  }
  add("private:r=4,pad=1,map=block", Copies{w.bins(), 4, 1, true},
      prepare_private<Naive, T>);
  const Copies one{w.bins(), 1, 0, false};
  add("private+sr", one, prepare_private<ScanReduce, T>);
  add("private+vr", one, prepare_private<VoteReduce, T>);
  add("private+match", one, prepare_private<Match, T>);
}

template <typename T>
void list_threadprivate(const Workload<T>& w, std::vector<Implementation>& list) {
  if (threadprivate_threads<T>(w.bins()) == 0) return;
  list.push_back({"threadprivate", [&w] { return prepare_threadprivate(w); }});
}
