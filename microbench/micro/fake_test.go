package micro

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// benchGPU stands in for a device with the kernels of the single quantities: it
// holds every launch against the kernel's parameters and the device's limits, and
// pretends that each step of a kernel takes stepCycles, of one warp as of all.
type benchGPU struct {
	description driver.Description
	memory      map[uint64]*benchMemory // by address
	next, left  uint64
	clockUS     float64
	launched    map[string]bool
	launches    int
	failAt      int // number of the launch that fails; 0 none
	fault       string
	broken      []string
	asked       *golden.Digest // of launches and of what is uploaded, if any
}

// benchMemory is there as far as anything is written to it.
type benchMemory struct {
	size  uint64
	bytes []byte
}

const writtenBytes = 4 << 20

const (
	stepCycles  = 10 // of a step, by the SM's clock
	stepUS      = 1  // of a step, between events
	startCycles = 137
	startUS     = 3
	fakeMHz     = 2000
)

func newBenchGPU(d driver.Description) *benchGPU {
	return &benchGPU{description: d, memory: map[uint64]*benchMemory{}, next: 1 << 40, left: 64 << 30,
		launched: map[string]bool{}}
}

// describe returns a description with the attributes that the suites ask for.
func describe(major, minor, sms, threadsPerSM int, sharedBytes,
	globalBytes float64) driver.Description {
	return driver.Description{Name: "stand-in", Major: major, Minor: minor, Attributes: []driver.Attribute{
		{Name: "sm_count", Value: float64(sms), Unit: "1"}, {Name: "warp_lanes", Value: 32, Unit: "1"},
		{Name: "max_threads_per_sm", Value: float64(threadsPerSM), Unit: "1"},
		{Name: "max_threads_per_block", Value: 1024, Unit: "1"}, {Name: "shared_bytes_per_block",
			Value: sharedBytes, Unit: "byte"},
		{Name: "global_bytes", Value: globalBytes, Unit: "byte"}, {Name: "sm_clock_max", Value: fakeMHz,
			Unit: "MHz"},
	}}
}

func hopper() driver.Description { return describe(9, 0, 132, 2048, 232448, 150e9) }
func turing() driver.Description { return describe(7, 5, 40, 1024, 65536, 16e9) }
func pascal() driver.Description { return describe(6, 1, 20, 2048, 49152, 8e9) }

type benchFakeKernel struct{ module, name string }

func (k benchFakeKernel) Name() string   { return k.name }
func (k benchFakeKernel) Module() string { return k.module }

func (g *benchGPU) Describe() driver.Description { return g.description }
func (g *benchGPU) Wait() error                  { return nil }
func (g *benchGPU) Clocks() (int, int)           { return 0, 0 }

func (g *benchGPU) Kernel(module, name string) (driver.Kernel, error) {
	if _, err := ptx.Parameters(module, name); err != nil {
		return nil, err
	}
	m, err := ptx.Load(module)
	if err == nil && m.Target > 10*g.description.Major+g.description.Minor {
		err = fmt.Errorf("%w: %s is for sm_%d", driver.ErrModule, module, m.Target)
	}
	return benchFakeKernel{module, name}, err
}

func (g *benchGPU) Alloc(bytes uint64) (driver.Memory, error) {
	if bytes > g.left {
		return driver.Memory{}, fmt.Errorf("%w: %d bytes", driver.ErrMemory, bytes)
	}
	m := driver.Memory{Address: g.next, Bytes: bytes}
	g.memory[m.Address] = &benchMemory{size: bytes}
	g.next += bytes + 1<<20
	g.left -= bytes
	return m, nil
}

func (g *benchGPU) Free(m driver.Memory) {
	if p := g.memory[m.Address]; p == nil || p.size != m.Bytes {
		g.complain("freed twice or never allocated: %+v", m)
		return
	}
	delete(g.memory, m.Address)
	g.left += m.Bytes
}

func (g *benchGPU) complain(format string, args ...any) {
	g.broken = append(g.broken, fmt.Sprintf(format, args...))
}

// find returns the piece of memory that holds an address, and the byte of it.
func (g *benchGPU) find(m driver.Memory) (*benchMemory, uint64) {
	for address, piece := range g.memory {
		if m.Address < address || m.Address-address >= piece.size {
			continue
		}
		begin := m.Address - address
		if begin+m.Bytes > piece.size {
			g.complain("%d bytes at byte %d of %d", m.Bytes, begin, piece.size)
		}
		return piece, begin
	}
	g.complain("no memory at %#x", m.Address)
	return &benchMemory{}, 0
}

// at returns the bytes behind an address, as far as they are there.
func (g *benchGPU) at(m driver.Memory) []byte {
	piece, begin := g.find(m)
	if need := min(begin+m.Bytes, piece.size, writtenBytes); uint64(len(piece.bytes)) < need {
		piece.bytes = append(piece.bytes, make([]byte, need-uint64(len(piece.bytes)))...)
	}
	return piece.bytes[min(begin, uint64(len(piece.bytes))):]
}

func (g *benchGPU) Upload(to driver.Memory, from []byte) error {
	copy(g.at(to), from)
	g.note(to, from)
	return nil
}

func (g *benchGPU) Download(to []byte, from driver.Memory) error {
	copy(to, g.at(from))
	return nil
}

