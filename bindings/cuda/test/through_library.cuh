// The calls of the headers, made through libatomtune_cuda, in atomtune::through. With THROUGH_LIBRARY
// they take the place of the headers' own, so that the tests on a GPU hold the library to what they
// demand of the headers.
#pragma once

#if defined(THROUGH_LIBRARY) || defined(BENCH_LIBRARY)

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "../../clib/include/atomtune_update.h"
#include "../atomtune_plan.cuh"
#include "../atomtune_rows_update.cuh"

namespace atomtune {

namespace through {

inline cudaError_t status_of(int code) {
  switch (code) {
    case ATOMTUNE_OK: return cudaSuccess;
    case ATOMTUNE_ARGUMENT: return cudaErrorInvalidValue;
    case ATOMTUNE_UNSUPPORTED: return cudaErrorNotSupported;
    default: break;
  }
  char text[1024];
  atomtune_update_error(text, sizeof text);
  std::fprintf(stderr, "%s\n", text);
  return cudaErrorUnknown;
}

template <typename T>
constexpr int type_of() {
  if constexpr (std::is_same_v<T, __half>) return ATOMTUNE_F16;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return ATOMTUNE_BF16;
  constexpr bool real = std::is_floating_point_v<T>, has_sign = std::is_signed_v<T>;
  return (sizeof(T) == 4 ? ATOMTUNE_U32 : ATOMTUNE_U64) + (real ? 2 : has_sign ? 1 : 0);
}

template <typename I>
constexpr int index_of() {
  constexpr int first = sizeof(I) == 1   ? ATOMTUNE_INDEX_U8
                        : sizeof(I) == 2 ? ATOMTUNE_INDEX_U16
                        : sizeof(I) == 4 ? ATOMTUNE_INDEX_U32
                                         : ATOMTUNE_INDEX_U64;
  return first + (std::is_signed_v<I> ? 1 : 0);
}

// TextFile is a file of a test's own.
class TextFile {
 public:
  TextFile() {
    const int file = mkstemp(path_);
    if (file >= 0) close(file);
  }
  ~TextFile() { std::remove(path_); }
  const char* path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  char path_[32] = "/tmp/atomtune_through_XXXXXX";
};

// Loaded tree, as a file would give it.
class LoadedTree {
 public:
  explicit LoadedTree(const DispatchTree* tree) {
    if (tree == nullptr) return;
    const TextFile file;
    std::FILE* const out = std::fopen(file.path(), "w");
    std::fprintf(out, "tree %d.%d %d %u %u %s\n", tree->major, tree->minor, tree->sms,
                 tree->node_count, tree->action_count, tree->device);
    for (uint32_t k = 0; k < tree->node_count; ++k) {
      const TreeNode& node = tree->nodes[k];
      std::fprintf(out, "node %u %u %u\n", node.threshold, node.right, node.feature);
    }
    for (uint32_t k = 0; k < tree->action_count; ++k) {
      const Action& a = tree->actions[k];
      PlannedForm form;
      form.base = a.base, form.reduction = a.reduction;
      form.copies = a.copies, form.parameter = a.parameter;
      std::fprintf(out, "action %s\n", form_name(form).of);
    }
    std::fclose(out);
    status_ = status_of(atomtune_tree_load(file.path(), nullptr, &tree_));
  }
  ~LoadedTree() { atomtune_tree_free(tree_); }
  cudaError_t status() const { return status_; }
  const atomtune_tree* get() const { return tree_; }

