// Tests of the header on a GPU. Run by `make gpu-test`, and under compute-sanitizer by
// `make sanitize`. This file has the forms of a lane: in global and shared memory, with
// and without return value, in full and partial warps, by all lanes, some lanes, and
// lanes that come to the call at different times.
#include "gpu_test.cuh"
#include "patterns.h"

namespace {

// How the lanes of a block come to the form. calls is a number of each thread.
enum class Caller {
  converged,  // lanes with calls 1 together, mask by default
  masked,     // the same, the mask made before
  divergent,  // lanes with calls 1, 2 and 3 one after the other
  looping     // each lane as often as calls says
};

constexpr unsigned block_threads = 80;  // the last warp has 16 lanes
constexpr unsigned turns = 3;
constexpr unsigned targets = pattern_targets;

// A block is one case: what each of its threads does on targets of its own.
struct Cases {
  std::vector<std::string> name;
  std::vector<Caller> caller;
  std::vector<uint32_t> index, calls;  // [case][thread]
};

__host__ __device__ bool calls_in_turn(Caller caller, unsigned calls, unsigned turn) {
  return caller == Caller::looping ? turn < calls : calls == turn + 1;
}

// call_form has every thread make its calls on mine and keep what it got back.
template <typename Form, bool fetch, typename T, typename Values>
__device__ void call_form(T* mine, Caller caller, uint32_t index, unsigned calls,
                          Values values, T* old) {
  const size_t thread = size_t(blockIdx.x) * block_threads + threadIdx.x;
  const unsigned lanes = min(32u, block_threads - threadIdx.x / 32 * 32);
  const unsigned warp = atomtune::lane_span(0, lanes);
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; ++turn) {
    const bool calling = calls_in_turn(caller, calls, turn);
    const unsigned known =
        caller == Caller::masked ? __ballot_sync(warp, calling) : 0;
    if (!calling) continue;
    const unsigned mask = caller == Caller::masked ? known : __activemask();
    const unsigned draw = atomtune::default_draw() + turn;
    const auto v = values[thread];
    if constexpr (fetch) {
      old[thread * turns + turn] = Form::fetch_add(mine, index, v, mask, draw);
    } else {
      Form::add_to(atomtune::ArrayTarget<T>{mine}, index, v, mask, draw);
    }
  }
}

template <typename Form, bool in_shared, bool fetch, typename T, typename Values>
__global__ void run_cases(T* A, const Caller* caller, const uint32_t* index,
                          const uint32_t* calls, Values values, T* old) {
  const size_t thread = size_t(blockIdx.x) * block_threads + threadIdx.x;
  T* const global = A + blockIdx.x * targets;
  if constexpr (in_shared) {
    __shared__ T shared[targets];
    for (unsigned k = threadIdx.x; k < targets; k += block_threads) shared[k] = global[k];
    __syncthreads();
    call_form<Form, fetch>(shared, caller[blockIdx.x], index[thread], calls[thread],
                           values, old);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < targets; k += block_threads) global[k] = shared[k];
  } else {
    call_form<Form, fetch>(global, caller[blockIdx.x], index[thread], calls[thread],
                           values, old);
  }
}

void add_case(Cases& cases, const Pattern& p, unsigned mask, Caller caller,
              std::mt19937& random) {
  cases.name.push_back(p.name + ", mask " + std::to_string(mask) + ", caller " +
                       std::to_string(int(caller)));
  cases.caller.push_back(caller);
  const bool once = caller == Caller::converged || caller == Caller::masked;
  for (unsigned t = 0; t < block_threads; ++t) {
    const bool active = mask >> (t % 32) & 1u;
    cases.index.push_back(p.index[t % 32]);
    cases.calls.push_back(!active ? 0u : once ? 1u : unsigned(random()) % (turns + 1));
  }
}

Cases make_cases() {
  std::mt19937 random(20140612);
  const std::vector<Pattern> ps = patterns(random);
  const std::vector<unsigned> ms = masks(random);
  Cases cases;
  for (size_t p = 0; p < ps.size(); ++p) {
    for (Caller caller :
         {Caller::converged, Caller::masked, Caller::divergent, Caller::looping}) {
      add_case(cases, ps[p], atomtune::full_warp, caller, random);
      for (size_t m : {2 * p, 2 * p + 1}) {
        add_case(cases, ps[p], ms[m % ms.size()], caller, random);
      }
    }
  }
  return cases;
}

