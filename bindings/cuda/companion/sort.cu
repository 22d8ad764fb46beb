// The companion of atomprobe that times CUB's radix sort and reduction by key, and the
// partition, whose calls are of several C++ templates and so need nvcc. It serves
// requests until its input ends:
//
//   out  atomtune-companion 1 cub=VERSION cuda=VERSION gpu=NAME
//   in   IMPL TYPE VALUE K N REPEATS INDEXFILE
//   out  ok MEDIAN_US MIN_US MAX_US CORRECT      or      error TEXT
//
// IMPL is sort, segreduce or partition:w=W,r=R, TYPE u32 i32 f32 u64 i64 f64, VALUE loaded or one,
// INDEXFILE holds N <= 2^31 - 1 little-endian 32-bit indices below K <= 2^28; its name may have blanks. segreduce
// takes grouped streams only. loaded adds 1, 2 or 3, read from memory; one reads no value. CORRECT is 1 or 0. The
// last stream and its serial sums are kept while the file does not change. ../README.md says what a time is.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>

#include <cub/version.cuh>

#include "../atomtune_partition_update.cuh"
#include "../atomtune_sort.cuh"
#include "device.cuh"
#include "reference.h"
#include "request.h"

namespace companion {
namespace {

constexpr int warm_up_calls = 2;

// Input is a stream in device memory with its reference.
struct Input {
  Input(const Identity& f, const Request& r)
      : file(f), stream(make_stream(f.path, read_words(f, r.updates), r.bins)),
        reference(stream), index(stream.index) {}

  Identity file;
  Stream stream;
  Reference reference;
  DeviceArray<uint32_t> index;
};

// Inputs keeps the last stream, since requests for several types follow each other.
class Inputs {
 public:
  const Input& get(const Request& r) {
    const Identity file = identify(r.file);
    if (!last_ || !(last_->file == file) || last_->stream.bins != r.bins ||
        last_->stream.updates() != r.updates) {
      last_.reset();
      last_ = std::make_unique<Input>(file, r);
    }
    return *last_;
  }

 private:
  std::unique_ptr<Input> last_;
};

struct Answer {
  std::vector<double> sorted_us;
  std::string wrong;  // the first wrong target, empty if there is none
};

// time_calls returns the sorted times of calls in microseconds.
template <typename Call>
std::vector<double> time_calls(int repeats, Call call) {
  for (int c = 0; c < warm_up_calls; ++c) call();
  CHECK_CUDA(cudaDeviceSynchronize());
  EventPair events;
  std::vector<double> us;
  for (int c = 0; c < repeats; ++c) {
    events.start();
    call();
    us.push_back(events.stop());
  }
  std::sort(us.begin(), us.end());
  return us;
}

// measure times one implementation: clearing the targets and the whole update, with
// working memory allocated before.
template <typename T, typename Values>
Answer measure(const Request& r, const Input& in, Values values) {
  const DeviceArray<T> target(r.bins);
  const auto update = [&](void* memory, size_t& bytes) {
    constexpr auto store = atomtune::Finish::store;
    const auto* const index = in.index.data();
    if (r.implementation == "partition") {
      const atomtune::Partition partition{r.bins, r.width_bits, r.copies};
      return atomtune::update_partition(memory, bytes, target.data(), index, values,
                                        r.updates, partition, nullptr, store);
    }
    return r.implementation == "sort"
               ? atomtune::update_sort(memory, bytes, target.data(), index, values,
                                       r.updates, r.bins, nullptr, store)
               : atomtune::update_segreduce(memory, bytes, target.data(), index, values,
                                            r.updates, r.bins, nullptr, store);
  };
  size_t bytes = 0;
  CHECK_CUDA(update(nullptr, bytes));
  const DeviceArray<unsigned char> memory(bytes);
  Answer answer;
  answer.sorted_us = time_calls(r.repeats, [&] {
    CHECK_CUDA(cudaMemsetAsync(target.data(), 0, target.bytes()));
    CHECK_CUDA(update(memory.data(), bytes));
  });
  answer.wrong = first_difference(target.to_host(), in.reference, r.ones);
  return answer;
}

template <typename T>
Answer measure_type(const Request& r, const Input& in) {
  if (r.ones) return measure<T>(r, in, atomtune::One{});
  const DeviceArray<T> values(make_values<T>(r.updates));
  return measure<T>(r, in, static_cast<const T*>(values.data()));
}

Answer answer_to(const Request& r, const Input& in) {
  if (r.implementation == "segreduce" && !in.stream.grouped) {
    throw std::runtime_error(r.file + ": segreduce needs a grouped stream");
  }
  if (r.type == "u32") return measure_type<uint32_t>(r, in);
  if (r.type == "i32") return measure_type<int32_t>(r, in);
  if (r.type == "f32") return measure_type<float>(r, in);
  if (r.type == "u64") return measure_type<unsigned long long>(r, in);
  if (r.type == "i64") return measure_type<long long>(r, in);
  return measure_type<double>(r, in);
}

double median(const std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return (sorted[half - 1] + sorted[half]) / 2;
}

// serve answers one line. A wrong result is told on standard error too.
std::string serve(const std::string& line, Inputs& inputs) {
  try {
    const Request r = parse_request(line);
    const Answer a = answer_to(r, inputs.get(r));
    if (!a.wrong.empty()) {
      std::fprintf(stderr, "%s: wrong: %s\n", line.c_str(), a.wrong.c_str());
    }
    char text[128];
    std::snprintf(text, sizeof text, "ok %.3f %.3f %.3f %d", median(a.sorted_us),
                  a.sorted_us.front(), a.sorted_us.back(), a.wrong.empty() ? 1 : 0);
    return text;
  } catch (const std::exception& e) {
    return error_line(e.what());
  }
}

std::string greeting() {
  return "atomtune-companion 1 cub=" + std::to_string(CUB_MAJOR_VERSION) + "." +
         std::to_string(CUB_MINOR_VERSION) + "." + std::to_string(CUB_SUBMINOR_VERSION) +
         " cuda=" + std::to_string(CUDART_VERSION / 1000) + "." +
         std::to_string(CUDART_VERSION % 1000 / 10) + " gpu=" + gpu_name();
}

}  // namespace
}  // namespace companion

int main() {
  try {
    std::cout << companion::greeting() << std::endl;
  } catch (const std::exception& e) {
    std::cout << companion::error_line(e.what()) << std::endl;
    return 1;
  }
  companion::Inputs inputs;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << companion::serve(line, inputs) << std::endl;
  }
  return std::cin.bad() || !std::cout ? 1 : 0;
}
