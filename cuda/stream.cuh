// The index stream on the host: reading it, what is known of it, and the
// round-robin layout of [egielski14] Algorithm 3.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Stream {
  std::vector<uint32_t> index;
  uint32_t bins = 0;
  bool grouped = false;  // each target's updates stand together

  size_t updates() const { return index.size(); }
};

inline std::vector<uint32_t> read_u32(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw std::runtime_error(path + ": cannot open");
  std::fseek(file.get(), 0, SEEK_END);
  const long bytes = std::ftell(file.get());
  std::rewind(file.get());
  if (bytes <= 0 || bytes % 4 != 0) {
    throw std::runtime_error(path + ": " + std::to_string(bytes) +
                             " bytes are no stream of 32-bit indices");
  }
  std::vector<uint32_t> words(bytes / 4);
  if (std::fread(words.data(), 4, words.size(), file.get()) != words.size()) {
    throw std::runtime_error(path + ": short read");
  }
  return words;
}

// is_grouped tells whether no target returns after another one has come between.
inline bool is_grouped(const std::vector<uint32_t>& index, uint32_t bins) {
  std::vector<bool> seen(bins);
  for (size_t u = 0; u < index.size(); ++u) {
    if (u > 0 && index[u] == index[u - 1]) continue;
    if (seen[index[u]]) return false;
    seen[index[u]] = true;
  }
  return true;
}

inline Stream read_stream(const std::string& path, uint32_t bins) {
  Stream stream;
  stream.index = read_u32(path);
  stream.bins = bins;
  for (size_t u = 0; u < stream.updates(); ++u) {
    if (stream.index[u] < bins) continue;
    throw std::runtime_error(path + ": index " + std::to_string(stream.index[u]) +
                             " of update " + std::to_string(u) + " is not below " +
                             std::to_string(bins));
  }
  stream.grouped = is_grouped(stream.index, bins);
  return stream;
}

// counts returns how many updates each target receives.
inline std::vector<size_t> counts(const Stream& stream) {
  std::vector<size_t> count(stream.bins);
  for (uint32_t i : stream.index) ++count[i];
  return count;
}

// scatter_layout returns the order of [egielski14] Algorithm 3: round after round,
// one update of each target that has any left, targets ascending. Position p of
// the new layout performs update layout[p]. Linear in updates and bins.
inline std::vector<uint32_t> scatter_layout(const Stream& stream) {
  const std::vector<size_t> count = counts(stream);
  size_t rounds = 0;
  for (size_t c : count) rounds = c > rounds ? c : rounds;

  // next[r] is where the next update of round r goes. Round r has as many
  // updates as there are targets with more than r.
  std::vector<size_t> next(rounds + 1);
  for (size_t c : count) {
    if (c > 0) ++next[c - 1];
  }
  for (size_t r = rounds; r-- > 0;) next[r] += next[r + 1];
  size_t start = 0;
  for (size_t r = 0; r < rounds; ++r) {
    const size_t width = next[r];
    next[r] = start;
    start += width;
  }

  std::vector<size_t> group(stream.bins + size_t(1));
  for (uint32_t k = 0; k < stream.bins; ++k) group[k + 1] = group[k] + count[k];
  std::vector<uint32_t> by_target(stream.updates());
  std::vector<size_t> fill(group.begin(), group.end() - 1);
  for (size_t u = 0; u < stream.updates(); ++u) {
    by_target[fill[stream.index[u]]++] = uint32_t(u);
  }

  std::vector<uint32_t> layout(stream.updates());
  for (uint32_t k = 0; k < stream.bins; ++k) {
    for (size_t r = 0; r < count[k]; ++r) layout[next[r]++] = by_target[group[k] + r];
  }
  return layout;
}

// permuted returns items in the order of layout.
template <typename T>
std::vector<T> permuted(const std::vector<T>& items,
                        const std::vector<uint32_t>& layout) {
  std::vector<T> result(layout.size());
  for (size_t p = 0; p < layout.size(); ++p) result[p] = items[layout[p]];
  return result;
}
