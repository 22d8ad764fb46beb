package calibration

import (
	"cmp"
	"fmt"
	"math"
)

// attribute is what the driver says of the device.
func (b *builder) attribute(name string) estimate {
	value := 0.0
	if found := b.rows.need("device", name, ""); len(found) > 0 {
		value = found[0].Value
	}
	return exactly(value, "reported by the driver: "+name)
}

// core sets the multiprocessor.
func (b *builder) core() {
	clock := middle("core.clock", b.rows.need("call", "sm_clock", ""))
	b.cycles = clock.times(1e-3)
	b.put("core.clock", clock.from("call",
		"sm_clock: cycles of the SM's clock over nanoseconds of the global timer, all SMs busy"))
	b.put("core.sms", b.attribute("sm_count"))
	lanes := b.attribute("warp_lanes")
	b.put("core.warp_lanes", lanes)
	b.put("core.max_warps", exactly(b.attribute("max_threads_per_sm").value/lanes.value,
		"reported by the driver: max_threads_per_sm over warp_lanes"))
	b.put("core.max_blocks", b.attribute("max_blocks_per_sm"))
	b.put("core.max_threads_per_block", b.attribute("max_threads_per_block"))
	b.put("core.schedulers", assume(b.cc.schedulers(), guide, "compute capability "+b.cc.String()))
	b.put("core.issue_cycles", b.issue())
	b.put("core.alu_latency", b.chainOf("alu_add"))
	b.put("core.barrier", middle("core.barrier",
		least(b.rows.need("warp", "barrier", ""), func(r reading) float64 {
			return math.Abs(r.number("threads") - 256)
		})).from("warp",
		"barrier of 256 threads, or the nearest number measured: the block of most kernels"))
}

// issue is how long a scheduler is busy with a warp's integer instruction: the
// reciprocal throughput of an SM times its schedulers. Shifts are counted where
// it was measured, since compilers put additions on two kinds of units in turn
// and the kernels' other integer instructions have one.
func (b *builder) issue() estimate {
	op := "alu_shift"
	rows := b.rows.rows("warp", "issue", "op="+op)
	if len(rows) == 0 {
		op = "alu_add"
		rows = b.rows.need("warp", "issue", "op="+op)
	}
	n := b.cc.schedulers()
	return middle("core.issue_cycles", most(rows, "warps")).times(n).from("warp", "issue op=%s at "+
		"most warps, cycles of the SM for an instruction, times %v schedulers", op, n)
}

// chainOf is the reading of a chain of one warp with one distinct key.
func (b *builder) chainOf(op string) estimate {
	return middle("warp.latency."+op, b.keyed("latency", op, 1)).from("warp",
		"latency op=%s: dependent chain of one warp", op)
}

// keyed returns the readings of an operation of a warp; of one that was measured
// with several numbers of distinct keys, those with that number.
func (b *builder) keyed(name, op string, keys float64) []reading {
	all := b.rows.need("warp", name, "op="+op)
	some := where(all, func(r reading) bool {
		return r.number("keys") == keys || r.parameters["keys"] == ""
	})
	if len(some) == 0 {
		return all[:min(1, len(all))]
	}
	return some
}

// exchange sets communication within a warp.
func (b *builder) exchange() {
	e := &b.p.Exchange
	e.HasShuffle, e.HasBallot, e.HasMatch = b.since(3), b.since(2), b.since(7)
	alu := b.chainOf("alu_add")
	b.put("exchange.shuffle_latency", b.chainOf("shuffle"))
	b.put("exchange.ballot_latency", b.chainOf("ballot").less(alu).from("warp",
		"latency op=ballot less op=alu_add: a comparison stands in the chain"))
	for _, op := range []string{"shuffle", "ballot"} {
		port := "exchange." + op + "_port"
		b.put(port, middle(port, b.keyed("throughput", op, 1)).from("warp",
			"throughput op=%s: 32 warps of four chains", op))
	}
	b.match(alu)
}

