// Package model decides for a device by one regression tree.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	          Classification and Regression Trees. Wadsworth, 1984.
//
// The tree compares statistics of stream and call, and no prices. Each of its leaves holds a correction for each
// form, an implementation without its parameters. The prediction for an implementation is
//
//	predicted_us = closed_us(statistics) · exp(correction(leaf, form))
//
// where closed_us is the closed form of package speedup, which carries the scale and the binding bound. The class of
// the choice, naive, reduced-collision or non-atomic, follows from the least predicted time. Where that gains less
// than TieBand over the implementation of least closed form, the choice is as priced: see Choosing. Without a model
// the factor is 1.
//
// The tree is that of the launch by rule; for another launch its correction applies as it is. A test bounds the
// error of that by the simulated times of speedup/testdata/launches.csv.
//
// Intervals are the 5 % and 95 % quantiles of measured over predicted times by class, of recorded calls. A tree
// learns from no recorded call, but its corrections count in part where its choices lose too much among these:
// see package calibration.
//
// A Predictor works this out for several implementations at once. A Model is the file that holds tree and intervals;
// those in embedded come with the library. It names its sweep and the hash of the profile it was trained on: if the
// profile, a closed form or the list of features has changed since, choices warn and use the closed forms alone. See
// package training for how trees are grown, and package calibration for intervals.
package model
