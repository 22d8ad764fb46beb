package training

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// EncodeJournal writes the rows of a whole sweep as a journal, sorted by point: the
// same bytes, however the sweep was cut. The error wraps model.ErrRows unless each point
// stands there once.
func EncodeJournal(h Header, rows []Row) ([]byte, error) {
	h.Shard = Shard{}.String()
	sorted, err := complete(rows, h.Sweep.Points)
	if err != nil {
		return nil, fmt.Errorf("encode journal: %w", err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out) // a line each
	if err := enc.Encode(h); err != nil {
		return nil, fmt.Errorf("encode journal: %w: %w", ErrJournal, err)
	}
	for _, r := range sorted {
		if err := enc.Encode(r); err != nil {
			return nil, fmt.Errorf("encode journal: %w: point %d: %w", ErrJournal, r.Point, err)
		}
	}
	return out.Bytes(), nil
}
