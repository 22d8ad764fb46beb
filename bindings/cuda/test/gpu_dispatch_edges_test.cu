// Calls on a GPU at their edges: no updates, one, no targets, one, and what is refused.
#include "gpu_dispatch.cuh"

using namespace atomtune;

namespace {

// off is an array, and so many bytes more.
template <typename T>
T* off(T* data, size_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(data) + bytes);
}

// Edge is a small setting: four updates of three targets.
struct Edge {
  Guarded<uint32_t> out{std::vector<uint32_t>{7, 7, 7}};
  DeviceArray<int64_t> index{std::vector<int64_t>{0, 1, 1, int64_t(1) << 40}};
  DeviceArray<uint32_t> values{std::vector<uint32_t>{1, 2, 3, 4}};
  DeviceArray<uint32_t> old{std::vector<uint32_t>(4, 99)};
  Workspace workspace{[this](void* memory, size_t& bytes) {
    return histogram(memory, bytes, out.data(), 3, index.data(), 4);
  }};

  cudaError_t count(uint64_t K, uint64_t n, const CallOptions& options = {}) {
    return histogram(workspace.data(), workspace.bytes(), out.data(), K, index.data(), n,
                     nullptr, options);
  }

  // expect_targets waits, and demands what the targets are.
  void expect_targets(const std::vector<uint32_t>& want, const std::string& what) {
    CHECK_CUDA(cudaDeviceSynchronize());
    expect(out.read(what) == want, what);
  }
};

void check_sizes() {
  Edge edge;
  size_t bytes = 0;
  CHECK_CUDA(histogram(nullptr, bytes, edge.out.data(), 3,
                       static_cast<const int64_t*>(nullptr), 0));
  expect(bytes > 0, "a call of no updates wants working memory");
  CHECK_CUDA(histogram(edge.workspace.data(), bytes, edge.out.data(), 3,
                       static_cast<const int64_t*>(nullptr), 0));
  edge.expect_targets({7, 7, 7}, "n = 0");
  CHECK_CUDA(edge.count(3, 1));
  edge.expect_targets({8, 7, 7}, "n = 1");
  CHECK_CUDA(edge.count(2, 4));
  edge.expect_targets({9, 9, 7}, "K = 2");
  CHECK_CUDA(edge.count(1, 4));
  edge.expect_targets({10, 9, 7}, "K = 1");
  CHECK_CUDA(edge.count(0, 4));
  edge.expect_targets({10, 9, 7}, "K = 0");
  CallOptions clear;
  clear.clear = true;
  CHECK_CUDA(edge.count(2, 4, clear));
  edge.expect_targets({1, 2, 7}, "clearing two targets");
  CHECK_CUDA(edge.count(1, 0, clear));
  edge.expect_targets({0, 2, 7}, "clearing one, n = 0");
  CHECK_CUDA(edge.count(0, 4, clear));
  edge.expect_targets({0, 2, 7}, "clearing none");
}

void check_refusals() {
  Edge edge;
  const auto refused = [&](cudaError_t got, const char* what) {
    expect(got == cudaErrorInvalidValue, std::string("takes ") + what);
  };
  size_t less = edge.workspace.bytes() - 1;
  refused(histogram(edge.workspace.data(), less, edge.out.data(), 3, edge.index.data(), 4),
          "too little memory");
  refused(edge.count((uint64_t(1) << 32) - 1, 4), "K = 2^32 - 1");
  refused(edge.count(uint64_t(1) << 32, 4), "K = 2^32");
  edge.expect_targets({7, 7, 7}, "a refused call changed targets");
  expect(edge.old.to_host() == std::vector<uint32_t>(4, 99), "a refused call changed old values");
}

// check_alignment comes last: what is not refused may fault.
void check_alignment() {
  Edge edge;
  const auto fetch = [&](size_t memory, size_t out, size_t index, size_t values, size_t old) {
    return fetch_add(off(edge.workspace.data(), memory), edge.workspace.bytes(),
                     off(edge.out.data(), out), 3, off(edge.index.data(), index),
                     off(edge.values.data(), values), off(edge.old.data(), old), 3);
  };
  const auto refused = [&](cudaError_t got, const char* what) {
    expect(got == cudaErrorInvalidValue, std::string("takes ") + what + " out of alignment");
  };
  CHECK_CUDA(fetch(0, 0, 0, 0, 0));
  edge.expect_targets({8, 12, 7}, "a call in alignment");
  refused(fetch(0, 2, 0, 0, 0), "targets");
  refused(fetch(0, 0, 4, 0, 0), "indices");
  refused(fetch(0, 0, 0, 0, 2), "old values");
  refused(fetch(0, 0, 0, 1, 0), "values");
  refused(fetch(4, 0, 0, 0, 0), "working memory");
  edge.expect_targets({8, 12, 7}, "a refused call changed targets");
}

}  // namespace

void test_edges() {
  check_sizes();
  check_refusals();
  check_alignment();
}