func (g *benchGPU) Clear(m driver.Memory, bytes uint64) error {
	if bytes > m.Bytes {
		g.complain("%d bytes of %d are cleared", bytes, m.Bytes)
	}
	piece, begin := g.find(m)
	length := uint64(len(piece.bytes)) // what is not there yet is zero
	clear(piece.bytes[min(begin, length):min(begin+bytes, length)])
	g.clockUS++
	g.note(m, bytes)
	return nil
}

// note adds to what is asked of the device.
func (g *benchGPU) note(asked ...any) {
	if g.asked != nil {
		g.asked.Text(fmt.Sprint(asked...))
	}
}

func (g *benchGPU) Resident(_ driver.Kernel, threads int, _ uint64) (int, error) {
	return int(g.description.Attribute("max_threads_per_sm")) / threads, nil
}

func (g *benchGPU) Time(enqueue func() error) (float64, error) {
	begin := g.clockUS
	err := enqueue()
	return g.clockUS - begin + startUS, err
}

func (g *benchGPU) Launch(of driver.Kernel, l device.Shape, args ...any) error {
	k := of.(benchFakeKernel)
	g.launches++
	g.note(k, l.Recorded(), args)
	if g.launches == g.failAt {
		return fmt.Errorf("%w: %s", driver.ErrLaunch, k.name)
	}
	g.launched[k.module+"/"+k.name] = true
	g.checkLaunch(k, l, args)
	steps := stepsOf(k.name, args)
	g.clockUS += stepUS * float64(steps)
	switch {
	case k.name == "spin":
		g.spin(l, args)
	case strings.HasPrefix(k.name, "scratchpad_"):
		out := g.at(args[4].(driver.Memory))
		for b := range l.Blocks {
			binary.LittleEndian.PutUint64(out[8*b:], chainLength*stepCycles)
		}
	default:
		g.leaveIntervals(k, l, args, steps)
	}
	return nil
}

// checkLaunch holds a launch against the kernel and the device.
func (g *benchGPU) checkLaunch(k benchFakeKernel, l device.Shape, args []any) {
	types, err := ptx.Parameters(k.module, k.name)
	if err != nil || len(types) != len(args) {
		g.complain("%s: %d arguments for %v (%v)", k.name, len(args), types, err)
		return
	}
	for i, arg := range args {
		if got := argumentType(arg); got != strings.NewReplacer("s", "u", "b", "u").Replace(types[i]) {
			g.complain("%s: argument %d is %T, the parameter %s", k.name, i, arg, types[i])
		}
		if m, ok := arg.(driver.Memory); ok {
			g.find(m)
		}
	}
	if l.Threads > blockThreads || l.Threads < 1 || l.Blocks < 1 {
		g.complain("%s: %d blocks of %d threads", k.name, l.Blocks, l.Threads)
	}
	if float64(l.SharedBytes) > g.description.Attribute("shared_bytes_per_block") {
		g.complain("%s: %d bytes of shared memory", k.name, l.SharedBytes)
	}
}

func argumentType(arg any) string {
	switch arg.(type) {
	case driver.Memory, uint64, int64:
		return "u64"
	case uint32, int32:
		return "u32"
	case float32:
		return "f32"
	case float64:
		return "f64"
	}
	return "unknown"
}

// stepsOf finds the number of steps among the arguments of a kernel.
func stepsOf(kernel string, args []any) uint32 {
	for prefix, place := range map[string]int{
		"warp_barrier": 0, "warp_chain": 2, "warp_throughput": 2, "warp_issue": 2, "shared_throughput": 3,
		"global_throughput": 4, "global_returns": 6, "instruction": 2, "read_words": 2, "read_and_add": 2, "copy_words": 3,
		"chase": 2,
	} {
		if strings.HasPrefix(kernel, prefix) {
			return args[place].(uint32)
		}
	}
	return chainLength
}

func (g *benchGPU) spin(l device.Shape, args []any) {
	cycles, out := args[0].(uint64), g.at(args[1].(driver.Memory))
	for b := range l.Blocks {
		binary.LittleEndian.PutUint64(out[16*b:], cycles)
		if g.fault != "timer" {
			binary.LittleEndian.PutUint64(out[16*b+8:], cycles*1000/fakeMHz)
		}
	}
	g.clockUS += float64(cycles) / fakeMHz
}

// leaveIntervals lets the warps of a kernel begin one cycle after the other.
func (g *benchGPU) leaveIntervals(k benchFakeKernel, l device.Shape, args []any, steps uint32) {
	to, ok := driver.Memory{}, false
	if len(args) > 0 {
		to, ok = args[len(args)-1].(driver.Memory)
	}
	if !ok || g.fault == "intervals" || k.module == "memory" && k.name != "chase" {
		return
	}
	out := g.at(to)
	for w := range (int(l.Blocks)*l.Threads + warpLanes - 1) / warpLanes {
		block := w * warpLanes / l.Threads
		start := uint64(1000 + w)
		binary.LittleEndian.PutUint64(out[24*w:], start)
		binary.LittleEndian.PutUint64(out[24*w+8:], start+startCycles+uint64(steps)*stepCycles)
		binary.LittleEndian.PutUint64(out[24*w+16:],
			uint64(block)%uint64(g.description.Attribute("sm_count")))
	}
}

// verify reports what the launches did wrong, and memory that was not freed.
func (g *benchGPU) verify(t *testing.T) {
	t.Helper()
	for i, text := range g.broken {
		if i < 10 {
			t.Error(text)
		}
	}
	if len(g.memory) > 0 {
		t.Errorf("%d pieces of memory are not freed", len(g.memory))
	}
}
