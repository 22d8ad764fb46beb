package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/internal/wholefile"
)

const fitLong = `fit finds the constants of a device from measurements of single warps: which
mechanism works on shared memory, with how many banks and locks, and how many
cycles each part of an operation takes.

FILE is comma-separated: in each row one word address per lane, -1 for an
inactive lane, and then the cycles that the pattern took. A first row of names
may give several columns of cycles, such as u32_add_cycles and f32_add_cycles;
then each is fitted, and type and operation come from its name. Lines that begin
with # are passed over, gzip is read through.

About half of the rows, by a hash of their number, are fitted, and the others
judge the fit; at least 32 have to be fitted. What the rows do not tell
is listed. --out writes the device that results: the base, under its own
name, with the fitted constants in place of its own. latency, and every other
command, takes that file as --device. With --json the document holds it too.`

// fitFlags are the flags of fit.
type fitFlags struct {
	device    string
	typ       device.Type
	operation string
	column    string
	out       string
	changed   func(flag string) bool // whether the flag was given
}

func (f *fitFlags) register(cmd *cobra.Command) {
	registerDevice(cmd, &f.device)
	flags := cmd.Flags()
	f.changed = flags.Changed
	flags.TextVar(&f.typ, "type", device.U32, "`type` of the words: "+list(typeNames())+" (default: as the column is called, else u32)")
	flags.StringVar(&f.operation, "op", string(device.OpAdd), "`operation`: "+list(operationNames())+" (default: as the column is called, else add)")
	flags.StringVar(&f.column, "column", "", "fit this `column` only (default: all)")
	flags.StringVar(&f.out, "out", "", "`file` to write the device profile to")
	for _, name := range []string{"type", "op"} {
		flags.Lookup(name).DefValue = "" // it depends on the column
	}
	completeFlag(cmd, "type", typeNames())
	completeFlag(cmd, "op", operationNames())
}

