// Package results keeps the numbers behind a page of doc/results. What takes long to compute, because it
// chooses for every recording or simulates, is written by script/regenerate as a small JSON file beside
// the package that computes it; script/documents renders the page from that file alone.
package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// number is one at the end of a line of indented JSON, where no string ends.
var number = regexp.MustCompile(`(?m)(^|: )(-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+)(,?)$`)

// digits are those that a file keeps of a number: more than any page prints.
const digits = 9

// Encode is the file of v: JSON with a number a line.
func Encode(v any) (string, error) {
	text, err := json.MarshalIndent(v, "", "")
	if err != nil {
		return "", err
	}
	return number.ReplaceAllStringFunc(string(text)+"\n", func(line string) string {
		m := number.FindStringSubmatch(line)
		value, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return line
		}
		return m[1] + strconv.FormatFloat(value, 'g', digits, 64) + m[3]
	}), nil
}

// Diff compares two values by their files; it is empty where these are the same.
func Diff(kept, made any) (string, error) {
	k, err := Encode(kept)
	m, wrong := Encode(made)
	return cmp.Diff(k, m), errors.Join(err, wrong)
}

// Read reads a file into v. Errors name the file.
func Read(path string, v any) error {
	data, err := wholefile.Read(path, wholefile.Most)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: script/regenerate makes it", path, os.ErrNotExist)
	}
	if err != nil {
		return err
	}
	if err := strictjson.Decode(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
