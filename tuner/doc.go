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
// agrees with Choose. Neither needs a simulator or a disk. Collect, Merge and
// Fit make the models: Collect simulates the points of a Sweep through the
// Simulator interface into a journal that survives interruption and may be
// split into shards, and Fit turns the rows into a Model with its errors on
// points and on stream families that it did not see.
package tuner
