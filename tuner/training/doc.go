// Package training makes the models of package model.
//
// Collect simulates the points of a Sweep into a journal that survives interruption and may be
// split into shards. Fit turns the rows into a Model, with its errors on points and on stream
// families that it did not see.
//
// Points come in parameter sweeps (datasets/synth): one call on streams of one family in which one quantity
// changes. After both ends, each point halves the interval in which the decision boundary lies. A row depends
// on the sweep, the profile, the simulator and the closed forms that screen out slow implementations. It
// depends neither on the number of cores nor on shards or interruptions.
//
// A tree's target is ln(simulated/closed form). Trees on random halves of the families are averaged, one tree
// is fitted to the mean, and that tree is pruned and shrunk by the regret on families held out. If choices by
// the trees do not gain significantly on families that neither grew nor shrank them, no tree is kept; this
// is so on the H200. If their largest loss exceeds that of the closed forms, the search is repeated without
// the most complex trees. That maximum is a single point, so it promises little for other families.
//
// "script/regenerate models" makes the embedded models from the points of tuner/sweeps, the same bytes each
// time, and corrects those of the H100 and H200 by recorded calls (tuner/calibration). After a change of
// closed forms or for a new candidate, "renewed" keeps the points that are screened the same and simulates
// the others; "points" simulates all, which takes long. deploy runs shards on many machines.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	          Classification and Regression Trees. Wadsworth, 1984.
//	[breiman96] L. Breiman. Bagging Predictors. Machine Learning 24, 1996.
package training
