// A whole call of a partition, in two phases like CUB's own:
//
//   const atomtune::Partition partition{bins, 15, 1};   // ranges of 2^15 targets, one copy
//   size_t bytes = 0;
//   atomtune::update_partition(nullptr, bytes, A, index, values, updates, partition);
//   cudaMalloc(&memory, bytes);
//   atomtune::update_partition(memory, bytes, A, index, values, updates, partition, stream);
//
// values is a pointer to device memory, or One{}: then no value is read. Indices lie in
// device memory and are below bins. The wider the ranges, the longer are the pieces in
// which updates are written: the widest whose copies fit into a block is best as a rule.
#pragma once

#include "atomtune_index.cuh"
#include "atomtune_partition.cuh"

namespace atomtune {

namespace partitioning {

// A tile has split_items updates of each thread of split_threads, or of half or a quarter of them
// where a block has less shared memory.
inline constexpr unsigned split_threads = 1024, add_threads = 512;
inline constexpr int split_items = 16;

// Gate lets a call's kernels run: always, or where a choice made on the device came to it.
struct Gate {
  const uint32_t* chosen = nullptr;
  uint32_t wanted = 0;

  __device__ __forceinline__ bool open() const {
    return chosen == nullptr || *chosen == wanted;
  }
};

// Progress is how far the blocks of a call have come. All is zero before.
struct Progress {
  uint32_t counted, split;  // blocks that have
  uint32_t taken;           // parts beyond each block's first
};

inline constexpr size_t progress_words = sizeof(Progress) / sizeof(uint32_t);

// is_last reports whether the calling block is the last of the grid to come here, and shows it
// what the others wrote. The whole block calls it.
__device__ __forceinline__ bool is_last(uint32_t* arrived) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomic_add<uint32_t>(arrived, One()) == gridDim.x - 1;
  __syncthreads();
  if (last) __threadfence();
  return last;
}

// count_kernel counts the updates of the ranges; its last block places them.
template <typename T, typename Index>
__global__ void __launch_bounds__(split_threads)
    count_kernel(Buckets<T> buckets, Progress* progress, Index index, size_t updates,
                 Partition partition, Gate gate) {
  if (!gate.open()) return;
  extern __shared__ uint2 shared_words[];
  __shared__ uint32_t sums[scan_words];
  count_ranges(buckets.count, index, updates, partition,
               reinterpret_cast<uint32_t*>(shared_words));
  if (is_last(&progress->counted)) start_ranges(buckets, partition.ranges(), sums);
}

// split_kernel brings the updates to their ranges; its last block cuts these into parts.
template <typename T, typename Index, typename Values>
__global__ void __launch_bounds__(split_threads)
    split_kernel(Buckets<T> buckets, Progress* progress, Index index, Values values,
                 size_t updates, Partition partition, Cut cut, Part* list, uint32_t* number,
                 Gate gate) {
  if (!gate.open()) return;
  extern __shared__ uint2 shared_words[];
  __shared__ uint32_t sums[scan_words];
  split_tiles<split_items>(buckets, index, values, updates, partition, shared_words);
  if (is_last(&progress->split)) {
    cut_parts(buckets, partition.ranges(), cut, list, number, sums);
  }
}

template <typename Values, typename T>
__global__ void __launch_bounds__(split_threads)
    add_kernel(T* A, Buckets<T> buckets, Progress* progress, Partition partition,
               const Part* list, const uint32_t* number, Finish finish, Gate gate) {
  if (!gate.open()) return;
  extern __shared__ uint2 shared_words[];
  __shared__ uint32_t next;
  add_parts<Values>(A, buckets, partition, list, *number, &progress->taken, finish,
                    reinterpret_cast<T*>(shared_words), &next);
}

// own_bytes bounds the shared memory that a kernel has beside that of its launch.
inline constexpr size_t own_bytes = 256;

// Device is what launches read of the device.
struct Device {
  int sms = 0;
  size_t block_bytes = 0;  // shared memory of a launch's block at most

