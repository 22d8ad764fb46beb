// micro measures what the cost models need of one device and writes a CSV file.
// README.md says how a number is made.
//
//   micro OUT.csv [GROUP...]
//
// Groups: calls memory global shared warp; all of them unless named. Exit status:
// 0 done, 1 failed, 2 wrong use.
#include "micro.cuh"

#include <cerrno>
#include <cstring>
#include <exception>

namespace {

struct Group {
  const char* name;
  void (*measure)(Sheet&);
};

constexpr Group groups[] = {
    {"calls", measure_calls},          {"memory", measure_memory},
    {"global", measure_global_atomics}, {"shared", measure_shared_atomics},
    {"warp", measure_warp},
};

bool is_group(const char* word) {
  for (const Group& group : groups) {
    if (std::strcmp(word, group.name) == 0) return true;
  }
  return false;
}

bool wanted(const Group& group, int argc, char** argv) {
  for (int a = 2; a < argc; ++a) {
    if (std::strcmp(argv[a], group.name) == 0) return true;
  }
  return argc == 2;
}

void describe_device(Sheet& sheet) {
  const auto row = [&](const char* what, cudaDeviceAttr attribute, const char* unit) {
    sheet.row("device", key_value("attribute", what), device_attribute(attribute), unit);
  };
  row("sms", cudaDevAttrMultiProcessorCount, "count");
  row("l2_bytes", cudaDevAttrL2CacheSize, "bytes");
  row("shared_bytes_per_block", cudaDevAttrMaxSharedMemoryPerBlockOptin, "bytes");
  row("shared_bytes_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor, "bytes");
  row("threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor, "count");
  std::fprintf(stderr, "%s, driver %s\n", gpu_name().c_str(), driver_version().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  bool right_use = argc >= 2;
  for (int a = 2; a < argc; ++a) right_use = right_use && is_group(argv[a]);
  if (!right_use) {
    std::fputs("usage: micro OUT.csv [calls|memory|global|shared|warp ...]\n", stderr);
    return 2;
  }
  try {
    std::FILE* const file = std::fopen(argv[1], "w");
    if (!file) throw std::runtime_error(std::string(argv[1]) + ": " + std::strerror(errno));
    Sheet sheet(file);
    describe_device(sheet);
    for (const Group& group : groups) {
      if (wanted(group, argc, argv)) group.measure(sheet);
    }
    if (std::fclose(file) != 0) throw std::runtime_error("cannot write the sheet");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "micro: %s\n", e.what());
    return 1;
  }
}
