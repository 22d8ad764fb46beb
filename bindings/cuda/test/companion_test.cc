// Tests of what the companion does on the host: requests, streams, the verdict on a
// result. Run by `make test`.
#include <unistd.h>

#include <functional>

#include "check.h"
#include "../companion/reference.h"
#include "../companion/request.h"

namespace {

using namespace companion;

// error_of returns the text of what call throws, empty if it throws nothing.
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

void expect_error(const std::string& line, const std::string& want) {
  const std::string got = error_of([&] { parse_request(line); });
  expect(got == want, "\"" + line + "\" gives \"" + got + "\", not \"" + want + "\"");
}

void test_request() {
  const Request r = parse_request("sort f32 loaded 256 1000 7 /tmp/a b.u32");
  expect(r.implementation == "sort" && r.type == "f32" && !r.ones, "words of a request");
  expect(r.bins == 256 && r.updates == 1000 && r.repeats == 7, "numbers of a request");
  expect(r.file == "/tmp/a b.u32", "the file's name may hold blanks");
  expect(parse_request("segreduce i64 one 268435456 2147483647 10000 f").ones,
         "the largest numbers");
  expect_error("", "implementation \"\" is not one of sort, segreduce, partition");
  expect_error("naive u32 one 1 1 1 f",
               "implementation \"naive\" is not one of sort, segreduce, partition");
  const Request parted = parse_request("partition:w=4096,r=3 u64 one 9 9 1 f");
  expect(parted.implementation == "partition" && parted.width_bits == 12 && parted.copies == 3,
         "parameters of a partition");
  expect(parse_request("partition:w=65536 u64 one 9 9 1 f").width_bits == 16, "the widest");
  expect_error("partition u32 one 1 1 1 f", "partition: is not partition:w=W,r=R");
  expect_error("partition:w=64,m=2 u32 one 1 1 1 f", "partition:w=64,m=2 is not partition:w=W,r=R");
  expect_error("partition:w=96 u32 one 1 1 1 f", "w=96 is not a power of two from 64 to 65536");
  expect_error("partition:w=131072 u32 one 1 1 1 f", "w \"131072\" is not a number from 1 to 65536");
  expect_error("sort:w=64 u32 one 1 1 1 f", "sort takes no parameters");
  expect_error("sort u16 one 1 1 1 f",
               "type \"u16\" is not one of u32, i32, f32, u64, i64, f64");
  expect_error("sort u32 two 1 1 1 f", "value \"two\" is not one of loaded, one");
  expect_error("sort u32 one 0 1 1 f", "K \"0\" is not a number from 1 to 268435456");
  expect_error("sort u32 one 268435457 1 1 f",
               "K \"268435457\" is not a number from 1 to 268435456");
  expect_error("sort u32 one 99999999999999999999 1 1 f",
               "K \"99999999999999999999\" is not a number from 1 to 268435456");
  expect_error("sort u32 one 1 2147483648 1 f",
               "N \"2147483648\" is not a number from 1 to 2147483647");
  expect_error("sort u32 one 1 -1 1 f", "N \"-1\" is not a number from 1 to 2147483647");
  expect_error("sort u32 one 1 1 1e3 f", "REPEATS \"1e3\" is not a number from 1 to 10000");
  expect_error("sort u32 one 1 1 ", "REPEATS \"\" is not a number from 1 to 10000");
  expect_error("sort u32 one 1 1 3", "the request names no index file");
  expect(error_line("a\nb\r") == "error a b ", "an error is one line");
}

void test_file() {
  char path[] = "/tmp/companion_test_XXXXXX";
  const int file = mkstemp(path);
  const uint32_t words[3] = {3, 1, 3};
  expect(file >= 0 && write(file, words, sizeof words) == sizeof words, "a file to read");
  const Identity first = identify(path);
  expect(read_words(first, 3) == std::vector<uint32_t>{3, 1, 3}, "words are read");
  expect(error_of([&] { read_words(first, 4); }) ==
             std::string(path) + ": 12 bytes are not 4 indices of 4 bytes",
         "a file of another length is refused");
  expect(identify(path) == first, "the same file has the same identity");
  expect(write(file, words, 4) == 4 && !(identify(path) == first),
         "a changed file is another one");
  close(file);
  unlink(path);
  expect(error_of([&] { identify(path); }) ==
             std::string(path) + ": No such file or directory",
         "a missing file is named");
  expect(error_of([] { identify("/tmp"); }) == "/tmp: not a plain file",
         "a folder is refused");
}

void test_stream() {
  expect(make_stream("s", {3, 3, 1, 0, 0}, 4).grouped, "groups need not ascend");
  expect(!make_stream("s", {3, 1, 3}, 4).grouped, "a returning target is not grouped");
  expect(make_stream("s", {2}, 3).grouped, "one update is grouped");
  expect(error_of([] { make_stream("s", {1, 4}, 4); }) ==
             "s: index 4 of update 1 is not below 4",
         "an index above is refused");
}

void test_verdict() {
  expect(close_enough<int32_t>(-1, 0xffffffffu, 1), "integers agree modulo 2^32");
  expect(!close_enough<uint32_t>(6, 7, 3), "integers agree exactly");
  expect(!close_enough<float>(6, 7, 3), "small float sums agree exactly");
  expect(!close_enough<float>(0.0f, 7, 3), "a missing sum is wrong");
  const uint64_t large = uint64_t(1) << 25;
  expect(close_enough<float>(float(large) + 4, large, 1 << 20), "large sums may round");
  expect(!close_enough<float>(float(large) * 1.1f, large, 1 << 20),
         "large sums may round by their bound only");
  expect(!close_enough<float>(NAN, large, 1 << 20), "no number is wrong");
  expect(close_enough<double>(double(large), large, 1 << 24), "doubles agree exactly");
  expect(!close_enough<double>(double(large) + 1, large, 1 << 24),
         "doubles agree exactly below 2^53");
}

void test_reference() {
  const Reference reference(make_stream("s", {1, 1, 0}, 3));
  const std::vector<double> v = make_values<double>(3);
  expect(reference.count == std::vector<uint64_t>{1, 2, 0}, "ones are counted");
  expect(double(reference.sum[1]) == v[0] + v[1], "values are summed");
  expect(first_difference<double>({v[2], v[0] + v[1], 0}, reference, false).empty(),
         "a right result has no difference");
  expect(first_difference<double>({1, 2, 0}, reference, true).empty(),
         "with ones the count is the sum");
  expect(!first_difference<double>({v[2], v[0], 0}, reference, false).empty(),
         "a wrong result has a difference");
  expect(!first_difference<double>({v[2], v[0] + v[1]}, reference, false).empty(),
         "a short result has a difference");
  bool seen[5] = {};
  for (size_t u = 0; u < 10000; ++u) seen[std::min(value_of(u), 4u)] = true;
  expect(!seen[0] && seen[1] && seen[2] && seen[3] && !seen[4], "values are 1, 2 or 3");
}

}  // namespace

int main() {
  test_request();
  test_file();
  test_stream();
  test_verdict();
  test_reference();
  return verdict("companion_test", 44);
}
