// Package training makes the models of package model.
//
// Collect simulates the points of a Sweep into a journal that survives interruption and may be
// split into shards. Fit turns the rows into a Model, with its errors on points and on stream
// families that it did not see.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	          Classification and Regression Trees. Wadsworth, 1984.
//	[breiman96] L. Breiman. Bagging Predictors. Machine Learning 24, 1996.
package training
