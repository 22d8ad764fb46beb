// Package grow grows the decision trees of package dispatch.
//
// Streams come from parameter sweeps of datasets/synth. Of each it takes what the device will
// see, the features of a sample, and what the device will not: the exact collision statistics,
// by which the closed forms of package speedup price every action. The tree is a regression tree
// of package regtree, grown jointly on ln(time/least time) of all actions; each leaf takes the
// action of least mean. A tree by the features that the host knows stands above, and ends where a
// tree by all features loses less: there a call pays for a sample, and for the kernels of a
// partition where one may be best. Trees are pruned by what choices lose on families that they had
// not seen.
//
// A stream longer than a sweep makes is a shorter one several times over, whose statistics follow exactly.
// Each stream is a row for several lengths and calls. A form whose copies do not fit is priced with fewer,
// and one that cannot run as global atomics. Neither simulated points nor corrections by recorded calls enter:
// on recorded calls, choices by corrected times lose more.
//
// After a change of a profile or of closed forms, "script/regenerate dispatch trees" grows the trees
// anew and judges them. After a change of the sample, first make the features of recorded streams:
// "ATOMTUNE_UPDATE_GOLDEN=1 go test ./lab/validate/trees -run TestFeatures" with the folders of the
// files in ATOMTUNE_FILES.
package grow

import "errors"

// The sentinels that this package's errors wrap.
var (
	ErrStreams = errors.New("unusable streams")       // a journal of other streams, or no journal
	ErrDevice  = errors.New("no tree for the device") // that lacks what the actions need
)
