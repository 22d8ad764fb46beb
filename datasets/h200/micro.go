package h200

import (
	"bytes"
	_ "embed"
	"fmt"
)

//go:embed micro.csv
var microFile []byte

// Reading is one measured quantity.
type Reading struct {
	Name      string  // what was measured
	Parameter string  // under which conditions: `key=value`, parts joined by spaces
	Value     float64 // in Unit
	Unit      string
}

// Micro returns all readings in the order of the file. Errors wrap ErrRecording.
func Micro() ([]Reading, error) { return decodeMicro(microFile) }

func decodeMicro(data []byte) ([]Reading, error) {
	rows, err := readRows(bytes.NewReader(data), "micro.csv", []string{"name", "parameter", "value", "unit"})
	if err != nil {
		return nil, err
	}
	readings := make([]Reading, len(rows))
	for i, row := range rows {
		p := parser{}
		readings[i] = Reading{Name: row[0], Parameter: row[1], Value: p.positive(row[2]), Unit: row[3]}
		if p.err == nil && (row[0] == "" || row[1] == "" || row[3] == "") {
			p.err = fmt.Errorf("an empty field")
		}
		if p.err != nil {
			return nil, fmt.Errorf("%w: micro.csv:%d: %v", ErrRecording, i+2, p.err)
		}
	}
	return readings, nil
}