 private:
  atomtune_tree* tree_ = nullptr;
  cudaError_t status_ = cudaSuccess;
};

// plain_of are the options of a call. is_fixed reports whether it is deterministic.
template <typename Options>
const Options& plain_of(const Options& options) {
  return options;
}
template <typename Options>
const Options& plain_of(const Deterministic<Options>& options) {
  return options.options;
}
template <typename Options>
inline constexpr bool is_fixed = false;
template <typename Options>
inline constexpr bool is_fixed<Deterministic<Options>> = true;

template <typename T, typename I, typename Options>
struct ::atomtune_update call_of(int op, T* out, uint64_t K, const I* index, uint64_t n,
                                 cudaStream_t stream, const Options& asked) {
  const CallOptions& options = plain_of(asked);
  struct ::atomtune_update call;
  ATOMTUNE_INIT(call);
  call.op = op, call.type = type_of<T>(), call.index_type = index_of<I>();
  call.out = out, call.bins = K, call.index = index, call.updates = n, call.stream = stream;
  call.clear = options.clear, call.deterministic = is_fixed<Options>;
  call.has_ignore = options.has_ignore, call.ignore = options.ignore;
  call.error = options.error, call.chosen = options.chosen;
  return call;
}

template <typename T, typename V>
void set_values(struct ::atomtune_update* call, const V* values) {
  call->values = values;
  if constexpr (!std::is_same_v<T, V>) call->values_type = type_of<V>();
}

// pooled makes a call. Without a workspace in it the library takes one from the device's pool.
inline cudaError_t pooled(struct ::atomtune_update call, const CallOptions& options) {
  const LoadedTree tree(options.tree);
  if (tree.status() != cudaSuccess) return tree.status();
  call.tree = tree.get();
  return status_of(::atomtune_update(&call));
}

// run makes a call of two phases.
inline cudaError_t run(struct ::atomtune_update call, void* workspace, size_t& bytes,
                       const CallOptions& options) {
  if (workspace == nullptr) {
    const LoadedTree tree(options.tree);
    if (tree.status() != cudaSuccess) return tree.status();
    call.tree = tree.get();
    return status_of(atomtune_update_workspace(&call, &bytes));
  }
  call.workspace = workspace;
  call.workspace_bytes = bytes;
  return pooled(call, options);
}

template <typename T, typename I, typename V, typename Options>
cudaError_t scatter(int op, void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                    const V* values, T* old, uint64_t n, cudaStream_t stream,
                    const Options& options) {
  auto call = call_of(op, out, K, index, n, stream, options);
  set_values<T>(&call, values);
  call.old = old;
  return run(call, workspace, bytes, plain_of(options));
}

template <typename T, typename I, typename V, typename Options = CallOptions>
cudaError_t scatter_add(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const V* values, uint64_t n, cudaStream_t stream = nullptr,
                        const Options& options = {}) {
  return scatter(ATOMTUNE_ADD, workspace, bytes, out, K, index, values, static_cast<T*>(nullptr), n,
                 stream, options);
}
template <typename T, typename I>
cudaError_t scatter_min(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const T* values, uint64_t n, cudaStream_t stream = nullptr,
                        const CallOptions& options = {}) {
  return scatter(ATOMTUNE_MIN, workspace, bytes, out, K, index, values, static_cast<T*>(nullptr), n,
                 stream, options);
}
template <typename T, typename I>
cudaError_t scatter_max(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const T* values, uint64_t n, cudaStream_t stream = nullptr,
                        const CallOptions& options = {}) {
  return scatter(ATOMTUNE_MAX, workspace, bytes, out, K, index, values, static_cast<T*>(nullptr), n,
                 stream, options);
}
template <typename T, typename I, typename Options = CallOptions>
cudaError_t histogram(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                      uint64_t n, cudaStream_t stream = nullptr, const Options& options = {}) {
  auto call = call_of(ATOMTUNE_ADD, out, K, index, n, stream, options);
  call.value = ATOMTUNE_ONE;
  return run(call, workspace, bytes, plain_of(options));
}
template <typename T, typename I, typename V>
cudaError_t fetch_add(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                      const V* values, T* old, uint64_t n, cudaStream_t stream = nullptr,
                      const CallOptions& options = {}) {
  return scatter(ATOMTUNE_ADD, workspace, bytes, out, K, index, values, old, n, stream, options);
}

// Where no workspace is given, the library takes it from the device's pool.
template <typename T, typename I, typename V, typename Options = CallOptions>
cudaError_t scatter_add(T* out, uint64_t K, const I* index, const V* values, uint64_t n,
                        cudaStream_t stream, StreamMemory, const Options& options = {}) {
  auto call = call_of(ATOMTUNE_ADD, out, K, index, n, stream, options);
  set_values<T>(&call, values);
  return pooled(call, plain_of(options));
}
template <typename T, typename I>
cudaError_t extreme(int op, T* out, uint64_t K, const I* index, const T* values, uint64_t n,
                    cudaStream_t stream, const CallOptions& options) {
  auto call = call_of(op, out, K, index, n, stream, options);
  call.values = values;
  return pooled(call, options);
}
template <typename T, typename I>
cudaError_t scatter_min(T* out, uint64_t K, const I* index, const T* values, uint64_t n,
                        cudaStream_t stream, StreamMemory, const CallOptions& options = {}) {
  return extreme(ATOMTUNE_MIN, out, K, index, values, n, stream, options);
}
template <typename T, typename I>
cudaError_t scatter_max(T* out, uint64_t K, const I* index, const T* values, uint64_t n,
                        cudaStream_t stream, StreamMemory, const CallOptions& options = {}) {
  return extreme(ATOMTUNE_MAX, out, K, index, values, n, stream, options);
}

template <typename T, typename I, typename V, typename Options>
cudaError_t rows(int op, void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                 const V* values, uint64_t n, uint32_t width, cudaStream_t stream,
                 const Options& asked) {
  if (width == 0) return cudaSuccess;  // which the library takes for single targets
  const RowOptions& options = plain_of(asked);
  auto call = call_of(op, out, K, index, n, stream, asked);
  set_values<T>(&call, values);
  call.width = width;
  call.row_form = int(options.form);
  call.row_slots = options.slots;
  call.row_wraps = options.wraps;
  return run(call, workspace, bytes, options);
}
template <typename T, typename I, typename V, typename Options = RowOptions>
cudaError_t scatter_add_rows(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                             const V* values, uint64_t n, uint32_t width,
                             cudaStream_t stream = nullptr, const Options& options = {}) {
  return rows(ATOMTUNE_ADD, workspace, bytes, out, K, index, values, n, width, stream, options);
}
template <typename T, typename I, typename V>
cudaError_t scatter_min_rows(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                             const V* values, uint64_t n, uint32_t width,
                             cudaStream_t stream = nullptr, const RowOptions& options = {}) {
  return rows(ATOMTUNE_MIN, workspace, bytes, out, K, index, values, n, width, stream, options);
}
template <typename T, typename I, typename V>
cudaError_t scatter_max_rows(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                             const V* values, uint64_t n, uint32_t width,
                             cudaStream_t stream = nullptr, const RowOptions& options = {}) {
  return rows(ATOMTUNE_MAX, workspace, bytes, out, K, index, values, n, width, stream, options);
}

// Plan is a plan of the library. What it keeps is read from the file to which it is saved.
template <typename T, typename I>
class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  ~Plan() { atomtune_plan_free(plan_); }

