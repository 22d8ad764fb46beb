// Tests of plans as text: names of forms, lines, files with lines of others.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "atomtune_plan_save.cuh"

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
    {"private:r=2,pad=1,ranges=4", form_of(Base::ranges, Reduction::none, 2, 4)},
    {"hot:s=1024,r=8,sample=2048", form_of(Base::hot, Reduction::none, 8, 1024)},
    {"hot:s=64,sample=2048+sr", form_of(Base::hot, Reduction::sr, 1, 64)},
    {"threadprivate", form_of(Base::threadprivate, Reduction::none, 1, 0)},
    {"partition:w=8192", form_of(Base::partition, Reduction::none, 1, 8192)},
    {"partition:w=8192,r=2", form_of(Base::partition, Reduction::none, 2, 8192)},
};

void check_names() {
  for (const Named& n : names) {
    expect(form_name(n.form).of == std::string(n.name), std::string("the name of ") + n.name);
    PlannedForm form;
    expect(parse_form(n.name, &form) && form == n.form, std::string("reads ") + n.name);
  }
  for (const char* wrong : {"", "peers", "private:r=0", "private:r=8", "hot", "hot:s=64",
                            "hot:s=99999999999,sample=2048", "private:r=x,pad=1", "naive:r=2",
                            "private:r", "sr+sr", "partition", "hot:s=0,sample=2048",
                            "sr:scope=block", "sr:scope=warp", "private:r=1,ranges=2+sr",
                            "private:r=1,ranges=0", "partition:w=0", "hot:s=8,sample=2048",
                            "hot:s=100,sample=2048", "hot:s=131072,sample=2048"}) {
    PlannedForm form = form_of(Base::hot, Reduction::sr, 5, 6);
    expect(!parse_form(wrong, &form), std::string("takes ") + wrong + " for a form");
    expect(form == form_of(Base::hot, Reduction::sr, 5, 6), "a form that is not one is kept");
  }
}

PlanKey key() {
  PlanKey k;
  std::strcpy(k.device, "NVIDIA H200");
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
  expect(plan_name("a b").of == std::string("a_b"), "a blank in a device's name");
  expect(plan_name("a_b\t%").of == std::string("a%5Fb%09%25"), "what is escaped in a device's name");
  expect(plan_name("\xc3\xa9").of == std::string("\xc3\xa9"), "other bytes of a device's name");
}

void remove_plans(const std::string& path) {
  std::remove(path.c_str());  // not a folder with files
  std::remove((path + ".lock").c_str());
}

void check_files() {
  const std::string path = "build/plans_test";
  remove_plans(path);
  PlannedForm found, form = names[8].form;
  form.blocks = 132, form.threads = 1024;
  expect(!find_plan(path.c_str(), key(), false, &found), "no file has no plan");
  const mode_t mask = umask(0);
  expect(save_plan(path, key(), form), "a plan is saved");
  umask(mask);
  struct stat lock;
  expect(stat((path + ".lock").c_str(), &lock) == 0 && (lock.st_mode & 0777) == 0644,
         "other users may lock the file, and none may write to its lock");
  expect(text_of(path) ==
             "atomtune-plan 1\n"
             "device=NVIDIA_H200 version=0.1 op=add type=f32 value=loaded index=i64 returns=0 "
             "updates=100 bins=7 sample=0000000000000abc "
             "implementation=hot:s=1024,r=8,sample=2048 launch=132x1024x4\n",
         "the text of a plan");
  expect(find_plan(path.c_str(), key(), false, &found) && found == form, "a plan is found");
  PlanKey other = key();
  other.sample = 5;
  expect(!find_plan(path.c_str(), other, false, &found), "another stream has none");
  expect(find_plan(path.c_str(), other, true, &found) && found == form, "any stream has it");
  other.updates = 10;
  expect(!find_plan(path.c_str(), other, true, &found), "another call has none");

  std::ofstream(path, std::ios::app) << "a line of another program\n";
  expect(save_plan(path, key(), names[0].form), "a plan is replaced");
  expect(find_plan(path.c_str(), key(), false, &found) && found.blocks == 0 &&
             found.base == Base::global,
         "the plan in its place");
  const std::string text = text_of(path);
  expect(text.find("a line of another program\n") != std::string::npos, "a line is kept");
  expect(text.find("hot:") == std::string::npos, "the plan before is gone");

  std::ofstream(path) << "atomtune-plan 1\n" << key_text(key()).of
                      << "implementation=private launch=132x512x1\n";
  expect(find_plan(path.c_str(), key(), false, &found) && found.base == Base::copies &&
             found.blocks == 132 && found.threads == 512,
         "a plan of other updates in flight is found");

  for (const char* rest : {"implementation=naive launch=0x32", "implementation=naive",
                           "implementation=none launch=rule", "launch=rule",
                           "implementation=naive launch=1x33", "implementation=naive launch=1x2048",
                           "implementation=naive launch=1x32x4x1",
                           "implementation=naive launch=4294967297x32"}) {
    std::ofstream(path) << "atomtune-plan 1\n" << key_text(key()).of << rest << "\n";
    expect(!find_plan(path.c_str(), key(), false, &found), std::string("takes ") + rest);
  }
  std::ofstream(path) << "another file\n" << plan_text(key(), form).of << "\n";
  expect(!find_plan(path.c_str(), key(), false, &found), "a file of another kind has no plan");
  expect(!save_plan(path, key(), form), "a file of another kind is kept");
  expect(text_of(path).compare(0, 12, "another file") == 0, "and is as it was");
  remove_plans(path);
}

