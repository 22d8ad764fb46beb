package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReproduceFigures: a figure is written as SVG and PNG, its table as CSV.
func TestReproduceFigures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "figures")
	for _, line := range []string{"elteir11 --item figure4", "streamhpc --item listings"} {
		done(t, append([]string{"reproduce"}, strings.Fields(line+" --out "+folder)...)...)
	}
	for name, begins := range map[string]string{
		"figure4.svg": "<", "figure4.png": "\x89PNG", "figure4.csv": "workgroups,",
		"listings.svg": "<", "listings.png": "\x89PNG", "listings.csv": "listing,",
		"numbers.svg": "<", "numbers.png": "\x89PNG",
	} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.HasPrefix(string(content), begins) {
			t.Errorf("%s: %.20q, %v", name, content, err)
		}
	}
}

// TestReproduceScaled: inputs of another size judge nothing, whatever they bear out.
func TestReproduceScaled(t *testing.T) {
	whole := done(t, "reproduce", "westphal15", "--item", "steps")
	scaled := done(t, "reproduce", "westphal15", "--item", "steps", "--scale", "0.5")
	if strings.Contains(whole, "nothing is judged") || !strings.Contains(scaled, "nothing is judged") {
		t.Errorf("scale 1: %s\nscale 0.5: %s", whole, scaled)
	}
}

// TestReproduceJournal: times are written to the checkpoint and taken from there.
func TestReproduceJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "times.csv")
	line := strings.Fields("reproduce egielski14 --item table3 --scale 0.001 --journal " + path)
	first := done(t, line...)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const runs, levels = 18 * 4 * 2, 18 * 3
	if lines := strings.Count(string(data), "\n"); lines != runs+levels {
		t.Errorf("%d lines, want %d", lines, runs+levels)
	}
	if again := done(t, line...); again != first {
		t.Errorf("%s\nagain: %s", first, again)
	}
	doubled := strings.ReplaceAll(string(data), "seed 0\",", "seed 0\",1")
	if err := os.WriteFile(path, []byte(doubled), 0o600); err != nil {
		t.Fatal(err)
	}
	if other := done(t, line...); other == first {
		t.Error("the times of the checkpoint are not used")
	}
	failed(t, exitFailed, "reproduce westphal15 --journal "+filepath.Join(path, "none"), "--journal")
}

// writeInputs writes a folder with a small matrix, an image in a folder of its own, and what is neither.
func writeInputs(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(folder, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "three.mtx"),
		"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 4\n3 1\n2 1\n3 3\n3 2\n")
	write(t, filepath.Join(folder, "images", "five.pgm"), "P2 5 1 255\n0 7 7 7 255\n")
	write(t, filepath.Join(folder, "notes.csv"), "neither\n")
}

// TestReproduceData: the files of a folder are simulated in all implementations and judge nothing. Times come from the checkpoint,
// unless a file has another content. One that cannot be read is listed and left out.
func TestReproduceData(t *testing.T) {
	folder, path := t.TempDir(), filepath.Join(t.TempDir(), "times.csv")
	writeInputs(t, folder)
	line := strings.Fields("reproduce egielski14 --item data --json --data " + folder + " --journal " + path)
	var doc reproduceDocument
	first := done(t, line...)
	decode(t, first, &doc)
	const benchmarks, devices = 3 + 1, 2 // histograms and SpMV
	if len(doc.Rows) != 0 || len(doc.Data) != 2+benchmarks*devices {
		t.Fatalf("%d rows, %d tables", len(doc.Rows), len(doc.Data))
	}
	if speedups := len(doc.Data[1].Cells); speedups != devices*(3*3+4) {
		t.Errorf("%d speedups over a form", speedups)
	}
	for _, table := range doc.Data[2:] {
		want, forms := "images/five.pgm", 3
		if strings.HasSuffix(table.Name, "SpMV") {
			want, forms = "three.mtx", 4
		}
		if len(table.Cells) != 1 || table.Cells[0][0] != want || len(table.Cells[0]) != 1+3+forms+1 {
			t.Errorf("%s: %q", table.Name, table.Cells)
		}
	}
	if again := done(t, line...); again != first {
		t.Errorf("%s\nagain: %s", first, again)
	}
	times := func() int {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(data), "\n")
	}
	before := times()
	write(t, filepath.Join(folder, "three.mtx"), "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1\n")
	done(t, line...)
	if added := times() - before; added != 4*devices+3 {
		t.Errorf("%d more lines for a new matrix, want its forms and collision levels", added)
	}
	broken := filepath.Join(folder, "images", "broken.png.gz")
	write(t, broken, "no image")
	decode(t, done(t, line...), &doc)
	files := map[string]string{} // why they are left out
	for _, cells := range doc.Data[0].Cells {
		files[cells[0]] = cells[3]
	}
	if len(files) != 3 || files["three.mtx"]+files["images/five.pgm"] != "" ||
		!strings.Contains(files["images/broken.png.gz"], broken) {
		t.Errorf("%q", files)
	}
	if err := os.Remove(filepath.Join(folder, "images", "five.pgm")); err != nil {
		t.Fatal(err)
	}
	failed(t, exitUsage, "reproduce egielski14 --item data --data "+filepath.Dir(broken), broken)
	failed(t, exitFailed, "reproduce egielski14 --item data --data "+filepath.Join(folder, "none"), "none")
	failed(t, exitUsage, "reproduce egielski14 --item data --data "+t.TempDir(), ".mtx")
}