  cudaError_t inspect(uint64_t K, const I* index, uint64_t n, cudaStream_t stream = nullptr,
                      const CallOptions& options = {}) {
    return make(K, index, n, stream, options, 1);
  }
  cudaError_t tune(uint64_t K, const I* index, uint64_t n, cudaStream_t stream = nullptr,
                   const CallOptions& options = {}) {
    return make(K, index, n, stream, options, 1000);
  }
  cudaError_t run(T* out, const I* index, const T* values, cudaStream_t stream = nullptr,
                  const CallOptions& options = {}) {
    if (plan_ == nullptr) return cudaErrorNotReady;
    auto call = call_of(ATOMTUNE_ADD, out, K_, index, n_, stream, options);
    call.values = values;
    call.plan = plan_;
    return status_of(::atomtune_update(&call));
  }
  bool save(const std::string& path) const {
    return plan_ != nullptr && atomtune_plan_save(plan_, path.c_str()) == ATOMTUNE_OK;
  }
  std::string explain() const {
    std::string said(atomtune_plan_explain(plan_, nullptr, 0) + 1, 0);
    atomtune_plan_explain(plan_, &said[0], said.size());
    said.pop_back();
    return said;
  }
  std::string text() const {
    const TextFile file;
    std::remove(file.path());
    if (!save(file.path())) return "";
    const std::string all = file.text();
    return all.substr(all.find('\n') + 1);
  }
  PlanKey key() const {
    calling::Device device;
    calling::current_device(&device);
    PlanKey key = calling::key_of<false, T, I, Loaded<T>>(device, K_, n_);
    const std::string said = text();
    key.sample = std::strtoull(said.c_str() + said.find("sample=") + 7, nullptr, 16);
    return key;
  }
  PlannedForm form() const {
    const TextFile file;
    std::remove(file.path());
    PlannedForm form;
    if (save(file.path())) find_plan(file.path(), key(), false, &form);
    return form;
  }

 private:
  cudaError_t make(uint64_t K, const I* index, uint64_t n, cudaStream_t stream,
                   const CallOptions& options, uint64_t calls) {
    atomtune_plan_free(plan_);
    plan_ = nullptr;
    K_ = K, n_ = n;
    auto call = call_of(ATOMTUNE_ADD, static_cast<T*>(nullptr), K, index, n, stream, options);
    call.calls = calls;
    return status_of(atomtune_plan_make(&call, &plan_));
  }

  atomtune_plan* plan_ = nullptr;
  uint64_t K_ = 0, n_ = 0;
};

}  // namespace through

}  // namespace atomtune

#endif

#ifdef THROUGH_LIBRARY
#define scatter_add through::scatter_add
#define scatter_min through::scatter_min
#define scatter_max through::scatter_max
#define histogram through::histogram
#define fetch_add through::fetch_add
#define scatter_add_rows through::scatter_add_rows
#define scatter_min_rows through::scatter_min_rows
#define scatter_max_rows through::scatter_max_rows
#define Plan through::Plan

#endif
