// XLA's handler on the CPU, which has neither streams nor scratch memory.
#include "../atomtune/csrc/jax.cpp"

#include <vector>

extern "C" {
int atomtune_jax_calls = 0;
}

namespace {

ffi::Error on_cpu(ffi::AnyBuffer, ffi::AnyBuffer index, ffi::AnyBuffer values,
                  ffi::Result<ffi::AnyBuffer> out, Kind kind) {
  ++atomtune_jax_calls;
  std::vector<char> memory;
  const auto allocate = [&](size_t bytes) {
    memory.resize(bytes);
    return memory.data();
  };
  return run(nullptr, allocate, index, values, out, kind);
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(atomtune_jax_cpu, on_cpu,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Attrs<Kind>());
