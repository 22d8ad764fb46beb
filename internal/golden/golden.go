// Package golden holds results to files, so that no result changes unnoticed. With
// ATOMTUNE_UPDATE_GOLDEN=1 tests write the files anew. Beside it stands how long tests may take.
package golden

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Devices are built-in devices of every kind. They stand for all of them in golden results and in tests that
// take long, so that a new device changes no result and costs no time.
var Devices = []string{"a100", "b200", "c2075", "gtx580", "gtx680", "gtx980", "h100", "h200", "hd5870", "l40s",
	"mi300x", "rtx4090", "v100"}

// Update reports whether files are to be written anew.
func Update() bool { return os.Getenv("ATOMTUNE_UPDATE_GOLDEN") != "" }

// Full reports whether tests are as long as with ATOMTUNE_FULL=1.
func Full() bool { return os.Getenv("ATOMTUNE_FULL") != "" }

// OnlyFull skips a test that is too long for others, unless files are to be written anew.
func OnlyFull(t testing.TB) {
	t.Helper()
	if !Full() && !Update() {
		t.Skip("runs with ATOMTUNE_FULL=1")
	}
}

// Compare holds lines to those of a file, or writes it where files are to be written anew. Of those
// that differ it shows the first.
func Compare(t testing.TB, path string, got []string) {
	t.Helper()
	if Update() {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	differ := 0
	for i := range max(len(got), len(want)) {
		g, w := at(got, i), at(want, i)
		if g == w || runtime.GOARCH != "amd64" && near(g, w) {
			continue
		}
		if differ++; differ <= shown {
			t.Errorf("%s:%d:\n got %s\nwant %s", path, i+1, g, w)
		}
	}
	if differ > 0 {
		t.Errorf("%s: %d of %d lines differ: if they are to, ATOMTUNE_UPDATE_GOLDEN=1 writes them", path, differ,
			len(want))
	}
}

// Text is Compare of the lines of a text, which ends with one.
func Text(t testing.TB, path, text string) {
	t.Helper()
	Compare(t, path, strings.Split(strings.TrimSuffix(text, "\n"), "\n"))
}

const shown = 5

var hashed = regexp.MustCompile(`hash [0-9a-f]{8}$`)

// near compares lines that were computed on different processors, which round the last digits differently:
// numbers may differ a little, and the hash of a Digest at all.
func near(got, want string) bool {
	got, want = hashed.ReplaceAllString(got, ""), hashed.ReplaceAllString(want, "")
	return number.ReplaceAllString(got, "0") == number.ReplaceAllString(want, "0") &&
		slices.EqualFunc(number.FindAllString(got, -1), number.FindAllString(want, -1), func(g, w string) bool {
			x, errX := strconv.ParseFloat(g, 64)
			y, errY := strconv.ParseFloat(w, 64)
			return g == w || errX == nil && errY == nil && math.Abs(x-y) <= 1e-4*math.Abs(y)
		})
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(none)"
}

// A Digest stands for many numbers in a line: how many they are, the mean of their magnitudes, and
// a hash of them to nine digits and in their order.
type Digest struct {
	n    int
	sum  float64
	hash hash.Hash32
}

// Add adds numbers.
func (d *Digest) Add(values ...float64) {
	for _, v := range values {
		d.Text(strconv.FormatFloat(v, 'e', 8, 64))
		if d.n++; !math.IsInf(v, 0) && !math.IsNaN(v) {
			d.sum += math.Abs(v)
		}
	}
}

// Text adds a text to the hash.
func (d *Digest) Text(s string) {
	if d.hash == nil {
		d.hash = fnv.New32a()
	}
	_ = binary.Write(d.hash, binary.LittleEndian, uint32(len(s))) // a hash takes whatever is written
	_, _ = d.hash.Write([]byte(s))
}

// String is the line.
func (d *Digest) String() string {
	d.Text("")
	return fmt.Sprintf("%d numbers, mean %.5g, hash %08x", d.n, d.sum/float64(max(1, d.n)), d.hash.Sum32())
}

// JSON adds what v is in JSON: numbers as such, and all else as text.
func (d *Digest) JSON(t testing.TB, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for tokens := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := tokens.Token()
		switch token := token.(type) {
		case float64:
			d.Add(token)
		default:
			d.Text(fmt.Sprint(token))
		}
		if errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
