// Look at a stream once, then add many times, as libraries for transforms and tensors do:
//
//   atomtune::Plan<float, int64_t> plan;              // targets, indices
//   plan.inspect(K, index, n, stream);                // waits for the stream
//   plan.run(out, index, values, stream);             // waits for nothing, as often as wanted
//   std::puts(plan.explain().c_str());
//
// inspect samples the indices and asks the tree of atomtune_dispatch.cuh: a function of the
// indices and the device. Its table of hot targets is of a larger sample, and stays. tune
// measures instead: it runs what may be fastest on these indices and keeps what was. Two
// tunings may differ, so save the plan and load it where the same choice is wanted. run is
// right for any indices of the planned number, and as fast as planned for those like the
// inspected ones.
//
// A plan holds device memory, and is used in one stream at a time. With ATOMTUNE_PLANS=FILE in
// the environment inspect takes a plan of that file that was made for the same sample.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "atomtune_dispatch.cuh"
#include "atomtune_hot_tags.cuh"
#include "atomtune_plan_save.cuh"

namespace atomtune {

namespace planning {

// Looked is the result of a sample: the features and the targets.
struct Looked {
  uint32_t features[feature_count];
  uint32_t targets[sampling::updates];
};

template <typename Index>
__global__ void __launch_bounds__(calling::threads)
    look_kernel(Looked* looked, Index index, size_t updates, unsigned bytes) {
  __shared__ uint32_t counter[sampling::counters], sums[feature_count];
  for (uint32_t f = threadIdx.x; f < known_features; f += blockDim.x) sums[f] = 0;
  StreamSample<calling::threads> sample;
  take_sample(sample, index, updates, bytes, counter, sums);
  sample.complete(index, updates, counter);
  if (threadIdx.x < feature_count) looked->features[threadIdx.x] = sums[threadIdx.x];
  for (unsigned k = 0; k < 2; ++k) {
    looked->targets[sample.place(k) * 32 + threadIdx.x % 32] = sample.target[k];
  }
}

template <typename Index>
__global__ void __launch_bounds__(1024)
    tags_kernel(uint32_t* tags, Index index, size_t updates, HotSample sample) {
  extern __shared__ uint4 tag_words[];
  sample_hot(tags, index, updates, sample, tag_words);
}

// wait_kernel keeps the device busy while the host enqueues what is timed.
template <typename = void>
__global__ void wait_kernel(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

// DeviceMemory owns device memory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceMemory() { cudaFree(data_); }

  // hold has at least so many bytes there, of any content.
  cudaError_t hold(size_t bytes) {
    if (bytes <= bytes_) return cudaSuccess;
    cudaFree(std::exchange(data_, nullptr));
    bytes_ = 0;
    const cudaError_t status = cudaMalloc(&data_, bytes);
    if (status == cudaSuccess) bytes_ = bytes;
    return status;
  }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// Event owns an event.
struct Event {
  cudaEvent_t event = nullptr;
  ~Event() {
    if (event != nullptr) cudaEventDestroy(event);
  }
};

#define ATOMTUNE_TRY(call)                           \
  do {                                               \
    const cudaError_t tried = (call);                \
    if (tried != cudaSuccess) return tried;          \
  } while (false)

inline const char* known_plans() {
  const char* const path = std::getenv("ATOMTUNE_PLANS");
  return path != nullptr ? path : "";
}

}  // namespace planning

// Plan is a choice for calls on n updates of K targets. T is the type of the targets, I of the
// indices; V is T where values are loaded, One where ones are added.
template <typename T, typename I, typename V = T>
class Plan {
  using Sum = calling::Wrapping<T>;
  using Index = IndexOf<I>;
  using Values = std::conditional_t<is_one<V>, Ones, Loaded<Sum>>;
  using Followers = calling::Followers<Sum, Index, Values>;

