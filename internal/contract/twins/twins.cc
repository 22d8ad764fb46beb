// What the call of the CUDA header does on an emulated warp: arguments in threes, a file of 32-bit
// indices, its bins and the number of a type. Prints a JSON document a line.
#include "warp_emulator.h"

#include "atomtune_cut.cuh"
#include "atomtune_index.cuh"

#include "emulated_grid.h"

namespace {

constexpr unsigned threads = 32;

uint32_t tree_type(int type) { return type == 2 ? 1 : type == 5 ? 3 : type >= 3 ? 2 : 0; }

template <typename T>
void answer(const Stream& s, uint32_t type, const DispatchTree& tree) {
  CutTree cut{};
  cut.known[feature_updates] = uint32_t(s.index.size());
  cut.known[feature_bins] = s.bins;
  cut.known[feature_type] = type;
  if (!calling::Cutter(tree, &cut).cut()) std::exit(1);
  std::vector<uint32_t> counter(sampling::counters), sums(feature_count);
  run(1, [&] {
    StreamSample<threads> sample;
    take_sample(sample, static_cast<const uint32_t*>(s.index.data()), s.index.size(), sizeof(T),
                counter.data(), sums.data());
  });
  const std::vector<T> values = make_values<T>(s);
  std::vector<T> A(s.bins, T(3)), old(1);
  uint32_t chosen = 0;
  std::vector<uint64_t> shared(300 * threads + 100);
  std::vector<uint32_t> scratch(feature_count);
  const Call<T, const uint32_t*, Loaded<T>> call{
      A.data(), old.data(), s.index.data(), Loaded<T>{values.data()}, s.index.size(), s.bins,
      uint32_t(shared.size() * 8), &chosen, nullptr};
  run(2, [&] {
    decide_and_run<threads, false>(call, cut, reinterpret_cast<unsigned char*>(shared.data()),
                                   scratch.data());
  });
  double sum = 0;
  for (size_t k = 0; k < A.size(); ++k) sum += double(A[k]) * double(1 + k % 97);
  std::printf("{\"device\":\"%s\",\"features\":[", tree.device);
  for (unsigned k = 0; k < feature_count; ++k) {
    std::printf("%s%u", k > 0 ? "," : "", k < known_features ? cut.known[k] : sums[k]);
  }
  std::printf("],\"leaf\":%u,\"action\":\"%s\",\"sum\":%.17g}\n", chosen, tree.actions[chosen].name, sum);
}

Stream load(const char* path, uint32_t bins) {
  Stream s{{}, bins};
  FILE* file = std::fopen(path, "rb");
  if (file == nullptr) std::exit(1);
  for (uint32_t i; std::fread(&i, 4, 1, file) == 1;) s.index.push_back(i);
  std::fclose(file);
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i + 2 < argc; i += 3) {
    const Stream s = load(argv[i], uint32_t(std::atoi(argv[i + 1])));
    const uint32_t type = tree_type(std::atoi(argv[i + 2]));
    for (const DispatchTree& tree : trees) {
      switch (type) {
        case 0: answer<uint32_t>(s, type, tree); break;
        case 1: answer<float>(s, type, tree); break;
        case 2: answer<unsigned long long>(s, type, tree); break;
        default: answer<double>(s, type, tree); break;
      }
    }
  }
  return 0;
}
