// Command clib is the C library libatomtune, built with -buildmode=c-shared: see README.md. What C
// programs call stands in include/atomtune.h and api.c, which takes care of NULL, of the sizes of
// structures and of the text of errors. The functions of export.go, which api.c calls, convert
// structures; they need cgo. Package request answers.
package main

func main() {} // a library needs one that does nothing
