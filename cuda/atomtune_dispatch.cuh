// One call that chooses by the indices: scatter_add, histogram, scatter_min, scatter_max,
// fetch_add. A kernel samples the indices, asks a decision tree of the device, and makes
// the updates by the form of the leaf; nothing waits on the host, so that a call can be
// captured into a CUDA graph and replayed with other data.
//
//   size_t bytes = 0;
//   atomtune::scatter_add(nullptr, bytes, out, K, index, values, n, stream);
//   cudaMalloc(&workspace, bytes);
//   atomtune::scatter_add(workspace, bytes, out, K, index, values, n, stream);
//
// or, with memory from a resource and in its stream,
//
//   atomtune::scatter_add(out, K, index, values, n, stream, atomtune::StreamMemory());
//
// out[index[u]] += values[u] for the n updates. Integers wrap, floats are rounded as
// atomtune.cuh says. Indices are 32-bit or 64-bit integers; an update whose index is not in
// 0..K-1 is left out, and says so in CallOptions::error. K is below 2^32 - 1.
//
// The choice is a function of the indices, the call and the device, and so the same on
// every run and every rank.
#pragma once

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "atomtune_decide.cuh"
#include "atomtune_deterministic.cuh"
#include "atomtune_extremes.cuh"
#include "atomtune_index.cuh"
#include "atomtune_partition_update.cuh"
#include "atomtune_plan_text.cuh"

namespace atomtune {

// CallOptions say what a call does besides adding.
struct CallOptions {
  bool clear = false;          // out is set to zero first
  bool deterministic = false;  // bitwise the same result on every run
  bool has_ignore = false;     // updates with the index ignore are left out
  int64_t ignore = 0;
  // A word that the device can write and the host can read later. It becomes 1 where an
  // index is out of range, and is never cleared.
  uint32_t* error = nullptr;
  uint32_t* chosen = nullptr;          // gets the number of the tree's action
  const DispatchTree* tree = nullptr;  // instead of the device's
};

namespace calling {

inline constexpr unsigned threads = 1024;

// Device is what calls need of a device.
struct Device {
  int number = 0, sms = 0;
  char name[256] = "";
  size_t block_bytes = 0;  // shared memory of a block at most
  const DispatchTree* tree = nullptr;
};

// names tells whether the name of a device, such as NVIDIA H200, has that of a tree in it.
inline bool names(const char* name, const char* tree) {
  for (; *name != 0; ++name) {
    size_t k = 0;
    while (tree[k] != 0 && std::tolower(name[k]) == std::tolower(tree[k])) ++k;
    if (tree[k] == 0) return true;
  }
  return false;
}

// tree_of is the tree of a device: by its name, else by the nearest compute capability, then
// the nearest number of SMs.
inline const DispatchTree* tree_of(const char* name, int major, int minor, int sms) {
  const DispatchTree* best = nullptr;
  long least = 0;
  for (const DispatchTree& tree : trees) {
    if (names(name, tree.device)) return &tree;
    const long far = 1000000L * std::abs(10 * (tree.major - major) + tree.minor - minor) +
                     std::abs(tree.sms - sms);
    if (best == nullptr || far < least) best = &tree, least = far;
  }
  return best;
}

inline cudaError_t read_device(int number, Device* device) {
  cudaDeviceProp properties;
  const cudaError_t status = cudaGetDeviceProperties(&properties, number);
  if (status != cudaSuccess) return status;
  device->number = number;
  device->sms = properties.multiProcessorCount;
  device->block_bytes = properties.sharedMemPerBlockOptin;
  device->tree = tree_of(properties.name, properties.major, properties.minor, device->sms);
  std::copy(std::begin(properties.name), std::end(properties.name), device->name);
  return cudaSuccess;
}

// current_device is the calling thread's device. Its properties are read once.
inline cudaError_t current_device(Device* device) {
  struct Known {
    std::once_flag once;
    Device device;
    cudaError_t status = cudaSuccess;
  };
  constexpr int most = 64;
  static Known known[most];
  int number = 0;
  const cudaError_t status = cudaGetDevice(&number);
  if (status != cudaSuccess) return status;
  if (number >= most) return read_device(number, device);
  Known& at = known[number];
  std::call_once(at.once, [&] { at.status = read_device(number, &at.device); });
  *device = at.device;
  return at.status;
}

// allow lets a kernel have so much dynamic shared memory, once for each device.
inline cudaError_t allow(const void* kernel, std::atomic<uint64_t>& done, int device,
                         size_t bytes) {
  const uint64_t bit = device < 64 ? uint64_t(1) << device : 0;
  if ((done.load(std::memory_order_acquire) & bit) != 0) return cudaSuccess;
  const cudaError_t status = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
  if (status == cudaSuccess) done.fetch_or(bit, std::memory_order_release);
  return status;
}

// decide_kernel has pointers to the targets and the old values among its parameters, and not
// in a struct, so that compilers know that they point to global memory.
template <bool Returns, typename T, typename Index, typename Values>
__global__ void __launch_bounds__(threads)
    decide_kernel(T* out, T* old, Call<T, Index, Values> call,
                  const __grid_constant__ CutTree tree) {
  extern __shared__ uint4 dynamic_words[];
  __shared__ uint32_t sums[feature_count];
  call.out = out;
  call.old = old;
  decide_and_run<threads, Returns>(call, tree, reinterpret_cast<unsigned char*>(dynamic_words),
                                   sums);
}

// form_bytes is the shared memory that a form wants of a block.
template <typename T>
size_t form_bytes(const CutTree::Form& form, uint32_t bins, unsigned threads, size_t most) {
  const size_t copies = std::max<uint32_t>(form.copies, 1);
  size_t bytes = 0;
  if (form.base == Base::copies) {
    bytes = sizeof(T) * copies * (size_t(bins) + 1);
  } else if (form.base == Base::ranges) {
    bytes = sizeof(T) * copies * (bins / std::max<uint32_t>(form.parameter, 1) + 2);
  } else if (form.base == Base::threadprivate) {
    bytes = sizeof(T) * threads * size_t(bins);
  } else if (form.base == Base::hot) {
    bytes = (sizeof(uint32_t) + sizeof(T) * copies) * form.parameter + sizeof(T) * copies;
  }
  return std::min(bytes, most);
}

// Cutter cuts a tree by the features that are known.
class Cutter {
 public:
  Cutter(const DispatchTree& tree, CutTree* cut) : tree_(tree), cut_(cut) {}

