package page

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/tuner"
)

// made runs report in a process of its own kind: it returns what was printed, and the error.
func made(t *testing.T, stdin string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, errors bytes.Buffer
	now := time.Unix(0, 0)
	e := &command.Env{Program: &command.Program{Name: "atomtune"}, Stdin: strings.NewReader(stdin),
		Stdout: &out, Stderr: &errors, Now: func() time.Time { now = now.Add(time.Second); return now }}
	cmd := New(e)
	cmd.PersistentFlags().BoolVar(&e.JSON, "json", false, "")
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.Execute()
	return out.String(), err
}

// pageOf returns the page that is written to standard output.
func pageOf(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	page, err := made(t, stdin, append(args, "--out", "-")...)
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, page)
	return page
}

// checkPage: a page is well-formed, refers to nothing outside it, leads from every link and label to
// a place that is there, has no heading that skips a level and no table without caption and scopes.
func checkPage(t interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	counts, ids := map[string]int{}, map[string]bool{}
	var wanted []string
	level := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		name := start.Name.Local
		counts[name]++
		if len(name) == 2 && name[0] == 'h' && name[1] > '0' && name[1] < '7' {
			if now := int(name[1] - '0'); now > level+1 {
				t.Errorf("h%d after h%d", now, level)
			} else {
				level = now
			}
		}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "id":
				if ids[a.Value] {
					t.Errorf("id %q is given twice", a.Value)
				}
				ids[a.Value] = true
			case "href":
				if !strings.HasPrefix(a.Value, "#") {
					t.Errorf("%s leads to %q", name, a.Value)
				}
				wanted = append(wanted, strings.TrimPrefix(a.Value, "#"))
			case "aria-labelledby":
				wanted = append(wanted, strings.Fields(a.Value)...)
			case "scope":
				counts["scope"]++
			case "src", "srcset", "action", "style", "onload", "onerror", "onclick":
				t.Errorf("%s has %s=%q", name, a.Name.Local, a.Value)
			}
		}
	}
	for _, id := range wanted {
		if !ids[id] {
			t.Errorf("nothing has the id %q", id)
		}
	}
	if counts["script"]+counts["link"]+counts["img"]+counts["iframe"]+counts["object"] > 0 {
		t.Errorf("the page has other sources: %v", counts)
	}
	if policy := `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; `; !strings.Contains(page, policy) {
		t.Errorf("the page lacks %s", policy)
	}
	for _, other := range []string{"@import", "url(", "<script", "javascript:"} {
		if strings.Contains(page, other) && !strings.Contains(page, "&lt;"+other[1:]) {
			t.Errorf("the page has %s", other)
		}
	}
	if counts["table"] == 0 || counts["caption"] != counts["table"] || counts["th"] != counts["scope"] ||
		counts["h1"] != 1 || counts["svg"] < 4 || counts["main"] != 1 {
		t.Errorf("elements %v", counts)
	}
}

