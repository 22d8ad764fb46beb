// The streams of datasets/synth: equal names, parameters and seeds give the same targets, but for
// the rounding of logarithms and exponentials in zipf.
#pragma once

namespace program {

inline uint64_t mixed(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// Random is the generator splitmix64.
struct Random {
  uint64_t state;

  uint64_t next() { return mixed(state += 0x9e3779b97f4a7c15u); }

  // below is uniform in [0, n), for n up to 2^32, by multiplication with rejection.
  uint64_t below(uint64_t n) {
    uint64_t x = next();
    while (x * n < n && x * n < (0 - n) % n) x = next();
    return ((x >> 32) * n + ((x & 0xffffffffu) * n >> 32)) >> 32;
  }

  // unit is a multiple of 2^-53 in [0, 1).
  double unit() { return double(next() >> 11) / 9007199254740992.0; }
};

// Permutation is a keyed bijection of [0, k): a Feistel network, walked until it falls below k.
struct Permutation {
  uint64_t k, keys[6];
  unsigned half = 1;

  Permutation(uint32_t targets, Random& random) : k(targets) {
    while (half < 16 && (k - 1) >> (2 * half) != 0) ++half;
    for (uint64_t& key : keys) key = random.next();
  }
  uint32_t at(uint32_t i) const {
    const uint64_t mask = (uint64_t(1) << half) - 1;
    uint64_t v = i;
    do {
      uint64_t left = v >> half, right = v & mask;
      for (const uint64_t key : keys) {
        const uint64_t next = left ^ (mixed(right ^ key) & mask);
        left = right;
        right = next;
      }
      v = left << half | right;
    } while (v >= k);
    return uint32_t(v);
  }
};

// filled calls target() for each update.
template <typename Target>
std::vector<uint32_t> filled(size_t n, Target target) {
  std::vector<uint32_t> index(n);
  for (uint32_t& i : index) i = uint32_t(target());
  return index;
}

inline std::vector<uint32_t> constant(size_t n, uint32_t, uint64_t, double at) {
  return std::vector<uint32_t>(n, uint32_t(at));
}

inline std::vector<uint32_t> stride(size_t n, uint32_t k, uint64_t, double step) {
  uint64_t next = 0;
  return filled(n, [&] {
    const uint64_t at = next;
    next = (next + uint64_t(step)) % k;
    return at;
  });
}

inline std::vector<uint32_t> sequential(size_t n, uint32_t k, uint64_t seed) {
  return stride(n, k, seed, 1);
}

inline std::vector<uint32_t> uniform(size_t n, uint32_t k, uint64_t seed) {
  Random random{seed};
  return filled(n, [&] { return random.below(k); });
}

inline std::vector<uint32_t> sorted(size_t n, uint32_t k, uint64_t seed) {
  std::vector<uint32_t> index = uniform(n, k, seed);
  std::sort(index.begin(), index.end());
  return index;
}

inline std::vector<uint32_t> permuted(size_t n, uint32_t k, uint64_t seed) {
  Random random{seed};
  std::vector<uint32_t> index;
  while (index.size() < n) {
    const Permutation place(k, random);
    for (uint32_t i = 0; i < k && index.size() < n; ++i) index.push_back(place.at(i));
  }
  return index;
}

inline std::vector<uint32_t> hotspot(size_t n, uint32_t k, uint64_t seed, double hot, double share,
                                     double shuffle) {
  Random random{seed};
  const Permutation place(k, random);
  const uint32_t h = uint32_t(hot), cold = k - h;
  return filled(n, [&] {
    const bool hit = cold == 0 || random.unit() < share;
    const uint32_t i = uint32_t(hit ? random.below(h) : h + random.below(cold));
    return shuffle == 1 ? place.at(i) : i;
  });
}

inline std::vector<uint32_t> runs(size_t n, uint32_t k, uint64_t seed, double mean, double fixed) {
  Random random{seed};
  const uint64_t length = uint64_t(mean);
  uint64_t u = 0, at = 0;
  return filled(n, [&] {
    const bool ends = fixed == 1 ? u % length == 0 : u == 0 || random.below(length) == 0;
    if (ends) at = random.below(k);
    ++u;
    return at;
  });
}

inline std::vector<uint32_t> markov(size_t n, uint32_t k, uint64_t seed, double stay, double jump,
                                    double longest) {
  Random random{seed};
  const uint64_t w = uint64_t(longest);
  uint64_t next = random.below(k);
  return filled(n, [&] {
    const uint64_t at = next;
    if (random.unit() < stay) return at;
    if (random.unit() < jump) {
      next = random.below(k);
      return at;
    }
    const uint64_t step = 1 + random.below(2 * w);
    next = (at + (step > w ? k - (step - w) : step)) % k;
    return at;
  });
}

inline std::vector<uint32_t> window(size_t n, uint32_t k, uint64_t seed, double width,
                                    double hold) {
  Random random{seed};
  const uint64_t start = random.below(k);
  uint64_t u = 0;
  return filled(n, [&] {
    const uint64_t moved = start + u++ / uint64_t(hold);
    return (moved + random.below(uint64_t(width))) % k;
  });
}

inline std::vector<uint32_t> cells(size_t n, uint32_t k, uint64_t seed, double per_cell,
                                   double shift) {
  Random random{seed};
  uint64_t side = 1, u = 0;
  while ((side + 1) * (side + 1) * (side + 1) <= k) ++side;
  return filled(n, [&] {
    uint64_t cell = u++ / uint64_t(per_cell);
    for (const uint64_t next : {uint64_t(1), side, side * side}) {
      if (random.unit() < shift) cell += next;
    }
    return cell % k;
  });
}

// field is a random number on each point of a lattice, joined by smooth interpolation.
inline double field(uint64_t seed, double x, double y) {
  const double column = std::floor(x), row = std::floor(y);
  const auto point = [&](uint64_t i, uint64_t j) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
    const uint64_t h = mixed(seed + (uint64_t(column) + i) * golden);
    return double(mixed(h + (uint64_t(row) + j) * golden) >> 11) / 9007199254740992.0;
  };
  const auto ease = [](double t) { return t * t * (3 - 2 * t); };
  const auto between = [](double a, double b, double t) { return a + t * (b - a); };
  const double u = ease(x - column), v = ease(y - row);
  return between(between(point(0, 0), point(1, 0), u), between(point(0, 1), point(1, 1), u), v);
}

inline std::vector<uint32_t> image(size_t n, uint32_t k, uint64_t seed, double scale,
                                   double noise) {
  Random random{seed};
  const uint64_t at = random.next(), width = uint64_t(std::ceil(std::sqrt(double(n))));
  uint64_t u = 0;
  return filled(n, [&] {
    double v = field(at, double(u % width) / scale, double(u / width) / scale);
    if (noise > 0) v += noise * (random.unit() - 0.5);
    ++u;
    return std::max(0.0, std::min(std::floor(v * double(k)), double(k) - 1));
  });
}

// Zipf draws ranks from 1 to k with probability proportional to rank^-s, by rejection-inversion
// [hormann96].
struct Zipf {
  double s, k, top = 0, bottom = 0, sure = 0;