  // cut tells whether the rest fits.
  bool cut() {
    count_ = cut_->action_count = 0;
    return descend(0) && cut_->action_count > 0;
  }

 private:
  bool descend(uint32_t from) {
    TreeNode node = tree_.nodes[from];
    while (node.feature < known_features) {
      from = cut_->known[node.feature] < node.threshold ? from + 1 : node.right;
      node = tree_.nodes[from];
    }
    if (count_ == CutTree::most_nodes) return false;
    const uint32_t at = count_++;
    if (node.feature == CutTree::leaf) return place(node.right, at);
    cut_->nodes[at] = node;
    if (!descend(from + 1)) return false;
    cut_->nodes[at].right = uint16_t(count_);
    if (!descend(node.right)) return false;
    merge(at);
    return true;
  }

  // merge makes a leaf of a node whose children are leaves of one action.
  void merge(uint32_t at) {
    const TreeNode left = cut_->nodes[at + 1], right = cut_->nodes[cut_->nodes[at].right];
    if (left.feature == CutTree::leaf && right.feature == CutTree::leaf &&
        left.right == right.right) {
      cut_->nodes[at] = left;
      count_ = at + 1;
    }
  }

  bool place(uint32_t number, uint32_t at) {
    uint32_t k = 0;
    while (k < cut_->action_count && cut_->actions[k].number != number) ++k;
    if (k == cut_->action_count) {
      if (k == CutTree::most_actions) return false;
      const Action& a = tree_.actions[number];
      cut_->actions[cut_->action_count++] = {a.base,   a.reduction, a.unroll, uint8_t(number),
                                             a.copies, a.parameter};
    }
    cut_->nodes[at] = {0, uint16_t(k), CutTree::leaf, 0};
    return true;
  }

