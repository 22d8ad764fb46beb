// Command atomprobe measures an NVIDIA GPU: what atomics, warp instructions,
// memories and launches cost, and what every implementation of a stream of
// atomic updates takes. It needs the GPU's driver alone.
//
//	atomprobe devices
//	atomprobe --quick --out run1
//	atomprobe merge --out mine run1 run2
//	atomtune fit --out mine.json mine/*.csv
//
// The kernels are embedded as PTX, which the driver compiles. Results go to a
// folder of files, a summary to standard output, one JSON document with --json,
// and everything else to standard error. The exit code is 0 when done, 1 when
// something failed, 2 for wrong use, 130 when interrupted.
package main

import "os"

func main() { os.Exit(run(os.Stdout, os.Stderr, os.Args[1:])) }
