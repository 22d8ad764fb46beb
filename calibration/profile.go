// Package calibration finds the constants of a device from measurements of it. Columns fits patterns of
// single warps: which mechanism works on shared memory, with how many banks and locks, and how many
// cycles each part of an operation takes. Profile fits everything that a device's profile holds but for the
// times of rows, which Rows fits.
package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

// ErrData is wrapped by errors about measurements that nothing can be fitted to.
var ErrData = errors.New("measurements cannot be fitted")

// ErrOptions is wrapped by errors about options.
var ErrOptions = errors.New("unusable options")

// Input is what was measured on one device.
type Input struct {
	Name       string // of the profile; empty for one made of the GPU's name
	Provenance recordings.Provenance
	Readings   []recordings.Reading
	// Scratchpad is what one warp's operations on shared memory took. Of its rows
	// the half that serves to fit is fitted.
	Scratchpad *patterns.Measurements
	// Instructions are what the PTX of each column's kernel does, by column, as far as that is known.
	Instructions map[string]string
	// Progress, if it is there, is called when so many of all columns of
	// Scratchpad are fitted, from one goroutine at a time.
	Progress func(done, all int)
}

// Report says how well each quantity of a profile is known.
type Report struct {
	Quantities   []Estimate     `json:"quantities"`
	Columns      []ColumnFit    `json:"columns"`
	Unidentified []Unidentified `json:"unidentified"` // taken from elsewhere, or not told apart
	Warnings     []string       `json:"warnings"`
}

// Estimate is one quantity that was measured.
type Estimate struct {
	Name  string  `json:"name"` // its place in the profile, such as global.slices
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Interval is of 95 %. Where a reading has no repeats it holds none of its
	// noise, and Unidentified lists it.
	Interval Interval `json:"interval"`
	// Residuals are those of the regression from which the quantity comes; nil where there was none.
	Residuals *Residuals `json:"residuals,omitempty"`
	Source    string     `json:"source"`
	Rationale string     `json:"rationale"`
}

// ColumnFit is the fit of a column of single-warp measurements.
type ColumnFit struct {
	Column    string           `json:"column"`
	Type      device.Type      `json:"type"`
	Operation device.Operation `json:"operation"`
	Result    Result           `json:"result"`
}

// Profile makes the profile of an NVIDIA GPU from measurements of it. Every quantity comes with its
// interval; what the measurements could not determine is taken from the compute capability or assumed, and
// listed. The same measurements give the same profile, in whatever order they stand. Errors wrap
// ErrData and name what is missing.
func Profile(in Input) (*device.Profile, Report, error) {
	b, err := newBuilder(in)
	if err != nil {
		return nil, Report{}, err
	}
	return b.build(b.fitEach)
}

// build puts the profile together. fitEach fits the columns of patterns.
func (b *builder) build(fitEach func([]ColumnFit) error) (*device.Profile, Report, error) {
	columns, err := b.readColumns()
	if err != nil {
		return nil, Report{}, err
	}
	// What needs no patterns comes first: the fits of patterns take a while.
	err = b.take(b.core, b.exchange, b.launch, b.memory, b.global, b.globalAtomics)
	if err == nil {
		err = fitEach(columns)
	}
	if err != nil {
		return nil, Report{}, err
	}
	for i := range columns {
		b.columns[columns[i].Column] = &columns[i].Result
	}
	b.report.Columns = columns
	if err := b.take(b.shared, b.sharedAtomics, b.types, b.contendedAdds, b.assumed); err != nil {
		return nil, Report{}, err
	}
	if err := b.p.Validate(); err != nil {
		return nil, Report{}, fmt.Errorf("%w: the readings give no profile: %w", ErrData, err)
	}
	b.report.Warnings = append(b.report.Warnings, b.p.Doubts()...)
	b.report.arrange()
	return &b.p, b.report, nil
}

// take takes steps, and reports the readings that they found missing.
func (b *builder) take(steps ...func()) error {
	for _, step := range steps {
		step()
	}
	return b.rows.lacks()
}

var groups = []string{"core", "shared", "exchange", "global", "memory", "launch", "host", "library",
	"shared_atomics", "global_atomics"}

func (r *Report) arrange() {
	order := func(x, y string) int {
		x, _, _ = strings.Cut(x, ".")
		y, _, _ = strings.Cut(y, ".")
		return cmp.Compare(slices.Index(groups, x), slices.Index(groups, y))
	}
	slices.SortStableFunc(r.Quantities, func(x, y Estimate) int { return order(x.Name, y.Name) })
	slices.SortStableFunc(r.Unidentified, func(x, y Unidentified) int { return order(x.Name, y.Name) })
}

type builder struct {
	in      Input
	rows    *lookup
	cc      capability
	columns map[string]*Result // fits of single warps, by column
	cycles  estimate           // of an SM in a nanosecond
	p       device.Profile
	report  Report
}

func newBuilder(in Input) (*builder, error) {
	b := &builder{in: in, columns: map[string]*Result{}, report: Report{
		Quantities: []Estimate{}, Columns: []ColumnFit{},
		Unidentified: []Unidentified{}, Warnings: []string{}}}
	var errRows, errCapability error
	b.rows, errRows = newLookup(in.Readings)
	b.cc, errCapability = parseCapability(in.Provenance.ComputeCapability)
	switch {
	case errRows != nil:
		return nil, errRows
	case in.Provenance.GPU == "":
		return nil, fmt.Errorf("%w: the readings do not say of which GPU they are", ErrData)
	case errCapability != nil:
		return nil, errCapability
	}
	b.p = device.Profile{
		Schema: device.Schema, Name: cmp.Or(in.Name, Slug(in.Provenance.GPU)), Title: in.Provenance.GPU,
		Vendor: "NVIDIA", Architecture: b.cc.architecture(),
		SharedAtomics: map[string]device.SharedAtomic{}, GlobalAtomics: map[string]device.GlobalAtomic{},
		Types: map[device.Type]device.TypeAtomics{},
	}
	return b, nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Slug makes a profile's name of a GPU's: lower-case, the maker and what is no
// letter or digit left out, so that NVIDIA H200 is h200.
func Slug(gpu string) string {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(gpu)),
		func(w string) bool { return w == "nvidia" })
	return strings.Trim(notInNames.ReplaceAllString(strings.Join(words, "-"), "-"), "-")
}
