package kernels

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/variant"
)

// KernelTable holds simulated times of whole calls, and what they depend on.
type KernelTable struct {
	Device    string // name of the built-in profile
	Profile   string // model.ProfileHash of the profile
	Behaviour string // behaviourHash of the simulator with that profile
	Seed      uint64 // of the values added, and of vr
	Plan      KernelPlan
	Times     []SimulatedCall // in the order of the plan
}

// SimulatedCall is the simulated time of one call.
type SimulatedCall struct {
	recorded.CallKey
	US float64 // as a table writes it: seven significant digits
}

const (
	kernelTableName = "kernels.csv.gz"
	microseconds    = 7 // significant digits, beyond which machines may round differently
)

//go:embed kernels.csv.gz
var kernelTable []byte

// RecordedKernels returns the table that the program holds, of the H200's
// held-out streams. Errors wrap ErrValidate.
func RecordedKernels() (KernelTable, error) { return DecodeKernels(kernelTableName, kernelTable) }

var kernelColumns = []string{"label", "type", "value", "returns", "implementation", "simulated_us"}

// exactUS is a time as tables and journals hold it.
func exactUS(us float64) string { return strconv.FormatFloat(us, 'g', microseconds, 64) }

// Encode returns the table as CSV, what its times depend on in comment lines
// before.
func (t KernelTable) Encode() ([]byte, error) {
	var b bytes.Buffer
	for _, f := range t.fields() {
		fmt.Fprintf(&b, "# %s: %v\n", f.key, f.print())
	}
	w := csv.NewWriter(&b)
	rows := [][]string{kernelColumns}
	for _, c := range t.Times {
		rows = append(rows, []string{c.Label, c.Call.Type.String(), c.Call.Operand.String(),
			strconv.FormatBool(c.Call.Returns), c.Implementation.String(), exactUS(c.US)})
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// field is one line of a table's head.
type field struct {
	key   string
	print func() string
	parse func(string) error
}

func (t *KernelTable) fields() []field {
	text := func(key string, to *string) field {
		return field{key, func() string { return *to }, func(s string) error {
			*to = s
			if s == "" {
				return fmt.Errorf("it is empty")
			}
			return nil
		}}
	}
	return []field{
		text("device", &t.Device), text("profile", &t.Profile), text("behaviour", &t.Behaviour),
		{"seed", func() string { return strconv.FormatUint(t.Seed, 10) }, func(s string) (err error) {
			t.Seed, err = strconv.ParseUint(s, 10, 64)
			return err
		}},
		whole("streams", &t.Plan.Streams), whole("every", &t.Plan.Every),
	}
}

func whole(key string, to *int) field {
	return field{key, func() string { return strconv.Itoa(*to) }, func(s string) (err error) {
		*to, err = strconv.Atoi(s)
		return err
	}}
}

// DecodeKernels reads what Encode wrote, through gzip where data is so packed.
// name stands in errors, which give line and value and wrap ErrValidate.
func DecodeKernels(name string, data []byte) (KernelTable, error) {
	var t KernelTable
	data, err := recordings.Plain(name, data)
	if err != nil {
		return t, fmt.Errorf("%w: %w", validate.ErrValidate, err)
	}
	broken := func(line int, err error) (KernelTable, error) {
		return KernelTable{}, fmt.Errorf("%w: %s:%d: %w", validate.ErrValidate, name, line, err)
	}
	fields := t.fields()
	for i, f := range fields {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		value, found := strings.CutPrefix(string(line), "# "+f.key+": ")
		if !found {
			return broken(i+1, fmt.Errorf("%q, want # %s: VALUE", line, f.key))
		}
		if err := f.parse(value); err != nil {
			return broken(i+1, fmt.Errorf("%s %q: %w", f.key, value, err))
		}
		data = rest
	}
	if err := t.Plan.Validate(); err != nil {
		return broken(len(fields), err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if lines[0] != strings.Join(kernelColumns, ",") {
		return broken(len(fields)+1, fmt.Errorf("%q, want the columns %s", lines[0], strings.Join(kernelColumns, ",")))
	}
	seen := make(map[recorded.CallKey]bool, len(lines))
	for i, line := range lines[1:] {
		c, err := decodeSimulated(line)
		if err == nil && seen[c.CallKey] {
			err = fmt.Errorf("%s stands twice", c.CallKey)
		}
		if err != nil {
			return broken(len(fields)+2+i, err)
		}
		seen[c.CallKey] = true
		t.Times = append(t.Times, c)
	}
	return t, nil
}

func decodeSimulated(line string) (c SimulatedCall, err error) {
	row, err := csv.NewReader(strings.NewReader(line)).Read()
	if err == nil && len(row) != len(kernelColumns) {
		err = fmt.Errorf("%d fields, want %d", len(row), len(kernelColumns))
	}
	if err != nil {
		return c, err
	}
	if c.Label = row[0]; c.Label == "" {
		return c, fmt.Errorf("label is empty")
	}
	if c.Call.Type, err = device.ParseType(row[1]); err != nil {
		return c, err
	}
	if c.Call.Operand, err = device.ParseOperand(row[2]); err != nil {
		return c, err
	}
	if c.Call.Returns, err = strconv.ParseBool(row[3]); err != nil {
		return c, fmt.Errorf("returns %q is neither true nor false", row[3])
	}
	if c.Implementation, err = variant.Parse(row[4]); err != nil {
		return c, err
	}
	c.US, err = strconv.ParseFloat(row[5], 64)
	if err != nil || !(c.US > 0) || math.IsInf(c.US, 1) {
		return c, fmt.Errorf("simulated_us %q is no time", row[5])
	}
	return c, nil
}
