package input

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/columnar"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/quantity"
)

type CallFlags struct {
	Device string
	Call   device.Call
	values string
}

func (f *CallFlags) Register(cmd *cobra.Command, in *StreamFlags) {
	RegisterDevice(cmd, &f.Device)
	RegisterOperand(cmd, &f.Call.Operand)
	in.RegisterWidth(cmd)
	in.registerIndex(cmd)
	flags := cmd.Flags()
	flags.TextVar((*device.Element)(&f.Call.Type), "type", device.Element(device.U32), "`type` of the targets: ")
	flags.StringVar(&f.values, "value-type", "",
		"`type` of the values of rows: bf16 for f32 targets (default: --type)")
	flags.TextVar(&f.Call.Op, "op", device.Add, "`operation` of each update: ")
	flags.BoolVar(&f.Call.Returns, "returns", false, "each update returns the old value of its target")
	command.RegisterClear(flags, &f.Call.Keeps,
		"clear the targets first; --clear=false adds to existing values")
	OneOf(cmd, "type", TypeNames())
	flags.Lookup("type").Usage += "; rows: also bf16, default f32"
	OneOf(cmd, "op", Names(device.Ops()))
}

// OneOf ends the usage of a flag, which is registered, with its values, and offers them to a shell.
func OneOf(cmd *cobra.Command, flag string, values []string) {
	cmd.Flags().Lookup(flag).Usage += List(values)
	command.CompleteFlag(cmd, flag, values)
}

// DeviceUsage is the usage of a flag that names a device.
var DeviceUsage = AtMost(device.MostBytes,
	"`name` of a GPU (devices lists them), or of a profile file")

func RegisterDevice(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "device", device.Default, DeviceUsage)
	command.CompleteFlag(cmd, "device", device.Names())
}

func RegisterOperand(cmd *cobra.Command, to *device.Operand) {
	cmd.Flags().TextVar(to, "value", device.Loaded,
		"`operand`: loaded from memory, or one")
	command.CompleteFlag(cmd, "value", Names([]device.Operand{device.Loaded, device.One}))
}

type WordFlags struct {
	Type      device.Type
	operation string
	device    string
}

func (f *WordFlags) Register(cmd *cobra.Command) {
	RegisterDevice(cmd, &f.device)
	cmd.Flags().TextVar(&f.Type, "type", device.U32, "`type` of the words: ")
	cmd.Flags().StringVar(&f.operation, "op", string(device.OpAdd), "`operation`: ")
	OneOf(cmd, "type", TypeNames())
	OneOf(cmd, "op", Names(device.Operations()))
}

// Load returns the operation and the device.
func (f *WordFlags) Load() (o device.Operation, d *device.Profile, err error) {
	if o, err = device.ParseOperation(f.operation); err == nil {
		d, err = device.Load(f.device)
	}
	return o, d, err
}

func Names[T any](items []T) []string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = fmt.Sprint(item)
	}
	return list
}

func TypeNames() []string { return Names(device.Types()) }

// Require makes a flag, which is registered, one that must be given.
func Require(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err)
	}
}

func List(words []string) string { return strings.Join(words, ", ") }

// StreamFlags are the flags that say how to read an input.
type StreamFlags struct {
	Options datasets.Options
	Width   uint64   // of the row that each index updates; 0: it updates one target
	most    ByteSize // of what is held in memory
	gap     ByteSize // of what is read without an update
	given   func() bool
	index   string // the type of the indices; "": that of the input
}

func Formats() []string { return datasets.Options{Further: columnar.Formats()}.Formats() }

func (f *StreamFlags) Register(cmd *cobra.Command, stdin io.Reader) {
	f.Options.Stdin, f.Options.Further = stdin, columnar.Formats()
	flags := cmd.Flags()
	flags.StringVar(&f.Options.Format, "format", datasets.FormatAuto,
		"`format` of the input: ")
	flags.StringVar(&f.Options.Axis, "axis", "",
		"which `side` of each edge is the target: row or col")
	flags.StringVar(&f.Options.Column, "column", "",
		"`column` of a table or array, by name or counted from 0")
	flags.StringVar(&f.Options.Row, "row", "",
		"`row` of a two-dimensional array, counted from 0")
	flags.BoolVar(&f.Options.Batch, "batch", false,
		"each row of an array has its own --bins targets, as in a batch of histograms")
	flags.BoolVar(&f.Options.CSR, "csr", false,
		"targets are the rows of a sparse matrix in CSR, given by the array indptr or the array of --array (npz, safetensors)")
	flags.StringVar(&f.Options.Array, "array", "",
		"`name` of the array, in a file of several arrays")
	flags.BoolVar(&f.Options.Keys, "keys", false, "replace text or 64-bit keys by numbers, in order of appearance")
	flags.Uint64Var(&f.Options.Bins, "bins", 0,
		"`number` of targets; larger indices are errors (0: from the input, or highest index + 1)")
	flags.Uint64Var(&f.Options.Quantize, "quantize", 0,
		"scale the grey values of an image to this `number` of targets (0: pixels are the indices)")
	flags.StringVar(&f.Options.Channel, "channel", "",
		"`channel` of a coloured image to use as the index (default: luminance by Rec. 601, or palette "+
			"indices): ")
	flags.Uint64Var(&f.Options.MaxUpdates, maxUpdates, 0, "use only the first `N` updates (0: all)")
	RegisterMaxBytes(cmd, &f.most, MostHeld, "limit on the memory for the updates of a FILE or its distinct keys, and on the "+
		"size of a temporary file (4GiB if not given)")
	f.gap = 1 << 30
	flags.Var(&f.gap, maxGap, "stop after this `size` of input without an update, or of updates from almost no input, as from a "+
		"tensor of stride 0 (0: no limit)")
	command.Hide(cmd, "batch", "csr", "quantize", "channel", maxGap)
	f.given = func() bool { return flags.Changed(maxBytes) }
	OneOf(cmd, "format", Formats())
	OneOf(cmd, "channel", datasets.Channels())
	command.CompleteFlag(cmd, "axis", []string{datasets.AxisRow, datasets.AxisCol})
}

