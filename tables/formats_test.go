package tables

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFilesAreOfTheData: every committed file is what tables.json makes, and
// there is no other.
func TestFilesAreOfTheData(t *testing.T) {
	files, err := document(t).Files()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		have, err := os.ReadFile(filepath.Join(folder, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, f.Content) {
			t.Errorf("%s is not what tables.json says; go generate ./tables writes it", f.Name)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			t.Errorf("%s is of no table", e.Name())
		}
	}
	if len(files) < 8 {
		t.Errorf("%d files", len(files))
	}
}

// records reads a committed CSV file as one map a line.
func records(t *testing.T, name string) []map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, line := range lines[1:] {
		r := map[string]string{}
		for i, key := range lines[0] {
			r[key] = line[i]
		}
		list = append(list, r)
	}
	return list
}

// key names a cell as both forms can.
func key(device, typ, column, targets string) string {
	return device + " " + typ + " " + column + " " + targets
}

func columnOf(r map[string]string) string {
	return strings.TrimSpace(r["arrangement"] + " " + r["level"])
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestCSVAgrees: the lines of tables.csv are the cells of tables.json.
func TestCSVAgrees(t *testing.T) {
	doc := document(t)
	lines := map[string]map[string]string{}
	for _, r := range records(t, "tables.csv") {
		lines[key(r["device"], r["type"], columnOf(r), r["targets"])] = r
	}
	cells := 0
	for _, table := range doc.Tables {
		for row := range table.Rows {
			for column, c := range table.Rows[row] {
				if c == nil {
					continue
				}
				cells++
				at := key(table.Device, table.Type.String(), doc.Columns[column].String(),
					fmt.Sprint(doc.Targets[row]))
				r := lines[at]
				if r == nil {
					t.Errorf("%s: no line", at)
					continue
				}
				s := doc.Streams[c.Stream]
				if r["implementation"] != c.Implementation.String() || number(t,
					r["predicted_us"]) != c.PredictedUS ||
					number(t, r["speedup_over_naive"]) != *c.SpeedupOverNaive || r["stream"] != s.Spec ||
					r["second"] != c.Second.Implementation.String() || number(t,
					r["second_margin"]) != c.Second.Margin ||
					r["rival"] != c.Rival.Implementation.String() || number(t,
					r["rival_margin"]) != c.Rival.Margin ||
					number(t, r["warp_level"]) != s.WarpLevel ||
					r["max_frequency"] != fmt.Sprint(s.MaxFrequency) || r["value"] != "loaded" {
					t.Errorf("%s: %v, want %+v", at, r, c)
				}
			}
		}
	}
	if cells != len(lines) || cells < 2000 {
		t.Errorf("%d cells, %d lines", cells, len(lines))
	}
}

// TestBreakEvenCSVAgrees: so are those of break-evens.csv.
func TestBreakEvenCSVAgrees(t *testing.T) {
	doc := document(t)
	lines := records(t, "break-evens.csv")
	n := 0
	for _, table := range doc.Tables {
		for _, b := range table.BreakEvens {
			if n == len(lines) {
				t.Fatalf("only %d lines", n)
			}
			r := lines[n]
			n++
			have := key(r["device"], r["type"], columnOf(r),
				r["last_targets"]+" "+r["last_implementation"]+" "+r["first_targets"]+" "+r["first_implementation"])
			want := key(table.Device, table.Type.String(), doc.Columns[b.Column].String(),
				fmt.Sprintf("%d %s %d %s", b.Last.Targets, b.Last.Implementation, b.First.Targets,
					b.First.Implementation))
			if have != want || r["first_stream"] != doc.Streams[b.First.Stream].Spec ||
				r["last_stream"] != doc.Streams[b.Last.Stream].Spec {
				t.Errorf("%s, want %s", have, want)
			}
			for text, margin := range map[string]*float64{r["last_margin"]: b.Last.Margin,
				r["first_margin"]: b.First.Margin} {
				if (text == "") != (margin == nil) || margin != nil && number(t, text) != *margin &&
					b.Last.Margin != b.First.Margin {
					t.Errorf("%s: margin %q", have, text)
				}
			}
		}
	}
	if n != len(lines) {
		t.Errorf("%d break-even points, %d lines", n, len(lines))
	}
}

// TestPageAgrees: the page holds the whole document and loads nothing.
func TestPageAgrees(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(folder, "tables.html"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), `<script type="application/json" id="data">`)
	inside, _, closed := strings.Cut(rest, "</script>")
	if !found || !closed {
		t.Fatal("no data in the page")
	}
	doc, err := decode([]byte(inside))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(document(t), doc); diff != "" {
		t.Errorf("-tables.json +tables.html:\n%s", diff)
	}
	if link := regexp.MustCompile(`https?:|<link|<img|src=|@import|url\(`).FindString(string(data)); link != "" {
		t.Errorf("the page has a %q", link)
	}
}

