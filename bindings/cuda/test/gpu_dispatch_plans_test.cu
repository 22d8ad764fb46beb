// Plans on a GPU: inspected, measured, run, saved, found again, and stale.
#include "../atomtune_plan.cuh"
#include "gpu_dispatch.cuh"
#include "plan_file.h"

using namespace atomtune;

namespace {

// Setting is a stream on the device, with what its updates come to.
template <typename T, typename I>
struct Setting {
  Setting(size_t n, uint32_t bins, std::mt19937_64& random)
      : targets(random_indices(random, n, bins)), values(wild_values<T>(random, n)),
        totals(totals_of(targets, values, bins)), index(indices_of<I>(targets)),
        loaded(values), out(std::vector<T>(bins, T(0))) {}

  uint64_t bins() const { return totals.size(); }
  cudaError_t inspect(Plan<T, I>& plan) const {
    return plan.inspect(bins(), index.data(), targets.size());
  }

  // expect_right runs a plan on cleared targets.
  void expect_right(Plan<T, I>& plan, const std::string& what) const {
    CallOptions clear;
    clear.clear = true;
    CHECK_CUDA(plan.run(out.data(), index.data(), loaded.data(), nullptr, clear));
    CHECK_CUDA(cudaDeviceSynchronize());
    expect_totals(out.read(what), totals, T(0), what + ": " + plan.explain());
  }