// RegisterTaken adds the flags of Register, and those that say which updates are taken in which order.
func (f *StreamFlags) RegisterTaken(cmd *cobra.Command, stdin io.Reader) {
	f.Register(cmd, stdin)
	cmd.Flags().StringVar(&f.Options.Ignore, "ignore", "",
		"treat this index `value`, such as -1, as padding")
	cmd.Flags().StringVar(&f.Options.Order, "order", datasets.OrderFile,
		"`order` of updates: file, row or col")
	command.CompleteFlag(cmd, "order", Orders)
}

var Orders = []string{datasets.OrderFile, datasets.OrderRow, datasets.OrderCol}

func (f *StreamFlags) registerIndex(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.index, "index", "", "`type` of the kernel's indices (default: as in the input): ")
	OneOf(cmd, "index", device.IndexNames())
}

// indexOf is the type of indices that are such elements of an input, unless --index names another.
func (f *StreamFlags) indexOf(elements tensor.Type) device.Type {
	name := f.index
	if name == "" && elements.Kind == tensor.Int && elements.Size >= 4 {
		name = fmt.Sprint("i", 8*elements.Size)
	} else if name == "" {
		name = fmt.Sprint("u", 8*elements.Size)
	}
	t, err := device.ParseIndex(name)
	if err != nil {
		panic(err) // Finish refuses what --index does not take
	}
	return t
}

// fits refuses an --index that cannot name so many targets.
func (f *StreamFlags) fits(bins uint64) error {
	if f.index == "" {
		return nil
	}
	if bits := 8 * f.indexOf(tensor.Uint32).Bytes(); bits < 32 && bins > 1<<bits {
		return fmt.Errorf("%w: --index %s names no more than %d targets, and there are %d", datasets.ErrOptions,
			f.index, 1<<bits, bins)
	}
	return nil
}

// checkIndex refuses an --index that is unknown, or that rows cannot have.
func (f *StreamFlags) checkIndex() error {
	if f.index == "" {
		return nil
	}
	t, err := device.ParseIndex(f.index)
	if err != nil {
		return command.Usagef("--index: %v", err)
	}
	if f.Width > 0 && t.Bytes() < 4 {
		return command.Usagef("--index %s cannot be used with --width: rows take indices of 32 or 64 bits", f.index)
	}
	return nil
}

// MeasureFlags are the flags that say how to measure a stream.
type MeasureFlags struct{ Options collision.Options }

func (f *MeasureFlags) Register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.Options.Sample, "sample", 0,
		"measure a random sample of this many `blocks` (0: everything)")
	flags.Uint64Var(&f.Options.Seed, "seed", 0, "`seed` of the sample")
	flags.IntVar(&f.Options.Workers, "workers", 0, "`threads` to use (0: all cores)")
	command.Hide(cmd, "sample", "seed", "workers")
}

// Files checks the FILE arguments of a command.
func Files(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return command.Usagef("%s: missing FILE (- is standard input)", cmd.Name())
	}
	return StdinOnce(cmd, args)
}

// StdinOnce refuses a second "-".
func StdinOnce(_ *cobra.Command, args []string) error {
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return command.Usagef("standard input (-) can be read once only")
	}
	return nil
}

// OrDefault are the arguments, or the default stream if there are none.
func OrDefault(args []string) []string {
	if len(args) == 0 {
		return []string{DefaultStream}
	}
	return args
}

// Families lists the families of synthetic streams with their parameters and defaults.
func Families() string {
	var b strings.Builder
	for _, f := range synth.Families() {
		fmt.Fprintf(&b, "  %-11s %s\n", f.Name, f.Summary)
		for _, p := range f.Params {
			value := strconv.FormatFloat(p.Default, 'f', -1, 64)
			fmt.Fprintf(&b, "    %-11s %s\n", p.Name+"="+value, p.Summary)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type ByteSize uint64

// String is a text that Set takes, with the largest unit of powers of two that leaves a whole number.
func (s *ByteSize) String() string {
	n, unit := uint64(*s), ""
	for _, larger := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n > 0 && n%1024 == 0 {
			n, unit = n/1024, larger
		}
	}
	return strconv.FormatUint(n, 10) + unit
}

func (s *ByteSize) Type() string { return "size" }

// Set reads a number of bytes such as 4096, 64MiB or 1.5GB.
func (s *ByteSize) Set(text string) error {
	bytes, err := quantity.Parse(strings.TrimSuffix(text, "B"))
	if err != nil {
		return err
	}
	if bytes >= 1<<63 {
		return fmt.Errorf("%d bytes are too many", bytes)
	}
	*s = ByteSize(bytes)
	return nil
}