 public:
  // inspect chooses for a stream, from a plan of the file of ATOMTUNE_PLANS or by the tree. It
  // waits for the stream.
  cudaError_t inspect(uint64_t K, const I* index, uint64_t n, cudaStream_t stream = nullptr,
                      const CallOptions& options = {}) {
    ATOMTUNE_TRY(look(K, index, n, stream, options));
    PlannedForm found;
    if (find_plan(planning::known_plans(), key_, false, &found)) {
      return adopt(found, index, stream, "a saved plan");
    }
    const DispatchTree& tree = *device_.tree;
    uint32_t at = 0, steps = 0;
    while (tree.nodes[at].feature != CutTree::leaf) {
      const TreeNode& node = tree.nodes[at];
      at = looked_.features[node.feature] < node.threshold ? at + 1 : node.right;
      ++steps;
    }
    const Action& action = tree.actions[tree.nodes[at].right];
    PlannedForm form;
    form.base = action.base;
    form.reduction = action.reduction;
    form.copies = std::max<uint32_t>(action.copies, 1);
    form.parameter = action.parameter;
    form.blocks = unsigned(device_.sms);
    form.threads = calling::threads;
    return adopt(form, index, stream,
                 "the tree of " + std::string(tree.device) + ", " + std::to_string(steps) +
                     " comparisons");
  }

  // tune chooses by measuring: it runs forms and launches on the inspected indices, with
  // values and targets of its own, and takes the fastest. It waits for the stream.
  cudaError_t tune(uint64_t K, const I* index, uint64_t n, cudaStream_t stream = nullptr,
                   const CallOptions& options = {}) {
    ATOMTUNE_TRY(inspect(K, index, n, stream, options));
    if (n == 0) return cudaSuccess;
    planning::DeviceMemory out, values;
    ATOMTUNE_TRY(out.hold(std::max<uint64_t>(K, 1) * sizeof(T)));
    ATOMTUNE_TRY(cudaMemsetAsync(out.as<void>(), 0, K * sizeof(T), stream));
    if constexpr (!is_one<V>) {
      ATOMTUNE_TRY(values.hold(n * sizeof(T)));
      // Any values but zeros, which change no target and so never meet another's change.
      ATOMTUNE_TRY(cudaMemsetAsync(values.as<void>(), 0x3f, n * sizeof(T), stream));
    }
    const PlannedForm chosen = form_;
    PlannedForm best = chosen;
    double least = 0;
    ATOMTUNE_TRY(time(chosen, out.as<T>(), index, values.as<T>(), stream, 0, &least));
    const auto attempt = [&](const PlannedForm& form) {
      double us = 0;
      const cudaError_t status =
          time(form, out.as<T>(), index, values.as<T>(), stream, 1.3 * least, &us);
      if (status == cudaSuccess && us > 0 && us < least) least = us, best = form;
      return status == cudaErrorInvalidValue ? cudaSuccess : status;
    };
    for (const PlannedForm& form : candidates()) ATOMTUNE_TRY(attempt(form));
    for (const PlannedForm& form : launches(best)) ATOMTUNE_TRY(attempt(form));
    for (const PlannedForm& form : neighbours(best)) ATOMTUNE_TRY(attempt(form));
    return adopt(best, index, stream, "measured: " + std::to_string(least) + " us");
  }

  // run adds: out[index[u]] += values[u], of which there are as many as inspected. values is
  // One{} where ones are added. It returns cudaErrorNotReady before inspect.
  template <typename P>
  cudaError_t run(T* out, const I* index, P values, cudaStream_t stream = nullptr,
                  const CallOptions& options = {}) {
    if (!ready_) return cudaErrorNotReady;
    if (!calling::aligned(out) ||
        (n_ > 0 && (!calling::aligned(index) || !calling::readable(loaded(values))))) {
      return cudaErrorInvalidValue;
    }
    if (options.clear && bins_ > 0) {
      ATOMTUNE_TRY(cudaMemsetAsync(out, 0, size_t(bins_) * sizeof(T), stream));
    }
    if (n_ == 0) return cudaSuccess;
    return launch(form_, calling::wrapping(out), index, loaded(values), stream, options);
  }

