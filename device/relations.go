package device

// relation is one that holds on every device, by physics or by what the quantities mean: the value
// of less is at most that of more. Both are quantities by their places, or several with + * / max
// and min between them, from left to right. A place that begins with a dot is of each atomic, of a
// table of the profile: the relation is asked of each. A quantity that the profile lacks, or that is
// not seen, breaks nothing, see known.
type relation struct {
	table      string      // shared_atomics, global_atomics, or none
	mechanisms []Mechanism // of which it is asked; nil: of all that add or access
	less, more string
	because    string
}

var (
	units = []Mechanism{Native, Merge}
	loops = []Mechanism{Lock, Spin, CAS}
)

const (
	inShared = "shared_atomics"
	inGlobal = "global_atomics"

	interval = "what follows at intervals has come through by the latency of one"
	oneWay   = "the passes of one warp follow each other through the one port"
	whole    = "a further pass repeats at most the whole access"
	crosses  = "a result that crosses lanes takes no less than one that stays"
	issued   = "an SM does no more of them than its schedulers issue"
	turn     = "a turn of a loop reads a word and adds to it"
	resident = "of what is resident on an SM"
	leaves   = "an access leaves the registers, and an operation on them does not"
	saved    = "a turn saves no more than it takes"
)

// of is a relation of the device as a whole.
func of(less, more, because string) relation { return relation{"", nil, less, more, because} }