// TestReproduceCompletion: --item completes to the experiments of the paper.
func TestReproduceCompletion(t *testing.T) {
	for paper, want := range map[string]string{"gomezluna13": "section2.1.2", "elteir11": "section5",
		"streamhpc": "listings"} {
		words := strings.Fields(done(t, "__complete", "reproduce", paper, "--item", ""))
		found := 0
		for _, word := range words {
			if word == want {
				found++
			}
		}
		if found != 1 || paper != "streamhpc" && strings.Contains(strings.Join(words, " "), "listings") {
			t.Errorf("%s: %v", paper, words)
		}
	}
	if words := done(t, "__complete", "reproduce", ""); !strings.Contains(words, "elteir11") ||
		!strings.Contains(words, "streamhpc") {
		t.Errorf("papers: %s", words)
	}
}

// TestReproduceKeepsNone: papers without simulated times have no checkpoint, and say so.
func TestReproduceKeepsNone(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, paper := range []string{"elteir11", "streamhpc"} {
		got := interrupted(t, "reproduce "+paper+" --out figures", "")
		got.Failed(t, 130)
		if left, err := filepath.Glob("figures/*.journal"); err != nil || len(left) > 0 || strings.Contains(got.Stderr, "journal") {
			t.Errorf("%s: %q, %v", paper, got.Stderr, left)
		}
	}
}

// TestReproduceGoesOn: an interrupted experiment keeps its simulated times beside the output, and makes
// the same of them; times of other options are refused.
func TestReproduceGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	const line, checkpoint = "reproduce egielski14 --item table1 --scale 0.0003 --out ", "cut/egielski14.journal"
	done(t, strings.Fields(line+"whole")...)
	interrupted(t, line+"cut", checkpoint).Failed(t, 130, checkpoint)
	failed(t, 1, strings.Replace(line+"cut", "0.0003", "0.0004", 1), checkpoint+":1")
	done(t, strings.Fields(line+"cut")...)
	for _, name := range []string{"whole", "cut"} {
		if _, err := os.Stat(name + "/egielski14.journal"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the checkpoint of %s stays: %v", name, err)
		}
	}
	files, err := filepath.Glob("whole/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, path := range files {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile("cut" + strings.TrimPrefix(path, "whole")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs, %v", path, err)
		}
	}
}

// TestReproduceLong: that an image takes long to simulate is said before it is.
func TestReproduceLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := atomlab("reproduce", "gomezluna13", "--item", "figure9", "--out", filepath.Join(path, "out"),
		"synth:constant:n=16000001,k=256") // fails before anything is simulated
	if got.Code != exitFailed || !strings.Contains(got.Stderr, "16000001") {
		t.Errorf("exit code %d, %s", got.Code, got.Stderr)
	}
}