func newFit(e *env) *cobra.Command {
	var flags fitFlags
	cmd := &cobra.Command{
		Use:   "fit FILE",
		Short: "Fit a device's shared-memory constants to measurements",
		Long:  fitLong,
		Example: `  atomtune fit measurements.csv
  atomtune fit --device gtx580 --type f32 --out mine.json measurements.csv
  atomtune fit --json --column f32_add recorded.csv.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("fit takes one FILE, but got %q too", args[1])
			}
			return files(cmd, args)
		},
	}
	flags.register(cmd)
	cmd.RunE = action(func(_ *cobra.Command, args []string) error { return e.fit(args[0], flags) })
	return cmd
}

// poorFit is the median error from which a fit says little.
const poorFit = 0.05

func (e *env) fit(path string, f fitFlags) error {
	if _, err := device.ParseOperation(f.operation); err != nil {
		return err
	}
	base, err := device.Load(f.device)
	if err != nil {
		return err
	}
	if err := writable(f.out); err != nil {
		return err
	}
	name, m, err := e.readMeasurements(path, base)
	if err != nil {
		return err
	}
	doc := fitDocument{File: name, Rows: len(m.Patterns), Lanes: m.Lanes, Warnings: []string{}, base: base, out: f.out}
	if err := doc.choose(m, f); err != nil {
		return err
	}
	if err := doc.checkWords(m); err != nil {
		return err
	}
	if err := e.fitAll(&doc, m); err != nil {
		return err
	}
	if err := doc.install(); err != nil {
		return err
	}
	if f.out != "" {
		if doc.Profile == nil {
			return fmt.Errorf("%s: %w: %s", doc.File, fit.ErrData, strings.Join(doc.Warnings, "; "))
		}
		if err := wholefile.Write(f.out, doc.Profile); err != nil {
			return err
		}
	}
	return e.emit(doc, func(w *bytes.Buffer) { printFits(w, doc) })
}

// readMeasurements reads the rows. Their lanes must be those of the base.
func (e *env) readMeasurements(path string, base *device.Profile) (name string, m *patterns.Measurements, err error) {
	c, err := e.openContent(path)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	m, err = patterns.ReadMeasurements(c, c.name, wordsOf(base, device.U32))
	if err = c.check(err); err != nil {
		return "", nil, err
	}
	if lanes := int(base.Core.WarpLanes.Value); m.Lanes != lanes {
		return "", nil, fmt.Errorf("%s: %w: rows of %d lanes, but a warp of %s has %d", c.name, fit.ErrData, m.Lanes, base.Name, lanes)
	}
	return c.name, m, nil
}

// choose lists the columns to fit, with their types and operations.
func (doc *fitDocument) choose(m *patterns.Measurements, f fitFlags) error {
	given := f.changed("type") || f.changed("op")
	f.column = strings.TrimSuffix(f.column, "_cycles")
	if f.column != "" {
		if _, err := m.Column(f.column); err != nil {
			return fmt.Errorf("%s: %w", doc.File, err)
		}
	} else if given && len(m.Columns) > 1 {
		return usagef("%s has %d columns: --type and --op need --column (%s)", doc.File, len(m.Columns), list(columnNames(m)))
	}
	for _, c := range m.Columns {
		if f.column != "" && c.Name != f.column {
			continue
		}
		one := columnFit{Column: c.Name, Type: f.typ, Operation: device.Operation(f.operation)}
		known := one.byName(f)
		if !known && len(m.Columns) > 1 && f.column == "" {
			doc.warn("column %s is not fitted: its name is no type and operation such as u32_add; --column with --type and --op fits it", c.Name)
			continue
		}
		doc.Fits = append(doc.Fits, one)
	}
	if len(doc.Fits) == 0 {
		return fmt.Errorf("%s: %w: no column has a name such as u32_add (there are %s)", doc.File, fit.ErrData, list(columnNames(m)))
	}
	return nil
}

// byName takes from the column's name what no flag says, and reports whether
// the name says it.
func (c *columnFit) byName(f fitFlags) bool {
	typeName, operationName, _ := strings.Cut(c.Column, "_")
	t, err := device.ParseType(typeName)
	if err != nil {
		return false
	}
	o, err := device.ParseOperation(operationName)
	if err != nil {
		return false
	}
	if !f.changed("type") {
		c.Type = t
	}
	if !f.changed("op") {
		c.Operation = o
	}
	return true
}

func columnNames(m *patterns.Measurements) []string {
	var names []string
	for _, c := range m.Columns {
		names = append(names, c.Name)
	}
	return names
}

// checkWords refuses addresses that lie in the shared memory as words of 4
// bytes, but not as words of a column's type.
func (doc *fitDocument) checkWords(m *patterns.Measurements) error {
	for _, c := range doc.Fits {
		words := wordsOf(doc.base, c.Type)
		for i, p := range m.Patterns {
			for lane, a := range p {
				if int(a) >= words {
					return fmt.Errorf("%s:%d: %w: lane %d: address %d lies beyond the shared memory of %d words of type %s",
						doc.File, m.Lines[i], patterns.ErrPattern, lane, a, words, c.Type)
				}
			}
		}
	}
	return nil
}

// fitAll fits the columns, as many at once as there are cores.
func (e *env) fitAll(doc *fitDocument, m *patterns.Measurements) error {
	progress := e.newBar("fitting columns", int64(len(doc.Fits)), unitsDefault)
	progress.show()
	defer progress.stop()
	var (
		wait   sync.WaitGroup
		mutex  sync.Mutex
		done   int64
		errs   = make([]error, len(doc.Fits))
		places = make(chan struct{}, runtime.GOMAXPROCS(0))
	)
	for i := range doc.Fits {
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			c := &doc.Fits[i]
			c.Result, errs[i] = fit.Scratchpad(m, c.Column, fit.Options{Wide: c.Type.Bytes() > int(doc.base.Shared.BankBytes.Value)})
			mutex.Lock()
			defer mutex.Unlock()
			if r := c.Result.HeldOut; errs[i] == nil && r.Median > poorFit {
				doc.warn("column %s: no mechanism explains the rows: the median error of those held out is %.0f %%", c.Column, 100*r.Median)
			}
			done++
			progress.set(done)
		})
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: column %s: %w", doc.File, doc.Fits[i].Column, err)
		}
	}
	return nil
}
