// Package model corrects closed forms by regression trees.
//
// References:
//
//	[breiman96] L. Breiman. Bagging Predictors. Machine Learning 24, 1996.
//
// The prediction for an implementation is
//
//	predicted_us = closed_us(statistics) · exp(tree(features) + forest(features))
//
// where closed_us is the closed form of package speedup, tree is a regression tree of
// ln(simulated_us / closed_us), and forest the mean of trees of what is left over of times that
// were measured on the device, which all implementations share. The closed form carries the scale and the binding bound, the trees correct it
// where simulation and measurement differ. Without a model the factor is 1.
//
// A Predictor works this out for several implementations at once. A Model is the
// file that holds the trees; models of three devices come with the library. See
// package training for how they are made.
package model
