// Tests of the rule by which the bench's ladder takes its rung and its launch.
#include "check.h"
#include "../bench/ladder_rule.h"

namespace {

using namespace bench;

constexpr size_t block_bytes = 227 << 10;  // of an H100 and an H200

// expect_rung asks for the most targets of that size that a rung takes, and for one more.
void expect_rung(uint64_t most, size_t target_bytes, const std::string& name,
                 const std::string& next) {
  const std::string fits = rung_of(most, target_bytes, block_bytes).name(),
                    beyond = rung_of(most + 1, target_bytes, block_bytes).name();
  expect(fits == name && beyond == next, std::to_string(most) + " targets take " + fits +
                                             ", one more " + beyond + ", not " + name + " and " +
                                             next);
}

void test_rungs() {
  expect(rung_of(1, 4, block_bytes).name() == "private:r=32,pad=1", "one target");
  // (K + 1) R 4 <= 232,448
  expect_rung(1815, 4, "private:r=32,pad=1", "private:r=16,pad=1");
  expect_rung(3631, 4, "private:r=16,pad=1", "private:r=4,pad=1");
  expect_rung(14527, 4, "private:r=4,pad=1", "private+sr");
  expect_rung(58112, 4, "private+sr", "match");
  expect_rung(907, 8, "private:r=32,pad=1", "private:r=16,pad=1");
  expect_rung(29056, 8, "private+sr", "match");
  expect(rung_of(uint64_t(1) << 32, 8, block_bytes).name() == "match", "many targets");
  expect(rung_of(58112, 4, block_bytes).bytes(58112, 4) == block_bytes, "bytes of copies");
}

void test_launch() {
  const Resident free{8, 2}, bound{1, 1}, tight{3, 1};
  expect(free.threads() == 256, "blocks of 256 threads where they fill an SM");
  expect(free.blocks(132, uint64_t(1) << 26) == 1056, "all that are resident at once");
  expect(free.blocks(132, 4096) == 4, "no more than a short stream has turns for");
  expect(free.blocks(132, 4097) == 5, "the last turn counts");
  expect(free.blocks(132, 0) == 1, "one block at least");
  expect(bound.threads() == 1024 && bound.blocks(132, uint64_t(1) << 26) == 132,
         "1,024 threads where copies leave one block on an SM");
  expect(tight.threads() == 1024, "1,024 threads are more than three times 256");
}

}  // namespace

int main() {
  test_rungs();
  test_launch();
  return verdict("ladder_test", 15);
}
