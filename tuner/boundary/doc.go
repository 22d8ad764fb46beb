// Package boundary finds break-even points around a stream: how far one quantity of the stream can
// move until another kind of implementation is faster, while the rest stays as it is. The kind is
// the implementation without its parameters.
//
// Three quantities move: the number of updates, the number of targets, and how many updates meet.
// What is held while each does stands in Sweep.Held. Times are predictions of tuner.Chooser, of
// statistics that are made as follows:
//
//   - Updates, n' of n: each target keeps its share. Counts of updates and stretches are
//     multiplied by q = n'/n, means over warps and blocks stay. A target with f updates still
//     occurs in a shorter stream with probability 1 - (1-q)^f, and a longer one has no new targets.
//   - Targets, K' of K: update u of target t goes to floor((t + r)·K'/K), which is measured. r is 0
//     where there are fewer targets, so that neighbours merge. Where there are more it is uniform
//     in [0, 1), drawn anew for each run of equal neighbours, so that runs stay together.
//   - Contention: a share of the updates, drawn independently, goes to the most frequent target or,
//     with a negative share, to uniform targets. That is measured too.
//
// What is measured is an Excerpt. Where it is not the whole stream, statistics are estimated from its
// blocks as those of any sample of package collision, and are near those of the stream at its place.
package boundary
