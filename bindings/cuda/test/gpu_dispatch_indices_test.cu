// Indices of each type on a GPU: out of range at either end of their type, ignored, and the word
// that tells an error.
#include <limits>

#include "gpu_dispatch.cuh"

using namespace atomtune;

namespace {

// Request counts indices, with a word for errors that stays from call to call.
template <typename I>
class Request {
 public:
  explicit Request(uint32_t bins) : out_(std::vector<uint32_t>(bins, 0)), want_(bins) {
    options.error = error_.data();
  }

  // count adds all indices; the made ones are counted.
  void count(const std::vector<I>& index, const std::vector<I>& made, bool error,
             const std::string& what) {
    const DeviceArray<I> device(index);
    finish([&](void* memory, size_t& bytes) {
      return histogram(memory, bytes, out_.data(), want_.size(), device.data(), index.size(),
                       nullptr, options);
    });
    for (I i : made) ++want_[size_t(i)];
    expect(out_.read(what) == want_, what + ": wrong counts");
    expect(error_.to_host()[0] == (error ? 1u : 0u), what + ": error");
  }

  CallOptions options;

 private:
  Guarded<uint32_t> out_;
  std::vector<uint32_t> want_;
  DeviceArray<uint32_t> error_{std::vector<uint32_t>{0}};
};

// beyond are indices of a type that are not targets, of which one cut to 32 bits is one.
template <typename I>
std::vector<I> beyond(uint32_t bins) {
  std::vector<I> list = {I(bins), I(bins + 1), I(-1), std::numeric_limits<I>::max()};
  if constexpr (std::is_signed_v<I>) {
    list.push_back(std::numeric_limits<I>::min());
    list.push_back(-I(bins));
  }
  if constexpr (sizeof(I) == 8) {
    list.push_back(I((uint64_t(1) << 32) + 5));
    list.push_back(I((uint64_t(1) << 63) + 5));
  }
  return list;
}

template <typename I>
void check_type(std::mt19937_64& random) {
  const std::string name = "indices of " + type_name<I>();
  const uint32_t bins = sizeof(I) == 1 ? 100 : 1000;
  const std::vector<I> good = indices_of<I>(random_indices(random, 5000, bins));
  const std::vector<I> bad = beyond<I>(bins);
  Request<I> request(bins);
  request.count(good, good, false, name);
  std::vector<I> mixed = good;
  mixed.insert(mixed.begin() + 100, bad.begin(), bad.end());
  request.count(mixed, good, true, name + ", some out of range");
  request.count(good, good, true, name + ", an error before");
  for (I i : bad) {
    Request<I> alone(bins);
    alone.count({i}, {}, true, name + ", one of " + std::to_string(i));
  }
  for (I ignored : {I(-1), I(-100), I(7), std::numeric_limits<I>::max()}) {
    std::vector<I> some, kept;
    for (size_t k = 0; k < good.size(); ++k) some.push_back(k % 3 == 0 ? ignored : good[k]);
    for (I i : some) {
      if (i != ignored) kept.push_back(i);
    }
    Request<I> ignoring(bins);
    ignoring.options.has_ignore = true;
    ignoring.options.ignore = int64_t(ignored);
    ignoring.count(some, kept, false, name + ", ignoring " + std::to_string(ignored));
    some.push_back(I(bins));
    ignoring.count(some, kept, true, name + ", ignoring, one out of range");
  }
  if (sizeof(I) == 4) {
    Request<I> ignoring(bins);
    ignoring.options.has_ignore = true;
    ignoring.options.ignore = (int64_t(1) << 32) + int64_t(good[0]);
    ignoring.count(good, good, false, name + ", ignoring what the type does not have");
  }
}

}  // namespace

void test_indices() {
  std::mt19937_64 random(101);
  check_type<int8_t>(random);
  check_type<uint8_t>(random);
  check_type<int16_t>(random);
  check_type<uint16_t>(random);
  check_type<int32_t>(random);
  check_type<uint32_t>(random);
  check_type<int64_t>(random);
  check_type<uint64_t>(random);
}
