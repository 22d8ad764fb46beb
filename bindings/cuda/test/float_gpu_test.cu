// Tests of the float atomics on a GPU. Run by `make gpu-test`, and on short streams under
// compute-sanitizer by `make sanitize`.
//
//   float_gpu_test [UPDATES]     of each stream, 1048576 unless given; with a number the
//                                plain updates are left out, as racecheck finds their races
#include <future>
#include <thread>

#include "gpu_test.cuh"

#include "float_form.h"

#include "edges.h"
#include "float_verdict.h"

namespace {

constexpr unsigned blocks = 16;
constexpr unsigned block_threads = 80;  // the last warp has 16 lanes
constexpr unsigned threads = blocks * block_threads;

// Way is how an update is made: by an atomic of the lane; after a reduction in the warp,
// returning nothing; or, for add alone, by a plain read and write.
enum class Way { alone, matched, plain };

template <Op op, Way way, typename T>
__device__ T make_update(T* targets, const Update<T>& u) {
  [[maybe_unused]] T* const target = targets + u.target;
  if constexpr (way == Way::alone) {
    return update_float<op>(target, u.a, u.b);
  } else if constexpr (way == Way::matched) {
    match_float<op>(targets, u.target, u.a);
    return T(0);
  } else {
    const T old = *static_cast<volatile T*>(target);
    *static_cast<volatile T*>(target) = old + u.a;
    return old;
  }
}

// update_all makes n updates of targets. Every third turn of a lane passes without one, so
// that warps are partial.
template <Op op, Way way, typename T>
__device__ void update_all(T* targets, const Update<T>* updates, size_t n, T* old) {
  unsigned turn = threadIdx.x;
  for (size_t u = blockIdx.x * blockDim.x + threadIdx.x; u < n; ++turn) {
    if (turn % 3 == 0) continue;
    old[u] = make_update<op, way>(targets, updates[u]);
    u += gridDim.x * blockDim.x;
  }
}

// update_targets updates A, or with in_shared a copy of the block's own targets: A has
// bins for each block then.
template <Op op, Way way, bool in_shared, typename T>
__global__ void update_targets(T* A, uint32_t bins, const Update<T>* updates, size_t n,
                               T* old) {
  extern __shared__ double shared[];
  if constexpr (in_shared) {
    T* const copy = reinterpret_cast<T*>(shared);
    T* const mine = A + size_t(blockIdx.x) * bins;
    for (unsigned k = threadIdx.x; k < bins; k += blockDim.x) copy[k] = mine[k];
    __syncthreads();
    update_all<op, way>(copy, updates, n, old);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < bins; k += blockDim.x) mine[k] = copy[k];
  } else {
    update_all<op, way>(A, updates, n, old);
  }
}

// Result is what a stream left in the targets and returned.
template <typename T>
struct Result {
  std::vector<T> first, got, old;
};

template <Op op, Way way, bool in_shared, typename T>
Result<T> run(const std::vector<Update<T>>& updates, uint32_t bins) {
  Result<T> r;
  r.first.resize(size_t(bins) * (in_shared ? blocks : 1));
  for (size_t k = 0; k < r.first.size(); ++k) r.first[k] = first_value<T>(op, uint32_t(k));
  const DeviceArray<T> A(r.first);
  const DeviceArray<Update<T>> device(updates);
  const DeviceArray<T> old(updates.size());
  update_targets<op, way, in_shared><<<blocks, block_threads, in_shared ? bins * 8 : 0>>>(
      A.data(), bins, device.data(), updates.size(), old.data());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  r.got = A.to_host();
  r.old = old.to_host();
  return r;
}

// placed are the updates with the targets of their blocks' copies.
template <typename T>
std::vector<Update<T>> placed(std::vector<Update<T>> updates, uint32_t bins) {
  for (size_t u = 0; u < updates.size(); ++u) {
    updates[u].target += uint32_t(u % threads / block_threads) * bins;
  }
  return updates;
}

// Findings are checks made beside the GPU's work, to be counted when they are through.
class Findings {
 public:
  using Made = std::vector<std::pair<bool, std::string>>;

  template <typename Check>
  void start(Check check) {
    if (pending_.size() >= std::max(1u, std::thread::hardware_concurrency())) count();
    pending_.push_back(std::async(std::launch::async, check));
  }
  void count() {
    for (std::future<Made>& made : pending_) {
      for (const auto& [ok, what] : made.get()) expect(ok, what);
    }
    pending_.clear();
  }

 private:
  std::vector<std::future<Made>> pending_;
};

template <Op op, Way way, bool in_shared, typename T>
void check(Kind kind, const std::vector<Update<T>>& updates, uint32_t bins,
           Findings& findings) {
  const Result<T> r = run<op, way, in_shared>(updates, bins);
  const std::string what = kind.name() + " " + type_name<T>() +
                           (in_shared ? " shared, " : " global, ") +
                           (way == Way::matched ? "matched, " : "") +
                           std::to_string(bins) + " targets: ";
  findings.start([=, at = in_shared ? placed(updates, bins) : updates] {
    Findings::Made made;
    if (way == Way::alone) {
      made.push_back({all_serial(op, at, r.old, r.first, r.got), what + "no serial order"});
    }
    if (kind.values != Values::real) {
      made.push_back({same_bits(r.got, folded(op, at, r.first)), what + "wrong result"});
    }
    return made;
  });
}

