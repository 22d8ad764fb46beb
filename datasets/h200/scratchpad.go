package h200

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/atomtune/atomtune/datasets/patterns"
)

//go:embed scratchpad.csv.gz
var scratchpadFile []byte

//go:embed scratchpad_warps.csv
var scratchpadWarpsFile []byte

//go:embed scratchpad_instructions.csv
var scratchpadInstructionsFile []byte

// Scratchpad returns what one warp's operation on shared memory took, per
// pattern and operation, in cycles. Constants are fitted to Half(false) and
// judged on Half(true). Errors wrap ErrRecording.
func Scratchpad() (*patterns.Measurements, error) {
	r, err := gzip.NewReader(bytes.NewReader(scratchpadFile))
	if err != nil {
		return nil, fmt.Errorf("%w: scratchpad.csv.gz: %v", ErrRecording, err)
	}
	m, err := patterns.ReadMeasurements(r, "scratchpad.csv.gz", patterns.Words)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrRecording, err)
	}
	return m, nil
}

// Contention is what warps of one SM took that add to shared memory, each 64
// times, one operation after the other. The first Lanes lanes of the first
// Colliding warps add to words that these warps share, lane by lane; Degree
// lanes of a warp share a word.
type Contention struct {
	Operation string
	Warps     int
	Colliding int
	Lanes     int
	Degree    int
	Cycles    float64 // of one warp's operation: all cycles over all operations
}

// Contentions returns the recordings of several warps. Errors wrap
// ErrRecording.
func Contentions() ([]Contention, error) {
	rows, err := readRows(bytes.NewReader(scratchpadWarpsFile), "scratchpad_warps.csv",
		[]string{"operation", "warps", "colliding_warps", "colliding_lanes", "degree", "cycles_per_warp_operation"})
	if err != nil {
		return nil, err
	}
	all := make([]Contention, len(rows))
	for i, row := range rows {
		var n [4]int
		for k := range n {
			if n[k], err = strconv.Atoi(row[k+1]); err != nil || n[k] < 0 {
				return nil, fmt.Errorf("%w: scratchpad_warps.csv: row %d: %q", ErrRecording, i+1, row[k+1])
			}
		}
		p := parser{}
		all[i] = Contention{row[0], n[0], n[1], n[2], n[3], p.positive(row[5])}
		if p.err != nil {
			return nil, fmt.Errorf("%w: scratchpad_warps.csv: row %d: %v", ErrRecording, i+1, p.err)
		}
	}
	return all, nil
}

// ScratchpadInstructions returns, per operation of Scratchpad, how often each
// machine instruction that accesses shared memory stands in its kernel: 8 times
// in the chain, and one store that clears. Errors wrap ErrRecording.
func ScratchpadInstructions() (map[string]map[string]int, error) {
	rows, err := readRows(bytes.NewReader(scratchpadInstructionsFile), "scratchpad_instructions.csv",
		[]string{"operation", "instruction", "count"})
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]int{}
	for i, row := range rows {
		n, err := strconv.Atoi(row[2])
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%w: scratchpad_instructions.csv: row %d: %q", ErrRecording, i+1, row[2])
		}
		if all[row[0]] == nil {
			all[row[0]] = map[string]int{}
		}
		all[row[0]][row[1]] = n
	}
	return all, nil
}
