#include "tree.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "atomtune.h"
#include "atomtune_device.cuh"
#include "atomtune_plan_text.cuh"

namespace atomtune {

namespace library {

namespace {

// Reader reads a file line by line.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path) {}

  Trees read() {
    Trees all;
    if (!file_) {
      all.why = path_ + ": it cannot be opened";
      return all;
    }
    while (next() && read_tree(&all)) {
    }
    if (why_.empty() && all.trees.empty()) fail("no tree");
    all.why = why_;
    return all;
  }

 private:
  // next finds the next line that says something.
  bool next() {
    while (std::getline(file_, line_)) {
      ++number_;
      if (!line_.empty() && line_[0] != '#') return true;
    }
    line_.clear();
    return false;
  }

  bool fail(const std::string& what) {
    if (why_.empty()) why_ = path_ + ":" + std::to_string(number_) + ": " + what;
    return false;
  }
  bool refuse(const char* wanted) { return fail("\"" + line_.substr(0, 80) + "\": want " + wanted); }

  // words are numbers as they were read, to compare with the line: sscanf takes signs, and cuts numbers
  // that are too long.
  template <typename... Number>
  static std::string words(const Number&... numbers) {
    return ((std::to_string(numbers) + ' ') + ...);
  }

  bool read_tree(Trees* all) {
    auto tree = std::make_unique<OwnedTree>();
    unsigned nodes = 0, actions = 0;
    DispatchTree& t = tree->tree;
    std::sscanf(line_.c_str(), "tree %d.%d %d %u %u", &t.major, &t.minor, &t.sms, &nodes, &actions);
    const std::string head = "tree " + std::to_string(t.major) + "." + words(t.minor, t.sms, nodes, actions);
    if (line_.rfind(head, 0) != 0 || line_.size() == head.size() || t.sms <= 0 ||
        t.major < 0 || t.major > 99 || t.minor < 0 || t.minor > 9) {
      return refuse("tree CAPABILITY SMS NODES ACTIONS DEVICE");
    }
    if (nodes == 0 || nodes > 65535 || actions == 0 || actions > 255) {
      return refuse("1 to 65,535 nodes and 1 to 255 actions");
    }
    tree->device = line_.substr(head.size());
    for (unsigned k = 0; k < nodes; ++k) {
      if (!next() || !read_node(tree.get(), k, nodes, actions)) return refuse("a node");
    }
    if (end_of(*tree, 0) != nodes) return fail("the nodes are no tree in preorder");
    for (unsigned k = 0; k < actions; ++k) {
      if (!next() || !read_action(tree.get())) return refuse("action IMPLEMENTATION, one that calls can run");
    }
    t.device = tree->device.c_str();
    t.nodes = tree->nodes.data();
    t.node_count = nodes;
    t.actions = tree->actions.data();
    t.action_count = actions;
    all->trees.push_back(std::move(tree));
    return true;
  }

  bool read_node(OwnedTree* tree, unsigned at, unsigned nodes, unsigned actions) {
    unsigned threshold = 0, right = 0, feature = 0;
    std::sscanf(line_.c_str(), "node %u %u %u", &threshold, &right, &feature);
    if (line_ + ' ' != "node " + words(threshold, right, feature)) return false;
    const bool leaf = feature == 255;
    if (leaf ? right >= actions : feature >= ATOMTUNE_FEATURES || right <= at + 1 || right >= nodes) {
      return false;
    }
    tree->nodes.push_back({threshold, uint16_t(right), uint8_t(feature), 0});
    return true;
  }

  // end_of is the place behind the subtree at a place, 0 where there is none. Each node's right
  // child stands behind its left one's subtree.
  static size_t end_of(const OwnedTree& tree, size_t at) {
    // Places at which a right child has to begin, the next one last.
    std::vector<size_t> wanted;
    const size_t count = tree.nodes.size();
    for (; at < count; ++at) {
      const TreeNode& node = tree.nodes[at];
      if (node.feature != 255) {
        wanted.push_back(node.right);
        continue;
      }
      if (wanted.empty()) return at + 1;
      if (wanted.back() != at + 1) return 0;
      wanted.pop_back();
    }
    return 0;
  }

  bool read_action(OwnedTree* tree) {
    constexpr char word[] = "action ";
    PlannedForm form;
    if (line_.rfind(word, 0) != 0) return false;
    const std::string& name = tree->names.emplace_back(line_.substr(sizeof word - 1));
    if (!parse_form(name.c_str(), &form)) return false;
    tree->actions.push_back({form.base, form.reduction, form.copies, form.copies > 1 ? 1u : 0u,
                             form.parameter, name.c_str()});
    return true;
  }

  std::string path_, line_, why_;
  std::ifstream file_;
  size_t number_ = 0;
};

}  // namespace

Trees read_trees(const std::string& path) { return Reader(path).read(); }

const Trees& named_trees() {
  static const Trees* const named = [] {
    auto* const all = new Trees;
    const char* const path = std::getenv("ATOMTUNE_TREES");
    if (path != nullptr && *path != 0) *all = read_trees(path);
    for (const auto& each : all->trees) {
      calling::more_trees = new calling::MoreTrees{&each->tree, calling::more_trees};
    }
    return all;
  }();
  return *named;
}

}  // namespace library

}  // namespace atomtune
