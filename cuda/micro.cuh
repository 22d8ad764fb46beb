// What the micro-measurements share: rows of the CSV file and the best of several
// runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "device.cuh"

inline constexpr int warp_size = 32;

// Sheet is the CSV file: name, parameter (space-separated key=value), value, unit.
class Sheet {
 public:
  explicit Sheet(std::FILE* file) : file_(file) {
    std::fputs("name,parameter,value,unit\n", file_);
  }
  void row(const std::string& name, const std::string& parameter, double value,
           const std::string& unit) {
    std::fprintf(file_, "%s,%s,%.6g,%s\n", name.c_str(), parameter.c_str(), value,
                 unit.c_str());
    std::fflush(file_);
  }

 private:
  std::FILE* file_;
};

inline std::string key_value(const char* key, const std::string& value) {
  return std::string(key) + "=" + value;
}
inline std::string key_value(const char* key, long long value) {
  return key_value(key, std::to_string(value));
}

// sorted_us times call repeats times, after two calls that are not counted.
template <typename Call>
std::vector<double> sorted_us(int repeats, Call call) {
  call();
  call();
  CHECK_CUDA(cudaDeviceSynchronize());
  EventPair events;
  std::vector<double> us;
  for (int r = 0; r < repeats; ++r) {
    events.start();
    call();
    us.push_back(events.stop());
  }
  std::sort(us.begin(), us.end());
  return us;
}

template <typename Call>
double median_us(int repeats, Call call) {
  const std::vector<double> us = sorted_us(repeats, call);
  return us[us.size() / 2];
}

// min_of_five returns the least of five readings of measure().
template <typename Measure>
double min_of_five(Measure measure) {
  double least = measure();
  for (int r = 1; r < 5; ++r) least = std::min(least, double(measure()));
  return least;
}

// Interval is one warp's first and last reading of its SM's clock.
struct Interval {
  long long start, stop;
};

// span is the time from the first start to the last stop, in SM cycles. All
// intervals come from one SM.
inline long long span(const std::vector<Interval>& intervals) {
  long long first = intervals[0].start, last = intervals[0].stop;
  for (const Interval& i : intervals) {
    first = std::min(first, i.start);
    last = std::max(last, i.stop);
  }
  return last - first;
}

// The groups of measurements, one file each.
void measure_calls(Sheet& sheet);
void measure_memory(Sheet& sheet);
void measure_global_atomics(Sheet& sheet);
void measure_shared_atomics(Sheet& sheet);
void measure_warp(Sheet& sheet);
