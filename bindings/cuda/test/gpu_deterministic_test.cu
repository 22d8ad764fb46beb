// Tests on a GPU of sums that are the same bits on every run: by every form, in several
// launches and orders, against exact sums.
#include "../atomtune_deterministic.cuh"
#include "exact_sum.h"
#include "gpu_test.cuh"

namespace {

using atomtune::Copies;
using atomtune::Finish;
using atomtune::FirstWords;
using atomtune::FixedSum;
using atomtune::HotTable;
using atomtune::LastWord;
using atomtune::Loaded;

constexpr uint32_t slots = 16;

template <typename T>
using Sum = FixedSum<atomtune::fixed_words<T>>;

// Updates are a stream, and what the targets hold before.
template <typename T>
struct Updates {
  std::vector<uint32_t> index;
  std::vector<T> values, first;
};

// run makes the call on the updates in the order that random gives, with the kernel that
// update(sums, index, values, n) launches.
template <typename S, typename T, typename Update>
std::vector<T> run(Updates<T> u, std::mt19937_64& random, Update update) {
  for (size_t k = u.index.size(); k > 1; --k) {
    const size_t other = random() % k;
    std::swap(u.index[k - 1], u.index[other]);
    std::swap(u.values[k - 1], u.values[other]);
  }
  const size_t n = u.index.size(), bins = u.first.size();
  const DeviceArray<uint32_t> index(u.index), top(1);
  const DeviceArray<T> values(u.values), out(u.first);
  const DeviceArray<S> sums(bins);
  const DeviceArray<LastWord> last(bins);
  const Loaded<T> loaded{values.data()};
  CHECK_CUDA(cudaMemset(top.data(), 0, top.bytes()));
  CHECK_CUDA(cudaMemset(sums.data(), 0, sums.bytes()));
  CHECK_CUDA(cudaMemset(last.data(), 0, last.bytes()));
  atomtune::find_scale<<<5, 96>>>(top.data(), loaded, n);
  const auto fixed = atomtune::fixed_point<T>(loaded, top.data(), n);
  if constexpr (std::is_same_v<S, Sum<T>>) {
    update(sums.data(), index.data(), fixed, n);
  } else {
    update(sums.data(), index.data(), atomtune::last_apart(fixed, last.data()), n);
  }
  atomtune::finish_fixed<<<3, 64>>>(out.data(), sums.data(), bins, top.data(), n, Finish::add,
                                    last.data());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  return out.to_host();
}

template <typename T>
bool same_bytes(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() &&
         std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

// check_form demands want of each kernel of a form.
template <typename S, typename Form, typename T>
void check_form(const Updates<T>& u, const std::vector<T>& want, const HotTable& table,
                std::mt19937_64& random) {
  const Copies copies{static_cast<uint32_t>(u.first.size()), 2, 1, false};
  const auto check = [&](const char* kernel, auto update) {
    expect(same_bytes(run<S>(u, random, update), want),
           std::string("deterministic ") + kernel + " " + name_of(Form()) + " " +
               type_name<T>() + ", " + std::to_string(u.index.size()) + " updates");
  };
  for (const unsigned blocks : {1u, 40u}) {
    check("update_global", [&](S* A, const uint32_t* index, auto values, size_t n) {
      atomtune::update_global<Form, 4><<<blocks, 256>>>(A, index, values, n);
    });
    check("update_private", [&](S* A, const uint32_t* index, auto values, size_t n) {
      atomtune::update_private<Form><<<blocks, 160, copies.words() * sizeof(S)>>>(
          A, index, values, n, copies);
    });
    check("update_hot", [&](S* A, const uint32_t* index, auto values, size_t n) {
      atomtune::update_hot<Form><<<blocks, 160, table.bytes<S>()>>>(A, index, values, n, table);
    });
  }
}

template <typename T>
void check_updates(const Updates<T>& u, bool finite, std::mt19937_64& random) {
  std::vector<size_t> count(u.first.size());
  for (const uint32_t i : u.index) ++count[i];
  const DeviceArray<uint32_t> tags(atomtune::fill_hot_tags(count, slots));
  const auto plain = [](Sum<T>* A, const uint32_t* index, auto values, size_t n) {
    atomtune::update_global<atomtune::Naive><<<7, 96>>>(A, index, values, n);
  };
  const std::vector<T> want = run<Sum<T>>(u, random, plain);
  for_each_form([&](auto form) {
    const HotTable table{slots, 2, tags.data()};
    check_form<Sum<T>, decltype(form)>(u, want, table, random);
    check_form<FirstWords<T>, decltype(form)>(u, want, table, random);
  });
  if (!finite) return;
  std::vector<ExactSum> exact(u.first.size());
  for (size_t k = 0; k < exact.size(); ++k) exact[k].add(double(u.first[k]));
  for (size_t k = 0; k < u.index.size(); ++k) exact[u.index[k]].add(double(u.values[k]));
  bool nearest = true;
  for (size_t k = 0; k < exact.size(); ++k) {
    nearest = nearest && is_nearest(exact[k], want[k]);
  }
  expect(nearest, "deterministic " + type_name<T>() + ": not the nearest to the exact sum");
}

template <typename T>
void check_type(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  struct Size {
    uint32_t bins;
    size_t updates;
  };
  for (const Size& size : {Size{1, 30011}, Size{37, 19}, Size{100, 20011}}) {
    Updates<T> u{random_indices(random, size.updates, size.bins),
                 wild_values<T>(random, size.updates), wild_values<T>(random, size.bins)};
    check_updates(u, true, random);
    for (T& v : u.values) v *= Limits::denorm_min() * T(1000);
    check_updates(u, true, random);
    const T odd[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
    for (size_t k = 0; k < u.values.size(); k += 7) u.values[k] = odd[u.index[k] * k % 3];
    check_updates(u, false, random);
  }
}

}  // namespace

void test_deterministic() {
  std::mt19937_64 random(4);
  check_type<float>(random);
  check_type<double>(random);
}
