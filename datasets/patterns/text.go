package patterns

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ErrPattern is wrapped by errors about the content of a pattern file.
var ErrPattern = errors.New("broken pattern")

// Read reads patterns as text: each line holds one comma-separated address per lane, -1 for an
// inactive one; blank lines and lines that begin with # are passed over. name appears in errors,
// which give line and value and wrap ErrPattern. Addresses lie below words.
func Read(r io.Reader, name string, lanes, words int) (all []Pattern, err error) {
	err = scan(r, name, ErrPattern, func(_ int, text string) error {
		if text[0] == '#' {
			return nil
		}
		p, err := Parse(strings.Split(text, ","), lanes, words)
		all = append(all, p)
		return err
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: %w: the file holds no pattern", name, ErrPattern)
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

const longestLine = 1 << 16

// scan hands out the lines that are not blank, trimmed, until take returns an error.
func scan(r io.Reader, name string, kind error, take func(line int, text string) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, longestLine)
	line := 1
	for ; scanner.Scan(); line++ {
		text := strings.TrimSpace(scanner.Text())
		if text == "" {
			continue
		}
		if err := take(line, text); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: %w: the line is longer than %d bytes", name, line, kind, longestLine)
	case err != nil:
		return fmt.Errorf("%s: %w: %w", name, kind, err)
	}
	return nil
}

// Parse reads one address per lane. Errors wrap ErrPattern and name the value.
func Parse(fields []string, lanes, words int) (Pattern, error) {
	words = min(words, math.MaxInt32)
	if len(fields) != lanes {
		return nil, fmt.Errorf("%w: %d addresses between commas, want one for each of %d lanes",
			ErrPattern, len(fields), lanes)
	}
	p := make(Pattern, lanes)
	for l, field := range fields {
		field = strings.TrimSpace(field)
		v, err := strconv.ParseInt(field, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return nil, fmt.Errorf("%w: lane %d: address %s lies beyond the shared memory of %d words",
				ErrPattern, l, field, words)
		case err != nil:
			return nil, fmt.Errorf("%w: lane %d: %q is not a whole number", ErrPattern, l, field)
		case v < Inactive:
			return nil, fmt.Errorf("%w: lane %d: address %d, want 0 or more, or -1 for an inactive lane",
				ErrPattern, l, v)
		case v >= int64(words):
			return nil, fmt.Errorf("%w: lane %d: address %d lies beyond the shared memory of %d words",
				ErrPattern, l, v, words)
		}
		p[l] = int32(v)
	}
	return p, nil
}

// Write writes the patterns as Read reads them.
func Write(w io.Writer, all []Pattern) error {
	b := bufio.NewWriter(w)
	for _, p := range all {
		for l, a := range p {
			if l > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(int(a)))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}
