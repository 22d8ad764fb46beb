package recordings

import (
	"bytes"
	"fmt"
)

// entry is a row of a file, which its key tells from all others.
type entry[K comparable] interface {
	validate() error
	key() K
	title() string
}

// unique checks entries and keeps the line of each by its key; 0 where they have no lines.
type unique[K comparable, E entry[K]] map[K]int

func (u unique[K, E]) add(line int, e E) error {
	if err := e.validate(); err != nil {
		return err
	}
	key := e.key()
	before, twice := u[key]
	u[key] = line
	switch {
	case !twice:
		return nil
	case before == 0:
		return fmt.Errorf("%s stands twice", e.title())
	}
	return fmt.Errorf("%s stands on line %d too", e.title(), before)
}

// checkEntries reports the first entry that cannot be written.
func checkEntries[K comparable, E entry[K]](all []E) error {
	seen := unique[K, E]{}
	for _, e := range all {
		if err := seen.add(0, e); err != nil {
			return fmt.Errorf("%w: %v", ErrRecording, err)
		}
	}
	return nil
}

// encodeEntries writes a table with one row for each entry.
func encodeEntries[K comparable, E entry[K], P record[E]](p Provenance, all []E) ([]byte, error) {
	if err := checkEntries(all); err != nil {
		return nil, err
	}
	return encodeTable[E, P](p, all)
}

// decodeEntries reads a table of at least one entry.
func decodeEntries[K comparable, E entry[K], P record[E]](
	name string, data []byte,
) (Provenance, []E, error) {
	data, err := Plain(name, data)
	if err != nil {
		return Provenance{}, nil, err
	}
	// no row is shorter than its separators
	most := min(bytes.Count(data, []byte("\n")), len(data)/len(columns[E, P]()))
	all, seen := make([]E, 0, most), make(unique[K, E], most)
	p, head, err := decodeTable[E, P](name, data, func(line int, e E) error {
		all = append(all, e)
		return seen.add(line, e)
	})
	if err == nil && len(all) == 0 {
		err = broken(name, head, "no row follows the names of the columns")
	}
	if err != nil {
		return Provenance{}, nil, err
	}
	return p, all, nil
}