  const DispatchTree& tree_;
  CutTree* cut_;
  uint32_t count_ = 0;
};

// NumberOf is the number that a type of targets holds.
template <typename T>
struct NumberOf {
  using Type = T;
};
template <typename T, Extreme extreme>
struct NumberOf<Extremum<T, extreme>> {
  using Type = T;
};

// type_feature is the feature of a type of targets.
template <typename T>
constexpr uint32_t type_feature() {
  return (sizeof(T) == 4 ? 0 : 2) +
         (std::is_floating_point_v<typename NumberOf<T>::Type> ? 1 : 0);
}

// Grid is how a call is launched: so many blocks for each SM, no more than there are updates.
struct Grid {
  unsigned per_sm = 1, threads = calling::threads;
};

// launch enqueues the kernel that decides.
template <bool Returns, typename T, typename Index, typename Values>
cudaError_t launch(const Device& device, const CutTree& tree, Call<T, Index, Values> call,
                   cudaStream_t stream, Grid grid = {}) {
  static std::atomic<uint64_t> allowed{0};
  const auto kernel = decide_kernel<Returns, T, Index, Values>;
  const size_t most = device.block_bytes - 64;
  const cudaError_t status =
      allow(reinterpret_cast<const void*>(kernel), allowed, device.number, most);
  if (status != cudaSuccess) return status;
  const bool samples =
      !tree.settled() || (tree.actions[0].base == Base::hot && call.tags == nullptr);
  size_t bytes = samples ? deciding::counter_bytes : 0;
  for (uint32_t k = 0; k < tree.action_count; ++k) {
    bytes = std::max(bytes, form_bytes<T>(tree.actions[k], call.bins, grid.threads, most));
  }
  bytes = std::min((bytes + 15) / 16 * 16, most);
  call.shared_bytes = uint32_t(bytes);
  const size_t blocks = std::min<size_t>((call.updates + grid.threads - 1) / grid.threads,
                                         size_t(device.sms) * grid.per_sm);
  kernel<<<unsigned(blocks), grid.threads, bytes, stream>>>(call.out, call.old, call, tree);
  return cudaGetLastError();
}

// aligned tells whether p can hold values of type T.
template <typename T>
bool aligned(const T* p) {
  return reinterpret_cast<uintptr_t>(p) % alignof(T) == 0;
}

// Followers are the partitions that a call may come to. Their kernels follow the one that
// decides, and end at once unless it came to them.
template <typename T, typename Index, typename Values>
class Followers {
 public:
  static constexpr uint32_t most = 4;

  // prepare finds the launches of each partition in tree, and has the targets updated
  // directly where one does not fit.
  cudaError_t prepare(CutTree* tree, uint32_t bins, size_t updates) {
    for (uint32_t k = 0; k < tree->action_count; ++k) {
      CutTree::Form& form = tree->actions[k];
      if (form.base != Base::partition) continue;
      const Partition partition{bins, log2_of(form.parameter),
                                std::max<uint32_t>(form.copies, 1)};
      if (number_ == most || !partitioning::fits(partition, updates)) {
        form.base = Base::global;
        continue;
      }
      Follower& next = list_[number_];
      next.call.partition = partition;
      next.call.updates = updates;
      next.action = form.number;
      const cudaError_t status = next.call.prepare();
      if (status == cudaErrorInvalidValue) {
        form.base = Base::global;
      } else if (status != cudaSuccess) {
        return status;
      } else {
        ++number_;
      }
    }
    return cudaSuccess;
  }

