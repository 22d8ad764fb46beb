// Tests of the call that decides on a GPU. Run by `make gpu-test`, and under compute-sanitizer by
// `make sanitize`.
//
//   dispatch_gpu_test [quick] [raw] [PART...]     all parts unless some are named
//
// quick makes fewer and shorter calls, raw leaves working memory as it comes.
#include <cstring>

#include "gpu_dispatch.cuh"

namespace {

// Part is a part of the test, and how many checks it makes at least.
struct Part {
  const char* name;
  void (*test)();
  long least;
};

// A call that faults ends the process, so what is asked of the device at its edges comes last.
const Part parts[] = {
    {"sums_u32", test_sums_u32, 300},
    {"sums_i32", test_sums_i32, 300},
    {"sums_f32", test_sums_f32, 300},
    {"sums_u64", test_sums_u64, 300},
    {"sums_i64", test_sums_i64, 300},
    {"sums_f64", test_sums_f64, 300},
    {"halves", test_halves, 10},
    {"least", test_least, 100},
    {"greatest", test_greatest, 100},
    {"same_bits_f32", test_same_bits_f32, 40},
    {"same_bits_f64", test_same_bits_f64, 40},
    {"same_bits_u32", test_same_bits_u32, 40},
    {"device_tree", test_device_tree, 80},
    {"graphs", test_graphs, 24},
    {"side_by_side", test_side_by_side, 30},
    {"plans", test_plans, 50},
    {"mode", test_mode, 12},
    {"indices", test_indices, 150},
    {"many_targets", test_many_targets, 0},  // where the device has the memory
    {"edges", test_edges, 30},
};

const Part* part_of(const char* name) {
  for (const Part& part : parts) {
    if (std::strcmp(part.name, name) == 0) return &part;
  }
  return nullptr;
}

void run(const Part& part) {
  const long before = checks;
  part.test();
  const long made = checks - before;
  std::printf("%s: %ld checks\n", part.name, made);
  std::fflush(stdout);
  expect(made >= part.least, std::string(part.name) + ": checks are missing");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<const Part*> wanted;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "quick") == 0) {
      work.quick = true;
    } else if (std::strcmp(argv[k], "raw") == 0) {
      work.raw = true;
    } else if (const Part* const part = part_of(argv[k])) {
      wanted.push_back(part);
    } else {
      std::fprintf(stderr, "dispatch_gpu_test: no part is called %s\n", argv[k]);
      return 2;
    }
  }
  if (wanted.empty()) {
    for (const Part& part : parts) wanted.push_back(&part);
  }
  try {
    std::printf("on %s\n", companion::gpu_name().c_str());
    for (const Part* part : wanted) run(*part);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FAIL %s\n", error.what());
    return 1;
  }
  return verdict("dispatch_gpu_test", 4);
}
