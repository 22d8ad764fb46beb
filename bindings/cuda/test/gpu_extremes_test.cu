// Tests on a GPU of the smallest and the largest value of each target: the whole kernels
// with Least and Greatest in place of sums, on numbers that are easily confused.
#include "extreme_values.h"
#include "gpu_test.cuh"

namespace {

using atomtune::Copies;
using atomtune::Extreme;
using atomtune::Extremum;
using atomtune::HotTable;
using atomtune::Loaded;
using atomtune::RangedCopies;

constexpr unsigned blocks = 7;
constexpr uint32_t slots = 16;

// Updates are a stream, and what its targets hold before and after.
template <typename T>
struct Updates {
  std::vector<uint32_t> index;
  std::vector<T> values, first, want;
};

template <typename T>
Updates<T> make_extreme_updates(Extreme extreme, const std::vector<uint32_t>& index,
                                uint32_t bins, int kind, std::mt19937_64& random) {
  Updates<T> u{index, {}, {}, {}};
  for (uint32_t k = 0; k < bins; ++k) u.first.push_back(any_number<T>(kind, random));
  u.want = u.first;
  for (const uint32_t i : index) {
    u.values.push_back(any_number<T>(kind, random));
    u.want[i] = extreme_of(extreme, u.want[i], u.values.back());
  }
  return u;
}

// Setting is a stream on the device.
template <typename T, Extreme extreme>
struct Setting {
  using E = Extremum<T, extreme>;

  Setting(const Updates<T>& u, const std::string& what)
      : host(u), name(what), index(u.index), values(u.values) {}

  const Updates<T>& host;
  const std::string name;
  const DeviceArray<uint32_t> index;
  const DeviceArray<T> values;

  uint32_t bins() const { return static_cast<uint32_t>(host.first.size()); }
  size_t updates() const { return host.index.size(); }
  Loaded<E> loaded() const { return {E::array(values.data())}; }

  // check launches by body(targets), and compares the targets.
  template <typename Body>
  void check(const std::string& kernel, Body body) const {
    const DeviceArray<T> A(host.first);
    body(E::array(A.data()));
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    expect(same_numbers(A.to_host(), host.want),
           kernel + ", " + name + ", " + std::to_string(updates()) + " updates");
  }
};

template <typename Form, typename T, Extreme extreme, typename Layout>
void check_copies(const Setting<T, extreme>& s, Layout copies, const std::string& layout) {
  using E = Extremum<T, extreme>;
  s.check(std::string("update_private ") + name_of(Form()) + ", " + layout, [&](E* A) {
    atomtune::update_private<Form><<<blocks, 160, copies.words() * sizeof(E)>>>(
        A, s.index.data(), s.loaded(), s.updates(), copies);
  });
}

template <typename Form, typename T, Extreme extreme>
void check_form(const Setting<T, extreme>& s, HotTable table) {
  using E = Extremum<T, extreme>;
  s.check(std::string("update_global ") + name_of(Form()), [&](E* A) {
    atomtune::update_global<Form, 4>
        <<<blocks, 96>>>(A, s.index.data(), s.loaded(), s.updates());
  });
  const Copies copies{s.bins(), 5, 2, true};
  check_copies<Form>(s, copies, "5 copies");
  check_copies<Form>(s, RangedCopies{copies, 3}, "5 copies, 3 ranges");
  s.check(std::string("update_hot ") + name_of(Form()), [&](E* A) {
    atomtune::update_hot<Form><<<blocks, 160, table.bytes<E>()>>>(
        A, s.index.data(), s.loaded(), s.updates(), table);
  });
}

template <typename T, Extreme extreme>
void check_threadprivate(const Setting<T, extreme>& s) {
  using E = Extremum<T, extreme>;
  const uint32_t bins = s.bins();
  const unsigned threads = 32;
  const DeviceArray<E> partial(size_t(bins) * blocks);
  s.check("update_threadprivate", [&](E* A) {
    atomtune::update_threadprivate<<<blocks, threads, bins * threads * sizeof(E)>>>(
        partial.data(), s.index.data(), s.loaded(), s.updates(), bins);
    atomtune::sum_threadprivate<<<(bins + 3) / 4, 128>>>(A, partial.data(), bins, blocks);
  });
}

template <typename T, Extreme extreme>
void check_stream(const std::vector<uint32_t>& index, uint32_t bins,
                  std::mt19937_64& random) {
  std::vector<size_t> count(bins);
  for (const uint32_t i : index) ++count[i];
  const DeviceArray<uint32_t> tags(atomtune::fill_hot_tags(count, slots));
  for (int kind = 0; kind < number_kinds<T>; ++kind) {
    const Updates<T> host = make_extreme_updates<T>(extreme, index, bins, kind, random);
    const Setting<T, extreme> s(host, extreme_name<T>(extreme, kind));
    for_each_form([&](auto form) {
      check_form<decltype(form)>(s, HotTable{slots, 3, tags.data()});
    });
    check_threadprivate(s);
  }
}

}  // namespace

void test_extremes() {
  std::mt19937_64 random(3);
  struct Size {
    uint32_t bins;
    size_t updates;
  };
  for (const Size& size : {Size{1, 2003}, Size{37, 19}, Size{100, 20011}}) {
    const std::vector<uint32_t> index = random_indices(random, size.updates, size.bins);
    for_each_type([&](auto zero) {
      using T = decltype(zero);
      check_stream<T, Extreme::least>(index, size.bins, random);
      check_stream<T, Extreme::greatest>(index, size.bins, random);
    });
  }
}
