// One unit, since most of the time of compiling goes into PyTorch's headers.
#include <torch/version.h>

#include "library.cpp"
#include "operators.cpp"

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9  // else PyTorch's kernels cannot be called
#include "aten.cpp"
#include "override.cpp"
#include "autotune.cpp"
#endif