template <typename T>
T first_of(size_t k) {
  return T(5 * (k % targets));
}

// expect_case compares the targets of case c and, where old is not empty, what its
// updates got back.
template <typename T>
void expect_case(const Cases& cases, size_t c, const std::vector<T>& values,
                 const std::vector<T>& got, const std::vector<T>& old,
                 const std::string& what) {
  std::vector<Total> totals(targets);
  std::vector<std::vector<Fetched<T>>> updates(targets);
  for (unsigned k = 0; k < targets; ++k) totals[k].add(first_of<T>(k));
  for (unsigned t = 0; t < block_threads; ++t) {
    const size_t thread = c * block_threads + t;
    for (unsigned turn = 0; turn < turns; ++turn) {
      if (!calls_in_turn(cases.caller[c], cases.calls[thread], turn)) continue;
      const T v = values.empty() ? T(1) : values[thread];
      totals[cases.index[thread]].add(v);
      if (old.empty()) continue;
      updates[cases.index[thread]].push_back({old[thread * turns + turn], v});
    }
  }
  bool right = true, serial = true;
  for (unsigned k = 0; k < targets; ++k) {
    const T now = got[c * targets + k];
    right = right && totals[k].allows(now);
    serial = serial && (old.empty() || explained(updates[k], first_of<T>(k), now));
  }
  expect(right, what + cases.name[c] + ": wrong sum");
  if (!old.empty()) expect(serial, what + cases.name[c] + ": no serial order");
}

// Uploaded holds the cases on the device.
struct Uploaded {
  explicit Uploaded(const Cases& c) : caller(c.caller), index(c.index), calls(c.calls) {}
  DeviceArray<Caller> caller;
  DeviceArray<uint32_t> index, calls;
};

template <typename Form, bool in_shared, bool fetch, typename T>
void check_form(const Cases& cases, const Uploaded& device, const std::vector<T>& values) {
  const size_t blocks = cases.name.size(), threads = blocks * block_threads;
  std::vector<T> first(blocks * targets);
  for (size_t k = 0; k < first.size(); ++k) first[k] = first_of<T>(k);
  const DeviceArray<T> A(first), v(values);
  const DeviceArray<T> old(std::vector<T>(fetch ? threads * turns : 0));
  const auto launch = [&](auto loaded) {
    run_cases<Form, in_shared, fetch><<<unsigned(blocks), block_threads>>>(
        A.data(), device.caller.data(), device.index.data(), device.calls.data(), loaded,
        old.data());
  };
  if (values.empty()) {
    launch(atomtune::Ones{});
  } else {
    launch(atomtune::Loaded<T>{v.data()});
  }
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  const std::vector<T> got = A.to_host(), olds = old.to_host();
  const std::string what = std::string(fetch ? "fetch_add " : "add ") + name_of(Form()) +
                           " " + type_name<T>() + (in_shared ? " shared " : " global ") +
                           (values.empty() ? "one, " : "loaded, ");
  for (size_t c = 0; c < blocks; ++c) expect_case(cases, c, values, got, olds, what);
}

template <typename Form, typename T>
void check_spaces(const Cases& cases, const Uploaded& device, const std::vector<T>& wild,
                  const std::vector<T>& small) {
  check_form<Form, false, false>(cases, device, wild);
  check_form<Form, true, false>(cases, device, wild);
  check_form<Form, false, true>(cases, device, small);
  check_form<Form, true, true>(cases, device, small);
}

}  // namespace

void test_lanes() {
  const Cases cases = make_cases();
  const Uploaded device(cases);
  std::mt19937_64 random(1);
  for_each_type([&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> wild = wild_values<T>(random, cases.index.size());
    const std::vector<T> small = small_values<T>(random, cases.index.size());
    for_each_form([&](auto form) {
      using Form = decltype(form);
      check_spaces<Form, T>(cases, device, wild, small);
      check_spaces<Form, T>(cases, device, {}, {});
    });
  });
}

int main() {
  try {
    std::printf("on %s\n", companion::gpu_name().c_str());
    test_lanes();
    test_streams();
    test_sort();
    test_partition();
    test_extremes();
    test_deterministic();
    test_widened();
    test_rows();
    test_rows_sums();
    test_rows_shorts();
    test_rows_least();
    test_rows_least_others();
    test_rows_greatest();
    test_rows_greatest_others();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "FAIL %s\n", e.what());
    return 1;
  }
  return verdict("gpu_test", 100000);
}
