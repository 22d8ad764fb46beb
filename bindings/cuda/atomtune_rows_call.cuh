// One call for updates of rows: scatter_add_rows, scatter_min_rows, scatter_max_rows.
//
//   size_t bytes = 0;
//   atomtune::scatter_add_rows(nullptr, bytes, out, K, index, values, n, width, stream);
//   cudaMalloc(&workspace, bytes);
//   atomtune::scatter_add_rows(workspace, bytes, out, K, index, values, n, width, stream);
//
// out[index[u]][j] += values[u][j] for the n updates and 0 <= j < width, or the lesser or greater
// of both. out has K rows and values n, one after the other. Targets are integers of 32 or 64
// bits, float, double, __half or __nv_bfloat16. Values are of the targets' type, or __half or
// __nv_bfloat16 for targets of float. Sums of targets of 16 bits are float on the way. Indices
// are as in atomtune_dispatch.cuh: one that is not in 0..K-1 is left out and sets
// CallOptions::error. Nothing waits on the host.
//
// The header to include is atomtune_rows_update.cuh, which has the sort as well
// (atomtune_rows_sort.cuh).
#pragma once

#include "atomtune_rows.cuh"
#include "atomtune_run.cuh"

namespace atomtune {

// RowForm is how updates of rows are kept from meeting (atomtune_rows.cuh).
enum class RowForm {
  automatic,  // by the sizes, and by the sample of a call: form_of says how
  runs,       // neighbouring updates of a row are added first
  hot,        // and frequent rows, found by a sample of its own, have sums in shared memory
  sort,       // the updates are sorted by row; n is below 2^32
  naive,      // an atomic for each element, to compare with
};

// RowOptions say how a call is made, besides what CallOptions say. With deterministic(options)
// in their place sums of float and double are in fixed point, two or three words a target
// (atomtune_deterministic.cuh), and those of __half and __nv_bfloat16 are not supported.
struct RowOptions : CallOptions {
  RowForm form = RowForm::automatic;
  // Rows that have sums in shared memory, a power of two of 2 to 1,024; 0: 4 KiB of each warp.
  uint32_t slots = 0;
  bool wraps = false;  // an index below 0 counts from the end: index + K
};

namespace rows {

template <int V, bool hot, typename Call>
__global__ void __maxnreg__(registers<hot>(V * sizeof(typename Call::Sum)))
    update_rows(Call call, RowTable table) {
  extern __shared__ uint4 dynamic_words[];
  rows_update<V, hot>(call, table, dynamic_words);
}

template <typename Call>
__global__ void update_elements(Call call) {
  rows_update_elements(call);
}

// Launch is what the launches of a call have in common.
struct Launch {
  calling::Device device;
  cudaStream_t stream;
  RowTable table;
};

// blocks_of is how many blocks of a kernel the device holds, no more than there are tiles.
template <typename Kernel>
cudaError_t blocks_of(const Launch& at, Kernel kernel, unsigned threads, size_t bytes,
                      unsigned* blocks) {
  int per_sm = 0;
  const cudaError_t status =
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, int(threads), bytes);
  *blocks = unsigned((per_sm > 1 ? per_sm : 1) * at.device.sms);
  return status;
}

template <int V, bool hot, typename Call>
cudaError_t launch(const Launch& at, const Call& call) {
  const auto kernel = update_rows<V, hot, Call>;
  const uint32_t most = uint32_t(V) << lane_bits(call.width, V);
  const uint32_t columns = call.width < most ? call.width : most;
  unsigned threads = few_threads, blocks = 0;
  size_t bytes = 0;
  cudaError_t status = cudaSuccess;
  RowTable table = at.table;
  if constexpr (hot) {
    constexpr size_t sum = sizeof(typename Call::Sum);
    unsigned warps = most_threads / 32;
    if (table.samples == 0) {  // the sample takes all warps, as many blocks as have registers
      const size_t blocks = 65536 / (most_threads * registers<true>(V * sum));
      const size_t room = at.device.block_bytes / (blocks > 1 ? blocks : 1);
      while (table.slots > 2 && table.bytes(columns, warps, sum) > room) table.slots /= 2;
    }
    warps = warps_for(table, columns, sum, at.device.block_bytes);
    if (warps == 0) return cudaErrorInvalidValue;
    threads = 32 * warps;
    bytes = table.bytes(columns, warps, sum);
    status = calling::allow(
        reinterpret_cast<const void*>(kernel),
        calling::may_share<Call, std::integral_constant<int, V>>,
        at.device.number, at.device.block_bytes);
    if (status != cudaSuccess) return status;
  }
  status = blocks_of(at, kernel, threads, bytes, &blocks);
  if (status != cudaSuccess) return status;
  const dim3 grid(blocks, (call.width + most - 1) / most);
  kernel<<<grid, threads, bytes, at.stream>>>(call, table);
  return cudaGetLastError();
}

// launch_pieces finds the widest piece that divides the width and that the addresses allow.
template <int V, typename Call>
cudaError_t launch_pieces(const Launch& at, const Call& call) {
  if constexpr (V > 1) {
    using In = InMemory<typename Call::Values>;
    const auto fits = [](const void* p, size_t bytes) {
      return reinterpret_cast<uintptr_t>(p) % (bytes < 16 ? bytes : 16) == 0;
    };
    if (call.width % V != 0 || !fits(call.A, V * sizeof(*call.A)) ||
        !fits(In::elements(call.values), V * In::bytes)) {
      return launch_pieces<V / 2>(at, call);
    }
  }
  return at.table.slots > 0 ? launch<V, true>(at, call) : launch<V, false>(at, call);
}

// launch_elements is the form without anything that keeps updates from meeting.
template <typename Call>
cudaError_t launch_elements(const Launch& at, const Call& call) {
  const auto kernel = update_elements<Call>;
  unsigned blocks = 0;
  const cudaError_t status = blocks_of(at, kernel, few_threads, 0, &blocks);
  if (status != cudaSuccess) return status;
  kernel<<<blocks, few_threads, 0, at.stream>>>(call);
  return cudaGetLastError();
}

// form_of is the form by the sizes alone: automatic where each block samples the indices, and goes on as hot
// where the top of the sample is worth a table (worth_of), else as runs. Few updates are not worth a sample.
// Where the targets are beyond L2, atomics on long rows cost more than a sort, whatever the
// indices are; only a stream that is grouped already is slower by it.
inline RowForm form_of(uint64_t updates, uint64_t row_bytes, uint64_t target_bytes,
                       const calling::Device& device) {
  if (updates < 1 << 16) return RowForm::runs;
  const bool beyond = target_bytes > device.cache_bytes;
  const bool sorts = beyond && row_bytes >= 256 && updates >= 1 << 19 && updates < 1ull << 32;
  return sorts ? RowForm::sort : RowForm::automatic;
}

// sort_updates brings the updates of a row together: it changes index and sets order to that of
// the sorted updates. Without memory it sets bytes to what it needs.
template <typename Place>
cudaError_t sort_updates(void* memory, size_t& bytes, RowIndex* index, const Place** order,
                         size_t updates, uint32_t bins, unsigned blocks, cudaStream_t stream);

// run makes a call of targets of T.
template <typename T, typename I, typename Values>
cudaError_t run(void* workspace, size_t& bytes, Element<T>* out, uint64_t K, const I* index,
                Values values, uint64_t n, uint32_t width, cudaStream_t stream,
                const RowOptions& options) {
  Launch at{{}, stream, {0, 0, nullptr}};
  cudaError_t status = calling::current_device(&at.device);
  if (status != cudaSuccess) return status;
  const RowForm form = options.form != RowForm::automatic
                           ? options.form
                           : form_of(n, width * sizeof(*out), K * width * sizeof(*out), at.device);
  const uint32_t slots = options.slots > 0
                             ? options.slots
                             : slots_for(columns_of<T, Values>(width), sizeof(SumOf<T>));
  if (K >= no_target || !calling::aligned(out) ||
      (n > 0 && (!calling::aligned(index) || !calling::readable(values))) ||
      !calling::aligned(static_cast<const uint4*>(workspace)) || slots < 2 ||
      slots > most_slots || (slots & (slots - 1)) != 0 || (form == RowForm::sort && n > 0xffffffffu)) {
    return cudaErrorInvalidValue;
  }
  Carver carver(workspace);
  calling::Words* const words = carver.take<calling::Words>(1);
  if (form == RowForm::hot) at.table.samples = samples;
  if (form == RowForm::hot || form == RowForm::automatic) at.table.slots = slots;
  at.table.worth = worth_of(n, width * sizeof(*out));
  Rows<T, Values> call{out, {}, values, nullptr, n, width, K * width};
  size_t sort_bytes = 0;
  const auto sort = [&](void* memory) {
    return sort_updates(memory, sort_bytes, &call.index, &call.order, n, uint32_t(K),
                        unsigned(8 * at.device.sms), stream);
  };
  if (form == RowForm::sort) status = sort(nullptr);
  if (status != cudaSuccess) return status;
  const size_t needed = carver.bytes() + sort_bytes;
  if (workspace == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return cudaErrorInvalidValue;
  if (options.clear && K * width > 0) {
    status = cudaMemsetAsync(out, 0, K * width * sizeof(*out), stream);
    if (status != cudaSuccess) return status;
  }
  if (n == 0 || width == 0) return cudaSuccess;
  call.index = RowIndex::of(calling::checked(index, K, words, options), options.wraps);
  if (form == RowForm::naive) return launch_elements(at, call);
  if (form == RowForm::sort) status = sort(carver.rest());
  if (status != cudaSuccess) return status;
  return launch_pieces<widest<T, Values>>(at, call);
}

// given are the values of a call with numbers N.
template <typename N, typename S>
auto given(const S* values) {
  static_assert(is_short<N> || std::is_floating_point_v<N> || sizeof(N) == 4 || sizeof(N) == 8,
                "targets are integers of 32 or 64 bits, float, double, __half or __nv_bfloat16");
  static_assert(std::is_same_v<S, N> || (std::is_same_v<N, float> && is_short<S>),
                "values are of the targets' type, or of 16 bits for float");
  if constexpr (is_short<S>) return Widened<S>{values};
  else return Loaded<S>{values};
}

// scatter is a call with numbers N, whose targets are T: N, or Extremes of it.
template <typename T, typename N, typename I, typename S>
cudaError_t scatter(void* workspace, size_t& bytes, N* out, uint64_t K, const I* index,
                    const S* values, uint64_t n, uint32_t width, cudaStream_t stream,
                    const RowOptions& options) {
  return run<T>(workspace, bytes, reinterpret_cast<Element<T>*>(out), K, index, given<N>(values),
                n, width, stream, options);
}
template <typename T, typename N, typename I, typename S>
cudaError_t scatter(void* workspace, size_t& bytes, N* out, uint64_t K, const I* index,
                    const S* values, uint64_t n, uint32_t width, cudaStream_t stream,
                    const Deterministic<RowOptions>& asked) {
  if constexpr (std::is_floating_point_v<T>) {
    using Sum = FixedSum<fixed_words<T>>;
    RowOptions adding = asked.options;
    adding.clear = false;
    const auto numbers = given<N>(values);
    return calling::with_fixed<Sum>(
        workspace, bytes, out, K * width, numbers, n * width, n, asked.options.clear, stream,
        nullptr, [&](void* memory, size_t& rest, const calling::FixedSums<Sum>& sums) {
          return run<Sum>(memory, rest, sums.sums, K, index,
                          fixed_point<T>(numbers, &sums.call->top, n), n, width, stream, adding);
        });
  } else if constexpr (is_short<T> && std::is_same_v<T, N>) {
    return cudaErrorNotSupported;
  } else {
    return scatter<T>(workspace, bytes, out, K, index, values, n, width, stream, asked.options);
  }
}

}  // namespace rows

// scatter_add_rows adds row u of values to row index[u] of out. Integers wrap.
template <typename T, typename I, typename S, typename Options = RowOptions>
cudaError_t scatter_add_rows(void* workspace, size_t& bytes, T* out, uint64_t K,
                             const I* index, const S* values, uint64_t n, uint32_t width,
                             cudaStream_t stream = nullptr, const Options& options = {}) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    static_assert(std::is_same_v<S, T>, "values are of the targets' type");
    using Wraps = std::make_unsigned_t<T>;  // one kernel for both
    return rows::scatter<Wraps>(workspace, bytes, reinterpret_cast<Wraps*>(out), K, index,
                                reinterpret_cast<const Wraps*>(values), n, width, stream, options);
  } else {
    return rows::scatter<T>(workspace, bytes, out, K, index, values, n, width, stream, options);
  }
}

// scatter_min_rows lowers row index[u] of out to row u of values, element by element. Numbers are
// compared as atomtune_extremes.cuh says; targets cannot be cleared.
template <typename T, typename I, typename S>
cudaError_t scatter_min_rows(void* workspace, size_t& bytes, T* out, uint64_t K,
                             const I* index, const S* values, uint64_t n, uint32_t width,
                             cudaStream_t stream = nullptr, const RowOptions& options = {}) {
  if (options.clear) return cudaErrorInvalidValue;
  return rows::scatter<Extremes<T, Extreme::least>>(workspace, bytes, out, K, index, values, n,
                                                    width, stream, options);
}

// scatter_max_rows raises it, likewise.
template <typename T, typename I, typename S>
cudaError_t scatter_max_rows(void* workspace, size_t& bytes, T* out, uint64_t K,
                             const I* index, const S* values, uint64_t n, uint32_t width,
                             cudaStream_t stream = nullptr, const RowOptions& options = {}) {
  if (options.clear) return cudaErrorInvalidValue;
  return rows::scatter<Extremes<T, Extreme::greatest>>(workspace, bytes, out, K, index, values, n,
                                                       width, stream, options);
}

}  // namespace atomtune
