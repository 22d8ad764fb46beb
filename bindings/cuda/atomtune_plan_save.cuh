// Plans are saved to a file that many programs share, at the same time too.
#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "atomtune_plan_text.cuh"

namespace atomtune {

namespace plans {

// read_lines reads a file. It reports whether it is whole, or there is none.
inline bool read_lines(const std::string& path, std::vector<std::string>* lines) {
  errno = 0;
  std::ifstream file(path);
  if (!file) return errno == ENOENT;
  for (std::string line; std::getline(file, line);) lines->push_back(line);
  return !file.bad();
}

// plain is a line without carriage returns at its end.
inline std::string plain(const std::string& line) {
  return line.substr(0, line.find_last_not_of('\r') + 1);
}

// FileLock is alone to change a file among the threads and processes that lock it, as package
// tuner/plan says; where there is no flock, among the threads.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : path_(path), threads_(all_threads()) {
#if defined(__unix__) || defined(__APPLE__)
    char* const real = realpath(path.c_str(), nullptr);
    if (real != nullptr) path_ = real;
    std::free(real);
    file_ = open((path_ + ".lock").c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
    held_ = file_ >= 0;
    while (held_ && flock(file_, LOCK_EX) != 0 && errno != ENOTSUP && errno != ENOSYS) {
      held_ = errno == EINTR;
    }
#endif
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() {
#if defined(__unix__) || defined(__APPLE__)
    if (file_ < 0) return;
    flock(file_, LOCK_UN);  // a child process may have the file too
    close(file_);
#endif
  }

  bool held() const { return held_; }
  const std::string& path() const { return path_; }  // behind links

 private:
  static std::mutex& all_threads() {
    static std::mutex all;
    return all;
  }

  std::string path_;
  std::lock_guard<std::mutex> threads_;
  int file_ = -1;
  bool held_ = true;
};

}  // namespace plans

// save_plan adds a plan to a file, in the place of one for the same key, and keeps all other
// lines. All threads and processes may save to one file at a time: they wait for each other.
// The file is written beside and renamed. It reports whether that succeeded.
inline bool save_plan(const std::string& path, const PlanKey& key, const PlannedForm& form) {
  const plans::FileLock lock(path);
  std::vector<std::string> lines;
  if (!lock.held() || !plans::read_lines(lock.path(), &lines)) return false;
  if (lines.empty()) lines.push_back(plans::first_line);
  if (plans::plain(lines[0]) != plans::first_line) return false;
  const std::string end = lines[0].substr(plans::plain(lines[0]).size()) + "\n";
  const std::string text = key_text(key).of, fresh = lock.path() + ".new";
  {
    std::ofstream file(fresh, std::ios::trunc);
    for (const std::string& line : lines) {
      PlannedForm old;
      const bool same = line.compare(0, text.size(), text) == 0 &&
                        plans::read_choice(plans::plain(line).c_str() + text.size(), &old);
      if (!same) file << line << "\n";
    }
    file << plan_text(key, form).of << end;
    if (!file.flush()) return false;
  }
  return std::rename(fresh.c_str(), lock.path().c_str()) == 0;
}

}  // namespace atomtune
