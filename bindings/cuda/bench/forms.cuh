// The forms of the header in the launches that are compared: each a call by itself.
#pragma once

#include <algorithm>

#include "../atomtune_partition_update.cuh"
#include "problem.cuh"

namespace bench {

// Grid is a launch: blocks of threads, and turns of a thread at once.
struct Grid {
  unsigned blocks, threads;
  int unroll;

  std::string name() const {
    return std::to_string(blocks) + "x" + std::to_string(threads) + "x" + std::to_string(unroll);
  }
};

// resident_blocks allows the kernel its shared memory, of which a block takes so many bytes, and
// returns how many blocks an SM holds at once.
template <typename Kernel>
unsigned resident_blocks(const Solver& s, Kernel kernel, unsigned threads, size_t bytes) {
  const void* const function = reinterpret_cast<const void*>(kernel);
  int resident = 0;
  // One limit for all calls of the kernel: a smaller one would hold for those before too.
  CHECK_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(s.block_bytes)));
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function, int(threads),
                                                           bytes));
  return unsigned(resident);
}

// fits says whether all blocks are resident at once.
template <typename Kernel>
bool fits(const Solver& s, Kernel kernel, const Grid& grid, size_t bytes) {
  return bytes <= s.block_bytes &&
         resident_blocks(s, kernel, grid.threads, bytes) * unsigned(s.sms) >= grid.blocks;
}

// Forms adds the calls of one warp reduction in one launch.
template <typename Form, int Unroll>
class Forms {
 public:
  Forms(Solver& solver, unsigned blocks, unsigned threads)
      : s_(solver), grid_{blocks, threads, Unroll} {}

  void add_global() {
    offer(plain() ? "naive" : reduction(), 0, &atomtune::update_global<Form, Unroll, T, Values, const Index*>);
  }

  // add_private cuts copies to what a block holds, and adds nothing where that leaves no more
  // than least. Several copies are a word apart.
  void add_private(uint32_t copies, uint32_t least) {
    const size_t most = s_.block_bytes / sizeof(T) / (s_.p.bins + (copies > 1 ? 1 : 0));
    copies = uint32_t(std::min<size_t>(copies, most));
    if (copies <= least) return;
    const atomtune::Copies layout{uint32_t(s_.p.bins), copies, copies > 1 ? 1u : 0u, false};
    std::string name = "private";
    if (copies > 1) name += ":r=" + std::to_string(copies) + ",pad=1";
    offer(name + plus(), layout.words() * sizeof(T),
          &atomtune::update_private<Form, Unroll, T, Values, atomtune::Copies, const Index*>, layout);
  }

  void add_ranges(uint32_t ranges) {
    const atomtune::RangedCopies layout{{uint32_t(s_.p.bins), 1, 0, false}, ranges};
    if (s_.p.bins < ranges || layout.words() * sizeof(T) > s_.block_bytes) return;
    const Grid grid{grid_.blocks - grid_.blocks % ranges, grid_.threads, Unroll};
    offer_in(grid, "private:r=1,ranges=" + std::to_string(ranges) + plus(),
             layout.words() * sizeof(T),
             &atomtune::update_private<Form, Unroll, T, Values, atomtune::RangedCopies, const Index*>, layout);
  }

  // add_hot takes tags that are known, or fills them in each call of so many samples.
  void add_hot(uint32_t slots, uint32_t copies, const uint32_t* tags, uint32_t samples) {
    while (copies > 1 && atomtune::HotTable{slots, copies, tags}.bytes<T>() > s_.block_bytes) {
      copies /= 2;
    }
    const atomtune::HotTable table{slots, copies, tags};
    const auto kernel = &atomtune::update_hot<Form, Unroll, T, Values, const Index*>;
    if (slots > s_.p.bins || !fits(s_, kernel, grid_, table.bytes<T>())) return;
    std::string name = "hot:s=" + std::to_string(slots);
    if (copies > 1) name += ",r=" + std::to_string(copies);
    if (samples == 0) {
      offer(name + plus(), table.bytes<T>(), kernel, table);
      return;
    }
    const auto found = std::make_shared<DeviceArray<uint32_t>>(slots);
    const Problem p = s_.p;
    const Grid grid = grid_;
    s_.add({name + ",sample=" + std::to_string(samples) + plus(), grid.name(), index_name(), false,
            [=](cudaStream_t stream) {
              const atomtune::HotSample sample{slots, samples};
              const uint32_t blocks = sample.blocks();
              atomtune::fill_hot<><<<blocks, 1024, sample.bytes(blocks), stream>>>(
                  found->data(), p.index, size_t(p.updates), sample);
              const atomtune::HotTable sampled{slots, copies, found->data()};
              kernel<<<grid.blocks, grid.threads, sampled.bytes<T>(), stream>>>(
                  p.out, p.index, p.loaded(), size_t(p.updates), sampled);
              return cudaGetLastError();
            }});
  }

 private:
  static constexpr bool plain() { return std::is_same_v<Form, atomtune::Naive>; }

  static std::string reduction() {
    return std::is_same_v<Form, atomtune::Match> ? "match" : "sr";
  }

