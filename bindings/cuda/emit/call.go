package emit

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// ErrNone reports a call for which there is no CUDA code.
var ErrNone = errors.New("no CUDA code")

// Vendor is who makes the devices that run CUDA code, as device.Profile names them.
const Vendor = "NVIDIA"

// Call is a call of an implementation on a stream, with its launch.
type Call struct {
	Implementation impl.Spec
	Call           device.Call
	Shape          device.Shape // zero where there are several kernels, whose grids follow from the stream
	Bins           uint64       // targets
	Ignore         *int64       // of rows: the index that is not an update; nil: none
}

// code is the CUDA code of a call, on A, index, values, old and n, which are there; host_index is
// the host's copy of the indices, which the order of ss is made of.
type code struct {
	header string // that declares it
	ranged bool   // with RangedCopies
	order  string // of ss: the function that makes the order on the host
	allow  string // the kernel that needs more shared memory than plainBytes
	before []string
	memory []array
	once   []string // what is prepared before the first call
	lines  []string // the call
}

// array is working memory on the device.
type array struct{ Name, Element, Count string }

// bytes is the size of the array as code.
func (a array) bytes() string {
	if a.Element == byteType {
		return a.Count
	}
	return fmt.Sprintf("%s * sizeof(%s)", a.Count, a.Element)
}

const byteType = "unsigned char"

// plainBytes is the shared memory that a block has without asking for it.
const plainBytes = 48 << 10

// types names the types of targets in C++.
var types = [...]string{device.U32: "uint32_t", device.I32: "int32_t", device.F32: "float",
	device.U64: "unsigned long long", device.I64: "long long", device.F64: "double", device.BF16: "__nv_bfloat16"}

// indexTypes names the types of indices by their bytes. Those of signed ones serve too, since none is negative.
var indexTypes = map[int]string{1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "unsigned long long"}

// IndexType names the type of the indices of a call in C++.
func IndexType(c device.Call) string { return indexTypes[c.Index()] }

