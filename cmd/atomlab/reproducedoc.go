package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/all"
)

const reproduceLong = `reproduce recomputes the experiments of a paper and lists each of its statements
that can be checked: what the paper says, what is found here, and whether that
is enforced or a known gap, with the reason.

gomezluna13 is J. Gómez-Luna, J. M. González-Linares, J. I. Benavides, N. Guil,
Performance Modeling of Atomic Additions on GPU Scratchpad Memory, 2013:
latencies and throughputs of atomic additions on the GeForce GTX 580, the effect
of replication, mapping and padding, k-means and histograms. Figures 8 and 9 are
simulated. Figure 9 uses images made here, or the FILEs given. All its
experiments together take a minute or two.

elteir11 is M. Elteir, H. Lin, W. Feng, Performance Characterization and
Optimization of Atomic Operations on AMD GPUs, 2011: atomic additions of a
coordinator workgroup against those of the Radeon HD 5870 itself, alone and in
matrix multiplication, k-means, scalar product and string match. All of it is
simulated; the published equations and a corrected form stand beside.

streamhpc is the StreamHPC blog's Atomic operations for floats in OpenCL: its
two compare-and-exchange loops where ordinary reads may be stale.

egielski14 is I. Egielski, J. Huang, E. Z. Zhang, Massive Atomics for Massive
Parallelism on GPUs, 2014: histogram, sparse matrix product, merge sort, page
view count and summation with atomics that collide less, on the GeForce GTX 680
and the Tesla C2075, and the choice among them by a regression tree. All of it is
simulated, on inputs made here, which --scale makes longer; it takes a minute.

westphal15 is E. Westphal, Voting and Shuffling to Optimize Atomic Operations,
2015: sums by key of a million cells, plain, reduced within warps first and binned
in shared memory, on the GeForce GTX 680 and GTX 980 (simulated) and on the H200
(simulated and measured); get_peers and reduce_peers lane by lane. With --scale
more of the ten million sums are simulated.

With --out each experiment's figure is written as SVG and PNG, and its tables as
CSV; names repeat between papers, so give each its own folder. The exit code is 1
if an enforced statement does not hold, or a known gap has closed; with FILEs,
whose pixels may be others than the paper's, a statement that they do not bear
out is only marked.

The experiments are`

const reproduceExample = `  atomlab reproduce gomezluna13 --item section2.1.2
  atomlab reproduce gomezluna13 --item figure5 --patterns 20000 --out figures
  atomlab reproduce gomezluna13 --item figure2,figure3 --json
  atomlab reproduce elteir11 --item figure1,figure8 --out figures
  atomlab reproduce streamhpc
  atomlab reproduce westphal15 --item steps --out figures
  atomlab reproduce egielski14 --item table1 --out figures`

// reproduceHelp is the help with the names of the experiments.
func reproduceHelp() string {
	var b strings.Builder
	b.WriteString(reproduceLong)
	b.WriteByte('\n')
	for _, p := range all.Papers() {
		fmt.Fprintf(&b, "\n  of %s:\n", p.Key)
		for _, x := range p.Experiments {
			fmt.Fprintf(&b, "    %-14s%s\n", x.Name, x.Title)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func paperKeys() []string {
	var keys []string
	for _, p := range all.Papers() {
		keys = append(keys, p.Key)
	}
	return keys
}

// paperOf returns the paper of that key, which there is.
func paperOf(key string) papers.Paper {
	for _, p := range all.Papers() {
		if p.Key == key {
			return p
		}
	}
	panic("no paper is called " + key)
}

func experimentNames(paper papers.Paper) []string {
	var names []string
	for _, x := range paper.Experiments {
		names = append(names, x.Name)
	}
	return names
}

// completeItems completes --item by the experiments of the paper that the line
// names, or of all.
func completeItems(cmd *cobra.Command) {
	err := cmd.RegisterFlagCompletionFunc("item", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, p := range all.Papers() {
			if len(args) == 0 || args[0] == p.Key {
				names = append(names, experimentNames(p)...)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag was registered the line before
	}
}
