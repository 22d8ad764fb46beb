// The index stream on the host: reading it, and what is known of it.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace companion {

struct Stream {
  std::vector<uint32_t> index;
  uint32_t bins = 0;
  bool grouped = false;  // each target's updates stand together

  size_t updates() const { return index.size(); }
};

// Identity reports whether a file is still the one that was read.
struct Identity {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = 0;
  long long changed_ns = 0;

  bool operator==(const Identity& o) const {
    return path == o.path && device == o.device && inode == o.inode && bytes == o.bytes &&
           changed_ns == o.changed_ns;
  }
};

inline Identity identify(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    throw std::runtime_error(path + ": " + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) throw std::runtime_error(path + ": not a plain file");
  return {path, status.st_dev, status.st_ino, status.st_size,
          status.st_mtim.tv_sec * 1000000000ll + status.st_mtim.tv_nsec};
}

// read_words reads a file of so many 32-bit words, and of nothing else.
inline std::vector<uint32_t> read_words(const Identity& file, size_t words) {
  if (static_cast<size_t>(file.bytes) != 4 * words) {
    throw std::runtime_error(file.path + ": " + std::to_string(file.bytes) +
                             " bytes are not " + std::to_string(words) +
                             " indices of 4 bytes");
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(
      std::fopen(file.path.c_str(), "rb"), std::fclose);
  if (!in) throw std::runtime_error(file.path + ": " + std::strerror(errno));
  std::vector<uint32_t> index(words);
  if (std::fread(index.data(), 4, words, in.get()) != words) {
    throw std::runtime_error(file.path + ": short read");
  }
  return index;
}

// is_grouped reports whether no target returns after another one has come between.
inline bool is_grouped(const std::vector<uint32_t>& index, uint32_t bins) {
  std::vector<bool> seen(bins);
  for (size_t u = 0; u < index.size(); ++u) {
    if (u > 0 && index[u] == index[u - 1]) continue;
    if (seen[index[u]]) return false;
    seen[index[u]] = true;
  }
  return true;
}

// make_stream checks that every index is below bins; name appears in the error.
inline Stream make_stream(const std::string& name, std::vector<uint32_t> index,
                          uint32_t bins) {
  for (size_t u = 0; u < index.size(); ++u) {
    if (index[u] < bins) continue;
    throw std::runtime_error(name + ": index " + std::to_string(index[u]) +
                             " of update " + std::to_string(u) + " is not below " +
                             std::to_string(bins));
  }
  Stream stream;
  stream.grouped = is_grouped(index, bins);
  stream.index = std::move(index);
  stream.bins = bins;
  return stream;
}

}  // namespace companion