  static std::string plus() { return plain() ? "" : "+" + reduction(); }

  template <typename Kernel, typename... Layout>
  void offer(const std::string& name, size_t bytes, Kernel kernel, Layout... layout) {
    offer_in(grid_, name, bytes, kernel, layout...);
  }

  template <typename Kernel, typename... Layout>
  void offer_in(Grid grid, const std::string& name, size_t bytes, Kernel kernel,
                Layout... layout) {
    if (!fits(s_, kernel, grid, bytes)) return;
    const Problem p = s_.p;
    s_.add({name, grid.name(), index_name(), false, [=](cudaStream_t stream) {
              kernel<<<grid.blocks, grid.threads, bytes, stream>>>(
                  p.out, p.index, p.loaded(), size_t(p.updates), layout...);
              return cudaGetLastError();
            }});
  }

  Solver& s_;
  Grid grid_;
};

// Table is a table of hot targets: its size, its copies at most, and of how many samples a call
// may fill it.
struct Table {
  uint32_t slots, copies, few, many;
};

constexpr Table tables[] = {{64, 32, 2048, 16384}, {1024, 8, 2048, 16384}, {8192, 4, 2048, 65536}};

static __global__ void offer_slots(unsigned long long* best, const double* count, uint64_t bins,
                                   unsigned shift) {
  for (uint64_t k = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; k < bins;
       k += uint64_t(gridDim.x) * blockDim.x) {
    if (count[k] > 0) {
      atomicMax(best + atomtune::hot_slot(uint32_t(k), shift),
                static_cast<unsigned long long>(count[k]) << 32 | uint32_t(~uint32_t(k)));
    }
  }
}

static __global__ void name_slots(uint32_t* tags, const unsigned long long* best, uint32_t slots) {
  const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < slots) tags[k] = best[k] == 0 ? atomtune::no_target : ~uint32_t(best[k]);
}

// known_tags are those of fill_hot_tags, found on the device.
inline std::shared_ptr<DeviceArray<uint32_t>> known_tags(const Solver& s, uint32_t slots) {
  const auto tags = std::make_shared<DeviceArray<uint32_t>>(slots);
  const DeviceArray<unsigned long long> best(slots);
  CHECK_CUDA(cudaMemset(best.data(), 0, best.bytes()));
  offer_slots<<<unsigned(8 * s.sms), 256>>>(best.data(), s.p.count, s.p.bins,
                                            atomtune::slots_shift(slots));
  name_slots<<<(slots + 255) / 256, 256>>>(tags->data(), best.data(), slots);
  CHECK_CUDA(cudaDeviceSynchronize());
  return tags;
}

// Tags holds the tags of each table as long as the calls are made.
using Tags = std::vector<std::shared_ptr<DeviceArray<uint32_t>>>;

template <int Unroll>
void add_forms_in(Solver& s, const Tags& tags, unsigned blocks, unsigned threads) {
  Forms<atomtune::Naive, Unroll> naive(s, blocks, threads);
  Forms<atomtune::ScanReduce, Unroll> sr(s, blocks, threads);
  Forms<atomtune::Match, Unroll> match(s, blocks, threads);
  naive.add_global();
  sr.add_global();
  match.add_global();
  naive.add_private(1, 0);
  naive.add_private(8, 1);
  naive.add_private(32, 8);
  sr.add_private(1, 0);
  match.add_private(1, 0);
  for (uint32_t ranges : {2u, 4u, 8u}) naive.add_ranges(ranges);
  for (size_t t = 0; t < tags.size(); ++t) {
    const Table& table = tables[t];
    for (uint32_t samples : {0u, table.few, table.many}) {
      naive.add_hot(table.slots, table.copies, tags[t]->data(), samples);
    }
  }
  sr.add_hot(tables[0].slots, tables[0].copies, tags[0]->data(), 0);
  for (uint32_t samples : {0u, tables[1].few}) {
    match.add_hot(tables[1].slots, tables[1].copies, tags[1]->data(), samples);
  }
}

// add_partition adds the partition into ranges of 2^shift targets.
inline void add_partition(Solver& s, unsigned shift) {
  if (s.p.bins >> shift == 0) return;
  const Problem p = s.p;
  const atomtune::Partition partition{uint32_t(p.bins), shift, 1};
  s.add_phased("partition:w=" + std::to_string(1u << shift), index_name(), false,
               [=](void* memory, size_t& bytes, cudaStream_t stream) {
                 return atomtune::update_partition(memory, bytes, p.out, p.index, p.operand(),
                                                   size_t(p.updates), partition, stream);
               });
}

// add_forms adds the plain atomics first: 256 threads a block, an SM full of blocks.
inline void add_forms(Solver& s, const Tags& tags) {
  const unsigned sms = unsigned(s.sms);
  add_forms_in<1>(s, tags, 8 * sms, 256);
  add_forms_in<1>(s, tags, sms, 1024);
  add_forms_in<4>(s, tags, sms, 1024);
  add_partition(s, 14);
  add_partition(s, 15);
}

}  // namespace bench
