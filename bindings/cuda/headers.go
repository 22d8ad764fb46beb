// Package cuda holds the CUDA headers, for programs that write their code out.
package cuda

import "embed"

// Headers holds the files that README.md describes, atomtune*.cuh.
//
//go:embed *.cuh
var Headers embed.FS