  const PlannedForm& form() const { return form_; }
  const PlanKey& key() const { return key_; }

  // text is the plan's line; save adds it to a file.
  std::string text() const { return plan_text(key_, form_).of; }
  bool save(const std::string& path) const { return ready_ && save_plan(path, key_, form_); }

  // explain says what was chosen, from what, and what the sample told.
  std::string explain() const {
    if (!ready_) return "nothing was inspected";
    std::string said = std::string(form_name(form_).of) + " in " +
                       std::to_string(form_.blocks) + "x" + std::to_string(form_.threads) + "x" +
                       std::to_string(in_flight(form_.base)) + " on " + key_.device + ", by " +
                       by_ + ". Of 32 warps:";
    static const char* const names[] = {"distinct", "highest",  "runs", "sectors", "full",
                                        "pairs",    "repeated", "used", "top"};
    for (unsigned f = known_features; f < feature_count; ++f) {
      said += std::string(" ") + names[f - known_features] + "=" +
              std::to_string(looked_.features[f]);
    }
    return said;
  }

 private:
  static Values loaded(One) { return Values{}; }
  static Values loaded(const T* values) {
    Values v{};
    if constexpr (!is_one<V>) v.values = calling::wrapping(values);
    return v;
  }

  Index checked(const I* index, const CallOptions& options) const {
    CallOptions planned;
    planned.error = options.error;
    planned.has_ignore = has_ignore_;
    planned.ignore = ignore_;
    return Index::of(
        calling::checked(index, bins_, words_.template as<calling::Words>(), planned));
  }

  cudaError_t look(uint64_t K, const I* index, uint64_t n, cudaStream_t stream,
                   const CallOptions& options) {
    ready_ = false;
    if (K >= no_target || (n > 0 && !calling::aligned(index))) return cudaErrorInvalidValue;
    ATOMTUNE_TRY(calling::current_device(&device_));
    if (options.tree != nullptr) device_.tree = options.tree;
    ATOMTUNE_TRY(words_.hold(sizeof(calling::Words)));
    bins_ = uint32_t(K), n_ = n;
    has_ignore_ = options.has_ignore, ignore_ = options.ignore;
    std::memset(&looked_, 0, sizeof looked_);
    if (n > 0) {
      planning::DeviceMemory memory;
      ATOMTUNE_TRY(memory.hold(sizeof looked_));
      planning::look_kernel<<<1, calling::threads, 0, stream>>>(
          memory.as<planning::Looked>(), checked(index, options), n, unsigned(sizeof(T)));
      ATOMTUNE_TRY(cudaGetLastError());
      ATOMTUNE_TRY(cudaMemcpyAsync(&looked_, memory.as<void>(), sizeof looked_,
                                   cudaMemcpyDeviceToHost, stream));
      ATOMTUNE_TRY(cudaStreamSynchronize(stream));
    }
    looked_.features[feature_updates] = n < no_target ? uint32_t(n) : no_target;
    looked_.features[feature_bins] = bins_;
    looked_.features[feature_type] = calling::type_feature<T>();
    looked_.features[feature_one] = is_one<V> ? 1 : 0;
    looked_.features[feature_returns] = 0;
    key_ = calling::key_of<false, T, I, Values>(device_, K, n);
    key_.sample = sample_hash(looked_.targets, n);
    return cudaSuccess;
  }

  // tree_of is the cut tree of one form.
  CutTree tree_of(const PlannedForm& form) const {
    CutTree tree{};
    calling::one_form(form, &tree);
    return tree;
  }

