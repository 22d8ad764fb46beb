package fit

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

// readColumns lists the columns whose names are a type and an operation, and
// notes those that no profile does without.
func (b *builder) readColumns() ([]ColumnFit, error) {
	m := b.in.Scratchpad
	if m == nil {
		return nil, fmt.Errorf("%w: there are no patterns of single warps (%s)", ErrData, recordings.ScratchpadFile)
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

// fitEach fits the columns, as many at once as there are cores.
func (b *builder) fitEach(all []ColumnFit) error {
	var (
		wait   sync.WaitGroup
		mutex  sync.Mutex
		done   int
		errs   = make([]error, len(all))
		places = make(chan struct{}, runtime.GOMAXPROCS(0))
	)
	same := b.sameAs(all)
	for i := range all {
		if same[i] != i {
			continue
		}
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			c := &all[i]
			c.Result, errs[i] = Scratchpad(b.in.Scratchpad, c.Column, Options{Wide: c.Type.Bytes() > bankBytes})
			mutex.Lock()
			defer mutex.Unlock()
			if done++; b.in.Progress != nil {
				b.in.Progress(done, columnsLeft(same))
			}
		})
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("column %s: %w", all[i].Column, err)
		}
		all[i].Result = all[same[i]].Result
	}
	return nil
}

// sameAs gives for each column the first one with words of the same size and the
// same cycles in every row: what it shows, the others show.
func (b *builder) sameAs(all []ColumnFit) []int {
	cycles := func(i int) []float64 {
		c, err := b.in.Scratchpad.Column(all[i].Column)
		if err != nil {
			return nil
		}
		return c.Cycles
	}
	same := make([]int, len(all))
	for i := range all {
		same[i] = i
		for k := range i {
			if all[k].Type.Bytes() == all[i].Type.Bytes() && slices.Equal(cycles(k), cycles(i)) {
				same[i] = k
				break
			}
		}
	}
	return same
}

// columnsLeft is the number of columns that differ from those before.
func columnsLeft(same []int) int {
	n := 0
	for i, k := range same {
		if i == k {
			n++
		}
	}
	return n
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
