// Package regtree fits and applies CART regression trees: binary trees whose
// inner nodes compare one feature with a threshold and whose leaves predict
// the mean target of the training rows that reached them.
//
// A row goes left where feature < threshold and right otherwise. Trees are
// grown by the largest decrease of the mean squared error, may be cut back by
// cost-complexity pruning, and are judged by cross-validation over rows or
// over groups of rows. Every step is deterministic: the same table, options
// and seed give the same tree, bit for bit, and the same JSON, byte for byte.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	            Classification and Regression Trees. Wadsworth, 1984.
//	[chan83]    T. Chan, G. Golub, R. LeVeque. Algorithms for Computing the
//	            Sample Variance. The American Statistician 37(3), 1983.
package regtree
