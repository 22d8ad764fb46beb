package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/calibration/regression"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
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
	for i := range all {
		column, err := m.Column(all[i].Column)
		if err != nil {
			return nil, nil, err
		}
		k, size := 0, all[i].Type.Bytes()
		for cycles[i] = column.Cycles; k < i; k++ {
			if all[k].Type.Bytes() == size && slices.Equal(cycles[k], cycles[i]) {
				break
			}
		}
		if same = append(same, &all[k]); k == i {
			different = append(different, &all[k])
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

// rows are patterns with their cycles.
type rows struct {
	*warps
	cycles []float64
}

func rowsOf(w *warps, column string) (rows, error) {
	c, err := w.measured.Column(column)
	return rows{w, c.Cycles}, err
}

// thinned returns at most thinRows rows, evenly spread.
func (r rows) thinned() rows {
	if r.thin == nil {
		return r
	}
	return rows{r.thin, spread(r.cycles, thinRows)}
}

const thinRows = 800

// spread returns n of a list, evenly.
func spread[T any](list []T, n int) []T {
	thin := make([]T, n)
	for i := range thin {
		thin[i] = list[i*len(list)/n]
	}
	return thin
}

// warps are patterns, and what structures count in them. All columns share it.
type warps struct {
	measured *patterns.Measurements
	patterns []patterns.Pattern
	thin     *warps // thinRows of them; nil if there are no more
	mutex    sync.Mutex
	designs  map[latency.Structure]func() (regression.Design, error)
}

func warpsOf(m *patterns.Measurements) *warps {
	w := &warps{measured: m, patterns: m.Patterns,
		designs: map[latency.Structure]func() (regression.Design, error){}}
	if len(m.Patterns) > thinRows {
		w.thin = warpsOf(&patterns.Measurements{Lanes: m.Lanes, Patterns: spread(m.Patterns, thinRows)})
	}
	return w
}

// design returns what a structure counts. It counts once.
func (w *warps) design(s latency.Structure) (regression.Design, error) {
	w.mutex.Lock()
	count, ok := w.designs[s]
	if !ok {
		count = sync.OnceValues(func() (regression.Design, error) { return designOf(w.patterns, s) })
		w.designs[s] = count
	}
	w.mutex.Unlock()
	return count()
}

func designOf(all []patterns.Pattern, s latency.Structure) (d regression.Design, err error) {
	model, err := latency.NewModel(latency.Params{Structure: s})
	if err != nil {
		return d, err
	}
	number := map[latency.Counts]int32{}
	for _, pattern := range all {
		counts, err := model.Counts(pattern)
		if err != nil {
			return d, err
		}
		if counts[latency.TermBase] == 0 {
			return d, errors.New("a pattern without an active lane was measured")
		}
		of, ok := number[*counts]
		if !ok {
			of = int32(len(d.X))
			number[*counts] = of
			d.X = append(d.X, slices.Clone(counts[:]))
		}
		d.Of = append(d.Of, of)
	}
	return d, nil
}
