// What the calls of several kernels share: how their sums reach the targets, and how
// their working memory is cut up.
#pragma once

#include <cstddef>

namespace atomtune {

// at_least and at_most are the larger and the smaller of two. <algorithm> takes long to compile.
template <typename T>
__host__ __device__ constexpr T at_least(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
__host__ __device__ constexpr T at_most(T a, T b) {
  return b < a ? b : a;
}

// Finish says what becomes of a target's sum: it is added to the target, which is right
// for any targets, or it is stored, which is right where the targets are zero.
enum class Finish { add, store };

// Carver cuts arrays out of one piece of memory, aligned as cudaMalloc aligns. Without
// memory it counts the bytes only.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<unsigned char*>(memory)) {}

  template <typename T>
  T* take(size_t count) {
    unsigned char* const place = memory_ == nullptr ? nullptr : memory_ + bytes_;
    bytes_ += (count * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(place);
  }
  void* rest() const { return memory_ == nullptr ? nullptr : memory_ + bytes_; }
  size_t bytes() const { return bytes_; }

 private:
  unsigned char* memory_;
  size_t bytes_ = 0;
};

}  // namespace atomtune
