package recordings

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// h200 is the folder of the H200's recordings.
const h200 = "../h200"

// TestIndex holds the index against the files: hashes, rows, columns, and the
// part of each stream. ATOMTUNE_UPDATE_GOLDEN=1 writes it.
func TestIndex(t *testing.T) {
	if os.Getenv("ATOMTUNE_UPDATE_GOLDEN") != "" {
		if err := writeIndex(h200); err != nil {
			t.Fatal(err)
		}
	}
	made, err := makeIndex(h200)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(h200, IndexFile))
	if err != nil {
		t.Fatal(err)
	}
	index, err := decodeIndex(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(index, made); diff != "" {
		t.Errorf("index.json (-committed +files):\n%s", diff)
	}
	parts := map[Part]int{}
	for label, part := range index.Streams {
		if part != Half(label) {
			t.Errorf("%s is of part %s", label, part)
		}
		parts[part]++
	}
	if fit, held := parts[Fit], parts[HeldOut]; fit+held != 468 || min(fit, held) < 200 {
		t.Errorf("streams by part: %v", parts)
	}
}

// IndexFile is the name of a folder's index.
const IndexFile = "index.json"

// Index says what a folder of recordings holds, and how its streams are split.
type Index struct {
	Files []IndexedFile `json:"files"` // by name
	// Streams gives the part of each stream of StreamsFile by its label: what
	// is fitted sees Fit alone.
	Streams map[string]Part `json:"streams"`
}

// IndexedFile is one file of a folder.
type IndexedFile struct {
	Name    string          `json:"name"`
	SHA256  string          `json:"sha256"`
	Rows    int             `json:"rows"`
	Columns []IndexedColumn `json:"columns"`
	Starts  int             `json:"starts,omitempty"` // of the machine; 0: the file does not say
	Dates   []string        `json:"dates,omitempty"`  // of the starts
}

// IndexedColumn is a column, or a field of each line of JSON. Unit is empty for
// text, and "unit" where the row names it.
type IndexedColumn struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
}

// decodeIndex reads an index.
func decodeIndex(data []byte) (x Index, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return x, dec.Decode(&x)
}

// units are those of the columns whose names do not end in theirs.
var units = map[string]string{
	"value": "unit", "low": "unit", "high": "unit", "repeats": "1", "starts": "1", "start_spread": "1",
	"updates": "1", "bins": "1", "correct": "1", "blocks": "1", "threads": "1", "count": "1",
	"row":    "1",
	"unroll": "1", "fixed": "1", "keeps": "1",
}

// suffixes are ends of columns' names with their units.
var suffixes = []struct{ end, unit string }{{"_us", "us"}, {"_cycles", "cycle"}, {"_bytes", "byte"}}

func unitOf(file, column string) string {
	if strings.HasPrefix(file, "scratchpad_spread.") && (column == "low" || column == "high") {
		return "cycle"
	}
	if strings.HasPrefix(file, "calls") && column == "value" {
		return "" // loaded or one
	}
	if strings.HasPrefix(column, "lane") {
		return "word"
	}
	for _, s := range suffixes {
		if strings.HasSuffix(column, s.end) {
			return s.unit
		}
	}
	return units[column]
}

// makeIndex reads the tables and lines of JSON in a folder. Errors wrap
// ErrRecording or are of the file system.
func makeIndex(folder string) (Index, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return Index{}, err
	}
	x := Index{Streams: map[string]Part{}}
	for _, e := range entries {
		plainName := strings.TrimSuffix(e.Name(), ".gz")
		if kind := filepath.Ext(plainName); !e.Type().IsRegular() ||
			(kind != ".csv" && kind != ".jsonl") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return Index{}, err
		}
		f, err := indexed(e.Name(), data)
		if err != nil {
			return Index{}, err
		}
		x.Files = append(x.Files, f)
		if e.Name() == StreamsFile {
			streams, err := DecodeStreams(e.Name(), data)
			if err != nil {
				return Index{}, err
			}
			for _, s := range streams {
				x.Streams[s.Label] = s.Half
			}
		}
	}
	return x, nil
}

func indexed(name string, data []byte) (IndexedFile, error) {
	sum := sha256.Sum256(data)
	f := IndexedFile{Name: name, SHA256: hex.EncodeToString(sum[:])}
	data, err := Plain(name, data)
	if err != nil {
		return f, err
	}
	if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl") {
		return describeLines(f, data)
	}
	var p Provenance
	data, line, err := p.comments(name, data)
	if err != nil {
		return f, err
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) == 0 {
		return f, broken(name, line+1, "no table: %v", err)
	}
	for _, column := range rows[0] {
		f.Columns = append(f.Columns, IndexedColumn{column, unitOf(name, column)})
	}
	f.Rows, f.Starts = len(rows)-1, len(p.Starts)
	for _, s := range p.Starts {
		f.Dates = append(f.Dates, s.Date)
	}
	return f, nil
}

// describeLines describes a file of lines of JSON by the fields of the first.
func describeLines(f IndexedFile, data []byte) (IndexedFile, error) {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(first, &fields); err != nil {
		return f, broken(f.Name, 1, "%v", err)
	}
	for name := range fields {
		f.Columns = append(f.Columns, IndexedColumn{Name: name})
	}
	slices.SortFunc(f.Columns, func(a, b IndexedColumn) int {
		return strings.Compare(a.Name,
			b.Name)
	})
	f.Rows = bytes.Count(data, []byte("\n"))
	return f, nil
}

// encodeIndex returns the index as indented JSON, the same bytes for the same index.
func encodeIndex(x Index) ([]byte, error) {
	data, err := json.MarshalIndent(x, "", " ")
	return append(data, '\n'), err
}

// writeIndex writes the index of a folder into it, as IndexFile.
func writeIndex(folder string) error {
	x, err := makeIndex(folder)
	if err != nil {
		return err
	}
	data, err := encodeIndex(x)
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(folder, IndexFile), data)
}
