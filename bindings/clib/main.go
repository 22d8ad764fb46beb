// Command clib is the C library libatomtune, built with -buildmode=c-shared: see README.md. What C
// programs call is in include/atomtune.h and api.c, which takes care of NULL, of the sizes of
// structures and of the text of errors. The functions of export.go, which api.c calls, convert
// structures; they need cgo. Package request answers.
//
// A new field goes behind the last one of its structure in atomtune.h, and zero is its usual case.
// api.c says how short a structure of an earlier version may be, and export.go or call.go converts it.
package main

import "math"

func main() {} // a library needs one that does nothing

// orNaN is NaN for nil: nobody knows.
func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
