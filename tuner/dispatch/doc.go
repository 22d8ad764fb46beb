// Package dispatch chooses on the GPU: the decision tree that a kernel walks after it has
// looked at a sample of its own indices, without the host.
//
// A Tree reads integer Features and names a Candidate, an implementation and its launch. Five of
// the features are known on the host before the call; Cut leaves a tree of the others. The
// sample is small and its places are fixed by the number of updates, so that the same call takes
// the same leaf in Go, C, CUDA and Python: package source writes a tree as code of each.
//
// A tree is grown by package grow. It judges by less than tuner.Choose does: nine numbers of
// 32 warps in place of the exact collision statistics.
package dispatch

import "errors"

// The sentinels that this package's errors wrap.
var (
	ErrTree   = errors.New("malformed dispatch tree") // not a file of a tree, or nodes that do not form a tree
	ErrNoTree = errors.New("no embedded dispatch tree")
)
