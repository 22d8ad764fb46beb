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
//
// Calls read plans, so this is C, which compiles fast. atomtune_plan_save.cuh saves them.
#pragma once

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "atomtune_trees.cuh"

namespace atomtune {

// plan_version changes with what makes an old choice a bad one.
inline constexpr char plan_version[] = "0.1";

// PlannedForm is a form and its launch. Without blocks the launch is the rule's.
struct PlannedForm {
  Base base = Base::global;
  Reduction reduction = Reduction::none;
  uint32_t copies = 1, parameter = 0;  // as those of Action
  uint32_t blocks = 0, threads = 0;
};

inline bool operator==(const PlannedForm& a, const PlannedForm& b) {
  return a.base == b.base && a.reduction == b.reduction && a.copies == b.copies &&
         a.parameter == b.parameter && a.blocks == b.blocks && a.threads == b.threads;
}

// in_flight is the updates in flight of a thread in the kernels of a base.
inline unsigned in_flight(Base base) {
  return base == Base::threadprivate || base == Base::partition ? 1 : 4;
}

// PlanText is a line of text, or a part of one. No plan is longer.
struct PlanText {
  char of[1500] = "";
  size_t size = 0;

  // add prints to the end.
  void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = std::vsnprintf(of + size, sizeof of - size, format, arguments);
    va_end(arguments);
    if (more > 0) size += size_t(more);
    if (size >= sizeof of) size = sizeof of - 1;
  }
};

// form_name is the canonical name of an implementation.
inline PlanText form_name(const PlannedForm& form) {
  PlanText name;
  for (const FormName& known : form_names) {
    if (known.base != form.base || known.reduction != form.reduction) continue;
    for (const char* at = form.copies > 1 ? known.several : known.one; *at != '\0'; ++at) {
      if (*at != '$') name.add("%c", *at);
      else name.add("%" PRIu32, *++at == 'c' ? form.copies : form.parameter);
    }
  }
  return name;
}

namespace plans {

// number reads a whole number of 32 bits, and reports whether one is there.
inline bool number(const char*& at, uint32_t* n) {
  const char* const from = at;
  uint64_t wide = 0;
  for (; *at >= '0' && *at <= '9' && wide <= UINT32_MAX; ++at) {
    wide = 10 * wide + uint64_t(*at - '0');
  }
  *n = uint32_t(wide);
  return at != from && wide <= UINT32_MAX;
}

// read_form reads the numbers of a name, and reports whether it is as the pattern says.
inline bool read_form(const char* pattern, const char* name, PlannedForm* form) {
  for (; *pattern != '\0'; ++pattern) {
    if (*pattern != '$') {
      if (*name++ != *pattern) return false;
      continue;
    }
    uint32_t* const to = *++pattern == 'c' ? &form->copies : &form->parameter;
    if (!number(name, to) || *to == 0) return false;
  }
  return *name == '\0';
}

}  // namespace plans

// has_slots reports whether a table of hot targets, if a form has one, has a number of slots that its
// hash can reach.
inline bool has_slots(const PlannedForm& form) {
  const uint32_t slots = form.parameter;
  return form.base != Base::hot ||
         (slots >= 16 && slots <= 1u << 16 && (slots & (slots - 1)) == 0);
}

// parse_form reads a canonical name of what a call can run. It reports whether it is one.
inline bool parse_form(const char* name, PlannedForm* form) {
  for (const FormName& known : form_names) {
    const char* const patterns[] = {known.one, known.several};
    for (const char* pattern : patterns) {
      PlannedForm read = *form;
      read.base = known.base;
      read.reduction = known.reduction;
      read.copies = 1;
      read.parameter = 0;
      if (plans::read_form(pattern, name, &read) && has_slots(read) &&
          std::strcmp(form_name(read).of, name) == 0) {
        *form = read;
        return true;
      }
    }
  }
  return false;
}

// PlanKey says for what a plan was made. sample is the hash of some targets.
struct PlanKey {
  char device[256] = "";
  const char *op = "", *type = "", *value = "", *index = "";
  bool returns = false;
  uint64_t updates = 0, bins = 0, sample = 0;
};

namespace plans {

// Hash is FNV-1a of 64 bits.
struct Hash {
  uint64_t of = 14695981039346656037u;

  void add(unsigned char byte) { of = (of ^ byte) * 1099511628211u; }
};

}  // namespace plans

// sample_hash is that of the targets that were sampled of n updates, those of its whole warps where
// they are no more than places: 4 bytes each, the lowest first.
template <size_t places>
uint64_t sample_hash(const uint32_t (&targets)[places], uint64_t n) {
  plans::Hash hash;
  for (size_t j = 0; j < places && j < n / 32 * 32; ++j) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash.add(static_cast<unsigned char>(targets[j] >> shift & 255));
    }
  }
  return hash.of;
}

// plan_name is a name as fields hold it: with _ for each blank, and %XX for a byte that is _, % or a
// control character.
inline PlanText plan_name(const char* name) {
  PlanText text;
  for (; *name != '\0'; ++name) {
    const auto c = static_cast<unsigned char>(*name);
    const bool escaped = c < ' ' || c == 127 || c == '_' || c == '%';
    text.add(escaped ? "%%%02X" : "%c", c == ' ' ? '_' : c);
  }
  return text;
}

// call_text is the fields of a key up to the call's sizes, key_text all of them.
inline PlanText call_text(const PlanKey& key) {
  PlanText text;
  text.add("device=%s version=%s op=%s type=%s value=%s index=%s returns=%d updates=%" PRIu64
           " bins=%" PRIu64 " ",
           plan_name(key.device).of, plan_version, key.op, key.type, key.value, key.index,
           int(key.returns), key.updates, key.bins);
  return text;
}

