#include "library.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <future>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace atomtune_torch {
namespace {

struct Library {
  decltype(&atomtune_update) update;
  decltype(&atomtune_update_workspace) workspace;
  decltype(&atomtune_update_error) error;
  decltype(&atomtune_plan_make) plan;
  decltype(&atomtune_plan_free) free_plan;
} library;

// symbol is a function of a shared library, which is opened where it is not yet.
template <typename Function>
Function* symbol(const char* path, const char* name) {
  void* const handle = dlopen(path, RTLD_NOW);
  void* const found = handle == nullptr ? nullptr : dlsym(handle, name);
  TORCH_CHECK(found != nullptr, "atomtune: ", dlerror());
  return reinterpret_cast<Function*>(found);
}

void check(int status) {
  if (status >= 0) return;
  char text[1024];
  library.error(text, sizeof text);
  TORCH_CHECK(false, "atomtune: ", text);
}

// current_stream is PyTorch's, of the device. The tests run on the CPU, which has none.
void* current_stream(c10::Device device) {
  if (device.is_cpu()) return nullptr;
  static const auto get =
      symbol<int32_t(int32_t, void**)>("libtorch_cuda.so", "aoti_torch_get_current_cuda_stream");
  void* stream = nullptr;
  TORCH_CHECK(get(device.index(), &stream) == 0, "atomtune: no current stream on ", device);
  return stream;
}

// For each device a word that becomes 1 where an index is out of range. They outlive the process's
// end, where CUDA may be gone before.
std::mutex making_words;
auto& words = *new std::array<Tensor, 256>;

int64_t number(c10::Device device) { return std::max<int64_t>(device.index(), 0); }

// word is the device's. NULL while a graph is captured, until a call outside has made it.
uint32_t* word(c10::Device device) {
  const std::lock_guard<std::mutex> lock(making_words);
  Tensor& own = words[number(device)];
  if (!own.defined()) {
    if (capturing(device)) return nullptr;
    // In a thread of its own: this one's inference mode and its pool for graphs end before the word does.
    own = std::async(std::launch::async, [device] {
            const Tensor made = at::zeros({1}, at::device(device).dtype(at::kInt));
            c10::impl::VirtualGuardImpl(device.type()).getStream(device).synchronize();
            return made;
          }).get();
  }
  return static_cast<uint32_t*>(own.data_ptr());
}

// numbers_of is the same for calls that differ only in their addresses.
std::string numbers_of(struct atomtune_update call, c10::Device device) {
  call.out = nullptr, call.index = call.values = call.stream = nullptr;
  call.row_slots = device.index();  // is 0 in all calls
  return {reinterpret_cast<const char*>(&call), sizeof call};
}

// workspace_bytes asks the library once for calls of the same numbers.
size_t workspace_bytes(struct atomtune_update call, c10::Device device) {
  thread_local std::unordered_map<std::string, size_t> known;
  const std::string numbers = numbers_of(call, device);
  const auto found = known.find(numbers);
  if (found != known.end()) return found->second;
  size_t bytes = 0;
  check(library.workspace(&call, &bytes));
  if (known.size() >= 1 << 12) known.clear();  // the sizes change from call to call
  return known[numbers] = bytes;
}

}  // namespace

c10::DispatchKey dispatch_key = c10::DispatchKey::CUDA;
std::atomic<int64_t> calls{0};

void load(const std::string& path) {
  library = {symbol<decltype(atomtune_update)>(path.c_str(), "atomtune_update"),
             symbol<decltype(atomtune_update_workspace)>(path.c_str(), "atomtune_update_workspace"),
             symbol<decltype(atomtune_update_error)>(path.c_str(), "atomtune_update_error"),
             symbol<decltype(atomtune_plan_make)>(path.c_str(), "atomtune_plan_make"),
             symbol<decltype(atomtune_plan_free)>(path.c_str(), "atomtune_plan_free")};
}

thread_local Plan* Plan::in_use = nullptr;

Plan::~Plan() {
  if (plan_ != nullptr) library.free_plan(plan_);
}

bool Plan::serves(struct atomtune_update* call, c10::Device device) {
  measured = false;
  if (call->width > 0 || call->op != ATOMTUNE_ADD || call->deterministic || call->values_type != 0 ||
      capturing(device)) {
    return false;
  }
  std::string numbers = numbers_of(*call, device);
  const bool again = numbers == numbers_;
  numbers_ = std::move(numbers);
  if (!again) stale = true;
  if (!again || (plan_ != nullptr && !stale && call->stream != stream_)) return false;
  if (plan_ == nullptr || stale) {
    library.free_plan(std::exchange(plan_, nullptr));
    call->calls = 1000;  // enough to measure
    check(library.plan(call, &plan_));
    stream_ = call->stream;
    measured = true, stale = false;
  }
  call->plan = plan_;
  return true;
}

