// Package papers recomputes the experiments of published papers and says, statement
// by statement, which of them hold: what the paper states beside what the
// closed forms and the simulator of this project find, as rows, tables and
// figures.
//
// A statement that holds is enforced: a test fails once it no longer does. One
// that does not is a known gap with its reason, and its test fails once the gap
// has closed. A published ratio is held by the rule of its kind, see RatioKind:
// never by a ratio from the other side of 1, or of 1. Where we read a paper in another
// way than its text, our reading stands beside it and is not judged, unless other
// sentences of the paper contradict that text.
//
// No constant of a device, the closed forms or the simulator was chosen to make a
// statement hold, with one exception that rows and profile name: those of the GeForce GTX 580 are the ones that the
// paper gives, or estimates marked so in the device's profile, and so are those of the Radeon HD 5870, but
// for three that were fitted to Figures 4 and 8 of its paper.
//
// Each paper has a package of its own; package all lists them. What a paper states, and why a
// statement does or does not hold, is in its package's table statements.csv: experiment, item,
// the statement where it is in words, unit, status and reason. The numbers that it gives are in
// its table published.csv: key, value, unit and place. Each stands there once. The code beside
// both finds our values, and displays and compares with the number that it reads from there.
// testdata/transcription holds the numbers as they were transcribed a second time, from the
// papers alone, each with the words around it.
package papers

import "errors"

// ErrOptions is wrapped by errors about options that describe no experiment.
var ErrOptions = errors.New("no such experiment")
