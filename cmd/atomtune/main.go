// Command atomtune says which implementation of a stream of atomic updates is
// fastest on a GPU, by how much, and why.
//
//	atomtune choose indices.npy
//	atomtune analyze --json matrix.mtx
//	atomtune simulate --impl private:r=8,pad=1 indices.npy
//	atomtune latency --device gtx580 --type f32 --explain --patterns patterns.txt
//	atomtune fit --out mine.json measurements.csv
//
// It reads index streams with package datasets, measures their collisions with
// package collision, chooses with package tuner, simulates with package hwsim,
// predicts single warps with package latency and fits with package fit; it does
// no arithmetic of its own. Results go to standard output, one
// JSON document with --json, and everything else to standard error. The exit
// code is 0 when done, 1 when something failed, 2 for wrong use, 130 when train was
// interrupted.
package main

import "os"

func main() { os.Exit(run(os.Stdin, os.Stdout, os.Stderr, os.Args[1:])) }
