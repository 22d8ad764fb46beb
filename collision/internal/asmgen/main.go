// Command asmgen writes the AVX-512 and AVX2 kernels of package collision.
//
// Run it through go generate in package collision.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64,!purego")
	warpKernel()
	warpKernelAVX2()
	for _, run := range []int{32, 64, 128} {
		mergeKernel(run)
	}
	equalKernel()
	targetKernel()
	Generate()
}