  const std::vector<uint32_t> targets;
  const std::vector<T> values;
  const std::vector<Total> totals;
  DeviceArray<I> index;
  DeviceArray<T> loaded;
  Guarded<T> out;
};

// is_by reports whether a plan names what chose it.
template <typename P>
bool is_by(const P& plan, const char* what) {
  return plan.explain().find(std::string("by ") + what) != std::string::npos;
}

// check_again has a new plan that inspects the stream, found as saved or not.
template <typename T, typename I>
void check_again(const Setting<T, I>& s, const PlannedForm* saved, const std::string& what) {
  Plan<T, I> plan;
  CHECK_CUDA(s.inspect(plan));
  expect(is_by(plan, saved != nullptr ? "a saved plan" : "the tree of"),
         what + ": " + plan.explain());
  if (saved != nullptr) expect(plan.form() == *saved, what + ": another form");
  s.expect_right(plan, what);
}

// check_stale changes the file so that its plan is of something else, which is a miss.
template <typename T, typename I>
void check_stale(const Setting<T, I>& s, const Plan<T, I>& plan, const PlanFile& file) {
  const std::string device = plan_name(plan.key().device).of;
  const std::string version = std::string("version=") + plan_version;
  const std::string launch = plan.text().substr(plan.text().find(" launch="));
  const struct {
    std::string from, to;
  } changes[] = {{device, "another_device"},
                 {version, version + ".1"},
                 {launch, ""},
                 {launch, " launch=0x0x0"},
                 {"implementation=", "implementation=no-such-form+"},
                 {"atomtune-plan 1", "atomtune-plan 2"},
                 {" sample=", " sample=f"}};
  for (const auto& change : changes) {
    std::remove(file.path().c_str());
    expect(plan.save(file.path()), "a plan is saved");
    const PlannedForm form = plan.form();
    check_again(s, &form, "a saved plan");
    file.replace(change.from, change.to);
    expect(file.text().find(change.to) != std::string::npos, "a plan is made stale");
    check_again(s, static_cast<const PlannedForm*>(nullptr),
                "a plan with '" + change.to + "' for '" + change.from + "'");
  }
}

// check_misfit has a saved plan whose form does not fit: the targets are updated directly.
template <typename T, typename I>
void check_misfit(const Setting<T, I>& s, const Plan<T, I>& plan, const PlanFile& file) {
  for (const char* form :
       {"private:r=32,pad=1", "private:r=1,ranges=4", "hot:s=65536,r=32,sample=2048",
        "threadprivate", "partition:w=3"}) {
    file.write(std::string("atomtune-plan 1\n") + key_text(plan.key()).of + "implementation=" + form +
               " launch=64x256x4\n");
    Plan<T, I> misfit;
    CHECK_CUDA(s.inspect(misfit));
    expect(is_by(misfit, "a saved plan"), std::string("a plan of ") + form);
    s.expect_right(misfit, std::string("a plan of ") + form);
  }
}

template <typename T, typename I>
void check_plan(uint32_t bins, std::mt19937_64& random) {
  const Setting<T, I> s(work.updates(), bins, random);
  const PlanFile file("plans");
  Plan<T, I> plan;
  expect(plan.run(s.out.data(), s.index.data(), s.loaded.data()) == cudaErrorNotReady,
         "a plan that did not inspect");
  expect(!plan.save(file.path()), "a plan that did not inspect is not saved");
  CHECK_CUDA(s.inspect(plan));
  expect(is_by(plan, "the tree of"), "a plan without a file: " + plan.explain());
  const std::string first = plan.text();
  s.expect_right(plan, "a plan");
  CHECK_CUDA(s.inspect(plan));
  expect(plan.text() == first, "a second look has another plan: " + plan.text());
  CHECK_CUDA(plan.tune(bins, s.index.data(), s.targets.size()));
  std::printf("%s\n", plan.explain().c_str());
  expect(is_by(plan, "measured"), "a tuned plan: " + plan.explain());
  s.expect_right(plan, "a tuned plan");
  check_stale(s, plan, file);
  check_misfit(s, plan, file);
  PlanKey other = plan.key();
  ++other.sample;
  PlannedForm found;
  expect(!find_plan(file.path().c_str(), other, false, &found), "a plan of another stream is found");
}

// check_other_data runs a plan on indices that it did not inspect, some out of range.
void check_other_data(std::mt19937_64& random) {
  const uint32_t bins = 3000;
  const size_t n = work.updates();
  const Setting<float, int64_t> uniform(n, bins, random);
  std::vector<int64_t> skewed(n, 11);
  for (size_t k = 0; k < n; k += 7) skewed[k] = -int64_t(k) - 1;
  std::vector<Total> totals(bins);
  for (size_t k = 0; k < n; ++k) {
    if (k % 7 != 0) totals[11].add(uniform.values[k]);
  }
  const DeviceArray<int64_t> index(skewed);
  const DeviceArray<uint32_t> error(std::vector<uint32_t>{0});
  Plan<float, int64_t> plan;
  CHECK_CUDA(uniform.inspect(plan));
  CallOptions options;
  options.error = error.data();
  CHECK_CUDA(plan.run(uniform.out.data(), index.data(), uniform.loaded.data(), nullptr, options));
  CHECK_CUDA(cudaDeviceSynchronize());
  const std::string what = "a plan on other indices";
  expect_totals(uniform.out.read(what), totals, 0.f, what);
  expect(error.to_host()[0] == 1, what + ": no error");
}

// check_none has no updates, or no targets.
void check_none() {
  const DeviceArray<uint32_t> index(std::vector<uint32_t>{0}), ones(std::vector<uint32_t>{1});
  const DeviceArray<uint32_t> out(std::vector<uint32_t>{7});
  Plan<uint32_t, uint32_t> plan;
  CHECK_CUDA(plan.inspect(1, index.data(), 0));
  CHECK_CUDA(plan.run(out.data(), index.data(), ones.data()));
  expect(out.to_host()[0] == 7, "a plan of no updates");
  CHECK_CUDA(plan.inspect(0, index.data(), 1));
  CHECK_CUDA(plan.run(out.data(), index.data(), ones.data()));
  expect(out.to_host()[0] == 7, "a plan of no targets");
  CHECK_CUDA(plan.inspect(1, index.data(), 1));
  CHECK_CUDA(plan.run(out.data(), index.data(), ones.data()));
  expect(out.to_host()[0] == 8, "a plan of one update");
}

}  // namespace

void test_plans() {
  std::mt19937_64 random(81);
  for (uint32_t bins : {1u, 3000u, 2000000u}) {
    if (!work.quick || bins == 3000) check_plan<float, int64_t>(bins, random);
  }
  check_other_data(random);
  check_none();
}
