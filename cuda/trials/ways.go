package trials

import "slices"

// way is one of the ways to run the implementation that the device chooses.
type way struct {
	name, what, limits string
}

// ways says what each way is and what it asks for. Facts about CUDA are those of NVIDIA's CUDA
// Programming Guide: "CUDA Graphs" (conditional nodes, device graph launch) and "Programmatic
// Dependent Launch".
var ways = []way{
	{"known-action", "all forms behind a switch in one kernel; the host passes the action, so " +
		"nothing is sampled. It is what a plan costs, or a tree of one leaf.",
		"One launch and any CUDA version. All forms share the launch, the most registers of any of " +
			"them, and one size of shared memory."},
	{"one-kernel", "every block takes the same sample of 16 warps and 2,048 single updates, " +
		"walks the tree, and runs the form behind the switch. No block waits for another, since " +
		"all decide alike.",
		"As above. The shared memory must be enough for the sample and any form, before " +
			"it is known which. Forms of several kernels need launches after it, which are gated."},
	{"one-kernel-whole-shared", "the same with all the shared memory that a block may have, as a " +
		"form that takes as many copies as fit would want it; here it takes no more than before.",
		"As above; what shared memory takes is no longer there for the first-level cache."},
	{"own-tile", "every block decides from its own first 1,024 updates, which it would " +
		"read anyway.",
		"One launch. Blocks decide differently where the stream changes, so that the choice depends on " +
			"the number of SMs, and a block knows nothing of the rest of the stream."},
	{"gated-2", gatedWhat, gatedLimits}, {"gated-3", gatedWhat, gatedLimits},
	{"gated-4", gatedWhat, gatedLimits}, {"gated-5", gatedWhat, gatedLimits},
	{"dependent-2", dependentWhat, dependentLimits}, {"dependent-3", dependentWhat, dependentLimits},
	{"dependent-4", dependentWhat, dependentLimits}, {"dependent-5", dependentWhat, dependentLimits},
	{"switch-node", "a graph of a block that samples and a conditional node, whose value the " +
		"block sets, with a body for each of 5 forms.",
		"CUDA 12.8 (nodes that branch in two: 12.4), and only as part of a graph: a call on a " +
			"stream that is not captured cannot have it. The function that sets the value asks for " +
			"-rdc=true and cudadevrt, of whoever includes the header. Each body has launches, " +
			"registers and shared memory of its own. A graph with such a node cannot be launched " +
			"from the device."},
	{"device-tail", "a graph of a block that samples and launches the graph of the form, which " +
		"begins when its own graph has ended.",
		deviceLimits + " What follows the call in the same graph runs before the form."},
	{"device-fire", "the same, but the form's graph begins at once.",
		deviceLimits + " What follows the call in the same graph does not wait for the form. A graph " +
			"may launch 120 so."},
}

const (
	gatedWhat = "a block that samples and writes its decision, then so many kernels, one " +
		"a form, that read it and return at once where it is not theirs."
	gatedLimits = "One launch more than forms, and any CUDA version; it can be captured. Each form " +
		"has its own launch, registers and shared memory."
	dependentWhat = "as gated, with programmatic dependent launches: a kernel may start " +
		"before the one before it has ended, and waits for it on the device."
	dependentLimits = "Compute capability 9.0 and CUDA 11.8, in graphs 12.3. Every kernel must wait " +
		"for the one before it, or the decision is not seen two launches on. Blocks that wait hold " +
		"their threads and shared memory."
	deviceLimits = "CUDA 12.0, -rdc=true and cudadevrt, and only from within a graph. The form's " +
		"graphs are instantiated and uploaded beforehand with the pointers of the call in them, and " +
		"none may run twice at a time."
)

// find is the place of a way, below 0 if there is none.
func find(name string) int {
	return slices.IndexFunc(ways, func(w way) bool { return w.name == name })
}
