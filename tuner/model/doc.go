// Package model corrects closed forms by regression trees.
//
// The prediction for an implementation is
//
//	predicted_us = closed_us(statistics) · exp(tree(features) + measured(features))
//
// where closed_us is the closed form of package speedup, tree is a regression tree of
// ln(simulated_us / closed_us), and measured one of what is left over of times that were measured
// on the device. The closed form carries the scale and the binding bound, the trees correct it
// where simulation and measurement differ. Without a model the factor is 1.
//
// A Predictor works this out for several implementations at once. A Model is the
// file that holds the trees; models of three devices come with the library. See
// package training for how they are made.
package model
