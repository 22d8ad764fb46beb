// XLA's handler of one call of libatomtune_cuda: out[index[u]] op= values[u].
#include <dlfcn.h>

#include <algorithm>
#include <string>

#include "atomtune_update.h"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

struct {
  decltype(&atomtune_update) update;
  decltype(&atomtune_update_workspace) workspace;
  decltype(&atomtune_update_error) error;
} library;

ffi::Error failed() {
  char text[1024];
  library.error(text, sizeof text);
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, std::string("atomtune: ") + text);
}

// The types of a call are numbers of the C header.
struct Kind {
  int32_t op, type, values_type, index_type;
};

// run makes the call. out is the memory of the first argument. values without a dimension are ones.
template <typename Allocate>
ffi::Error run(void* stream, Allocate allocate, ffi::AnyBuffer index, ffi::AnyBuffer values,
               ffi::Result<ffi::AnyBuffer> out, Kind kind) {
  struct atomtune_update call;
  ATOMTUNE_INIT(call);
  call.op = kind.op;
  call.type = kind.type;
  call.values_type = kind.values_type;
  call.index_type = kind.index_type;
  call.out = out->untyped_data();
  call.index = index.untyped_data();
  call.bins = out->dimensions().front();
  call.updates = index.element_count();
  const bool ones = values.dimensions().size() == 0;
  call.value = ones ? ATOMTUNE_ONE : ATOMTUNE_LOADED;
  call.values = ones ? nullptr : values.untyped_data();
  call.width = out->element_count() / call.bins;
  const bool half = call.type == ATOMTUNE_F16 || call.type == ATOMTUNE_BF16;
  if (call.width == 1 && !half) call.width = 0;  // single values
  call.stream = stream;
  if (library.workspace(&call, &call.workspace_bytes) < 0) return failed();
  call.workspace = allocate(std::max<size_t>(call.workspace_bytes, 1));
  if (call.workspace == nullptr) {
    return ffi::Error(ffi::ErrorCode::kResourceExhausted, "atomtune: no memory for a call");
  }
  return library.update(&call) < 0 ? failed() : ffi::Error::Success();
}

ffi::Error on_gpu(void* stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer, ffi::AnyBuffer index,
                  ffi::AnyBuffer values, ffi::Result<ffi::AnyBuffer> out, Kind kind) {
  const auto allocate = [&](size_t bytes) { return scratch.Allocate(bytes, 16).value_or(nullptr); };
  return run(stream, allocate, index, values, out, kind);
}

}  // namespace

XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Kind, ffi::StructMember<int32_t>("op"),
                                      ffi::StructMember<int32_t>("type"),
                                      ffi::StructMember<int32_t>("values_type"),
                                      ffi::StructMember<int32_t>("index_type"));

XLA_FFI_DEFINE_HANDLER_SYMBOL(atomtune_jax_update, on_gpu,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::PlatformStream<void*>>()
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Attrs<Kind>());

// Opens the library at this path. Returns why it could not, else NULL.
extern "C" const char* atomtune_jax_start(const char* path) {
  void* const opened = dlopen(path, RTLD_NOW);
  const auto find = [&](auto& function, const char* name) {
    void* const found = opened == nullptr ? nullptr : dlsym(opened, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    return found != nullptr;
  };
  const bool all = find(library.update, "atomtune_update") &&
                   find(library.workspace, "atomtune_update_workspace") &&
                   find(library.error, "atomtune_update_error");
  return all ? nullptr : dlerror();
}
