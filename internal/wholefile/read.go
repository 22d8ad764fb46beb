package wholefile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Most is how many bytes of a file are held as a whole, packed or not, unless its reader says another
// number: several times the largest recordings. What readers make of so many takes less than 1 GB.
const Most = 96 << 20

// ErrLarge reports a file of more bytes than its reader takes.
var ErrLarge = errors.New("too large")

// Read reads a file of at most so many bytes, which no flag changes. A larger one, or one without an end, is
// an error that wraps ErrLarge, names file and limit and says what to do; the rest of it is not read.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	data, err := ReadFrom(f, path, most)
	return data, Fixed(err)
}

// Fixed says of an error that wraps ErrLarge what to do where no flag raises the limit.
func Fixed(err error) error {
	if errors.Is(err, ErrLarge) {
		return fmt.Errorf("%w, and this limit cannot be raised: use a smaller file", err)
	}
	return err
}

// ReadFrom is Read of what is open, and leaves it to the caller to say what to do.
func ReadFrom(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s: reading: %w", name, err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%s: %w: it has more than %d bytes", name, ErrLarge, most)
	}
	return data, nil
}
