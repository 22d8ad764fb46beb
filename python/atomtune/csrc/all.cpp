// One unit, since most of the time of compiling goes into PyTorch's headers.
#include "aten.cpp"
#include "library.cpp"
#include "operators.cpp"
#include "override.cpp"
