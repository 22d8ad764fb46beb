// Plans as text: what was chosen for a call, one line each, in a file that many programs
// share. Package tuner/plan reads and writes the same.
//
//   atomtune-plan 1
//   device=NVIDIA_H200 version=0.1 op=add type=f32 value=loaded index=i64 returns=0
//     updates=N bins=K sample=16HEX implementation=hot:s=1024,r=8,sample=2048 launch=132x1024x4
//
// in one line each. A line of another device or version, of a form that no kernel here has, or
// one that cannot be read, is a miss and never an error. A form runs with the updates in flight
// that its kernel has, whatever the last number of a launch. Lines may end in carriage returns.
#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "atomtune_trees.cuh"

namespace atomtune {

// plan_version changes with what makes an old choice a bad one.
inline constexpr char plan_version[] = "0.1";

// PlannedForm is a form and its launch. Without blocks the launch is the rule's.
struct PlannedForm {
  Base base = Base::global;
  Reduction reduction = Reduction::none;
  uint32_t copies = 1, parameter = 0;  // as those of Action
  unsigned blocks = 0, threads = 0;
};

inline bool operator==(const PlannedForm& a, const PlannedForm& b) {
  return a.base == b.base && a.reduction == b.reduction && a.copies == b.copies &&
         a.parameter == b.parameter && a.blocks == b.blocks && a.threads == b.threads;
}

// in_flight is the updates in flight of a thread in the kernels of a base.
inline unsigned in_flight(Base base) {
  return base == Base::threadprivate || base == Base::partition ? 1 : 4;
}

// form_name is the canonical name of an implementation.
inline std::string form_name(const PlannedForm& form) {
  std::string name;
  for (const FormName& known : form_names) {
    if (known.base != form.base || known.reduction != form.reduction) continue;
    for (const char* at = form.copies > 1 ? known.several : known.one; *at != '\0'; ++at) {
      if (*at != '$') name += *at;
      else name += std::to_string(*++at == 'c' ? form.copies : form.parameter);
    }
  }
  return name;
}

namespace plans {

// split cuts text at each mark.
inline std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

// number reads a whole number of so many bits, and tells whether it is one.
inline bool number(const std::string& text, uint64_t most, uint64_t* n, int base = 10) {
  if (text.empty() || text.size() > 20) return false;
  *n = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : 99;
    if (digit >= base || *n > (most - uint64_t(digit)) / uint64_t(base)) return false;
    *n = *n * uint64_t(base) + uint64_t(digit);
  }
  return true;
}

inline bool number(const std::string& text, uint32_t* n) {
  uint64_t wide = 0;
  if (!number(text, UINT32_MAX, &wide)) return false;
  *n = uint32_t(wide);
  return true;
}

// read_form reads the numbers of a name, and tells whether it is as the pattern says.
inline bool read_form(const char* pattern, const char* name, PlannedForm* form) {
  for (; *pattern != '\0'; ++pattern) {
    if (*pattern != '$') {
      if (*name++ != *pattern) return false;
      continue;
    }
    const size_t digits = std::strspn(name, "0123456789");
    uint32_t* const to = *++pattern == 'c' ? &form->copies : &form->parameter;
    if (!number(std::string(name, digits), to) || *to == 0) return false;
    name += digits;
  }
  return *name == '\0';
}

}  // namespace plans

// parse_form reads a canonical name of what a call can run. It tells whether it is one.
inline bool parse_form(const std::string& name, PlannedForm* form) {
  for (const FormName& known : form_names) {
    for (const char* pattern : {known.one, known.several}) {
      PlannedForm read = *form;
      read.base = known.base;
      read.reduction = known.reduction;
      read.copies = 1;
      read.parameter = 0;
      if (plans::read_form(pattern, name.c_str(), &read) && form_name(read) == name) {
        *form = read;
        return true;
      }
    }
  }
  return false;
}

// PlanKey says for what a plan was made. sample is the hash of some targets.
struct PlanKey {
  std::string device, op, type, value, index;
  bool returns = false;
  uint64_t updates = 0, bins = 0, sample = 0;
};

// sample_hash is FNV-1a of 64 bits over the targets that were sampled of n updates, all of them where
// there are no more than places: 4 bytes each, the lowest first.
template <size_t places>
uint64_t sample_hash(const uint32_t (&targets)[places], uint64_t n) {
  uint64_t h = 14695981039346656037u;
  for (size_t j = 0; j < places && j < n; ++j) {
    for (int shift = 0; shift < 32; shift += 8) {
      h = (h ^ (targets[j] >> shift & 255)) * 1099511628211u;
    }
  }
  return h;
}

// plan_name is a name as fields hold it: with _ for each blank, and %XX for a byte that is _, % or a
// control character.
inline std::string plan_name(const std::string& name) {
  std::string text;
  for (const unsigned char c : name) {
    char escaped[4] = {c == ' ' ? '_' : static_cast<char>(c)};
    if (c < ' ' || c == 127 || c == '_' || c == '%') {
      std::snprintf(escaped, sizeof escaped, "%%%02X", c);
    }
    text += escaped;
  }
  return text;
}

