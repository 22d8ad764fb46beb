// Package explorer answers what the explorer's page asks: what one warp's operation on shared
// memory does round by round, how the implementations of a whole call rank, and where the ranking changes
// along one quantity. It computes nothing of its own: rounds are those of package prediction, times
// those of package tuner. A question and its answer are plain structures, which explorer/wasm hands
// to and fro as JSON, so that all but the drawing is tested without a browser.
//
// References:
//
//	[raab98] M. Raab, A. Steger. "Balls into Bins" - A Simple and Tight
//	         Analysis. RANDOM 1998.
package explorer

import "errors"

// ErrQuestion is wrapped by errors about what was asked.
var ErrQuestion = errors.New("no such question")
