package fit

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/datasets/patterns"
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

func (b *builder) fitEach(all []ColumnFit) error {
	return Columns(b.in.Scratchpad, all, bankBytes, b.in.Progress)
}

// Columns fits columns of measured patterns as halves.fit does, as many at once as there are cores.
// Words of more than bankBytes are wide. A column with words of the same size and the same cycles in
// every row as one before shows what that one shows. progress, if it is there, is called when so many
// of those that differ are fitted, from one goroutine at a time. Errors name the column.
func Columns(m *patterns.Measurements, all []ColumnFit, bankBytes int,
	progress func(done, all int)) error {
	same, different, err := alike(m, all)
	if err != nil {
		return err
	}
	var (
		workers errgroup.Group
		mutex   sync.Mutex
		done    int
	)
	halves := halvesOf(m)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range different {
		workers.Go(func() (err error) {
			c.Result, err = halves.fit(c.Column, c.Type.Bytes() > bankBytes)
			mutex.Lock()
			defer mutex.Unlock()
			if done++; progress != nil {
				progress(done, len(different))
			}
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Column, err)
			}
			return nil
		})
	}
	err = workers.Wait()
	for i := range all {
		all[i].Result = same[i].Result
	}
	return err
}

// alike returns for each column the first with words of the same size and the same cycles, and those
// that are so returned: the ones of wide words, whose fits take longest, first.
func alike(m *patterns.Measurements, all []ColumnFit) (same, different []*ColumnFit, err error) {
	cycles := make([][]float64, len(all))
	for i, c := range all {
		column, err := m.Column(c.Column)
		if err != nil {
			return nil, nil, err
		}
		cycles[i] = column.Cycles
	}
	same = make([]*ColumnFit, len(all))
	for i := range all {
		for k := 0; same[i] == nil; k++ {
			if k == i || all[k].Type.Bytes() == all[i].Type.Bytes() && slices.Equal(cycles[k], cycles[i]) {
				same[i] = &all[k]
			}
		}
		if same[i] == &all[i] {
			different = append(different, same[i])
		}
	}
	slices.SortStableFunc(different, func(x, y *ColumnFit) int {
		return cmp.Compare(y.Type.Bytes(), x.Type.Bytes())
	})
	return same, different, nil
}

const bankBytes = 4 // the width of a bank of shared memory

// ParseColumn takes a column's name, such as u32_add, apart.
func ParseColumn(name string) (device.Type, device.Operation, bool) {
	typeName, operationName, _ := strings.Cut(name, "_")
	t, errType := device.ParseType(typeName)
	o, err := device.ParseOperation(operationName)
	return t, o, errType == nil && err == nil
}