// Check refuses what the headers have not. Errors wrap ErrNone.
func (c *Call) Check() error {
	v := c.Implementation
	why := ""
	switch {
	case c.Call.Wide():
		why = c.noRows()
	case v.Validate() != nil || v.Header() == "":
		why = "the headers do not have this implementation"
	case v.Threshold != 0 || v.Samples > 1:
		why = "the kernels of the headers have a fixed threshold and one sample"
	case c.Call.Op != device.Add:
		why = fmt.Sprintf("the kernels can only add, not %s", c.Call.Op)
	case c.Call.Returns && !v.ReturnsOld():
		why = "it does not return old values"
	case c.Call.Returns && v.Scatter:
		why = "its updates are reordered, and old values would be too"
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("%w for %s: %s", ErrNone, v, why)
}

// code makes the code of the call.
func (c *Call) code() (r code, err error) {
	if err := c.Check(); err != nil {
		return code{}, err
	}
	if c.Call.Wide() {
		return c.rows(), nil
	}
	v := c.Implementation
	switch {
	case v.SeveralKernels():
		r = c.phases()
	case v.AddsAtTargets():
		r = c.global()
	case v.Site() == impl.PerThread:
		r = c.threadPrivate()
	case v.Slots > 0:
		r = c.hot()
	default:
		r = c.private()
	}
	r.header = v.Header()
	return r, nil
}

func (c *Call) element() string { return types[c.Call.Type] }

func (c *Call) valueType() string { return types[c.Call.ValueType()] }

// targets is the number of elements of A.
func (c *Call) targets() uint64 { return c.Bins * max(1, c.Call.Width) }

func (c *Call) ones() bool { return c.Call.Operand == device.One }

// values is the type of the values of a kernel and what is handed to it.
func (c *Call) values() (typeName, value string) {
	if c.ones() {
		return "Ones", "Ones{}"
	}
	return "Loaded<" + c.element() + ">", "Loaded<" + c.element() + ">{values}"
}

// kernel is a call of a kernel on the stream, in the launch of the call.
func (c *Call) kernel(name, parameters, more string) string {
	_, value := c.values()
	shared := ""
	if c.Shape.SharedBytes > 0 {
		shared = fmt.Sprintf(", %d", c.Shape.SharedBytes)
	}
	target, old := "A", ""
	if c.Call.Returns {
		old = "old, "
	}
	if c.Implementation.Site() == impl.PerThread {
		target = "partial"
	}
	_, index := c.index()
	return fmt.Sprintf("%s%s<<<%d, %d%s>>>(%s, %s, %s, %sn%s);", name, parameters,
		c.Shape.Blocks, c.Shape.Threads, shared, target, index, value, old, more)
}

// parameters are those of a kernel's template that are not read from its arguments, with an implementation or
// without.
func (c *Call) parameters(form bool) string {
	return template(c.formed(form, c.Shape.Unroll > 1)...)
}

// formed are the first parameters of a template: its form, if it has one, and the iterations at once.
func (c *Call) formed(form, unroll bool) (list []string) {
	if form {
		list = append(list, c.Implementation.CUDAName())
	}
	if unroll {
		list = append(list, fmt.Sprint(max(1, c.Shape.Unroll)))
	}
	return list
}

// index is the index that a kernel reads by, and its type: updates of no target are left out.
func (c *Call) index() (typeName, value string) {
	return "Below<" + IndexType(c.Call) + ">", fmt.Sprintf("below(index, %d)", c.Bins)
}

func template(list ...string) string { return "<" + strings.Join(list, ", ") + ">" }

// instance is a kernel with all of its template's parameters, of which the last are of its layout, where it
// needs more shared memory than plainBytes; else "".
func (c *Call) instance(name string, form bool, layout ...string) string {
	if c.Shape.SharedBytes <= plainBytes {
		return ""
	}
	values, _ := c.values()
	index, _ := c.index()
	return name + template(append(append(append(c.formed(form, true), c.element(), values), layout...), index)...)
}

// fetching is what kernels are called that return old values.
func (c *Call) fetching(name string) (string, bool) {
	if c.Call.Returns {
		return "fetch_" + name, false
	}
	return name, true
}

func (c *Call) global() code {
	name, _ := c.fetching("update_global")
	name += c.parameters(true)
	if c.Implementation.Scope == impl.BlockScope {
		name = "update_sr_block"
	}
	r := code{lines: []string{c.kernel(name, "", "")}}
	switch {
	case c.Implementation.Scatter && c.Implementation.Reduces():
		r.order = "warp_order"
	case c.Implementation.Scatter:
		r.order = "scatter_order"
	}
	return r
}

func (c *Call) private() code {
	v := c.Implementation
	name, form := c.fetching("update_private")
	layout := "Copies"
	value := fmt.Sprintf("Copies{%d, %d, %d, %t}", c.Bins, v.R(), v.Pad, v.Map == impl.Block)
	if v.G() > 1 {
		layout = "RangedCopies"
		value = fmt.Sprintf("RangedCopies{%s, %d}", value, v.G())
	}
	r := code{ranged: v.G() > 1, allow: c.instance(name, form, layout),
		lines: []string{c.kernel(name, c.parameters(form), ", "+value)}}
	if !form {
		r.allow = c.instance(name, form)
	}
	return r
}

func (c *Call) hot() code {
	v := c.Implementation
	name, form := c.fetching("update_hot")
	_, index := c.index()
	table := fmt.Sprintf(", HotTable{%d, %d, tags}", v.Slots, v.R())
	r := code{allow: c.instance(name, form),
		memory: []array{{"tags", "uint32_t", fmt.Sprint(v.Slots)}}}
	if v.Sample == 0 {
		best, counts := array{"best", "unsigned long long", fmt.Sprint(v.Slots)}, array{"counts", "uint32_t", fmt.Sprint(c.Bins)}
		r.memory = append(r.memory, best, counts)
		r.once = []string{"cudaMemsetAsync(best, 0, " + best.bytes() + ");",
			"cudaMemsetAsync(counts, 0, " + counts.bytes() + ");",
			"update_global<Match, 4><<<(n + 1023) / 1024, 256>>>(counts, " + index + ", Ones{}, n);",
			fmt.Sprintf("find_hot_tags(tags, best, %d, counts, %d);", v.Slots, c.Bins)}
	} else {
		r.before = []string{fmt.Sprintf("const HotSample sample{%d, %d};", v.Slots, v.Sample)}
		r.lines = []string{"fill_hot<><<<sample.blocks(), 1024, sample.bytes(sample.blocks())>>>(" +
			"tags, " + index + ", n, sample);"}
	}
	r.lines = append(r.lines, c.kernel(name, c.parameters(form), table))
	return r
}

func (c *Call) threadPrivate() code {
	const threads, warps = 256, 8 // of the launch that sums
	sum := fmt.Sprintf("sum_threadprivate<<<%d, %d>>>(A, partial, %d, %d);", (c.Bins+warps-1)/warps,
		threads, c.Bins, c.Shape.Blocks)
	return code{memory: []array{{"partial", c.element(), fmt.Sprint(c.Bins * c.Shape.Blocks)}},
		allow: c.instance("update_threadprivate", false),
		lines: []string{c.kernel("update_threadprivate", c.parameters(false),
			fmt.Sprintf(", %d", c.Bins)), sum}}
}

// phases is a call in two phases, of which the first asks for working memory. Sums are stored where each target
// has one, but not of sort, where updates that are left out may part those of a target, nor of segreduce, since a
// file that the program is given need not be grouped.
func (c *Call) phases() code {
	v, index, values, layout, finish := c.Implementation, "index", "values", fmt.Sprint(c.Bins), "add"
	if c.ones() {
		values = "One{}"
	}
	if v.Width > 0 {
		_, index = c.index()
		layout = fmt.Sprintf("Partition{%d, %d, %d}", c.Bins, bits.Len(uint(v.Width))-1, v.R())
	}
	if v.Width > 0 && !c.Call.Keeps {
		finish = "store"
	}
	call := func(memory, end string) string {
		return fmt.Sprintf("update_%s(%s, bytes, A, %s, %s, n, %s%s);", v.Algorithm, memory, index, values, layout, end)
	}
	return code{memory: []array{{"memory", byteType, "bytes"}},
		before: []string{"size_t bytes = 0;", call("nullptr", "")},
		lines:  []string{call("memory", ", nullptr, Finish::"+finish)}}
}