void run(const Call& given) {
  const Tensor& out = given.out;
  const int64_t updates = given.index.numel(), elements = out.numel();
  if (updates == 0 || elements == 0) {
    if (given.clear) out.zero_();
    return;
  }
  struct atomtune_update call;
  ATOMTUNE_INIT(call);
  const at::ScalarType type = out.scalar_type();
  Tensor values = given.values;
  if (!values.defined()) {
    call.value = ATOMTUNE_ONE;
  } else if (values.scalar_type() != type) {
    if (given.op == ATOMTUNE_ADD && type == at::kFloat && is_half(values)) {
      call.values_type = type_of(values);
    } else {
      values = values.to(type);
    }
  }
  call.op = given.op;
  call.type = type_of(out);
  TORCH_CHECK(call.type >= 0 && is_index(given.index), "atomtune: no calls of targets of ",
              type, " by indices of ", given.index.scalar_type());
  call.index_type = given.index.scalar_type() == at::kInt ? ATOMTUNE_INDEX_I32 : ATOMTUNE_INDEX_I64;
  call.out = out.mutable_data_ptr();
  call.index = given.index.const_data_ptr();
  call.values = values.defined() ? values.const_data_ptr() : nullptr;
  call.bins = given.bins;
  call.updates = updates;
  call.width = elements / given.bins;
  if (call.width == 1 && !is_half(out)) call.width = 0;  // single values
  call.has_ignore = given.ignore.has_value();
  call.ignore = given.ignore.value_or(0);
  call.clear = given.clear;
  call.deterministic = given.deterministic;
  call.row_wraps = given.row_wraps;
  const c10::Device device = out.device();
  const c10::DeviceGuard guard(device);
  call.stream = current_stream(device);
  call.error = word(device);
  if (Plan::in_use != nullptr && Plan::in_use->serves(&call, device)) {
    check(library.update(&call));
    ++calls;
    return;
  }
  call.workspace_bytes = workspace_bytes(call, device);
  const Tensor workspace =
      at::empty({std::max<int64_t>(call.workspace_bytes, 1)}, at::device(device).dtype(at::kByte));
  call.workspace = workspace.data_ptr();
  check(library.update(&call));
  ++calls;
}

bool out_of_range(int64_t device) {
  Tensor own;
  {
    const std::lock_guard<std::mutex> lock(making_words);
    own = words.at(device);
  }
  if (!own.defined()) return false;
  const bool met = own.item<int32_t>() != 0;
  own.zero_();
  return met;
}

int type_of(const Tensor& t) {
  switch (t.scalar_type()) {
    case at::kInt: return ATOMTUNE_I32;
    case at::kLong: return ATOMTUNE_I64;
    case at::kFloat: return ATOMTUNE_F32;
    case at::kDouble: return ATOMTUNE_F64;
    case at::kHalf: return ATOMTUNE_F16;
    case at::kBFloat16: return ATOMTUNE_BF16;
    default: return -1;
  }
}

bool capturing(c10::Device device) {
  if (device.is_cpu()) return false;
  static const auto is_capturing = symbol<int(void*, int*)>("libcuda.so.1", "cuStreamIsCapturing");
  int status = 0;
  TORCH_CHECK(is_capturing(current_stream(device), &status) == 0, "atomtune: cuStreamIsCapturing failed");
  return status != 0;
}

bool is_half(const Tensor& t) { return t.scalar_type() == at::kHalf || t.scalar_type() == at::kBFloat16; }

bool is_index(const Tensor& t) { return t.scalar_type() == at::kInt || t.scalar_type() == at::kLong; }

bool apart(const Tensor& out, std::initializer_list<const Tensor*> others) {
  const auto ends = [](const Tensor& t, const void* data) -> std::pair<const char*, const char*> {
    const auto first = static_cast<const char*>(data);
    if (t.is_contiguous()) return {first, first + t.nbytes()};
    if (t.numel() == 0) return {nullptr, nullptr};
    int64_t elements = 1;
    for (int64_t d = 0; d < t.dim(); ++d) elements += (t.size(d) - 1) * t.stride(d);
    return {first, first + elements * t.element_size()};
  };
  const auto [first, end] = ends(out, out.mutable_data_ptr());
  for (const Tensor* other : others) {
    const auto [its_first, its_end] = ends(*other, other->const_data_ptr());
    if (first < its_end && its_first < end) return false;
  }
  return true;
}

}  // namespace atomtune_torch
