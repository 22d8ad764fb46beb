// The cases of casloop/testdata/edges.txt, one update each: TYPE OP OLD A B NEW, in bits.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "float_updates.h"

inline constexpr char edges_path[] = "../../hwsim/casloop/testdata/edges.txt";

template <typename T>
struct Edge {
  int line;
  Op op;
  T old, a, b, next;
};

template <typename T>
T from_hex(const std::string& hex) {
  const uint64_t bits = std::stoull(hex, nullptr, 16);
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

inline Op op_named(const std::string& name) {
  for (Op op : {Op::add, Op::mul, Op::mad, Op::div, Op::min, Op::max}) {
    if (name == name_of(op)) return op;
  }
  throw std::invalid_argument("no operation is called " + name);
}

// read_edges reads the cases of one type.
template <typename T>
std::vector<Edge<T>> read_edges() {
  std::ifstream file(edges_path);
  if (!file) throw std::runtime_error(std::string(edges_path) + ": cannot be opened");
  std::vector<Edge<T>> edges;
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    std::string type, op, old, a, b, next;
    std::istringstream words(text);
    if (!(words >> type >> op >> old >> a >> b >> next)) {
      throw std::runtime_error(std::string(edges_path) + ":" + std::to_string(line) +
                               ": not TYPE OP OLD A B NEW: " + text);
    }
    if (type != (sizeof(T) == 4 ? "f32" : "f64")) continue;
    edges.push_back({line, op_named(op), from_hex<T>(old), from_hex<T>(a), from_hex<T>(b),
                     from_hex<T>(next)});
  }
  return edges;
}
