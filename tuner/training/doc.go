// Package training makes the models of package model.
//
// Collect simulates the points of a Sweep through the Simulator interface into a
// journal that survives interruption and may be split into shards, and Fit turns
// the rows into a Model with its errors on points and on stream families that it
// did not see. Calibrate corrects a model further by times that were measured on
// the device.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	          Classification and Regression Trees. Wadsworth, 1984.
//	[breiman96] L. Breiman. Bagging Predictors. Machine Learning 24, 1996.
//	[efron73] B. Efron, C. Morris. Stein's Estimation Rule and Its
//	          Competitors: An Empirical Bayes Approach. JASA 68(341), 1973.
//	[lei18]   J. Lei, M. G'Sell, A. Rinaldo, R. Tibshirani, L. Wasserman.
//	          Distribution-Free Predictive Inference for Regression.
//	          JASA 113(523), 2018.
package training
