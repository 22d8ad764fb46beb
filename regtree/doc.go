// Package regtree fits and applies CART regression trees: binary trees whose
// inner nodes compare one feature with a threshold and whose leaves predict
// the mean targets of the training rows that reached them.
//
// A row goes left where feature < threshold and right otherwise, also with NaN. Trees are
// grown by the largest decrease of the squared error, summed over all targets. Every
// step is deterministic: the same rows and options give the same tree, bit for bit.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	            Classification and Regression Trees. Wadsworth, 1984.
package regtree
