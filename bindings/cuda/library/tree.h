// Decision trees in files: `atomtune export --to text` writes them.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "atomtune_trees.cuh"

namespace atomtune {

namespace library {

// OwnedTree is a tree with its memory.
struct OwnedTree {
  std::string device;
  std::vector<TreeNode> nodes;
  std::vector<Action> actions;
  std::deque<std::string> names;  // of the actions
  DispatchTree tree{};
};

// Trees are those of a file. Where it cannot be read, or is wrong, why names file, line and value.
struct Trees {
  std::vector<std::unique_ptr<OwnedTree>> trees;
  std::string why;
};

Trees read_trees(const std::string& path);

// named_trees are those of the file that ATOMTUNE_TREES names. They come before the built-in ones.
const Trees& named_trees();

}  // namespace library

}  // namespace atomtune

struct atomtune_tree {
  std::unique_ptr<atomtune::library::OwnedTree> owned;
};
