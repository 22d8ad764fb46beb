// What the lanes of a warp are given: indices, and which lanes take part.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Targets of a pattern are below this.
inline constexpr int pattern_targets = 64;

struct Pattern {
  std::string name;
  uint32_t index[32];
};

template <typename Index>
Pattern make_pattern(const std::string& name, Index index) {
  Pattern p{name, {}};
  for (unsigned lane = 0; lane < 32; ++lane) p.index[lane] = index(lane);
  return p;
}

inline std::vector<Pattern> patterns(std::mt19937& random) {
  std::vector<Pattern> all;
  all.push_back(make_pattern("all equal", [](unsigned) { return 7u; }));
  all.push_back(make_pattern("all different", [](unsigned lane) { return 63 - lane; }));
  all.push_back(
      make_pattern("a x a a a", [](unsigned lane) { return lane == 1 ? 9u : 5u; }));
  all.push_back(make_pattern("two halves", [](unsigned lane) { return lane / 16 * 3; }));
  all.push_back(make_pattern("two in turn", [](unsigned lane) { return lane % 2; }));
  for (unsigned run : {2u, 3u, 5u, 7u, 17u, 31u}) {
    all.push_back(make_pattern("runs of " + std::to_string(run),
                               [=](unsigned lane) { return lane / run; }));
  }
  for (unsigned keys : {2u, 3u, 6u, 20u, 64u}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      all.push_back(make_pattern("random over " + std::to_string(keys),
                                 [&](unsigned) { return uint32_t(random()) % keys; }));
    }
  }
  return all;
}

inline std::vector<unsigned> masks(std::mt19937& random) {
  std::vector<unsigned> all{0xffffffffu, 1u,          0x80000000u, 0x7fffffffu,
                            0x0000ffffu, 0x55555555u, 0xf00ff00fu};
  for (int k = 0; k < 5; ++k) all.push_back(uint32_t(random()) | 1u << (k * 7 % 32));
  return all;
}