  cudaError_t read() {
    int device = 0, bytes = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess) {
      status = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (status == cudaSuccess) {
      status = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    block_bytes = size_t(bytes) - own_bytes;
    return status;
  }
};

// Launch is a kernel and its grid of as many blocks as are resident, no more than wanted.
struct Launch {
  const void* kernel = nullptr;
  unsigned blocks = 0, threads = 0;
  size_t bytes = 0;

  template <typename Kernel>
  cudaError_t fit(const Device& device, Kernel* function, unsigned of, size_t shared,
                  size_t wanted) {
    int resident = 0;
    kernel = reinterpret_cast<const void*>(function);
    threads = of;
    bytes = shared;
    // What a kernel may have is one for all calls, so none lowers it for another.
    cudaError_t status = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(device.block_bytes));
    if (status == cudaSuccess) {
      status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, int(of),
                                                             bytes);
    }
    const size_t most = size_t(resident) * size_t(device.sms);
    blocks = unsigned(at_least<size_t>(1, at_most(most, wanted)));
    return status;
  }

  // enqueue launches the kernel that was fitted. Named as a type alone, since nvcc 13 gives each
  // file kernels of its own, of which the caller's may be another.
  template <typename Kernel, typename... Arguments>
  void enqueue(Kernel*, cudaStream_t stream, Arguments... arguments) const {
    Kernel* const fitted = reinterpret_cast<Kernel*>(const_cast<void*>(kernel));
    fitted<<<blocks, threads, bytes, stream>>>(arguments...);
  }
};

// in_steps is a share of so many updates, in whole bucket_steps.
inline uint32_t in_steps(size_t updates, size_t shares) {
  const size_t step = bucket_step * shares;
  return uint32_t(at_least<size_t>(1, (updates + step - 1) / step) * bucket_step);
}

// cut_of: where there is a range for half of the resident blocks, one with up to 5/4 of the
// updates of a mean range is whole, and one with more is cut into 1,024 parts at most, since
// a block adds the updates of a hot target one by one. Else a part has a block's equal share.
inline Cut cut_of(size_t updates, uint32_t ranges, size_t resident) {
  if (2 * size_t(ranges) < resident) {
    const uint32_t part = in_steps(updates, resident);
    return {part, part};
  }
  return {in_steps(5 * updates, 4 * size_t(ranges)), in_steps(updates, 1024)};
}

// Call is one call with its launches and its arrays.
template <typename T, typename Values, typename Index = const uint32_t*>
struct Call {
  Device device;
  Partition partition;
  size_t updates;
  Launch count, split, add;
  Cut cut{};
  size_t most_parts = 0;
  Buckets<T> buckets{};
  Progress* progress = nullptr;
  Part* list = nullptr;
  uint32_t* number = nullptr;

  // prepare finds the launches. Too narrow or too wide ranges are an invalid value.
  cudaError_t prepare() {
    cudaError_t status = device.read();
    if (status != cudaSuccess) return status;
    const uint32_t ranges = partition.ranges();
    const size_t copies = sizeof(T) * partition.range().words();
    unsigned tile_threads = split_threads;
    const auto tile = [&] { return size_t(tile_threads) * split_items; };
    const auto tile_bytes = [&] {
      return sizeof(uint32_t) * tile_words<T, Values>(tile(), ranges);
    };
    while (tile_threads > split_threads / 4 && tile_bytes() > device.block_bytes) {
      tile_threads /= 2;
    }
    if (copies > device.block_bytes || tile_bytes() > device.block_bytes) {
      return cudaErrorInvalidValue;
    }
    status = split.fit(device, split_kernel<T, Index, Values>, tile_threads, tile_bytes(),
                       (updates + tile() - 1) / tile());
    if (status != cudaSuccess) return status;
    status = count.fit(device, count_kernel<T, Index>, split_threads, sizeof(uint32_t) * ranges,
                       (updates + split_threads - 1) / split_threads);
    if (status != cudaSuccess) return status;
    const bool alone = 2 * copies > device.block_bytes;
    status = add.fit(device, add_kernel<Values, T>, alone ? split_threads : add_threads,
                     copies, ~size_t(0) >> 33);
    cut = cut_of(updates, ranges, add.blocks);
    most_parts = ranges + updates / cut.part;
    add.blocks = unsigned(at_most<size_t>(add.blocks, most_parts));
    return status;
  }