template <typename T>
void check_kind(Kind kind, size_t count, uint32_t bins, std::mt19937_64& random,
                Findings& findings) {
  const std::vector<Update<T>> updates =
      make_updates<T>(kind.op, kind.values, count, bins, random);
  with_op(kind.op, [&](auto constant) {
    constexpr Op op = decltype(constant)::value;
    check<op, Way::alone, false>(kind, updates, bins, findings);
    check<op, Way::alone, true>(kind, updates, bins, findings);
    if constexpr (has_match(op)) {
      if (kind.values == Values::real) return;
      check<op, Way::matched, false>(kind, updates, bins, findings);
      check<op, Way::matched, true>(kind, updates, bins, findings);
    }
  });
}

// check_control demands that plain reads and writes lose updates: else the threads never
// meet, and the other checks show nothing.
template <bool in_shared>
void check_control(size_t count, std::mt19937_64& random) {
  const auto updates = make_updates<float>(Op::add, Values::exact, count, 1, random);
  const Result<float> r = run<Op::add, Way::plain, in_shared>(updates, 1);
  const auto at = in_shared ? placed(updates, 1) : updates;
  expect(!same_bits(r.got, folded(Op::add, at, r.first)),
         std::string("plain updates lose nothing, ") + (in_shared ? "shared" : "global"));
}

// An Edge as an update of a target of its own.
template <Op op, bool in_shared, typename T>
__global__ void update_edges(const Edge<T>* edges, T* next, T* old) {
  __shared__ T shared;
  T* const target = in_shared ? &shared : next + blockIdx.x;
  const Edge<T>& e = edges[blockIdx.x];
  *target = e.old;
  __threadfence();
  old[blockIdx.x] = update_float<op>(target, e.a, e.b);
  __threadfence();
  next[blockIdx.x] = *static_cast<volatile T*>(target);
}

// is_flushed reports whether the hardware may take a subnormal of the case for zero: its
// float addition in global memory does.
template <typename T>
bool is_flushed(const Edge<T>& e, bool in_shared) {
  const auto subnormal = [](T x) { return std::fpclassify(x) == FP_SUBNORMAL; };
  return e.op == Op::add && sizeof(T) == 4 && !in_shared &&
         (subnormal(e.old) || subnormal(e.a) || subnormal(e.next));
}

template <Op op, bool in_shared, typename T>
void check_edges(const std::vector<Edge<T>>& edges) {
  const DeviceArray<Edge<T>> device(edges);
  const DeviceArray<T> next(edges.size()), old(edges.size());
  update_edges<op, in_shared><<<unsigned(edges.size()), 1>>>(device.data(), next.data(),
                                                            old.data());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  const std::vector<T> got = next.to_host(), olds = old.to_host();
  for (size_t k = 0; k < edges.size(); ++k) {
    const Edge<T>& e = edges[k];
    const std::string where = std::string(edges_path) + ":" + std::to_string(e.line) +
                              (in_shared ? " shared" : " global");
    expect(bits_of(olds[k]) == bits_of(e.old), where + ": wrong old value");
    if (is_flushed(e, in_shared)) continue;
    expect(bits_of(got[k]) == bits_of(e.next), where + ": wrong target");
  }
}

template <typename T>
void check_type_edges() {
  const std::vector<Edge<T>> all = read_edges<T>();
  expect(all.size() == 1568, type_name<T>() + ": edges are missing");
  for (const Op each : {Op::add, Op::mul, Op::mad, Op::div, Op::min, Op::max}) {
    std::vector<Edge<T>> edges;
    for (const Edge<T>& e : all) {
      if (e.op == each) edges.push_back(e);
    }
    with_op(each, [&](auto op) {
      check_edges<decltype(op)::value, false>(edges);
      check_edges<decltype(op)::value, true>(edges);
    });
  }
}

void test_floats(size_t count, std::mt19937_64& random) {
  check_type_edges<float>();
  check_type_edges<double>();
  Findings findings;
  for (const Kind& kind : kinds()) {
    for (uint32_t bins : {1u, 7u, 64u}) {
      check_kind<float>(kind, count, bins, random, findings);
      check_kind<double>(kind, count, bins, random, findings);
    }
  }
  findings.count();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const size_t full = size_t(1) << 20, count = argc > 1 ? std::stoull(argv[1]) : full;
    std::mt19937_64 random(1);
    std::printf("on %s, %zu updates a stream\n", companion::gpu_name().c_str(), count);
    if (argc == 1) {
      check_control<false>(full, random);
      check_control<true>(full, random);
    }
    test_floats(count, random);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "FAIL %s\n", e.what());
    return 1;
  }
  return verdict("float_gpu_test", 6400);
}