// TestPage: a page has every part, is small, and fits light and dark; of a sample it shows what half of it found.
func TestPage(t *testing.T) {
	page := pageOf(t, "", "synth:uniform:n=65536,k=4096")
	for _, part := range []string{"<title>Report on synth:uniform:n=65536,k=4096,seed=0</title>", "&#34;atomtune_kernels.cuh&#34;",
		"prefers-color-scheme: dark", "atomtune report --out=- synth:uniform:n=65536,k=4096"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if n := len(page); n > 150_000 || strings.Count(page, "<nav") > 0 || strings.Count(page, "<h2>") != 1 ||
		strings.Count(page, "<svg") < 8 {
		t.Errorf("%d bytes, %d charts", n, strings.Count(page, "<svg"))
	}
	sampled := pageOf(t, "", "--sample", "32", "synth:zipf:n=100000,k=3000")
	if !strings.Contains(sampled, "32 of 390 blocks") || !strings.Contains(sampled, ">±</th>") || strings.Contains(page, ">±</th>") {
		t.Error("the page does not tell a sample from the whole")
	}
}

// TestShortStreams: streams of one update, of one warp and of one target have pages; devices without a model or
// without CUDA too.
func TestShortStreams(t *testing.T) {
	for args, code := range map[string]bool{"synth:uniform:n=1,k=1": true, "synth:uniform:n=33,k=1": true,
		"synth:sequential:n=64,k=64": true, "synth:constant:n=2048,k=1": true, "--device gtx980 synth:uniform:n=1000,k=10": true,
		"--device hd5870 synth:uniform:n=1000,k=10": false} {
		if page := pageOf(t, "", strings.Fields(args)...); strings.Contains(page, "#include") != code {
			t.Errorf("%s: code to paste: %t", args, !code)
		}
	}
	if _, err := made(t, "", "--out", "-", "-"); err == nil || !strings.Contains(err.Error(), "stdin") {
		t.Errorf("no updates: %v", err)
	}
}

// TestSeveral: several streams have contents and sections; what cannot be read is reported, and the
// rest written; where nothing can be read nothing is.
func TestSeveral(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bad.txt", []byte("1\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := made(t, "", "-o", "both.html", "synth:uniform:n=40,k=4", "bad.txt", "synth:uniform:n=50,k=5",
		"missing.npy")
	if err == nil || !strings.Contains(err.Error(), "bad.txt:2") || !strings.Contains(err.Error(), "missing.npy") {
		t.Errorf("error %v", err)
	}
	data, err := os.ReadFile("both.html")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	checkPage(t, page)
	if !strings.HasPrefix(out, "both.html: ") || strings.Count(page, "<article") != 2 ||
		!strings.Contains(page, `<a href="#stream2">synth:uniform:n=50,k=5,seed=0</a>`) {
		t.Errorf("printed %q, %d articles", out, strings.Count(page, "<article"))
	}
	for _, args := range [][]string{{"none.html", "bad.txt"}, {filepath.Join("missing", "a.html"), "synth:uniform:n=40,k=4"}} {
		if _, err := made(t, "", "-o", args[0], args[1]); err == nil {
			t.Errorf("%q: no error", args)
		} else if _, err := os.Stat(args[0]); err == nil {
			t.Error("a page about nothing is written")
		}
	}
}

// TestJSON: the document is one, has the data of the page, and a page is written where that is named.
func TestJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, args := range map[string][]string{"": {"--out", "-"}, "page.html": {"--out", "page.html"}} {
		r := reported(t, "", append(args, "synth:uniform:n=4096,k=64")...)
		d := r.Files[0]
		if len(d.Sweeps) != 3 || d.Sweeps[0].InWords == "" || len(d.Pictures.Ranks) < 10 || d.Legend == nil ||
			len(d.Pictures.Distinct) != 33 || len(d.Pictures.Course) != 128 || len(d.Code) == 0 {
			t.Errorf("%+v", d.Pictures)
		}
		if list, err := filepath.Glob("*"); err != nil || strings.Join(list, " ") != file || r.File != file {
			t.Errorf("%v: %q is written; file %q, %v", args, list, r.File, err)
		}
		_ = os.Remove(file) // for the next
	}
}

// reported is the document of a report.
func reported(t *testing.T, stdin string, args ...string) (r Report) {
	t.Helper()
	text, err := made(t, stdin, append(args, "--json")...)
	if err == nil {
		err = json.Unmarshal([]byte(text), &r)
	}
	if err != nil || len(r.Files) != 1 {
		t.Fatalf("%v, %d streams", err, len(r.Files))
	}
	return r
}

