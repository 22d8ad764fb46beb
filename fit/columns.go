package fit

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

// readColumns lists the columns whose names are a type and an operation, and
// notes those that no profile does without.
func (b *builder) readColumns() ([]ColumnFit, error) {
	m := b.in.Scratchpad
	if m == nil {
		return nil, fmt.Errorf("%w: there are no patterns of single warps (%s)", ErrData,
			recordings.ScratchpadFile)
	}
	var all []ColumnFit
	for _, c := range m.Columns {
		if t, o, ok := ParseColumn(c.Name); ok {
			all = append(all, ColumnFit{Column: c.Name, Type: t, Operation: o})
		}
	}
	slices.SortFunc(all, func(x, y ColumnFit) int { return strings.Compare(x.Column, y.Column) })
	for _, needed := range []string{"u32_load", "u32_add", "f32_add", "u64_add", "f64_add"} {
		if !slices.ContainsFunc(all, func(c ColumnFit) bool { return c.Column == needed }) {
			b.rows.lack("scratchpad", "column", needed)
		}
	}
	return all, nil
}

// fitEach fits the columns, as many at once as there are cores. A column with
// words of the same size and the same cycles in every row as one before shows
// what that one shows.
func (b *builder) fitEach(all []ColumnFit) error {
	same, different := b.sameAs(all), 0
	for i, first := range same {
		if first == i {
			different++
		}
	}
	var (
		workers errgroup.Group
		mutex   sync.Mutex
		done    int
	)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		if same[i] != i {
			continue
		}
		workers.Go(func() (err error) {
			c := &all[i]
			c.Result, err = Scratchpad(b.in.Scratchpad, c.Column, Options{Wide: c.Type.Bytes() > bankBytes})
			mutex.Lock()
			defer mutex.Unlock()
			if done++; b.in.Progress != nil {
				b.in.Progress(done, different)
			}
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Column, err)
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	for i := range all {
		all[i].Result = all[same[i]].Result
	}
	return nil
}

// sameAs gives for each column the first one of the same size and cycles.
func (b *builder) sameAs(all []ColumnFit) []int {
	cycles := func(c ColumnFit) []float64 {
		column, err := b.in.Scratchpad.Column(c.Column)
		if err != nil {
			return nil
		}
		return column.Cycles
	}
	same := make([]int, len(all))
	for i, c := range all {
		same[i] = slices.IndexFunc(all, func(o ColumnFit) bool {
			return o.Type.Bytes() == c.Type.Bytes() && slices.Equal(cycles(o), cycles(c))
		})
	}
	return same
}

// bankBytes is the width of a bank of shared memory.
const bankBytes = 4

// ParseColumn takes a column's name, such as u32_add, apart.
func ParseColumn(name string) (device.Type, device.Operation, bool) {
	typeName, operationName, _ := strings.Cut(name, "_")
	t, err := device.ParseType(typeName)
	if err != nil {
		return 0, "", false
	}
	o, err := device.ParseOperation(operationName)
	return t, o, err == nil
}
