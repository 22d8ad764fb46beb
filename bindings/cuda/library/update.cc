// The functions of atomtune_update.h.
#pragma GCC visibility push(default)
#include "atomtune_update.h"
#pragma GCC visibility pop

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "call.h"
#include "driver.h"
#include "tree.h"

namespace atomtune {

namespace library {

namespace {

constexpr int ops = ATOMTUNE_MAX + 1, types = ATOMTUNE_F16 + 1, givens = 4, kinds = 5;

// A table by numbers, which is zero before any source enters.
Instance table[ops][types][givens][kinds];

Instance& place(const Wanted& w) {
  return table[w.op][w.type][int(w.given)][int(w.kind)];
}

thread_local std::string last_error;

// has tells whether one of some architectures, such as "75 80 90", is as a test wants it.
template <typename Test>
bool has(const char* architectures, Test test) {
  for (char* end = nullptr; ; architectures = end) {
    const long each = std::strtol(architectures, &end, 10);
    if (end == architectures) return false;
    if (test(each)) return true;
  }
}

// code_for says what code there is for a device: machine code of its major compute capability and
// no later minor one, else PTX of an earlier one.
const char* code_for(int major, int minor) {
  const auto runs = [=](long each) { return each / 10 == major && each % 10 <= minor; };
  const auto compiles = [=](long each) { return each <= 10 * major + minor; };
  return has(ATOMTUNE_MACHINE_CODE, runs) ? "machine code"
         : has(ATOMTUNE_PTX, compiles)    ? "which the driver compiles at the first call of a kind"
                                          : "for which there is no code";
}

// failed keeps the text of an error and returns its code.
__attribute__((format(printf, 2, 3))) int failed(int code, const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  last_error = text;
  return code;
}

// guarded lets no exception reach a caller in C: memory of the host may run out.
template <typename Body>
int guarded(Body body) {
  try {
    return body();
  } catch (const std::exception& e) {
    return failed(ATOMTUNE_INTERNAL, "%s", e.what());
  }
}

// written copies a text as far as it fits.
size_t written(const std::string& said, char* text, size_t size) {
  if (text != nullptr && size > 0) {
    const size_t fits = std::min(said.size(), size - 1);
    std::memcpy(text, said.data(), fits);
    text[fits] = 0;
  }
  return said.size();
}

// known copies what the caller knows of a call: fields that come behind are zero.
int known(const Update* given, Update* call) {
  if (given == nullptr) return failed(ATOMTUNE_ARGUMENT, "the call is NULL");
  const size_t size = given->struct_size;
  // Of the first version of the header; what no ATOMTUNE_INIT has set is mostly beyond the most.
  constexpr size_t least = offsetof(Update, calls) + sizeof call->calls, most = 1 << 16;
  if (size < least || size > most) {
    return failed(ATOMTUNE_ARGUMENT, "struct_size %zu: want %zu to %zu, by ATOMTUNE_INIT", size,
                  least, most);
  }
  std::memset(call, 0, sizeof *call);
  std::memcpy(call, given, std::min(size, sizeof *call));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t at = sizeof *call; at < size; ++at) {
    if (bytes[at] != 0) {
      return failed(ATOMTUNE_ARGUMENT, "the call has a field that this library does not know");
    }
  }
  return ATOMTUNE_OK;
}

struct Field {
  const char* name;
  int value, most;
};

bool is_real(int type) {
  return type == ATOMTUNE_F32 || type == ATOMTUNE_F64 || type == ATOMTUNE_BF16 ||
         type == ATOMTUNE_F16;
}
bool is_short(int type) { return type == ATOMTUNE_BF16 || type == ATOMTUNE_F16; }

// wanted checks what the numbers of a call stand for, and says which instance it takes. Targets of
// 16 bits are rows of one element.
int wanted(Update* call, Wanted* w) {
  const Field fields[] = {{"type", call->type, ATOMTUNE_F16},
                          {"op", call->op, ATOMTUNE_MAX},
                          {"value", call->value, ATOMTUNE_ONE},
                          {"values_type", call->values_type, ATOMTUNE_F16},
                          {"index_type", call->index_type, ATOMTUNE_INDEX_I16},
                          {"row_form", call->row_form, ATOMTUNE_ROW_NAIVE},
                          {"row_wraps", call->row_wraps, 1},
                          {"clear", call->clear, 1},
                          {"deterministic", call->deterministic, 1},
                          {"has_ignore", call->has_ignore, 1}};
  for (const Field& field : fields) {
    if (field.value < 0 || field.value > field.most) {
      return failed(ATOMTUNE_ARGUMENT, "%s %d: want 0 to %d", field.name, field.value, field.most);
    }
  }
  if (call->op != ATOMTUNE_ADD && call->op != ATOMTUNE_MIN && call->op != ATOMTUNE_MAX) {
    return failed(ATOMTUNE_UNSUPPORTED, "op %d: want ATOMTUNE_ADD, ATOMTUNE_MIN or ATOMTUNE_MAX",
                  call->op);
  }
  const bool adds = call->op == ATOMTUNE_ADD, ones = call->value == ATOMTUNE_ONE;
  const bool converts = call->values_type != 0 && call->values_type != call->type;
  if (is_short(call->type) && call->width == 0) call->width = 1;
  const bool rows = call->width > 0;
  if (call->bins >= 0xffffffffu) {
    return failed(ATOMTUNE_ARGUMENT, "bins %llu: want fewer than 2^32 - 1",
                  static_cast<unsigned long long>(call->bins));
  }
  if (call->width > 0xffffffffu) {
    return failed(ATOMTUNE_ARGUMENT, "width %llu: want fewer than 2^32",
                  static_cast<unsigned long long>(call->width));
  }
  if (converts && !(call->type == ATOMTUNE_F32 && is_short(call->values_type))) {
    return failed(ATOMTUNE_UNSUPPORTED,
                  "values_type %d for type %d: want that of the targets, or values of 16 bits for "
                  "ATOMTUNE_F32", call->values_type, call->type);
  }
  const uint64_t most = uint64_t(1) << 57, elements = std::max<uint64_t>(call->width, 1);
  if (call->bins > most / elements || call->updates > most / elements) {
    return failed(ATOMTUNE_ARGUMENT, "bins %llu, updates %llu, width %llu: no memory holds so many",
                  static_cast<unsigned long long>(call->bins),
                  static_cast<unsigned long long>(call->updates),
                  static_cast<unsigned long long>(call->width));
  }
  if (ones && (!adds || rows || converts)) {
    return failed(ATOMTUNE_UNSUPPORTED, "ATOMTUNE_ONE is for ATOMTUNE_ADD to single targets");
  }
  if (converts && !adds) {
    return failed(ATOMTUNE_UNSUPPORTED, "values of 16 bits are added to ATOMTUNE_F32");
  }
  if (call->row_wraps != 0 && !rows) {
    return failed(ATOMTUNE_UNSUPPORTED, "row_wraps is for rows");
  }
  if (call->clear != 0 && !adds) {
    return failed(ATOMTUNE_ARGUMENT, "clear is for ATOMTUNE_ADD");
  }
  if (call->old != nullptr && (!adds || rows || ones || call->deterministic != 0)) {
    return failed(ATOMTUNE_UNSUPPORTED,
                  "old values are those of ATOMTUNE_ADD of loaded values to single targets, not deterministic");
  }
  const bool fixed = adds && call->deterministic != 0 && is_real(call->type);
  if (fixed && is_short(call->type)) {
    return failed(ATOMTUNE_UNSUPPORTED, "sums of 16 bits are not deterministic");
  }
  w->op = call->op;
  w->type = call->type;
  if (adds && call->type == ATOMTUNE_I32) w->type = ATOMTUNE_U32;  // the same sums
  if (adds && call->type == ATOMTUNE_I64) w->type = ATOMTUNE_U64;
  w->given = ones       ? Given::ones
             : !converts ? Given::own
             : call->values_type == ATOMTUNE_F16 ? Given::f16
                                                 : Given::bf16;
  w->kind = call->old != nullptr ? Kind::old
            : rows               ? (fixed ? Kind::rows_fixed : Kind::rows)
            : fixed              ? Kind::fixed
                                 : Kind::plain;
  return ATOMTUNE_OK;
}

// there tells whether memory that is read or written is named.
int there(const Update& call) {
  if (call.updates > 0 && call.index == nullptr) return failed(ATOMTUNE_ARGUMENT, "index is NULL");
  if (call.updates > 0 && call.values == nullptr && call.value == ATOMTUNE_LOADED) {
    return failed(ATOMTUNE_ARGUMENT, "values is NULL");
  }
  if (call.bins > 0 && call.out == nullptr) return failed(ATOMTUNE_ARGUMENT, "out is NULL");
  return ATOMTUNE_OK;
}

// said is the code for what CUDA says.
int said(cudaError_t status) {
  if (status == cudaSuccess) return ATOMTUNE_OK;
  const auto code = static_cast<CUresult>(status);
  const bool found = refused != code;  // by the headers
  if (found && status == cudaErrorInvalidValue) {
    return failed(ATOMTUNE_ARGUMENT,
                  "an address is not aligned to its elements (the workspace: to 16 bytes), the "
                  "workspace is too small, row_slots is not a power of two from 2 to 1,024, 2^32 updates "
                  "or more are to be sorted, or the tree is too large");
  }
  if (found && status == cudaErrorNotSupported) {
    return failed(ATOMTUNE_UNSUPPORTED, "there is no such call");
  }
  const char *name = nullptr, *text = nullptr;
  if (driver()->cuGetErrorName(code, &name) != CUDA_SUCCESS) name = "unknown error";
  if (driver()->cuGetErrorString(code, &text) != CUDA_SUCCESS) text = "";
  return failed(ATOMTUNE_DRIVER, "the driver says %s (%d): %s", name, int(status), text);
}

// Asked is a call that was checked.
struct Asked {
  Update call;
  Wanted wanted;
  const Instance* instance;
  const DispatchTree* tree;
};

// asked checks a call and has a context current.
int asked(const Update* given, Asked* a) {
  int code = known(given, &a->call);
  if (code == ATOMTUNE_OK) code = wanted(&a->call, &a->wanted);
  if (code != ATOMTUNE_OK) return code;
  a->instance = find(a->wanted);
  if (a->instance == nullptr) {
    return failed(ATOMTUNE_UNSUPPORTED, "this library was built without calls of op %d, type %d",
                  a->call.op, a->call.type);
  }
  if (driver() == nullptr) return failed(ATOMTUNE_NO_DRIVER, "%s", why_no_driver());
  if (!named_trees().why.empty()) return failed(ATOMTUNE_FILE, "%s", named_trees().why.c_str());
  a->tree = a->call.tree != nullptr ? &a->call.tree->owned->tree : nullptr;
  cudaGetLastError();  // of an earlier call
  refused = in_context(a->call.out != nullptr ? a->call.out : a->call.index);
  return said(static_cast<cudaError_t>(refused));
}

// with_workspace makes a call with memory of the caller, or of the device's pool.
cudaError_t with_workspace(const Asked& a) {
  const Update& call = a.call;
  size_t bytes = call.workspace_bytes;
  if (call.workspace != nullptr) return a.instance->update(call, a.tree, call.workspace, bytes);
  cudaError_t status = a.instance->update(call, a.tree, nullptr, bytes);
  if (status != cudaSuccess) return status;
  const auto stream = static_cast<cudaStream_t>(call.stream);
  void* memory = nullptr;
  status = cudaMallocAsync(&memory, bytes, stream);
  if (status != cudaSuccess) return status;
  status = a.instance->update(call, a.tree, memory, bytes);
  const cudaError_t given_back = cudaFreeAsync(memory, stream);
  return status != cudaSuccess ? status : given_back;
}

}  // namespace

const Instance* find(const Wanted& w) {
  const Instance& instance = place(w);
  return instance.update != nullptr ? &instance : nullptr;
}

Entered::Entered(const Wanted& wanted, const Instance& instance) { place(wanted) = instance; }

}  // namespace library

}  // namespace atomtune

