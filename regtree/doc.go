// Package regtree fits and applies CART regression trees: binary trees whose
// inner nodes compare one feature with a threshold and whose leaves predict
// the mean target of the training rows that reached them.
//
// A row goes left where feature < threshold and right otherwise. Trees are
// grown by the largest decrease of the mean squared error, of one target or summed over several. Every
// step is deterministic: the same table and options give the same tree, bit for bit.
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
	ErrEmpty     = errors.New("empty table")         // without rows or without features
	ErrShape     = errors.New("unequal lengths")     // of rows, targets, or values and features
	ErrFeature   = errors.New("bad feature name")    // empty, repeated or not UTF-8
	ErrNotFinite = errors.New("not a finite number") // a NaN or an infinity
	ErrRange     = errors.New("number out of range") // too large or too small to compute with
	ErrOptions   = errors.New("bad options")         // an option that makes no sense
	ErrTree      = errors.New("malformed tree")      // not one binary tree over the features
)