// check_lines: lines of others stay to the byte, and lines end as the first does.
void check_lines() {
  const std::string path = "build/plans_lines", link = path + "_link";
  const std::string plan = plan_text(key(), names[0].form).of, later = plan + " later=1";
  const std::string unknown = std::string(key_text(key()).of) + "implementation=future launch=rule";
  for (const std::string end : {"\n", "\r\n"}) {
    const std::string head = "atomtune-plan 1" + end, others = later + end + end + unknown + end;
    std::remove(path.c_str());
    std::ofstream(path) << head << plan << end << others;
    PlannedForm found;
    expect(find_plan(path.c_str(), key(), false, &found) && found == names[0].form, "a line is read");
    for (int k = 0; k < 2; ++k) {
      expect(save_plan(path, key(), names[0].form), "a plan is saved among others");
      expect(text_of(path) == head + others + plan + end, "other lines stay");
    }
  }
  std::remove(link.c_str());
  expect(symlink("plans_lines", link.c_str()) == 0 && save_plan(link, key(), names[1].form),
         "a plan is saved through a link");
  struct stat info;
  expect(lstat(link.c_str(), &info) == 0 && S_ISLNK(info.st_mode), "the link stays");
  expect(text_of(path).find("=sr ") != std::string::npos, "its file has the plan");
  std::remove(link.c_str());
  expect(symlink("plans_lines/below", link.c_str()) == 0, "a link that leads to no file");
  expect(!save_plan(link, key(), names[0].form), "what cannot be read is not replaced");
  expect(!save_plan("build", key(), names[0].form), "a folder is not replaced");
  for (const std::string& name : {path, link, std::string("build")}) remove_plans(name);
}

// check_saved: a file's plans are found for calls of any indices, the latest of a call, however many
// there are.
void check_saved() {
  const std::string path = "build/plans_saved";
  PlannedForm found;
  PlanKey own = key();
  expect(!SavedPlans(nullptr).find(own, &found) && !SavedPlans(path.c_str()).find(own, &found),
         "no file has no plan");
  {
    std::ofstream file(path);
    file << "atomtune-plan 1\na line of another program\n" << std::string(5000, 'x') << "\n";
    for (uint64_t k = 0; k < 1000; ++k) {
      own.updates = k % 500;
      own.sample = k;
      file << plan_text(own, names[(k < 500 ? k : k + 1) % 5].form).of << "\n";
    }
    file << key_text(own).of << "implementation=future launch=rule";
  }
  const SavedPlans saved(path.c_str());
  own.sample = 77;
  for (uint64_t k = 0; k < 500; ++k) {
    own.updates = k;
    expect(saved.find(own, &found) && found == names[(k + 1) % 5].form,
           "the latest plan of call " + std::to_string(k));
    expect(find_plan(path.c_str(), own, true, &found) && found == names[(k + 1) % 5].form,
           "the file's latest plan of call " + std::to_string(k));
  }
  own.bins = 8;
  expect(!saved.find(own, &found), "another call has none");
  std::remove(path.c_str());
}

// check_together: of plans that processes with threads save to one file all are kept.
void check_together() {
  const std::string path = "build/plans_together";
  constexpr int processes = 2, threads = 8, saves = 2;
  std::remove(path.c_str());
  for (int process = 0; process < processes; ++process) {
    if (fork() != 0) continue;
    std::vector<std::thread> all;
    for (int thread = 0; thread < threads; ++thread) {
      all.emplace_back([&path, first = (process * threads + thread) * saves] {
        for (int k = 0; k < saves; ++k) {
          PlanKey own = key();
          own.updates = uint64_t(first + k);
          if (!save_plan(path, own, names[0].form)) _exit(1);
        }
      });
    }
    for (std::thread& one : all) one.join();
    _exit(0);
  }
  for (int status = 0; wait(&status) > 0;) expect(status == 0, "a process saves");
  for (int k = 0; k < processes * threads * saves; ++k) {
    PlanKey own = key();
    own.updates = uint64_t(k);
    PlannedForm found;
    expect(find_plan(path.c_str(), own, false, &found), "plan " + std::to_string(k) + " is kept");
  }
  remove_plans(path);
}

// Package tuner/plan has these hashes of the same targets.
void check_hashes() {
  uint32_t targets[2048];
  for (uint32_t j = 0; j < 2048; ++j) targets[j] = j * 0x01010105;
  const std::pair<uint64_t, uint64_t> hashes[] = {{0, 0xcbf29ce484222325}, {31, 0xcbf29ce484222325},
                                                  {2047, 0x099e2179914d6c8d}, {2048, 0xf5adbf71a1643645},
                                                  {1ull << 32, 0xf5adbf71a1643645}};
  for (const auto& of : hashes) {
    expect(sample_hash(targets, of.first) == of.second, "hash of " + std::to_string(of.first));
  }
}

}  // namespace

int main() {
  check_names();
  check_devices();
  check_files();
  check_lines();
  check_saved();
  check_together();
  check_hashes();
  return verdict("plan_text_test", 1000);
}
