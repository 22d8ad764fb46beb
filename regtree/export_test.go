package regtree

// RandomFolds is for tests that deal the same folds as FitPruned.
var RandomFolds = randomFolds