// relations are what physics and the meaning of the quantities demand. None holds a number that was
// measured on a device.
var relations = []relation{
	// What is nearer to the lanes is not slower.
	of("core.issue_cycles", "core.alu_latency", interval),
	of("core.alu_latency", "core.barrier", "a barrier waits for other warps"),
	of("core.alu_latency", "exchange.shuffle_latency", crosses),
	of("core.alu_latency", "exchange.ballot_latency", crosses),
	of("core.alu_latency", "exchange.match_latency + exchange.match_key_latency", crosses),
	of("core.alu_latency", "shared.load_latency", leaves),
	of("shared.load_latency", "global.load_latency", "L2 is farther from the lanes than the SM's own memory"),
	of("shared.load_latency", "global.miss_latency",
		"a miss adds an access of DRAM, which is slower than the SM's own memory"),
	of("memory.dram_rate", "memory.l2_rate", "what DRAM sends comes through L2"),
	of("memory.atomic_kernel_rate", "memory.l2_rate",
		"kernels with atomics load and store through L2 as others do"),
	of("memory.l2_rate", "core.sms * shared.banks * shared.bank_bytes / shared.pass_port * core.clock * 1000000",
		"L2 gives all SMs no more than the banks of their own memories do at this clock"),

	// What follows at intervals.
	of("shared.pass_port", "shared.pass_latency", oneWay),
	of("shared.pass_latency", "shared.load_latency", whole),
	of("exchange.shuffle_port", "exchange.shuffle_latency", interval),
	of("exchange.ballot_port", "exchange.ballot_latency", interval),
	of("core.issue_cycles / core.schedulers", "exchange.shuffle_port", issued),
	of("core.issue_cycles / core.schedulers", "exchange.ballot_port", issued),
	of("core.issue_cycles / core.schedulers", "exchange.match_port + exchange.match_key_port", issued),
	of("exchange.match_port", "exchange.match_latency", interval),
	of("exchange.match_key_port", "exchange.match_key_latency", interval),
	of("global.sm_sector", "global.load_latency", interval),
	of("global.store_pass", "global.load_latency", interval),
	of("global.sm_sector", "global.answers.sm", "a pass that answers does all that one without an answer does"),
	of("paths.copy_same", "global.load_latency", interval),

	// Launches.
	of("launch.gap", "launch.next", "while the device waits for the host, it waits for the kernel before as well"),
	of("launch.next", "launch.first", "a call of one kernel takes what a further one does, and what is around it"),
	of("global.load_latency / core.clock", "launch.gap", "a kernel's stores reach L2 before the next begins"),
	of("paths.around_kernel", "launch.first", "a kernel's own times lie within its call's"),

	// Counts and sizes.
	of("core.schedulers", "core.max_warps", "each scheduler has a warp of its own"),
	of("core.max_blocks", "core.max_warps", "each block has a warp of its own"),
	of("core.max_threads_per_block", "core.max_warps * core.warp_lanes", resident),
	of("library.sort_warps", "core.max_warps", resident),
	of("library.segment_warps", "core.max_warps", resident),
	of("memory.hot_warps", "core.max_warps * core.sms", "all SMs have no more warps"),
	of("global.region_slices * global.chunk_bytes", "global.region_bytes",
		"each slice of a region has a chunk of it"),
	of("global.slices * global.chunk_bytes", "memory.l2_bytes", "each slice has room for a chunk"),
	of("global.slices * global.sector_bytes * memory.l2_ways", "memory.l2_bytes", "each slice has a set of ways"),
	of("memory.l2_atomic_bytes", "memory.l2_bytes", "it is a part of L2"),
	of("memory.l2_copies", "global.slices", "each part of L2 has a slice"),
	of("1", "memory.l2_copies", "a sector in L2 is in one part at least"),
	of("2 * global.sector_bytes", "memory.miss_bytes",
		"an atomic that misses reads a sector, which is written in the end"),
	of("2 * global.sector_bytes", "memory.fill_bytes",
		"a part of a sector is stored into what was read, which is written in the end"),

	// Operations on shared memory.
	{inShared, units, "shared.load_latency", ".base", "an atomic reads its word as a load does"},
	{inShared, loops, "shared.load_latency + core.alu_latency", ".base", turn},
	{inShared, loops, "shared.load_latency + core.alu_latency", ".round", turn},
	{inShared, loops, "shared.load_latency + core.alu_latency", ".hold",
		"an address is held while its value goes to the lanes, is added to and goes back"},
	{inShared, []Mechanism{CAS}, "2 * shared.load_latency", ".base",
		"a load and a compare-and-swap each go to shared memory and back"},
	{inShared, []Mechanism{Access}, "core.alu_latency", ".base", leaves},
	{inShared, units, ".base", "global.load_latency",
		"an atomic without a loop in the SM's memory is nearer than L2"},
	{inShared, []Mechanism{Access}, ".base", "global.load_latency",
		"L2 is farther from the lanes than the SM's own memory"},
	{inShared, units, ".round", ".base", whole},
	{inShared, nil, ".bank", ".base", whole},
	{inShared, nil, ".write", ".base", whole},
	{inShared, nil, "shared.pass_latency", ".bank", "a pass reads its banks as one of a load does"},
	{inShared, nil, ".port", ".bank", oneWay},
	{inShared, units, ".port", ".round", oneWay},
	{inShared, nil, ".write_port", ".write", oneWay},
	{inShared, nil, ".write_port", ".base", interval},
	{inShared, nil, "shared.pass_port", ".port + .write_port",
		"an atomic's passes take the banks as those of a load do"},
	{inShared, nil, ".locks * 4", "shared.bytes_per_sm", "a lock is of a word at least"},
	{inShared, nil, ".warp.hidden", ".base", "what is hidden passes beneath the rest"},
	{inShared, nil, ".warp.paired", ".base", "an operation saves no more than it takes"},
	{inShared, loops, ".warp.merge_saved", ".round + .warp.split", saved},
	{inShared, loops, ".warp.ahead", ".round + .warp.split", saved},
	{inShared, loops, ".warp.ahead_again", ".round + .warp.split", saved},
	{inShared, loops, ".warp.ahead_last", ".round + .warp.split", saved},
	{inShared, loops, ".warp.half", ".round", saved},

	// Atomics in global memory.
	{inGlobal, nil, "global.load_latency", ".latency", "an atomic goes to L2 and back as a load does"},
	{inGlobal, []Mechanism{CAS}, "2 * global.load_latency", ".latency",
		"a load and a compare-and-swap each go to L2 and back"},
	{inGlobal, nil, "global.load_latency", ".round", "a turn of the loop goes to L2 and back"},
	{inGlobal, nil, ".same_address", ".latency", interval},
	{inGlobal, nil, ".pass", ".same_address", "adds to one address take a pass each"},
	{inGlobal, nil, "global.store_pass", ".pass", "a store does not read what it writes"},
	{inGlobal, nil, ".pass", "global.answers.sector",
		"a pass that answers does all that one without an answer does"},
	{inGlobal, nil, ".slice.word", "global.answers.pass",
		"a pass that answers does all that one without an answer does"},
	{inGlobal, nil, ".slice.word min .slice.sector", ".pass", "a mean lies between what it is of"},
	{inGlobal, nil, ".pass", ".slice.word max .slice.sector", "a mean lies between what it is of"},
	{inGlobal, nil, ".slice.word", ".same_address", "an add to one address is a pass over a word"},
}