using namespace atomtune::library;

// A plan runs calls of its sizes, types and ignored index.
struct atomtune_plan {
  std::unique_ptr<Planned> planned;
  Wanted wanted;
  Update call;
};

extern "C" {

int atomtune_update(const struct atomtune_update* given) {
  return guarded([&]() -> int {
    Asked a;
    int code = asked(given, &a);
    if (code == ATOMTUNE_OK) code = there(a.call);
    if (code != ATOMTUNE_OK) return code;
    const atomtune_plan* const plan = a.call.plan;
    if (plan == nullptr) return said(with_workspace(a));
    const Wanted &w = a.wanted, &p = plan->wanted;
    const Update &c = a.call, &made = plan->call;
    if (w.op != p.op || w.type != p.type || w.given != p.given || w.kind != p.kind ||
        c.index_type != made.index_type || c.bins != made.bins || c.updates != made.updates ||
        c.has_ignore != made.has_ignore || (c.has_ignore != 0 && c.ignore != made.ignore)) {
      return failed(ATOMTUNE_ARGUMENT, "the plan is for calls of other sizes, types or ignored index");
    }
    return said(plan->planned->run(a.call));
  });
}

int atomtune_update_workspace(const struct atomtune_update* given, size_t* bytes) {
  return guarded([&]() -> int {
    if (bytes == nullptr) return failed(ATOMTUNE_ARGUMENT, "bytes is NULL");
    Asked a;
    const int code = asked(given, &a);
    if (code != ATOMTUNE_OK) return code;
    size_t needed = 0;
    const int asked_for = said(a.instance->update(a.call, a.tree, nullptr, needed));
    if (asked_for == ATOMTUNE_OK) *bytes = needed;
    return asked_for;
  });
}

size_t atomtune_update_error(char* text, size_t size) { return written(last_error, text, size); }

int atomtune_plan_make(const struct atomtune_update* given, struct atomtune_plan** plan) {
  return guarded([&]() -> int {
    if (plan == nullptr) return failed(ATOMTUNE_ARGUMENT, "plan is NULL");
    Asked a;
    int code = asked(given, &a);
    if (code == ATOMTUNE_OK && a.call.updates > 0 && a.call.index == nullptr) {
      code = failed(ATOMTUNE_ARGUMENT, "index is NULL");
    }
    if (code != ATOMTUNE_OK) return code;
    if (a.instance->plan == nullptr) {
      return failed(ATOMTUNE_UNSUPPORTED,
                    "plans are for sums of numbers of one type, of single targets, without old values, "
                    "not deterministic");
    }
    auto made = std::make_unique<atomtune_plan>();
    made->planned = a.instance->plan(a.call);
    made->wanted = a.wanted;
    made->call = a.call;
    code = said(made->planned->make(a.call, a.tree));
    if (code == ATOMTUNE_OK) *plan = made.release();
    return code;
  });
}

size_t atomtune_plan_explain(const struct atomtune_plan* plan, char* text, size_t size) {
  return written(plan != nullptr ? plan->planned->explain() : "", text, size);
}

int atomtune_plan_save(const struct atomtune_plan* plan, const char* path) {
  return guarded([&]() -> int {
    if (plan == nullptr || path == nullptr) {
      return failed(ATOMTUNE_ARGUMENT, "%s is NULL", plan == nullptr ? "plan" : "path");
    }
    if (plan->planned->save(path)) return ATOMTUNE_OK;
    return failed(ATOMTUNE_FILE, "%s: the plan cannot be written", path);
  });
}

void atomtune_plan_free(struct atomtune_plan* plan) { delete plan; }

int atomtune_tree_load(const char* path, const char* device, struct atomtune_tree** tree) {
  return guarded([&]() -> int {
    if (path == nullptr || tree == nullptr) {
      return failed(ATOMTUNE_ARGUMENT, "%s is NULL", path == nullptr ? "path" : "tree");
    }
    Trees read = read_trees(path);
    if (!read.why.empty()) return failed(ATOMTUNE_FILE, "%s", read.why.c_str());
    for (auto& each : read.trees) {
      if (device != nullptr && std::strcmp(device, each->device.c_str()) != 0) continue;
      *tree = new atomtune_tree{std::move(each)};
      return ATOMTUNE_OK;
    }
    return failed(ATOMTUNE_FILE, "%s: no tree of %s", path, device != nullptr ? device : "any device");
  });
}

void atomtune_tree_free(struct atomtune_tree* tree) { delete tree; }

size_t atomtune_update_about(char* text, size_t size) {
  std::string about = std::string("atomtune ") + ATOMTUNE_VERSION + "\nmachine code: " +
                      ATOMTUNE_MACHINE_CODE + "\nPTX: " + ATOMTUNE_PTX + "\n";
  const Driver* const d = driver();
  if (d == nullptr) return written(about + "driver: " + why_no_driver() + "\n", text, size);
  int version = 0, devices = 0;
  d->cuDriverGetVersion(&version);
  about += "driver: of CUDA " + std::to_string(version / 1000) + "." +
           std::to_string(version % 1000 / 10) + "\n";
  if (d->cuDeviceGetCount(&devices) != CUDA_SUCCESS) devices = 0;
  for (int number = 0; number < devices; ++number) {
    CUdevice device = 0;
    char name[256] = "";
    int major = 0, minor = 0;
    d->cuDeviceGet(&device, number);
    d->cuDeviceGetName(name, sizeof name, device);
    d->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    d->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    about += std::string(name) + ": sm_" + std::to_string(10 * major + minor) + ", " +
             code_for(major, minor) + "\n";
  }
  return written(about, text, size);
}

}  // extern "C"
