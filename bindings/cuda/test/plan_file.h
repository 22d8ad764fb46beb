// A file of plans for a test, removed at its end, and what ATOMTUNE_PLANS says meanwhile.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

class PlanFile {
 public:
  explicit PlanFile(const std::string& name)
      : path_("/tmp/atomtune_" + name + "_" + std::to_string(getpid())) {
    std::remove(path_.c_str());
    setenv("ATOMTUNE_PLANS", path_.c_str(), 1);
  }
  PlanFile(const PlanFile&) = delete;
  PlanFile& operator=(const PlanFile&) = delete;
  ~PlanFile() {
    unsetenv("ATOMTUNE_PLANS");
    std::remove(path_.c_str());
  }

  const std::string& path() const { return path_; }

  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& text) const { std::ofstream(path_) << text; }

  // replace has another word in the place of each of a kind.
  void replace(const std::string& from, const std::string& to) const {
    std::string all = text();
    for (size_t at = all.find(from); at != std::string::npos;
         at = all.find(from, at + to.size())) {
      all.replace(at, from.size(), to);
    }
    write(all);
  }

 private:
  std::string path_;
};