// call_text is the fields of a key up to the call's sizes, key_text all of them.
inline std::string call_text(const PlanKey& key) {
  return "device=" + plan_name(key.device) + " version=" + plan_version + " op=" + key.op +
         " type=" + key.type + " value=" + key.value + " index=" + key.index +
         " returns=" + (key.returns ? "1" : "0") + " updates=" +
         std::to_string(key.updates) + " bins=" + std::to_string(key.bins) + " ";
}

inline std::string key_text(const PlanKey& key) {
  char sample[32];
  std::snprintf(sample, sizeof sample, "sample=%016" PRIx64 " ", key.sample);
  return call_text(key) + sample;
}

inline std::string plan_text(const PlanKey& key, const PlannedForm& form) {
  const std::string launch = form.blocks == 0
                                 ? "rule"
                                 : std::to_string(form.blocks) + "x" +
                                       std::to_string(form.threads) + "x" +
                                       std::to_string(in_flight(form.base));
  return key_text(key) + "implementation=" + form_name(form) + " launch=" + launch;
}

namespace plans {

inline constexpr char first_line[] = "atomtune-plan 1";

// read_choice reads the fields after a key.
inline bool read_choice(const std::string& text, PlannedForm* form) {
  const std::vector<std::string> fields = split(text, ' ');
  const std::string implementation = "implementation=", launch = "launch=";
  if (fields.size() != 2 || fields[0].compare(0, implementation.size(), implementation) != 0 ||
      fields[1].compare(0, launch.size(), launch) != 0) {
    return false;
  }
  PlannedForm read;
  const std::string shape = fields[1].substr(launch.size());
  if (shape != "rule") {
    const std::vector<std::string> sizes = split(shape, 'x');
    uint32_t of[3] = {};
    if (sizes.size() < 2 || sizes.size() > 3) return false;
    for (size_t k = 0; k < sizes.size(); ++k) {
      if (!number(sizes[k], &of[k]) || of[k] == 0) return false;
    }
    if (of[1] % 32 != 0 || of[1] > 1024) return false;
    read.blocks = of[0], read.threads = of[1];
  }
  if (!parse_form(fields[0].substr(implementation.size()), &read)) return false;
  *form = read;
  return true;
}

// read_lines reads a file. It tells whether it is whole, or there is none.
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

// without_sample is what follows the field of the sample.
inline std::string without_sample(const std::string& rest) {
  const size_t blank = rest.find(' ');
  const bool there = rest.compare(0, 7, "sample=") == 0 && blank != std::string::npos;
  return there ? rest.substr(blank + 1) : "";
}

}  // namespace plans

// find_plan looks a plan up in a file: for the same sample, or where any is set for one of
// any. It tells whether there is one.
inline bool find_plan(const std::string& path, const PlanKey& key, bool any,
                      PlannedForm* form) {
  std::vector<std::string> lines;
  if (!plans::read_lines(path, &lines) || lines.empty() ||
      plans::plain(lines[0]) != plans::first_line) {
    return false;
  }
  const std::string text = any ? call_text(key) : key_text(key);
  for (size_t k = lines.size(); k-- > 1;) {  // the latest first
    if (lines[k].compare(0, text.size(), text) != 0) continue;
    std::string rest = plans::plain(lines[k]).substr(text.size());
    if (any) rest = plans::without_sample(rest);
    if (plans::read_choice(rest, form)) return true;
  }
  return false;
}

// save_plan adds a plan to a file, in the place of one for the same key, and keeps all other
// lines. All threads and processes may save to one file at a time: they wait for each other.
// The file is written beside and renamed. It tells whether that succeeded.
inline bool save_plan(const std::string& path, const PlanKey& key, const PlannedForm& form) {
  const plans::FileLock lock(path);
  std::vector<std::string> lines;
  if (!lock.held() || !plans::read_lines(lock.path(), &lines)) return false;
  if (lines.empty()) lines.push_back(plans::first_line);
  if (plans::plain(lines[0]) != plans::first_line) return false;
  const std::string end = lines[0].substr(plans::plain(lines[0]).size()) + "\n";
  const std::string text = key_text(key), fresh = lock.path() + ".new";
  {
    std::ofstream file(fresh, std::ios::trunc);
    for (const std::string& line : lines) {
      PlannedForm old;
      const bool same = line.compare(0, text.size(), text) == 0 &&
                        plans::read_choice(plans::plain(line).substr(text.size()), &old);
      if (!same) file << line << "\n";
    }
    file << plan_text(key, form) << end;
    if (!file.flush()) return false;
  }
  return std::rename(fresh.c_str(), lock.path().c_str()) == 0;
}

}  // namespace atomtune
