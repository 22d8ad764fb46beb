package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// IndexFile is the name of an archive's index.
const IndexFile = "index.json"

// Index says what an archive holds, and how its streams are split.
type Index struct {
	Files strictjson.List[IndexedFile] `json:"files"` // by path
	// Streams gives the part of each stream that is in no set by its label: what is fitted sees
	// Fit alone.
	Streams map[string]recordings.Part `json:"streams"`
}

// IndexedFile is one file of an archive.
type IndexedFile struct {
	Name    string                         `json:"name"`
	SHA256  string                         `json:"sha256"`
	Rows    int                            `json:"rows"`
	Columns strictjson.List[IndexedColumn] `json:"columns"`
	Starts  int                            `json:"starts,omitempty"` // of the machine; 0: the file does not say
	Dates   []string                       `json:"dates,omitempty"`  // of the starts
}

// IndexedColumn is a column, or a field of each line of JSON. Unit is empty for
// text, and "unit" where the row names it.
type IndexedColumn struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
}

// ReadIndex reads the index that an archive's folder holds.
func ReadIndex(files fs.FS) (x Index, err error) {
	data, err := fs.ReadFile(files, IndexFile)
	if err != nil {
		return x, err
	}
	return x, strictjson.Decode(data, &x)
}

// WriteIndex writes the index of a folder into it.
func WriteIndex(folder string) error {
	x, err := New(filepath.Base(folder), os.DirFS(folder)).Index()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(folder, IndexFile), append(data, '\n'))
}

// Index reads the tables and lines of JSON of the archive and of its sets.
func (a *Archive) Index() (Index, error) {
	x := Index{Streams: map[string]recordings.Part{}}
	err := fs.WalkDir(a.files, ".", func(name string, e fs.DirEntry, err error) error {
		kind := path.Ext(strings.TrimSuffix(name, packed))
		if err != nil || !e.Type().IsRegular() || kind != ".csv" && kind != ".jsonl" {
			return err
		}
		data, err := fs.ReadFile(a.files, name)
		if err != nil {
			return err
		}
		f, err := indexed(name, data)
		x.Files = append(x.Files, f)
		return err
	})
	if err != nil || !slices.ContainsFunc(x.Files, func(f IndexedFile) bool {
		return f.Name == recordings.StreamsFile
	}) {
		return x, err
	}
	streams, err := a.Streams()
	for label := range streams {
		x.Streams[label] = recordings.Half(label)
	}
	return x, err
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
	file = path.Base(file)
	if strings.HasPrefix(file, "scratchpad_spread.") && (column == "low" || column == "high") {
		return "cycle"
	}
	if (strings.HasPrefix(file, "calls") || strings.HasPrefix(file, "launches")) && column == "value" {
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

func indexed(name string, data []byte) (IndexedFile, error) {
	sum := sha256.Sum256(data)
	f := IndexedFile{Name: name, SHA256: hex.EncodeToString(sum[:])}
	data, err := recordings.Plain(name, data)
	if err != nil {
		return f, err
	}
	if path.Ext(strings.TrimSuffix(name, packed)) == ".jsonl" {
		return describeLines(f, data)
	}
	var notes []string
	for bytes.HasPrefix(data, []byte("#")) {
		var note []byte
		note, data, _ = bytes.Cut(data, []byte("\n"))
		notes = append(notes, strings.TrimSpace(string(note[1:])))
	}
	p, err := recordings.ProvenanceOf(name, notes)
	if err != nil {
		return f, err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	columns, err := r.Read()
	for _, column := range columns {
		f.Columns = append(f.Columns, IndexedColumn{column, unitOf(name, column)})
	}
	lines := 0
	for ; err == nil; _, err = r.Read() {
		lines++
	}
	if err != io.EOF || lines == 0 {
		return f, fmt.Errorf("%w: %s: no table: %v", recordings.ErrRecording, name, err)
	}
	f.Rows, f.Starts = lines-1, len(p.Starts)
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
		return f, fmt.Errorf("%w: %s:1: %v", recordings.ErrRecording, f.Name, err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f.Columns = append(f.Columns, IndexedColumn{Name: name})
	}
	f.Rows = bytes.Count(data, []byte("\n"))
	return f, nil
}
