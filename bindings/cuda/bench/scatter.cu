// The calls of one kind as a library for scatter.py: all the forms of the header in several
// launches, CUB, and the one call that chooses. A time is that between two events around a call.
// A kernel that waits runs before the first event while the host enqueues, so that launching
// costs nobody more than the device needs for it.
//
//   nvcc -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC,-fno-gnu-unique \
//     -DBENCH_T=float -DBENCH_ONES=0 scatter.cu -o scatter_f32.so
#include <cub/version.cuh>

#include "forms.cuh"
#include "ladder.cuh"
#include "ours.cuh"
#include "rivals.cuh"

namespace bench {
namespace {

__global__ void nothing() {}

__global__ void wait_ns(unsigned long long ns) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < ns);
}

// Bench is what a library holds: one problem at a time.
struct Bench {
  std::unique_ptr<Solver> solver;
  Tags tags;
  cudaEvent_t start = nullptr, stop = nullptr;
  std::string words;  // of the last answer, or the last error
};

Bench& held() {
  static Bench one;
  return one;
}

constexpr int failed = -1;

// guarded keeps the words of an error and returns failed, or what body returns.
template <typename Body>
long long guarded(Body body) {
  try {
    return body();
  } catch (const std::exception& e) {
    held().words = e.what();
    return failed;
  }
}

void make_calls(Solver& s, bool plans) {
  Bench& b = held();
  b.tags.clear();
  for (const Table& table : tables) b.tags.push_back(known_tags(s, table.slots));
  s.add({"empty", "1x32x1", "", true, [](cudaStream_t stream) {
           nothing<<<1, 32, 0, stream>>>();
           return cudaGetLastError();
         }});
  add_calls(s, std::make_shared<Chosen>());
  if (plans) add_plans(s);
  add_histogram(s);
  add_sort(s);
  add_ladder(s);
  add_forms(s, b.tags);
}

void create_events(Bench& b) {
  if (b.start != nullptr) return;
  CHECK_CUDA(cudaEventCreate(&b.start));
  CHECK_CUDA(cudaEventCreate(&b.stop));
}

// time_once returns the microseconds of a call, and whether the host had enqueued all of it
// before the device began.
float time_once(const Call& call, double wait_us, bool* hidden) {
  Bench& b = held();
  wait_ns<<<1, 1>>>(static_cast<unsigned long long>(wait_us * 1e3));
  CHECK_CUDA(cudaEventRecord(b.start));
  CHECK_CUDA(b.solver->run(call, nullptr));
  CHECK_CUDA(cudaEventRecord(b.stop));
  *hidden = cudaEventQuery(b.start) == cudaErrorNotReady;
  cudaGetLastError();  // an event that is not ready counts as an error
  CHECK_CUDA(cudaEventSynchronize(b.stop));
  float ms = 0;
  CHECK_CUDA(cudaEventElapsedTime(&ms, b.start, b.stop));
  return 1e3f * ms;
}

// time_hidden gives the host more time until it is enough, up to most_us.
float time_hidden(const Call& call, double* wait_us, bool* hidden) {
  constexpr double most_us = 1000;
  for (;;) {
    const float us = time_once(call, *wait_us, hidden);
    if (*hidden || 2 * *wait_us > most_us) return us;
    *wait_us *= 2;
  }
}

}  // namespace
}  // namespace bench

extern "C" {

using namespace bench;

const char* bench_words() { return held().words.c_str(); }

const char* bench_versions() {
  held().words = "cuda=" + std::to_string(CUDART_VERSION / 1000) + "." +
                         std::to_string(CUDART_VERSION % 1000 / 10) +
                         " cub=" + std::to_string(CUB_MAJOR_VERSION) + "." +
                         std::to_string(CUB_MINOR_VERSION) + "." +
                         std::to_string(CUB_SUBMINOR_VERSION);
  return bench_words();
}

// bench_open takes a problem and returns the number of its calls. Plans, which measure before they
// run, are among them where plans is not 0.
long long bench_open(const Problem* problem, int plans) {
  return guarded([&] {
    Bench& b = held();
    create_events(b);
    b.solver.reset();
    b.solver = std::make_unique<Solver>(*problem);
    make_calls(*b.solver, plans != 0);
    return static_cast<long long>(b.solver->calls.size());
  });
}

// bench_close frees what the problem's calls hold.
void bench_close() {
  held().solver.reset();
  held().tags.clear();
}

// bench_name returns IMPLEMENTATION, LAUNCH and INDEX of a call, with tabs between.
const char* bench_name(long long call) {
  const Call& c = held().solver->calls[size_t(call)];
  held().words = c.implementation + "\t" + c.launch + "\t" + c.index;
  return bench_words();
}

// bench_time writes the times of so many calls in microseconds. It returns 1 where the host
// enqueued every one of them before the device began, else 0.
long long bench_time(long long call, int repeats, float* us) {
  return guarded([&] {
    const Call& c = held().solver->calls[size_t(call)];
    bool all = true;
    double wait_us = 30;
    for (int r = 0; r < repeats; ++r) {
      bool hidden = false;
      us[r] = time_hidden(c, &wait_us, &hidden);
      all = all && hidden;
    }
    return all ? 1ll : 0ll;
  });
}

// bench_wrong makes a call once and returns the number of targets that are wrong after it.
long long bench_wrong(long long call) {
  return guarded([&] {
    Solver& s = *held().solver;
    return s.wrong_targets(s.calls[size_t(call)]);
  });
}

// bench_check returns the number of targets that are wrong as they stand.
long long bench_check() {
  return guarded([&] { return held().solver->wrong_now(); });
}

// bench_chosen names the form and launch that a call ran last, or "", or is null on an error.
const char* bench_chosen(long long call) {
  const long long status = guarded([&] {
    const Call& c = held().solver->calls[size_t(call)];
    held().words = c.chosen ? c.chosen() : "";
    return 0ll;
  });
  return status == failed ? nullptr : bench_words();
}

// bench_wait has the device wait in the default stream.
long long bench_wait(double us) {
  return guarded([&] {
    wait_ns<<<1, 1>>>(static_cast<unsigned long long>(us * 1e3));
    CHECK_CUDA(cudaGetLastError());
    return 0ll;
  });
}

}  // extern "C"
