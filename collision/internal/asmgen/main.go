// Command asmgen writes the AVX-512 and AVX2 kernels of package collision.
//
// Run it through go generate in package collision.
//
// New vector instructions are a kernel here, its name in collision/internal/kernel/vectors.go, and what
// uses it in kernel_amd64.go.
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