  // bytes is the working memory of the largest.
  size_t bytes() {
    size_t largest = 0;
    for (uint32_t k = 0; k < number_; ++k) {
      Carver carver(nullptr);
      list_[k].call.place(carver);
      largest = std::max(largest, carver.bytes());
    }
    return largest;
  }

  cudaError_t run(void* memory, T* out, Index index, Values values, const uint32_t* chosen,
                  cudaStream_t stream) {
    for (uint32_t k = 0; k < number_; ++k) {
      Carver carver(memory);
      list_[k].call.place(carver);
      const cudaError_t status = list_[k].call.run(out, index, values, Finish::add, stream,
                                                   {chosen, list_[k].action});
      if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
  }

 private:
  struct Follower {
    partitioning::Call<T, Values, Index> call;
    uint32_t action;
  };

  static unsigned log2_of(uint32_t power) {
    unsigned bits = 0;
    while (power > 1) power /= 2, ++bits;
    return bits;
  }

  Follower list_[most];
  uint32_t number_ = 0;
};

// NoFollowers is for what has no partition: least and greatest values.
template <typename T, typename Index, typename Values>
struct NoFollowers {
  cudaError_t prepare(CutTree* tree, uint32_t, size_t) {
    for (uint32_t k = 0; k < tree->action_count; ++k) {
      Base& base = tree->actions[k].base;
      if (base == Base::partition) base = Base::global;
    }
    return cudaSuccess;
  }
  size_t bytes() const { return 0; }
  cudaError_t run(void*, T*, Index, Values, const uint32_t*, cudaStream_t) {
    return cudaSuccess;
  }
};

// Words are those of the workspace that every call has, before those of partitions.
struct Words {
  uint32_t error, chosen, unused[62];
};

// Choice is what is left of a tree, and the launch.
struct Choice {
  CutTree tree;
  Grid grid;
};

// one_form is the cut tree of one form.
inline void one_form(const PlannedForm& form, CutTree* tree) {
  tree->action_count = 1;
  tree->nodes[0] = {0, 0, CutTree::leaf, 0};
  tree->actions[0] = {form.base,   form.reduction, uint8_t(form.unroll), 0,
                      form.copies, form.parameter};
}

// planned is what ATOMTUNE_MODE says of a call instead of the tree. It tells whether it says
// anything: off that targets are updated directly, plan what the file of ATOMTUNE_PLANS has
// for such calls, of whatever indices.
inline bool planned(const PlanKey& key, PlannedForm* form) {
  enum class Mode { off, predict, plan };
  static const Mode mode = [] {
    const char* const name = std::getenv("ATOMTUNE_MODE");
    const std::string said = name != nullptr ? name : "";
    return said == "off" ? Mode::off : said == "plan" ? Mode::plan : Mode::predict;
  }();
  if (mode == Mode::predict) return false;
  if (mode == Mode::off) {
    *form = PlannedForm();
    form->unroll = 4;
    return true;
  }
  static std::mutex lock;
  static std::map<std::string, PlannedForm> found;
  static std::set<std::string> missing;
  const std::string text = call_text(key);
  const std::lock_guard<std::mutex> guard(lock);
  const auto known = found.find(text);
  if (known != found.end()) {
    *form = known->second;
    return true;
  }
  if (missing.count(text) > 0) return false;
  const char* const path = std::getenv("ATOMTUNE_PLANS");
  if (path == nullptr || !find_plan(path, key, true, form)) {
    missing.insert(text);
    return false;
  }
  found[text] = *form;
  return true;
}

// key_of is the key of a call, as far as it is known without its indices.
template <typename T>
const char* op_name() {
  if constexpr (std::is_arithmetic_v<T>) {
    return "add";
  } else if constexpr (std::is_same_v<T, Least<typename NumberOf<T>::Type>>) {
    return "min";
  } else if constexpr (std::is_same_v<T, Greatest<typename NumberOf<T>::Type>>) {
    return "max";
  } else {
    return "add-fixed";
  }
}

// number_name is the name of a type of numbers.
template <typename T>
std::string number_name() {
  const char kind = std::is_integral_v<T> ? (std::is_signed_v<T> ? 'i' : 'u') : 'f';
  return kind + std::to_string(8 * sizeof(T));
}

template <bool Returns, typename T, typename I, typename Values>
PlanKey key_of(const Device& device, uint64_t K, uint64_t n) {
  PlanKey key;
  key.device = device.name;
  key.op = op_name<T>();
  key.type = number_name<typename NumberOf<T>::Type>();
  key.value = std::is_same_v<Values, Ones> ? "one" : "loaded";
  key.index = number_name<I>();
  key.returns = Returns;
  key.updates = n;
  key.bins = K;
  return key;
}

// choose cuts the tree by what is known of a call. weight is the size of a target over that
// of the type that the tree knows.
template <bool Returns, typename T, typename I, typename Values>
cudaError_t choose(const Device& device, uint64_t K, uint64_t n, const CallOptions& options,
                   Choice* choice) {
  PlannedForm form;
  if (options.tree == nullptr &&
      planned(key_of<Returns, T, I, Values>(device, K, n), &form)) {
    one_form(form, &choice->tree);
    if (form.blocks > 0 && form.base != Base::hot) {
      choice->grid = {std::max(1u, form.blocks / unsigned(std::max(1, device.sms))),
                      form.threads};
    }
    return cudaSuccess;
  }
  constexpr uint64_t weight = sizeof(T) > 8 ? sizeof(T) / 8 : 1;
  const uint32_t known[known_features] = {
      n < no_target ? uint32_t(n) : no_target,
      K * weight < no_target ? uint32_t(K * weight) : no_target, type_feature<T>(),
      std::is_same_v<Values, Ones> ? 1u : 0u, Returns ? 1u : 0u};
  std::copy(known, known + known_features, choice->tree.known);
  const DispatchTree& whole = options.tree != nullptr ? *options.tree : *device.tree;
  return Cutter(whole, &choice->tree).cut() ? cudaSuccess : cudaErrorInvalidValue;
}

// checked is an index that is checked while it is read.
template <typename I>
CheckedIndex<I> checked(const I* index, uint64_t K, Words* words, const CallOptions& options) {
  using Word = typename CheckedIndex<I>::Word;
  return {reinterpret_cast<const Word*>(index),
          options.error != nullptr ? options.error : &words->error,
          options.has_ignore ? static_cast<Word>(options.ignore) : ~Word(0), uint32_t(K),
          options.has_ignore};
}

template <bool Returns, typename T, typename I, typename Values>
cudaError_t run(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                Values values, T* old, uint64_t n, cudaStream_t stream,
                const CallOptions& options) {
  using Index = CheckedIndex<I>;
  if (K >= no_target || (n > 0 && !aligned(index)) || !aligned(out) || !aligned(old)) {
    return cudaErrorInvalidValue;
  }
  Device device;
  cudaError_t status = current_device(&device);
  if (status != cudaSuccess) return status;
  Choice choice;
  status = choose<Returns, T, I, Values>(device, K, n, options, &choice);
  if (status != cudaSuccess) return status;
  std::conditional_t<Returns || !std::is_arithmetic_v<T>, NoFollowers<T, Index, Values>,
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
  const Index indices = checked(index, K, words, options);
  uint32_t* const chosen = options.chosen != nullptr ? options.chosen : &words->chosen;
  status = launch<Returns>(
      device, choice.tree,
      Call<T, Index, Values>{out, old, indices, values, n, uint32_t(K), 0, chosen, nullptr},
      stream, choice.grid);
  if (status != cudaSuccess) return status;
  return followers.run(words + 1, out, indices, values, chosen, stream);
}

// run_fixed adds in fixed point (atomtune_deterministic.cuh), by whatever form is chosen for
// the wider sums. The workspace has these.
template <typename T, typename I, typename Values>
cudaError_t run_fixed(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                      Values values, uint64_t n, cudaStream_t stream,
                      const CallOptions& options) {
  using Sum = FixedSum<fixed_words<T>>;
  if (!aligned(out) || K >= no_target) return cudaErrorInvalidValue;
  Carver carver(workspace);
  uint32_t* const top = carver.take<uint32_t>(1);
  Sum* const sums = carver.take<Sum>(K);
  const auto fixed = fixed_point<T>(values, top, n);
  size_t rest = bytes >= carver.bytes() ? bytes - carver.bytes() : 0;
  CallOptions adding = options;
  adding.clear = false;
  const auto add = [&](void* memory) {
    return run<false>(memory, rest, sums, K, index, fixed, static_cast<Sum*>(nullptr), n,
                      stream, adding);
  };
  if (workspace == nullptr) {
    const cudaError_t status = add(nullptr);
    bytes = carver.bytes() + rest;
    return status;
  }
  if (bytes < carver.bytes()) return cudaErrorInvalidValue;
  if (n == 0) {
    return options.clear && K > 0 ? cudaMemsetAsync(out, 0, K * sizeof(T), stream)
                                  : cudaSuccess;
  }
  cudaError_t status = cudaMemsetAsync(workspace, 0, carver.bytes(), stream);
  if (status != cudaSuccess) return status;
  Device device;
  status = current_device(&device);
  if (status != cudaSuccess) return status;
  const auto grid = [&](size_t items, size_t each) {
    return unsigned(std::min<size_t>((items + each - 1) / each, 8 * size_t(device.sms)));
  };
  find_scale<<<grid(n, 4096), 1024, 0, stream>>>(top, values, n);
  status = add(carver.rest());
  if (status != cudaSuccess || K == 0) return status;
  finish_fixed<<<grid(K, 256), 256, 0, stream>>>(out, sums, K, top, n,
                                                 options.clear ? Finish::store : Finish::add);
  return cudaGetLastError();
}

// OneOf reads 1 for each update, where a kernel wants numbers.
template <typename T>
struct OneOf {
  __device__ __forceinline__ T operator[](size_t) const { return T(1); }
};

// values_of reads values of a type, narrower ones as floats.
template <typename T, typename V>
auto values_of(const V* values) {
  static_assert(std::is_same_v<T, V>, "values are of the targets' type");
  return Loaded<T>{values};
}

// run_sum is run, or run_fixed where the sums of floats are to be the same on every run.
template <typename T, typename I, typename Values>
cudaError_t run_sum(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                    Values values, uint64_t n, cudaStream_t stream,
                    const CallOptions& options) {
  if constexpr (std::is_floating_point_v<T>) {
    if (options.deterministic) {
      if constexpr (std::is_same_v<Values, Ones>) {
        return run_fixed(workspace, bytes, out, K, index, OneOf<T>{}, n, stream, options);
      } else {
        return run_fixed(workspace, bytes, out, K, index, values, n, stream, options);
      }
    }
  }
  return run<false>(workspace, bytes, out, K, index, values, static_cast<T*>(nullptr), n,
                    stream, options);
}

}  // namespace calling

// scatter_add adds values[u] to out[index[u]].
template <typename T, typename I, typename V>
cudaError_t scatter_add(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const V* values, uint64_t n, cudaStream_t stream = nullptr,
                        const CallOptions& options = {}) {
  return calling::run_sum(workspace, bytes, out, K, index, calling::values_of<T>(values), n,
                          stream, options);
}

// scatter_min lowers out[index[u]] to values[u]. Numbers are compared as atomtune_extremes.cuh
// says; targets cannot be cleared.
template <typename T, typename I>
cudaError_t scatter_min(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const T* values, uint64_t n, cudaStream_t stream = nullptr,
                        const CallOptions& options = {}) {
  using E = Least<T>;
  if (options.clear) return cudaErrorInvalidValue;
  return calling::run<false>(workspace, bytes, E::array(out), K, index,
                             Loaded<E>{E::array(values)}, static_cast<E*>(nullptr), n, stream,
                             options);
}

// scatter_max raises out[index[u]] to values[u], likewise.
template <typename T, typename I>
cudaError_t scatter_max(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const T* values, uint64_t n, cudaStream_t stream = nullptr,
                        const CallOptions& options = {}) {
  using E = Greatest<T>;
  if (options.clear) return cudaErrorInvalidValue;
  return calling::run<false>(workspace, bytes, E::array(out), K, index,
                             Loaded<E>{E::array(values)}, static_cast<E*>(nullptr), n, stream,
                             options);
}

// histogram adds 1 to out[index[u]].
template <typename T, typename I>
cudaError_t histogram(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                      uint64_t n, cudaStream_t stream = nullptr,
                      const CallOptions& options = {}) {
  return calling::run_sum(workspace, bytes, out, K, index, Ones{}, n, stream, options);
}

// fetch_add is scatter_add that writes what update u found to old[u]. What an update finds
// depends on the order, so that no deterministic call gives it: cudaErrorNotSupported.
template <typename T, typename I, typename V>
cudaError_t fetch_add(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                      const V* values, T* old, uint64_t n, cudaStream_t stream = nullptr,
                      const CallOptions& options = {}) {
  if (options.deterministic) return cudaErrorNotSupported;
  return calling::run<true>(workspace, bytes, out, K, index, calling::values_of<T>(values),
                            old, n, stream, options);
}

// StreamMemory is the memory of the device, taken and given back in the order of a stream. A
// resource of one's own has the same two functions.
struct StreamMemory {
  cudaError_t allocate(void** memory, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(memory, bytes, stream);
  }
  cudaError_t deallocate(void* memory, size_t, cudaStream_t stream) {
    return cudaFreeAsync(memory, stream);
  }
};

// with_memory makes a call of two phases with memory from a resource: call(memory, bytes).
template <typename Memory, typename Phases>
cudaError_t with_memory(Memory&& resource, cudaStream_t stream, Phases call) {
  size_t bytes = 0;
  cudaError_t status = call(static_cast<void*>(nullptr), bytes);
  if (status != cudaSuccess) return status;
  void* memory = nullptr;
  status = resource.allocate(&memory, bytes, stream);
  if (status != cudaSuccess) return status;
  status = call(memory, bytes);
  const cudaError_t given_back = resource.deallocate(memory, bytes, stream);
  return status != cudaSuccess ? status : given_back;
}

// The calls with memory from a resource.
template <typename T, typename I, typename V, typename Memory>
cudaError_t scatter_add(T* out, uint64_t K, const I* index, const V* values, uint64_t n,
                        cudaStream_t stream, Memory&& resource,
                        const CallOptions& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out, K, index, values, n, stream, options);
  });
}

template <typename T, typename I, typename Memory>
cudaError_t histogram(T* out, uint64_t K, const I* index, uint64_t n, cudaStream_t stream,
                      Memory&& resource, const CallOptions& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return histogram(memory, bytes, out, K, index, n, stream, options);
  });
}

template <typename T, typename I, typename Memory>
cudaError_t scatter_min(T* out, uint64_t K, const I* index, const T* values, uint64_t n,
                        cudaStream_t stream, Memory&& resource,
                        const CallOptions& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return scatter_min(memory, bytes, out, K, index, values, n, stream, options);
  });
}

template <typename T, typename I, typename Memory>
cudaError_t scatter_max(T* out, uint64_t K, const I* index, const T* values, uint64_t n,
                        cudaStream_t stream, Memory&& resource,
                        const CallOptions& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return scatter_max(memory, bytes, out, K, index, values, n, stream, options);
  });
}

template <typename T, typename I, typename V, typename Memory>
cudaError_t fetch_add(T* out, uint64_t K, const I* index, const V* values, T* old, uint64_t n,
                      cudaStream_t stream, Memory&& resource,
                      const CallOptions& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return fetch_add(memory, bytes, out, K, index, values, old, n, stream, options);
  });
}

}  // namespace atomtune