var cellForm = regexp.MustCompile("`([^`]+)` ([0-9.,]+) us, ([0-9.,]+)×; `([^`]+)` \\+([0-9.,]+) %")

// TestMarkdownAgrees reads the Markdown of each device back.
func TestMarkdownAgrees(t *testing.T) {
	doc := document(t)
	cells, same := 0, 0
	for _, device := range doc.Devices() {
		data, err := os.ReadFile(filepath.Join(folder, device+".md"))
		if err != nil {
			t.Fatal(err)
		}
		sections := strings.Split(string(data), "\n## ")[1:]
		for _, table := range doc.Tables {
			if table.Device != device {
				continue
			}
			section := sections[0]
			sections = sections[1:]
			if !strings.HasPrefix(section, table.Type.String()+"\n") {
				t.Fatalf("%s: section %.10q, want %s", device, section, table.Type)
			}
			if strings.Contains(section, "Every cell is that of ") {
				same++
				continue
			}
			cells += readSection(t, doc, &table, section)
		}
		if len(sections) > 0 {
			t.Errorf("%s: %d sections more", device, len(sections))
		}
	}
	if cells < 1000 || same < 1 {
		t.Errorf("%d cells, %d sections that refer to others", cells, same)
	}
}

// readSection compares a section with its table and returns the number of cells.
func readSection(t *testing.T, doc *Document, table *Table, section string) int {
	names := map[string]int{}
	for i, c := range doc.Columns {
		names[c.String()] = i
		if line := "- " + c.String() + ": " + table.InWords[i] + ".\n"; !strings.Contains(section, line) {
			t.Errorf("%s %s: no line %q", table.Device, table.Type, line)
		}
	}
	cells := 0
	var head []string
	for line := range strings.Lines(section) {
		fields := strings.Split(strings.Trim(line, "|\n"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-") {
			continue
		}
		if strings.TrimSpace(fields[0]) == "targets" {
			head = fields
			continue
		}
		targets := number(t, strings.ReplaceAll(strings.TrimSpace(fields[0]), ",", ""))
		row := slices.Index(doc.Targets, uint64(targets))
		for i, text := range fields[1:] {
			c := table.Rows[row][names[strings.TrimSpace(head[i+1])]]
			m := cellForm.FindStringSubmatch(text)
			if (c == nil) != (m == nil) {
				t.Errorf("%s %s: %q, want %+v", table.Device, table.Type, text, c)
			}
			if c == nil || m == nil {
				continue
			}
			cells++
			figure := func(i int) float64 { return number(t, strings.ReplaceAll(m[i], ",", "")) }
			if m[1] != c.Implementation.String() || m[4] != c.Rival.Implementation.String() ||
				!about(figure(2), c.PredictedUS, 0) ||
				!about(figure(3), *c.SpeedupOverNaive, 0) || !about(figure(5), 100*c.Rival.Margin, 0.51) {
				t.Errorf("%s %s: %q, want %+v", table.Device, table.Type, text, c)
			}
		}
	}
	return cells
}

// about compares a figure of three digits.
func about(figure, exact, slack float64) bool {
	d := figure - exact
	return max(d, -d) <= max(slack, 0.0051*exact)
}
