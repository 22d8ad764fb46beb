// bench times every implementation on one index stream and appends the results to
// a CSV file. README.md says how a number is made.
//
//   bench STREAM.u32 K TYPE VALUE OUT.csv LABEL [REPEATS]
//
// Exit status: 0 done, 1 something failed to run, 2 wrong use, 3 a result was
// wrong.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>

#include "atomic_implementations.cuh"
#include "sort_implementations.cuh"

namespace {

constexpr const char* usage =
    "usage: bench STREAM.u32 K TYPE VALUE OUT.csv LABEL [REPEATS]\n"
    "  STREAM.u32  little-endian 32-bit target indices in lane order\n"
    "  K           number of targets, above every index\n"
    "  TYPE        u32, i32, f32, u64, i64, f64 or all\n"
    "  VALUE       loaded (each update reads its value) or one (the constant 1)\n"
    "  OUT.csv     file to append to\n"
    "  LABEL       name of the stream in the file\n"
    "  REPEATS     timed calls, 9 unless given\n";

constexpr int warm_up_calls = 2;

struct Options {
  std::string stream, type, out, label;
  uint32_t bins = 0;
  bool ones = false;
  int repeats = 9;
};

struct Outcome {
  bool failed = false;
  bool wrong = false;
};

struct Sheet {
  std::FILE* file;
  std::string gpu, driver, date;
};

template <typename T>
void clear(const Workload<T>& w) {
  CHECK_CUDA(cudaMemsetAsync(w.target.data(), 0, w.target.bytes()));
}

// time_calls returns the sorted times of whole calls in microseconds.
template <typename T>
std::vector<double> time_calls(const Workload<T>& w, const Prepared& prepared,
                               int repeats) {
  for (int call = 0; call < warm_up_calls; ++call) {
    clear(w);
    prepared.run();
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  EventPair events;
  std::vector<double> us;
  for (int call = 0; call < repeats; ++call) {
    events.start();
    clear(w);
    prepared.run();
    us.push_back(events.stop());
  }
  std::sort(us.begin(), us.end());
  return us;
}

double median(const std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return (sorted[half - 1] + sorted[half]) / 2;
}

// write_row appends one row. A wrong result has no times, and a launch that CUB
// chooses has no shape: those fields stay empty.
void write_row(const Sheet& sheet, const Options& o, const Stream& stream,
               const char* type, const std::string& name, bool correct,
               const std::vector<double>& us, const std::optional<Launch>& launch) {
  std::fprintf(sheet.file, "%s,%zu,%u,%s,%s,\"%s\",", o.label.c_str(),
               stream.updates(), stream.bins, type, o.ones ? "one" : "loaded",
               name.c_str());
  if (correct) {
    std::fprintf(sheet.file, "%.3f,%.3f,", median(us), us.front());
  } else {
    std::fputs(",,", sheet.file);
  }
  std::fprintf(sheet.file, "%d,%d,", o.repeats, correct ? 1 : 0);
  if (launch) {
    std::fprintf(sheet.file, "%u,%u,%zu,", launch->blocks, launch->threads,
                 launch->shared_bytes);
  } else {
    std::fputs(",,,", sheet.file);
  }
  std::fprintf(sheet.file, "%s,%s,%s\n", sheet.gpu.c_str(), sheet.driver.c_str(),
               sheet.date.c_str());
  std::fflush(sheet.file);
}

template <typename T>
void bench_implementation(const Implementation& implementation, const Workload<T>& w,
                          const Reference& reference, const char* type,
                          const Options& o, const Sheet& sheet, Outcome& outcome) {
  try {
    const Prepared prepared = implementation.prepare();
    const std::vector<double> us = time_calls(w, prepared, o.repeats);
    const std::string wrong = first_difference(w.target.to_host(), reference);
    write_row(sheet, o, w.stream, type, implementation.name, wrong.empty(), us,
              prepared.launch);
    if (wrong.empty()) return;
    outcome.wrong = true;
    std::fprintf(stderr, "%s %s %s: wrong: %s\n", o.label.c_str(), type,
                 implementation.name.c_str(), wrong.c_str());
  } catch (const std::exception& e) {
    outcome.failed = true;
    std::fprintf(stderr, "%s %s %s: failed: %s\n", o.label.c_str(), type,
                 implementation.name.c_str(), e.what());
  }
}

template <typename T>
void bench_type(const char* type, const Stream& stream,
                const std::vector<uint32_t>& layout, const Reference& reference,
                const Options& o, const Sheet& sheet, Outcome& outcome) {
  if (o.type != "all" && o.type != type) return;
  const Workload<T> w(stream, layout, o.ones);
  std::vector<Implementation> list;
  list_global(w, list);
  list_private(w, list);
  list_sorting(w, list);
  list_threadprivate(w, list);
  for (const Implementation& implementation : list) {
    bench_implementation(implementation, w, reference, type, o, sheet, outcome);
  }
}

bool is_type(const std::string& word) {
  for (const char* type : {"u32", "i32", "f32", "u64", "i64", "f64", "all"}) {
    if (word == type) return true;
  }
  return false;
}

// parse_number accepts a decimal number from low to high.
bool parse_number(const char* text, unsigned long low, unsigned long high,
                  unsigned long& number) {
  char* end = nullptr;
  if (text[0] < '0' || text[0] > '9') return false;
  number = std::strtoul(text, &end, 10);
  return *end == '\0' && number >= low && number <= high;
}

bool parse(int argc, char** argv, Options& o) {
  if (argc < 7 || argc > 8) return false;
  unsigned long bins = 0, repeats = 9;
  if (!parse_number(argv[2], 1, 0xffffffffu, bins)) return false;
  if (argc == 8 && !parse_number(argv[7], 1, 10000, repeats)) return false;
  const std::string value = argv[4];
  if (value != "loaded" && value != "one") return false;
  o = Options{argv[1], argv[3], argv[5], argv[6]};
  o.bins = uint32_t(bins);
  o.ones = value == "one";
  o.repeats = int(repeats);
  return is_type(o.type) && o.label.find_first_of(",\"\n") == std::string::npos;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

Sheet open_sheet(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "a");
  if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
  std::fseek(file, 0, SEEK_END);
  if (std::ftell(file) == 0) {
    std::fputs(
        "label,updates,bins,type,value,implementation,median_us,min_us,repeats,"
        "correct,blocks,threads,dynamic_shared_bytes,gpu,driver,date\n",
        file);
  }
  return {file, gpu_name(), driver_version(), utc_now()};
}

Outcome bench_all(const Options& o) {
  const Stream stream = read_stream(o.stream, o.bins);
  const std::vector<uint32_t> layout = scatter_layout(stream);
  const Reference reference = make_reference(stream, o.ones);
  const Sheet sheet = open_sheet(o.out);
  Outcome outcome;
  bench_type<uint32_t>("u32", stream, layout, reference, o, sheet, outcome);
  bench_type<int32_t>("i32", stream, layout, reference, o, sheet, outcome);
  bench_type<float>("f32", stream, layout, reference, o, sheet, outcome);
  bench_type<unsigned long long>("u64", stream, layout, reference, o, sheet, outcome);
  bench_type<long long>("i64", stream, layout, reference, o, sheet, outcome);
  bench_type<double>("f64", stream, layout, reference, o, sheet, outcome);
  if (std::fclose(sheet.file) != 0) throw std::runtime_error(o.out + ": cannot write");
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    const Outcome outcome = bench_all(options);
    return outcome.wrong ? 3 : outcome.failed ? 1 : 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench: %s\n", e.what());
    return 1;
  }
}