  // prepare finds what a form needs beside its kernel: tags, or the memory of a partition.
  cudaError_t prepare(const PlannedForm& form, const I* index, cudaStream_t stream) {
    if (form.base == Base::hot) {
      if (!has_slots(form)) return cudaErrorInvalidValue;
      const HotSample sample{form.parameter, form.parameter > 4096 ? 1u << 17 : 1u << 15};
      ATOMTUNE_TRY(tags_.hold(sizeof(uint32_t) * form.parameter));
      const unsigned blocks = sample.blocks();
      const auto kernel = planning::tags_kernel<Index>;
      ATOMTUNE_TRY(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        int(sample.bytes(blocks))));
      kernel<<<blocks, 1024, sample.bytes(blocks), stream>>>(
          tags_.template as<uint32_t>(), checked(index, {}), n_, sample);
      return cudaGetLastError();
    }
    if (form.base != Base::partition) return cudaSuccess;
    CutTree tree = tree_of(form);
    followers_ = Followers();
    ATOMTUNE_TRY(followers_.prepare(&tree, bins_, n_));
    if (tree.actions[0].base != Base::partition) return cudaErrorInvalidValue;
    return words_.hold(sizeof(calling::Words) + followers_.bytes());
  }

  cudaError_t adopt(const PlannedForm& form, const I* index, cudaStream_t stream,
                    const std::string& by) {
    form_ = form;
    if (form_.blocks == 0) {
      form_.blocks = unsigned(device_.sms);
      form_.threads = calling::threads;
    }
    by_ = by;
    if (n_ > 0) {
      cudaError_t status = prepare(form_, index, stream);
      if (status == cudaErrorInvalidValue) {  // what does not fit here is added directly
        form_ = PlannedForm{};
        form_.blocks = unsigned(device_.sms), form_.threads = calling::threads;
        status = cudaSuccess;
      }
      if (status != cudaSuccess) return status;
      ATOMTUNE_TRY(cudaStreamSynchronize(stream));
    }
    ready_ = true;
    return cudaSuccess;
  }

  cudaError_t launch(const PlannedForm& form, Sum* out, const I* index, Values values,
                     cudaStream_t stream, const CallOptions& options) {
    const Index indices = checked(index, options);
    if (form.base == Base::partition) {
      return followers_.run(words_.template as<calling::Words>() + 1, out, indices, values,
                            nullptr, stream);
    }
    const unsigned per_sm = std::max(1u, form.blocks / unsigned(std::max(device_.sms, 1)));
    return calling::launch<false, true>(
        device_, tree_of(form),
        Call<Sum, Index, Values>{out, nullptr, indices, values, n_, bins_, 0, nullptr,
                                 form.base == Base::hot ? tags_.template as<uint32_t>() : nullptr},
        stream, calling::Grid{per_sm, form.threads});
  }

  // time is the least time of some calls in a form, or of one where that takes longer than
  // bound, if there is a bound.
  cudaError_t time(const PlannedForm& form, T* out, const I* index, const T* values,
                   cudaStream_t stream, double bound, double* us) {
    ATOMTUNE_TRY(prepare(form, index, stream));
    planning::Event start, stop;
    ATOMTUNE_TRY(cudaEventCreate(&start.event));
    ATOMTUNE_TRY(cudaEventCreate(&stop.event));
    cudaError_t status = cudaSuccess;
    for (int k = 0; k < 7 && status == cudaSuccess; ++k) {
      float ms = 0;
      planning::wait_kernel<><<<1, 1, 0, stream>>>(40000);
      status = cudaEventRecord(start.event, stream);
      if (status == cudaSuccess) {
        status = launch(form, calling::wrapping(out), index, loaded(values), stream, {});
      }
      if (status == cudaSuccess) status = cudaEventRecord(stop.event, stream);
      if (status == cudaSuccess) status = cudaEventSynchronize(stop.event);
      if (status == cudaSuccess) status = cudaEventElapsedTime(&ms, start.event, stop.event);
      const double now = 1e3 * double(ms);
      if (k > 0) *us = k == 1 ? now : std::min(*us, now);  // the first one warms up
      if (k == 1 && bound > 0 && now > 2 * bound + 20) break;
    }
    return status;
  }

