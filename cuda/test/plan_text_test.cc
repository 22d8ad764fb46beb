// Tests of plans as text: names of forms, lines, files with lines of others.
#include <cstdint>

#include "atomtune_plan_text.cuh"

#include "check.h"

using namespace atomtune;

namespace {

PlannedForm form_of(Base base, Reduction reduction, uint32_t copies, uint32_t parameter) {
  PlannedForm form;
  form.base = base;
  form.reduction = reduction;
  form.copies = copies;
  form.parameter = parameter;
  return form;
}

struct Named {
  const char* name;
  PlannedForm form;
};

const Named names[] = {
    {"naive", form_of(Base::global, Reduction::none, 1, 0)},
    {"sr", form_of(Base::global, Reduction::sr, 1, 0)},
    {"match", form_of(Base::global, Reduction::match, 1, 0)},
    {"private", form_of(Base::copies, Reduction::none, 1, 0)},
    {"private:r=8,pad=1", form_of(Base::copies, Reduction::none, 8, 0)},
    {"private+match", form_of(Base::copies, Reduction::match, 1, 0)},
    {"private:r=1,ranges=3", form_of(Base::ranges, Reduction::none, 1, 3)},
    {"private:r=2,pad=1,ranges=4+sr", form_of(Base::ranges, Reduction::sr, 2, 4)},
    {"hot:s=1024,r=8,sample=2048", form_of(Base::hot, Reduction::none, 8, 1024)},
    {"hot:s=64,sample=2048+sr", form_of(Base::hot, Reduction::sr, 1, 64)},
    {"threadprivate", form_of(Base::threadprivate, Reduction::none, 1, 0)},
    {"partition:w=8192", form_of(Base::partition, Reduction::none, 1, 8192)},
    {"partition:w=8192,r=2", form_of(Base::partition, Reduction::none, 2, 8192)},
};

void check_names() {
  for (const Named& n : names) {
    expect(form_name(n.form) == n.name, std::string("the name of ") + n.name);
    PlannedForm form;
    expect(parse_form(n.name, &form) && form == n.form, std::string("reads ") + n.name);
  }
  for (const char* wrong : {"", "peers", "private:r=0", "private:r=8", "hot", "hot:s=64",
                            "hot:s=99999999999,sample=2048", "private:r=x,pad=1", "naive:r=2",
                            "private:r", "sr+sr", "partition", "hot:s=0,sample=2048",
                            "private:r=1,ranges=0", "partition:w=0"}) {
    PlannedForm form = form_of(Base::hot, Reduction::sr, 5, 6);
    expect(!parse_form(wrong, &form), std::string("takes ") + wrong + " for a form");
    expect(form == form_of(Base::hot, Reduction::sr, 5, 6), "a form that is not one is kept");
  }
}

PlanKey key() {
  PlanKey k;
  k.device = "NVIDIA H200";
  k.op = "add";
  k.type = "f32";
  k.value = "loaded";
  k.index = "i64";
  k.updates = 100;
  k.bins = 7;
  k.sample = 0xabc;
  return k;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void check_devices() {
  expect(plan_name("a b") == "a_b", "a blank in a device's name");
  expect(plan_name("a_b\t%") == "a%5Fb%09%25", "what is escaped in a device's name");
  expect(plan_name("\xc3\xa9") == "\xc3\xa9", "other bytes of a device's name");
}

void check_files() {
  const std::string path = "build/plans_test";
  std::remove(path.c_str());
  PlannedForm found, form = names[8].form;
  form.blocks = 132, form.threads = 1024, form.unroll = 4;
  expect(!find_plan(path, key(), false, &found), "no file has no plan");
  expect(save_plan(path, key(), form), "a plan is saved");
  expect(text_of(path) ==
             "atomtune-plan 1\n"
             "device=NVIDIA_H200 version=0.1 op=add type=f32 value=loaded index=i64 returns=0 "
             "updates=100 bins=7 sample=0000000000000abc "
             "implementation=hot:s=1024,r=8,sample=2048 launch=132x1024x4\n",
         "the text of a plan");
  expect(find_plan(path, key(), false, &found) && found == form, "a plan is found");
  PlanKey other = key();
  other.sample = 5;
  expect(!find_plan(path, other, false, &found), "another stream has none");
  expect(find_plan(path, other, true, &found) && found == form, "any stream has it");
  other.updates = 10;
  expect(!find_plan(path, other, true, &found), "another call has none");

  std::ofstream(path, std::ios::app) << "a line of another program\n";
  expect(save_plan(path, key(), names[0].form), "a plan is replaced");
  expect(find_plan(path, key(), false, &found) && found.blocks == 0 &&
             found.base == Base::global,
         "the plan in its place");
  const std::string text = text_of(path);
  expect(text.find("a line of another program\n") != std::string::npos, "a line is kept");
  expect(text.find("hot:") == std::string::npos, "the plan before is gone");

  for (const char* rest : {"implementation=naive launch=0x32", "implementation=naive",
                           "implementation=none launch=rule", "launch=rule",
                           "implementation=naive launch=1x33", "implementation=naive launch=1x2048",
                           "implementation=naive launch=1x32x4x1"}) {
    std::ofstream(path) << "atomtune-plan 1\n" << key_text(key()) << rest << "\n";
    expect(!find_plan(path, key(), false, &found), std::string("takes ") + rest);
  }
  std::ofstream(path) << "another file\n" << plan_text(key(), form) << "\n";
  expect(!find_plan(path, key(), false, &found), "a file of another kind has no plan");
  expect(!save_plan(path, key(), form), "a file of another kind is kept");
  expect(text_of(path).compare(0, 12, "another file") == 0, "and is as it was");
  std::remove(path.c_str());
}

}  // namespace

int main() {
  check_names();
  check_devices();
  check_files();
  return verdict("plan_text_test", 60);
}