  void place(Carver& carver) {
    const uint32_t ranges = partition.ranges();
    const size_t room = updates + size_t(bucket_step) * ranges;
    constexpr bool ones = std::is_same_v<Values, Ones>;
    buckets = {carver.take<uint16_t>(room), carver.take<T>(ones ? 0 : room),
               carver.take<uint32_t>(ranges + progress_words), carver.take<uint32_t>(ranges),
               carver.take<uint32_t>(ranges)};
    progress = reinterpret_cast<Progress*>(buckets.count + ranges);
    list = carver.take<Part>(most_parts);
    number = carver.take<uint32_t>(1);
  }

  // zeros are the words that are zero before a run: they start at buckets.count.
  size_t zeros() const { return partition.ranges() + progress_words; }

  // run makes the updates. A gate's kernels find the zeros there.
  cudaError_t run(T* A, Index index, Values values, Finish finish, cudaStream_t stream,
                  Gate gate = {}) const {
    if (gate.chosen == nullptr) {
      const cudaError_t status =
          cudaMemsetAsync(buckets.count, 0, sizeof(uint32_t) * zeros(), stream);
      if (status != cudaSuccess) return status;
    }
    count.enqueue(count_kernel<T, Index>, stream, buckets, progress, index, updates, partition,
                  gate);
    split.enqueue(split_kernel<T, Index, Values>, stream, buckets, progress, index, values,
                  updates, partition, cut, list, number, gate);
    add.enqueue(add_kernel<Values, T>, stream, A, buckets, progress, partition,
                static_cast<const Part*>(list), static_cast<const uint32_t*>(number), finish,
                gate);
    return cudaGetLastError();
  }
};

// fits reports whether a partition has ranges of 2^6 to 2^16 targets and places of 32 bits.
inline bool fits(const Partition& partition, size_t updates) {
  return partition.shift >= 6 && partition.shift <= 16 && partition.copies > 0 &&
         updates + size_t(bucket_step) * partition.ranges() <= 0xffffffffu &&
         (updates == 0 || partition.bins > 0);
}

}  // namespace partitioning

// update_partition adds each update to its target: A[index[u]] += values[u]. Without
// memory it sets bytes to the working memory that it needs. It returns
// cudaErrorInvalidValue for too little memory, for ranges outside 2^6 to 2^16 targets, for
// copies or counters that do not fit into a block, and where places do not fit into 32
// bits, else what CUDA says.
template <typename T, typename Index, typename V>
cudaError_t update_partition(void* memory, size_t& bytes, T* A, Index index, V values,
                             size_t updates, Partition partition,
                             cudaStream_t stream = nullptr, Finish finish = Finish::add) {
  static_assert(is_one<V> || std::is_convertible_v<V, const T*>,
                "values is a pointer to T or One{}");
  using Values = std::conditional_t<is_one<V>, Ones, Loaded<T>>;
  if (!partitioning::fits(partition, updates)) return cudaErrorInvalidValue;
  partitioning::Call<T, Values, Index> call;
  call.partition = partition;
  call.updates = updates;
  const cudaError_t status = call.prepare();
  if (status != cudaSuccess) return status;
  Carver carver(memory);
  call.place(carver);
  if (memory == nullptr) {
    bytes = carver.bytes();
    return cudaSuccess;
  }
  if (bytes < carver.bytes()) return cudaErrorInvalidValue;
  if (updates == 0) return cudaSuccess;
  Values loaded;
  if constexpr (!is_one<V>) loaded.values = values;
  return call.run(A, index, loaded, finish, stream);
}

}  // namespace atomtune
