// The rule of a careful expert's ladder, which looks at sizes alone: 32 private copies where a
// block's shared memory holds them, else 16, else 4, else one whose warps reduce first, else match.
// lab/validate/recorded holds the same rule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

// Rung is a form of the ladder: private copies of the targets, or match if there are none.
struct Rung {
  uint32_t copies, pad;  // pad words between copies
  bool reduces;          // within warps, before it adds to a copy

  size_t bytes(uint64_t bins, size_t target_bytes) const {
    return copies * size_t(bins + pad) * target_bytes;
  }

  std::string name() const {
    if (copies == 0) return "match";
    std::string name = "private";
    if (copies > 1) name += ":r=" + std::to_string(copies) + ",pad=" + std::to_string(pad);
    return reduces ? name + "+sr" : name;
  }
};

constexpr Rung rungs[] = {{32, 1, false}, {16, 1, false}, {4, 1, false}, {1, 0, true}};

// rung_of is the first rung whose copies fit into a block.
inline Rung rung_of(uint64_t bins, size_t target_bytes, size_t block_bytes) {
  for (const Rung& rung : rungs) {
    if (rung.bytes(bins, target_bytes) <= block_bytes) return rung;
  }
  return {0, 0, true};
}

// The turns of a thread whose loads are under way at once.
constexpr int ladder_unroll = 4;

// Resident is how many blocks of 256 and of 1,024 threads an SM holds at once.
struct Resident {
  unsigned of_256, of_1024;

  // threads of a block: 256, or 1,024 where an SM then holds more of them.
  unsigned threads() const { return 1024 * of_1024 > 256 * of_256 ? 1024 : 256; }

  // blocks are as many as the device holds at once, and no more than the stream has turns for.
  unsigned blocks(unsigned sms, uint64_t updates) const {
    const uint64_t each = uint64_t(threads()) * ladder_unroll;
    const uint64_t most = uint64_t(threads() == 256 ? of_256 : of_1024) * sms;
    return unsigned(std::max<uint64_t>(1, std::min(most, (updates + each - 1) / each)));
  }
};

}  // namespace bench
