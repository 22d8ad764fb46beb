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

// fitEach fits the columns, as many at once as there are cores. A column with words of the same
// size and the same cycles in every row as one before shows what that one shows.
func (b *builder) fitEach(all []ColumnFit) error {
	cycles := make([][]float64, len(all))
	for i, c := range all {
		column, err := b.in.Scratchpad.Column(c.Column)
		if err != nil {
			return err
		}
		cycles[i] = column.Cycles
	}
	var different []*ColumnFit
	same := make([]*ColumnFit, len(all))
	for i := range all {
		for k := 0; same[i] == nil; k++ {
			if all[k].Type.Bytes() == all[i].Type.Bytes() && slices.Equal(cycles[k], cycles[i]) {
				same[i] = &all[k]
			}
		}
		if same[i] == &all[i] {
			different = append(different, same[i])
		}
	}
	var (
		workers errgroup.Group
		mutex   sync.Mutex
		done    int
	)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range different {
		workers.Go(func() (err error) {
			c.Result, err = Scratchpad(b.in.Scratchpad, c.Column, Options{Wide: c.Type.Bytes() > bankBytes})
			mutex.Lock()
			defer mutex.Unlock()
			if done++; b.in.Progress != nil {
				b.in.Progress(done, len(different))
			}
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Column, err)
			}
			return nil
		})
	}
	err := workers.Wait()
	for i := range all {
		all[i].Result = same[i].Result
	}
	return err
}

const bankBytes = 4 // the width of a bank of shared memory

// ParseColumn takes a column's name, such as u32_add, apart.
func ParseColumn(name string) (device.Type, device.Operation, bool) {
	typeName, operationName, _ := strings.Cut(name, "_")
	t, errType := device.ParseType(typeName)
	o, err := device.ParseOperation(operationName)
	return t, o, errType == nil && err == nil
}
