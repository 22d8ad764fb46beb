// Package tuner chooses the implementation of an atomic update stream.
//
// The prediction for an implementation is
//
//	predicted_us = closed_us(statistics) · exp(tree(features))
//
// where closed_us is the closed form of package speedup and tree is a
// regression tree of ln(simulated_us / closed_us): the closed form carries the
// scale and the binding bound, the tree corrects it where simulation differs.
// Without a trained model the factor is 1.
//
// Choose explains one choice. A Chooser makes many, without allocating, and
// agrees with Choose. ChooseStream measures a stream in memory first;
// ChooseSampled and Chooser.PickSampled look at a sample of it, if that pays.
// Online serves launches that repeat: it starts from the model and learns from the
// caller's own times. None of them needs a simulator or a disk. Collect, Merge and
// Fit make the models: Collect simulates the points of a Sweep through the
// Simulator interface into a journal that survives interruption and may be
// split into shards, and Fit turns the rows into a Model with its errors on
// points and on stream families that it did not see.
//
// Calibrate corrects a model further by times that were measured on the device:
//
//	predicted_us = closed_us · exp(tree(features) + measured(features))
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
package tuner
