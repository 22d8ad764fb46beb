// Package training grows the trees of package model.
//
//  1. Collect simulates the points of a Sweep into a journal that survives interruption and may be split into shards.
//  2. Prepare turns the rows into samples: the features of each, and of each simulated implementation the target
//     ln(simulated/closed form).
//  3. Trees are grown jointly [breiman84], for all forms with the same comparisons, without each stream family in
//     turn, for each number of leaves and each factor that shrinks the corrections. They choose for that family.
//  4. Of these settings the simplest is taken that loses nearly the least, if choices by it lose on families held
//     out hardly more than those by the closed forms: in the mean, in the 90th percentile and, if any setting can,
//     at most. Where none does, the tree is one leaf that corrects nothing.
//  5. Fit grows the tree of that setting on all samples. Its Evaluation is of families that had no part in the choice
//     of the setting either.
//
// Points come in parameter sweeps (datasets/synth): one call on streams of one family in which one quantity
// changes. After both ends, each point halves the interval in which the decision boundary lies. A row depends
// on the sweep, the profile, the simulator and the closed forms that screen out slow implementations. It
// depends neither on the number of cores nor on shards or interruptions. A simulated time holds what the host adds to
// a later call (Launch.LaterStart of the profile), as the closed forms do.
//
// "script/regenerate models" makes the embedded models from the points that it keeps under .build, the same
// bytes each time, and gives those of the H100 and H200 intervals (tuner/calibration). After a change of
// closed forms or for a new candidate, "renewed" keeps the points that are screened the same and simulates
// the others; "points" simulates all, which takes long. deploy runs shards on many machines.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	          Classification and Regression Trees. Wadsworth, 1984.
package training