// FuzzNames: whatever a file is called and holds, no text of it becomes part of the page's code, and no
// character of it is one that is not shown.
func FuzzNames(f *testing.F) {
	for _, name := range []string{`a"b'c`, "<script>alert(1)</script>", "a&b", "]]>", "{{.}}", "--x", "\x00",
		"</title>", "a\xffb", " ", "javascript:", "url(x",
		"a\u202eb\u009b"} {
		f.Add(name)
	}
	d := examined(f, "synth:uniform:n=600,k=7")
	page := func(name string) string {
		d.Stream.File, d.Warnings, d.Code = name, tuner.Warnings{{Text: name}}, []string{name}
		r := Report{Command: "atomtune report " + quoted(name), Files: []*Document{d, d}}
		page, err := r.HTML()
		if err != nil {
			f.Fatal(err)
		}
		return string(page)
	}
	plain := page("plain")
	f.Fuzz(func(t *testing.T, name string) {
		got := page(name)
		if strings.ReplaceAll(got, "\n", "") != visible.Line(strings.ReplaceAll(got, "\n", "")) {
			t.Errorf("%q has characters that are not shown", name)
		}
		for _, mark := range []string{"<", ">", `"`} {
			if strings.Count(got, mark) != strings.Count(plain, mark) {
				t.Errorf("%q is code of the page", name)
			}
		}
	})
}

// examined returns what a report says of a stream.
func examined(t testing.TB, path string) *Document {
	t.Helper()
	var s subject
	s.call.Device = "h200"
	if err := s.begin(tuner.Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := s.examine(&command.Env{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now}, path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestQuoted: a shell reads the words of the command line as they are.
func TestQuoted(t *testing.T) {
	shell, err := exec.LookPath("bash")
	for word, want := range map[string]string{"indices.npy": "indices.npy", "": "''", "a b": "'a b'",
		"a\x1b[2J\n'\\": `$'a\x1b[2J\n\'\\'`, "\xffa\u202e1": `$'\xffa\u202e1'`, "a\U000e0001": `$'a\U000e0001'`,
		"it's": `'it'\''s'`, "$HOME": "'$HOME'", "--out=a.html": "--out=a.html", "a;b": "'a;b'",
		"synth:zipf:n=9,k=2": "synth:zipf:n=9,k=2", "ä": "'ä'"} {
		if got := quoted(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
		if err != nil {
			continue // no shell to ask
		}
		cmd := exec.Command(shell, "-c", "printf %s "+want)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
		if read, err := cmd.Output(); err != nil || string(read) != word {
			t.Errorf("a shell reads %s as %q (error %v), want %q", want, read, err, word)
		}
	}
}

// TestIgnored: positions without an update are named, are in no picture, and leave out the code and the
// break-even points; the rest is that of choose.
func TestIgnored(t *testing.T) {
	stream := strings.Repeat("-1\n", 40) + strings.Repeat("5\n7\n-1\n5\n", 500)
	args := []string{"-", "--format", "text", "--ignore", "-1"}
	if page := pageOf(t, stream, args...); !strings.Contains(page, "1,500 ") || !strings.Contains(page, " 540 ") {
		t.Error("the page does not say what was ignored")
	}
	d := reported(t, stream, args...).Files[0]
	if d.Stream.Ignored != 540 || d.Stream.Updates != 1500 || len(d.Sweeps) != 0 || len(d.Code) != 0 ||
		len(d.Pictures.Ranks) != 2 || d.Pictures.Ranks[0].Updates != 1000 || d.Pictures.Distinct[0] != 1 {
		t.Errorf("%+v, %d sweeps, code %v, %+v", d.Stream.Stats, len(d.Sweeps), d.Code, d.Pictures)
	}
}

// TestConstraints: the page is of a choice under the constraints, says them, and names a line that makes
// it again with each.
func TestConstraints(t *testing.T) {
	const stream = "synth:zipf:n=4096,k=512,seed=1"
	args := []string{stream, "--no-sort", "--memory=64KiB", "--only=match", "--only=sort", "--only=sr"}
	page := pageOf(t, "", args...)
	for _, want := range []string{"65,536", "<code>sort</code>: ",
		"--memory=64KiB --no-sort=true --only=match --only=sort --only=sr --out=- " + stream} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if d := reported(t, "", args...).Files[0]; !d.Constraints.NoSort || *d.Constraints.MemoryBytes != 65536 ||
		len(d.Ranking) != 2 {
		t.Errorf("%+v, %d ranked", d.Constraints, len(d.Ranking))
	}
	if _, err := made(t, "", stream, "--only=none"); err == nil {
		t.Error("an unknown form made no error")
	}
}
