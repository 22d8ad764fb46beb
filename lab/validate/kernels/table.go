package kernels

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// KernelTable holds simulated times of whole calls, and what they depend on.
type KernelTable struct {
	Device    string // name of the built-in profile
	Profile   string // model.ProfileHash of the profile
	Behaviour string // hash of the simulator's times with that profile
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

// MostBytes is how large a table may be: many times the one that the program holds.
const MostBytes = 16 << 20

// ReadKernels reads a table's file. Errors wrap ErrValidate.
func ReadKernels(path string) (t KernelTable, err error) {
	defer validate.Wrap(&err)
	data, err := wholefile.Read(path, MostBytes)
	if err != nil {
		return t, err
	}
	if data, _, err = gzipped.Unpack(data, MostBytes); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	return DecodeKernels(path, data)
}

var kernelColumns = []string{"label", "type", "value", "returns", "implementation", "simulated_us"}

// exactUS is a time as tables hold it.
func exactUS(us float64) string { return strconv.FormatFloat(us, 'g', microseconds, 64) }

// Encode returns the table as CSV, what its times depend on in comment lines
// before.
func (t KernelTable) Encode() ([]byte, error) {
	var b bytes.Buffer
	for _, f := range t.head() {
		fmt.Fprintf(&b, "# %s: %v\n", f.key, reflect.ValueOf(f.value).Elem())
	}
	rows := [][]string{kernelColumns}
	for _, c := range t.Times {
		rows = append(rows, c.row())
	}
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

func (c SimulatedCall) row() []string {
	return []string{c.Label, c.Call.Type.String(), c.Call.Operand.String(),
		strconv.FormatBool(c.Call.Returns), c.Implementation.String(), exactUS(c.US)}
}

// field is one line of a table's head; value points to what it holds.
type field struct {
	key   string
	value any
}

func (t *KernelTable) head() []field {
	return []field{{"device", &t.Device}, {"profile", &t.Profile}, {"behaviour", &t.Behaviour},
		{"seed", &t.Seed}, {"streams", &t.Plan.Streams}, {"every", &t.Plan.Every},
		{"per form", &t.Plan.PerForm}}
}

// DecodeKernels reads what Encode wrote, through gzip where data is so packed.
// name appears in errors, which give line and value and wrap ErrValidate.
func DecodeKernels(name string, data []byte) (t KernelTable, err error) {
	defer validate.Wrap(&err)
	if data, err = recordings.Plain(name, data); err != nil {
		return t, err
	}
	fields := t.head()
	for i, f := range fields {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		value, found := strings.CutPrefix(string(line), "# "+f.key+": ")
		if !found {
			return t, fmt.Errorf("%s:%d: %q, want # %s: VALUE", name, i+1, line, f.key)
		}
		_, err := fmt.Sscanln(value, f.value)
		if err != nil || fmt.Sprint(reflect.ValueOf(f.value).Elem()) != value {
			return t, fmt.Errorf("%s:%d: %s %q is not a value", name, i+1, f.key, value)
		}
		data = rest
	}
	if t.Plan.Streams < 0 || t.Plan.Every < 0 || t.Plan.PerForm < 0 {
		return t, fmt.Errorf("%s:%d: %d streams, every %d, %d per form",
			name, len(fields), t.Plan.Streams, t.Plan.Every, t.Plan.PerForm)
	}
	seen := map[recorded.CallKey]bool{}
	err = validate.ReadCSV(name, len(fields), data, kernelColumns, func(row []string) error {
		c, err := decodeSimulated(row)
		if err == nil && seen[c.CallKey] {
			err = fmt.Errorf("%s is given twice", c.CallKey)
		}
		seen[c.CallKey] = true
		t.Times = append(t.Times, c)
		return err
	})
	return t, err
}

func decodeSimulated(row []string) (c SimulatedCall, err error) {
	var errs [4]error
	c.Label = row[0]
	c.Call.Type, errs[0] = device.ParseType(row[1])
	c.Call.Operand, errs[1] = device.ParseOperand(row[2])
	c.Call.Returns, errs[2] = strconv.ParseBool(row[3])
	c.Implementation, errs[3] = impl.Parse(row[4])
	c.US, _ = strconv.ParseFloat(row[5], 64) // 0 or infinite with an error
	switch {
	case c.Label == "":
		return c, fmt.Errorf("label is empty")
	case errs[2] != nil:
		return c, fmt.Errorf("returns %q is neither true nor false", row[3])
	case cmp.Or(errs[:]...) != nil:
		return c, cmp.Or(errs[:]...)
	case !(c.US > 0) || math.IsInf(c.US, 1):
		return c, fmt.Errorf("simulated_us %q is not a time", row[5])
	}
	return c, nil
}
