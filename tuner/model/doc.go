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
// were measured on the device, which all implementations share. The closed form carries the scale
// and the binding bound, the trees correct it where simulation and measurement differ. Without a
// model the factor is 1.
//
// Trees and forest are those of the launch by rule. For another launch the time is multiplied by the
// ratio of the closed forms. A test bounds the error of that ratio by the simulated times of
// speedup/testdata/launches.csv.
//
// A Predictor works this out for several implementations at once. A Model is the file that holds
// the trees; those in embedded come with the library. It names its sweep and the hash of the profile
// it was trained on: if the profile, a closed form or the list of features has changed since, choices
// warn and use the closed forms alone. See package training for how models are made.
package model