  PlannedForm form_of(Base base, Reduction reduction, uint32_t copies,
                      uint32_t parameter) const {
    PlannedForm form;
    form.base = base, form.reduction = reduction;
    form.copies = copies, form.parameter = parameter;
    form.blocks = unsigned(device_.sms), form.threads = calling::threads;
    return form;
  }

  // fits reports whether a block has the memory that a form wants, with so many threads.
  bool fits(const PlannedForm& form) const {
    const CutTree tree = tree_of(form);
    const size_t room = device_.block_bytes / std::max(1u, form.blocks / device_.sms);
    return calling::form_bytes<T>(tree.actions[0], bins_, form.threads, ~size_t(0)) + 1024 <=
           room;
  }

  // candidates are forms in the launch of one block an SM.
  std::vector<PlannedForm> candidates() const {
    std::vector<PlannedForm> list;
    const auto add = [&](const PlannedForm& form) {
      if (fits(form)) list.push_back(form);
    };
    for (Reduction r : {Reduction::none, Reduction::sr, Reduction::match}) {
      add(form_of(Base::global, r, 1, 0));
      add(form_of(Base::copies, r, 1, 0));
      for (uint32_t slots : {64u, 256u, 1024u, 4096u, 8192u}) {
        add(form_of(Base::hot, r, 1, slots));
      }
    }
    for (uint32_t copies : {2u, 4u, 8u, 16u, 32u}) {
      add(form_of(Base::copies, Reduction::none, copies, 0));
      for (uint32_t slots : {64u, 256u, 1024u, 4096u, 8192u}) {
        add(form_of(Base::hot, Reduction::none, copies, slots));
      }
    }
    for (uint32_t ranges : {2u, 3u, 4u, 6u, 8u, 16u}) {
      add(form_of(Base::ranges, Reduction::none, 1, ranges));
    }
    add(form_of(Base::threadprivate, Reduction::none, 1, 0));
    for (uint32_t width : {4096u, 8192u, 16384u, 32768u}) {
      if (bins_ > 2 * width && n_ >= (1u << 20)) {
        list.push_back(form_of(Base::partition, Reduction::none, 1, width));
      }
    }
    return list;
  }

  // launches are a form in other launches.
  std::vector<PlannedForm> launches(const PlannedForm& best) const {
    std::vector<PlannedForm> list;
    if (best.base == Base::partition) return list;
    for (unsigned threads : {1024u, 512u, 256u}) {
      for (unsigned per_sm : {1u, 2u, 4u}) {
        PlannedForm form = best;
        form.threads = threads, form.blocks = per_sm * unsigned(device_.sms);
        if (threads * per_sm <= 1024 && fits(form) && !(form == best)) list.push_back(form);
      }
    }
    return list;
  }

  // neighbours are a form with more and fewer copies, in its launch.
  std::vector<PlannedForm> neighbours(const PlannedForm& best) const {
    std::vector<PlannedForm> list;
    if (best.base == Base::partition || best.base == Base::threadprivate) return list;
    for (uint32_t copies : {best.copies * 2, best.copies / 2}) {
      PlannedForm form = best;
      form.copies = copies;
      if (copies > 0 && best.base != Base::global && fits(form)) list.push_back(form);
    }
    return list;
  }

  calling::Device device_;
  planning::DeviceMemory words_, tags_;
  planning::Looked looked_;
  Followers followers_;
  PlanKey key_;
  PlannedForm form_;
  std::string by_;
  uint64_t n_ = 0;
  uint32_t bins_ = 0;
  int64_t ignore_ = 0;
  bool has_ignore_ = false, ready_ = false;
};

}  // namespace atomtune