inline PlanText key_text(const PlanKey& key) {
  PlanText text = call_text(key);
  text.add("sample=%016" PRIx64 " ", key.sample);
  return text;
}

inline PlanText plan_text(const PlanKey& key, const PlannedForm& form) {
  PlanText text = key_text(key);
  text.add("implementation=%s launch=", form_name(form).of);
  if (form.blocks == 0) text.add("rule");
  else text.add("%" PRIu32 "x%" PRIu32 "x%u", form.blocks, form.threads, in_flight(form.base));
  return text;
}

namespace plans {

inline constexpr char first_line[] = "atomtune-plan 1";

// after is what follows a word that text begins with, or null where it begins with another.
inline const char* after(const char* word, const char* text) {
  const size_t size = std::strlen(word);
  return std::strncmp(text, word, size) == 0 ? text + size : nullptr;
}

// read_launch reads BLOCKSxTHREADS, and what may follow, which kernels have settled.
inline bool read_launch(const char* at, PlannedForm* form) {
  uint32_t settled = 1;
  if (!number(at, &form->blocks) || *at++ != 'x' || !number(at, &form->threads)) return false;
  if (*at == 'x' && !number(++at, &settled)) return false;
  return *at == '\0' && form->blocks > 0 && form->threads > 0 && settled > 0 &&
         form->threads % 32 == 0 && form->threads <= 1024;
}

// read_choice reads the fields after a key.
inline bool read_choice(const char* text, PlannedForm* form) {
  PlannedForm read;
  char name[80];
  const char* const begin = after("implementation=", text);
  const char* const end = begin != nullptr ? std::strchr(begin, ' ') : nullptr;
  const char* const launch = end != nullptr ? after(" launch=", end) : nullptr;
  if (launch == nullptr || size_t(end - begin) >= sizeof name) return false;
  std::memcpy(name, begin, size_t(end - begin));
  name[end - begin] = '\0';
  if (std::strcmp(launch, "rule") != 0 && !read_launch(launch, &read)) return false;
  if (!parse_form(name, &read)) return false;
  *form = read;
  return true;
}

// for_each_line calls body with each line behind the first of a file of plans, without what ends
// it. Longer ones than a plan are left out.
template <typename Body>
void for_each_line(const char* path, const Body& body) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return;
  char line[sizeof(PlanText)];
  bool begins = true, first = true;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    size_t size = std::strlen(line);
    const bool ends = size > 0 && line[size - 1] == '\n';
    const bool whole = begins && (ends || std::feof(file) != 0);
    if (ends) --size;
    while (size > 0 && line[size - 1] == '\r') --size;
    line[size] = '\0';
    begins = ends;
    if (first && (!whole || std::strcmp(line, first_line) != 0)) break;
    if (whole && !first) body(static_cast<const char*>(line));
    first = false;
  }
  std::fclose(file);
}

// without_sample is what follows the field of the sample, and a blank.
inline const char* without_sample(const char* rest) {
  const char* const sample = after("sample=", rest);
  const char* const blank = sample != nullptr ? std::strchr(sample, ' ') : nullptr;
  return blank != nullptr ? blank + 1 : "";
}

}  // namespace plans

// find_plan looks a plan up in a file: for the same sample, or where any is set for one of
// any. It reports whether there is one.
inline bool find_plan(const char* path, const PlanKey& key, bool any, PlannedForm* form) {
  const PlanText text = any ? call_text(key) : key_text(key);
  bool found = false;
  plans::for_each_line(path, [&](const char* line) {
    const char* const rest = plans::after(text.of, line);
    if (rest == nullptr) return;
    found = plans::read_choice(any ? plans::without_sample(rest) : rest, form) || found;
  });
  return found;  // the latest
}

// SavedPlans are the plans of a file, where there is one, by the hash of their calls, of whatever
// indices, the latest last.
class SavedPlans {
 public:
  explicit SavedPlans(const char* path) {
    if (path != nullptr) plans::for_each_line(path, [&](const char* line) { add(line); });
  }

  SavedPlans(const SavedPlans&) = delete;
  SavedPlans& operator=(const SavedPlans&) = delete;
  ~SavedPlans() { std::free(list_); }

  bool find(const PlanKey& key, PlannedForm* form) const {
    const uint64_t call = hash_of(call_text(key).of);
    for (size_t k = number_; k-- > 0;) {
      if (list_[k].call == call) return *form = list_[k].form, true;
    }
    return false;
  }

 private:
  struct Plan {
    uint64_t call;
    PlannedForm form;
  };

  // hash_of is that of a line up to the sample.
  static uint64_t hash_of(const char* line) {
    plans::Hash hash;
    for (; *line != '\0' && plans::after("sample=", line) == nullptr; ++line) {
      hash.add(static_cast<unsigned char>(*line));
    }
    return hash.of;
  }

  void add(const char* line) {
    const char* const sample = std::strstr(line, "sample=");
    PlannedForm form;
    if (sample == nullptr || !plans::read_choice(plans::without_sample(sample), &form)) return;
    if ((number_ & (number_ - 1)) == 0) {  // a power of two is full
      void* const more = std::realloc(list_, 2 * (number_ + 1) * sizeof(Plan));
      if (more == nullptr) return;
      list_ = static_cast<Plan*>(more);
    }
    list_[number_++] = {hash_of(line), form};
  }

  Plan* list_ = nullptr;
  size_t number_ = 0;
};

}  // namespace atomtune
