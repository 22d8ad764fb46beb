// A request: one line `IMPL TYPE VALUE K N REPEATS INDEXFILE`.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace companion {

struct Request {
  std::string implementation;  // sort, segreduce or partition
  unsigned width_bits = 0;     // of partition: a range has 2^width_bits targets
  uint32_t copies = 1;         // of partition: in a block
  std::string type;            // u32, i32, f32, u64, i64 or f64
  bool ones = false;           // value one, else loaded
  uint32_t bins = 0;
  size_t updates = 0;
  int repeats = 0;
  std::string file;  // may hold blanks
};

inline constexpr uint64_t most_targets = 1u << 28;    // the reference takes 16 bytes each
inline constexpr uint64_t most_updates = 0x7fffffff;  // CUB counts in 32 bits
inline constexpr uint64_t most_repeats = 10000;

// one_of returns word if it is among words.
inline std::string one_of(const std::string& field, const std::string& word,
                          const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& w : words) {
    if (w == word) return word;
    all += (all.empty() ? "" : ", ") + w;
  }
  throw std::runtime_error(field + " \"" + word + "\" is not one of " + all);
}

// number parses a decimal number from 1 to most.
inline uint64_t number(const std::string& field, const std::string& word, uint64_t most) {
  uint64_t n = 0;
  bool good = !word.empty() && word.size() <= 10;
  for (char c : word) {
    good = good && c >= '0' && c <= '9';
    if (good) n = 10 * n + static_cast<uint64_t>(c - '0');
  }
  if (good && n >= 1 && n <= most) return n;
  throw std::runtime_error(field + " \"" + word + "\" is not a number from 1 to " +
                           std::to_string(most));
}

// next_word cuts the first word off line.
inline std::string next_word(std::string& line) {
  const size_t blank = line.find(' ');
  const std::string word = line.substr(0, blank);
  line = blank == std::string::npos ? "" : line.substr(blank + 1);
  return word;
}

// parse_partition reads w=W or w=W,r=R, W a power of two from 64 to 65536.
inline void parse_partition(const std::string& parameters, Request& r) {
  const size_t comma = parameters.find(',');
  const std::string width = parameters.substr(0, comma);
  const std::string copies = comma == std::string::npos ? "r=1" : parameters.substr(comma + 1);
  if (width.rfind("w=", 0) != 0 || copies.rfind("r=", 0) != 0) {
    throw std::runtime_error("partition:" + parameters + " is not partition:w=W,r=R");
  }
  const uint64_t targets = number("w", width.substr(2), 1u << 16);
  for (r.width_bits = 6; r.width_bits < 16 && targets != 1u << r.width_bits; ++r.width_bits) {
  }
  if (targets != 1u << r.width_bits) {
    throw std::runtime_error("w=" + std::to_string(targets) +
                             " is not a power of two from 64 to 65536");
  }
  r.copies = static_cast<uint32_t>(number("r", copies.substr(2), 1024));
}

inline Request parse_request(std::string line) {
  Request r;
  const std::string name = next_word(line);
  const size_t colon = name.find(':');
  r.implementation = one_of("implementation", name.substr(0, colon),
                            {"sort", "segreduce", "partition"});
  if (r.implementation == "partition") {
    parse_partition(colon == std::string::npos ? "" : name.substr(colon + 1), r);
  } else if (colon != std::string::npos) {
    throw std::runtime_error(r.implementation + " takes no parameters");
  }
  r.type = one_of("type", next_word(line), {"u32", "i32", "f32", "u64", "i64", "f64"});
  r.ones = one_of("value", next_word(line), {"loaded", "one"}) == "one";
  r.bins = static_cast<uint32_t>(number("K", next_word(line), most_targets));
  r.updates = number("N", next_word(line), most_updates);
  r.repeats = static_cast<int>(number("REPEATS", next_word(line), most_repeats));
  r.file = line;
  if (r.file.empty()) throw std::runtime_error("the request names no index file");
  return r;
}

// error_line is the answer to a request that failed, on one line.
inline std::string error_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return "error " + text;
}

}  // namespace companion