// match sets the match instruction: a line over the distinct keys of a warp.
func (b *builder) match(alu estimate) {
	if !b.p.Exchange.HasMatch.Value {
		for _, field := range []string{"latency", "key_latency", "port", "key_port"} {
			b.put("exchange.match_"+field, assume(0, guide, "there is no match instruction"))
		}
		return
	}
	latency := b.overKeys("latency")
	b.put("exchange.match_latency", latency.coefficient(0).less(alu).from("warp",
		"latency op=match_any over the distinct keys, at none, less op=alu_add: a logical operation "+
			"stands in the chain"))
	b.put("exchange.match_key_latency",
		latency.coefficient(1).from("warp", "latency op=match_any, each distinct key"))
	port := b.overKeys("throughput")
	b.put("exchange.match_port", port.coefficient(0).from("warp",
		"throughput op=match_any over the distinct keys, at none"))
	b.put("exchange.match_key_port", port.coefficient(1).from("warp",
		"throughput op=match_any, each distinct key"))
}

func (b *builder) overKeys(name string) line {
	return b.regress(b.rows.need("warp", name, "op=match_any"), over("keys"),
		"warp "+name+" op=match_any with two numbers of keys", "exchange.match."+name)
}

// shared sets the scratchpad memory of an SM.
func (b *builder) shared() {
	b.put("shared.bytes_per_sm", b.attribute("shared_bytes_per_sm"))
	b.put("shared.bytes_per_block", b.attribute("shared_bytes_per_block"))
	b.put("shared.banks", b.banks())
	b.put("shared.bank_bytes", assume(bankBytes, guide,
		"successive 32-bit words lie in successive banks"))
	load := b.columns["u32_load"]
	b.put("shared.load_latency", load.constant("base", load.Params.Base))
	b.put("shared.pass_latency", load.constant("bank", load.Params.Bank))
	port := b.ports("u32_load", load.Params)
	b.put("shared.pass_port", port.coefficient(1).from("shared", "%s", portText("u32_load", "pass")))
}

// banks is the number of banks that the patterns of loads show, or the usual one
// where they do not tell.
func (b *builder) banks() estimate {
	r := b.columns["u32_load"]
	if r.doubts("banks") {
		return assume(32, guide, "32 banks")
	}
	return exactly(float64(r.Params.Banks), "").from(columnSource+"u32_load",
		"searched among powers of two")
}

const columnSource = "column " // begins the source of what a column of patterns shows

// constant is a constant of the fit of loads.
func (r *Result) constant(name string, cycles float64) estimate {
	e := estimate{value: hundredth(cycles), exact: true, interval: Interval{cycles, cycles},
		residuals: &r.HeldOut}
	for _, c := range r.Constants {
		if c.Name == name {
			e.interval = c.Interval
		}
	}
	return e.from(columnSource+"u32_load", "%s", r.rationale(name))
}

// capability is a compute capability.
type capability struct{ major, minor int }

func parseCapability(text string) (c capability, err error) {
	_, err = fmt.Sscanf(text, "%d.%d", &c.major, &c.minor)
	if err != nil || c.String() != text || c.major < 1 || c.minor < 0 || c.major > 99 || c.minor > 9 {
		return c, fmt.Errorf("%w: compute capability %q, want one such as 9.0", ErrData, text)
	}
	return c, nil
}

func (c capability) String() string { return fmt.Sprintf("%d.%d", c.major, c.minor) }

// architectures are by major compute capability.
var architectures = map[int]string{1: "Tesla", 2: "Fermi", 3: "Kepler", 5: "Maxwell", 6: "Pascal",
	7: "Volta", 8: "Ampere", 9: "Hopper", 10: "Blackwell", 12: "Blackwell"}

func (c capability) architecture() string {
	switch {
	case c.major == 8 && c.minor == 9:
		return "Ada"
	case c.major == 7 && c.minor >= 5:
		return "Turing"
	}
	return cmp.Or(architectures[c.major], "compute capability "+c.String())
}

func (c capability) schedulers() float64 {
	if c.major < 3 || c == (capability{6, 0}) {
		return 2
	}
	return 4
}

// guide is the source of what follows from the compute capability alone.
const guide = "NVIDIA CUDA C++ Programming Guide, compute capabilities"
