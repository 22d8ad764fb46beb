// What ATOMTUNE_MODE does to calls on a GPU. It is read once, so the test runs in a process for
// each of off, predict and plan.
#include <cstring>

#include "../atomtune_plan.cuh"
#include "gpu_dispatch.cuh"
#include "plan_file.h"

using namespace atomtune;

namespace {

using T = uint32_t;
using I = int64_t;

enum class Mode { off, predict, plan };

Mode mode() {
  const char* const name = std::getenv("ATOMTUNE_MODE");
  const std::string said = name != nullptr ? name : "";
  return said == "off" ? Mode::off : said == "plan" ? Mode::plan : Mode::predict;
}

// chosen is what is chosen for a call before it runs.
calling::Choice chosen(uint64_t K, size_t n, const CallOptions& options = {}) {
  calling::Device device;
  CHECK_CUDA(calling::current_device(&device));
  calling::Choice choice{};
  CHECK_CUDA((calling::choose<false, T, I, Loaded<T>>(device, K, n, options, &choice)));
  return choice;
}

// by_tree is what the device's tree says, whatever the mode: a tree of the caller's goes first.
calling::Choice by_tree(uint64_t K, size_t n) {
  calling::Device device;
  CHECK_CUDA(calling::current_device(&device));
  CallOptions options;
  options.tree = device.tree;
  return chosen(K, n, options);
}

bool same(const calling::Choice& a, const calling::Choice& b) {
  return std::memcmp(&a.tree, &b.tree, sizeof a.tree) == 0 &&
         a.grid.per_sm == b.grid.per_sm && a.grid.threads == b.grid.threads;
}

bool is_direct(const calling::Choice& choice) {
  const CutTree::Form& form = choice.tree.actions[0];
  return choice.tree.settled() && form.base == Base::global &&
         form.reduction == Reduction::none;
}

// Planned is a line of the file, and whether it holds here.
struct Planned {
  uint64_t K;
  const char* implementation;
  const char* launch;
  bool holds;
  Base base;
};

const Planned lines[] = {{500, "private:r=4,pad=1", "132x512x4", true, Base::copies},
                         {600, "hot:s=1024,r=2,sample=2048", "rule", true, Base::hot},
                         {700, "partition:w=64", "132x1024x1", true, Base::partition},
                         {800, "no-such-form", "rule", false, Base::global}};

void write_plans(const PlanFile& file, size_t n) {
  calling::Device device;
  CHECK_CUDA(calling::current_device(&device));
  std::string text = "atomtune-plan 1\nthis is not a plan\n";
  for (const Planned& line : lines) {
    PlanKey key = calling::key_of<false, T, I, Loaded<T>>(device, line.K, n);
    key.sample = 0xabcdef;  // of other data, which says nothing here
    text += std::string(key_text(key).of) + "implementation=" + line.implementation + " launch=" +
            line.launch + "\n";
  }
  file.write(text);
}

void expect_choice(const Planned& line, size_t n) {
  const calling::Choice choice = chosen(line.K, n), tree = by_tree(line.K, n);
  const std::string what = std::string("a call with the plan ") + line.implementation;
  if (mode() == Mode::off) {
    expect(is_direct(choice), what + ": off is not direct");
  } else if (mode() == Mode::plan && line.holds) {
    expect(choice.tree.settled() && choice.tree.actions[0].base == line.base,
           what + " is not followed");
    if (line.base == Base::copies) {
      expect(choice.tree.actions[0].copies == 4 && choice.grid.threads == 512,
             what + ": copies and launch");
    }
  } else {
    expect(same(choice, tree), what + ": not the tree's");
  }
}

void expect_sums(uint64_t K, size_t n, std::mt19937_64& random) {
  const std::vector<uint32_t> targets = random_indices(random, n, uint32_t(K));
  const std::vector<T> values = wild_values<T>(random, n);
  const DeviceArray<I> index(indices_of<I>(targets));
  const DeviceArray<T> loaded(values);
  const Guarded<T> out(std::vector<T>(K, T(1)));
  finish([&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out.data(), K, index.data(), loaded.data(), n);
  });
  const std::string what = "a call of mode " + std::to_string(int(mode()));
  expect_totals(out.read(what), totals_of(targets, values, uint32_t(K)), T(1), what);
}

}  // namespace

void test_mode() {
  std::mt19937_64 random(91);
  const size_t n = work.updates();
  const PlanFile file("mode");
  write_plans(file, n);
  std::printf("ATOMTUNE_MODE is %s\n",
              mode() == Mode::off ? "off" : mode() == Mode::plan ? "plan" : "predict");
  for (const Planned& line : lines) {
    expect_choice(line, n);
    expect_sums(line.K, n, random);
  }
}
