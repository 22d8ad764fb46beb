// Package regtree fits and applies CART regression trees: binary trees whose
// inner nodes compare one feature with a threshold and whose leaves predict
// the mean target of the training rows that reached them.
//
// A row goes left where feature < threshold and right otherwise. Trees are
// grown by the largest decrease of the mean squared error and may be cut back by
// cost-complexity pruning. Every step is deterministic: the same table and options
// give the same tree, bit for bit, and the same JSON, byte for byte.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	            Classification and Regression Trees. Wadsworth, 1984.
//	[chan83]    T. Chan, G. Golub, R. LeVeque. Algorithms for Computing the
//	            Sample Variance. The American Statistician 37(3), 1983.
package regtree

import "errors"

// The sentinels that this package's errors wrap. The message of each error
// names the row, column, node or option at fault.
var (
	// ErrEmpty reports a table without rows or without features.
	ErrEmpty = errors.New("empty table")
	// ErrShape reports rows and targets of unequal number, or
	// a row with more or fewer values than there are features.
	ErrShape = errors.New("unequal lengths")
	// ErrFeature reports a feature name that is empty, repeated or not UTF-8.
	ErrFeature = errors.New("bad feature name")
	// ErrNotFinite reports a NaN or an infinity.
	ErrNotFinite = errors.New("not a finite number")
	// ErrRange reports a finite number too large or too small to compute with.
	ErrRange = errors.New("number out of range")
	// ErrOptions reports an option that makes no sense.
	ErrOptions = errors.New("bad options")
	// ErrTree reports nodes that do not form one binary tree over the features.
	ErrTree = errors.New("malformed tree")
	// ErrEncoding reports JSON that is not an encoded tree.
	ErrEncoding = errors.New("malformed encoding")
	// ErrVersion reports an encoded tree of another format or version.
	ErrVersion = errors.New("unsupported version")
)
