package page

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/internal/golden"
)

// pages are arguments of which the pages are held: streams of all kinds, lengths and options.
const pages = `synth:uniform:n=1,k=1
synth:constant:n=2048,k=1
synth:uniform:n=5000,k=300
synth:zipf:n=20000,k=3000,seed=4,s=1
synth:hotspot:n=20000,k=1024,seed=5,h=3,p=0.7
--sample 32 synth:zipf:n=100000,k=3000
--type f64 --device h100 synth:stride:n=8192,k=64,step=3
--type u64 --returns --device a100 synth:uniform:n=8192,k=64
--deterministic --type f32 synth:uniform:n=4096,k=64
--device hd5870 synth:uniform:n=1000,k=10
--exclude naive --no-sort synth:zipf:n=8192,k=64,seed=5,s=1
synth:uniform:n=40,k=4 synth:zipf:n=500,k=50,seed=1,s=2`

// TestPages: the numbers of pages, and of their charts, are what testdata/pages.txt holds.
func TestPages(t *testing.T) {
	var lines []string
	for args := range strings.SplitSeq(pages, "\n") {
		var sum golden.Digest
		sum.Written(commandtest.Numbers(pageOf(t, "", strings.Fields(args)...)), 4)
		lines = append(lines, args+": "+sum.String())
	}
	golden.Compare(t, "testdata/pages.txt", lines)
}