  Zipf(double exponent, double targets) : s(exponent), k(targets) {
    top = integral(1.5) - 1;
    bottom = integral(k + 0.5);
    sure = 2 - inverse(integral(2.5) - height(2));
  }
  double integral(double x) const {
    return s == 1 ? std::log(x) : std::expm1((1 - s) * std::log(x)) / (1 - s);
  }
  double inverse(double y) const {
    if (s == 1) return std::exp(y);
    const double t = y * (1 - s);
    return t <= -1 ? k : std::exp(std::log1p(t) / (1 - s));
  }
  double height(double x) const { return std::pow(x, -s); }

  uint32_t draw(Random& random) const {
    while (true) {
      const double u = bottom + random.unit() * (top - bottom), x = inverse(u);
      const double n = std::max(1.0, std::min(std::floor(x + 0.5), k));
      if (n - x <= sure || u >= integral(n + 0.5) - height(n)) return uint32_t(n) - 1;
    }
  }
};

inline std::vector<uint32_t> zipf(size_t n, uint32_t k, uint64_t seed, double s, double shuffle) {
  Random random{seed};
  const Zipf ranks(s, k);
  const Permutation place(k, random);
  return filled(n, [&] {
    const uint32_t i = ranks.draw(random);
    return shuffle == 1 ? place.at(i) : i;
  });
}

// Frequent is a target and its share of the updates.
struct Frequent {
  uint32_t target;
  double share;
};

// resembling draws runs of that mean length: each of a frequent target with its share, else of any.
inline std::vector<uint32_t> resembling(size_t n, uint32_t k, double run,
                                        const std::vector<Frequent>& frequent) {
  Random random{1};
  uint32_t at = 0;
  bool begun = false;
  return filled(n, [&] {
    if (begun && random.unit() >= 1 / run) return at;
    begun = true;
    at = uint32_t(random.below(k));
    double left = random.unit();
    for (const Frequent& f : frequent) {
      if ((left -= f.share) >= 0) continue;
      at = f.target;
      break;
    }
    return at;
  });
}

}  // namespace program
