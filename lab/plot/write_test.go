package plot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/lab/plot"
)

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// smallSample is soon drawn.
func smallSample() plot.Page {
	page := lineSample()
	page.Width, page.Height = 450, 300
	return page
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	page := smallSample()
	if err := plot.Write(filepath.Join(folder, "fig"), page); err != nil {
		t.Fatal(err)
	}
	if got := names(t, folder); !slices.Equal(got, []string{"fig.png", "fig.svg"}) {
		t.Errorf("the folder holds %q", got)
	}
	for name, want := range map[string][]byte{"fig.svg": mustSVG(t, page),
		"fig.png": mustBytes(t, page)} {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the page (%v)", name, err)
		}
	}
}

// TestWriteKeepsOldFiles checks that a page that cannot be drawn costs nothing.
func TestWriteKeepsOldFiles(t *testing.T) {
	folder := t.TempDir()
	old := filepath.Join(folder, "fig.svg")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := plot.Write(filepath.Join(folder, "fig"), plot.Page{}); !errors.Is(err, plot.ErrFigure) {
		t.Errorf("error %v, want ErrFigure", err)
	}
	if got, err := os.ReadFile(old); err != nil || string(got) != "old" {
		t.Errorf("the old file holds %q (%v)", got, err)
	}
	if got := names(t, folder); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
}

func TestWriteFailures(t *testing.T) {
	folder := t.TempDir()
	err := plot.Write(filepath.Join(folder, "missing", "fig"), smallSample())
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, plot.ErrFigure) {
		t.Errorf("a missing folder: %v", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "fig.svg"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := plot.Write(filepath.Join(folder, "fig"), smallSample()); err == nil {
		t.Error("a folder in the way: no error")
	}
	if got := names(t, folder); !slices.Equal(got, []string{"fig.png", "fig.svg"}) {
		t.Errorf("the folder holds %q", got)
	}
}

func ExampleWrite() {
	folder, err := os.MkdirTemp("", "figures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	err = plot.Write(filepath.Join(folder, "time"), plot.Page{Panels: []plot.Panel{plot.Figure{
		Title:  "Time of a histogram",
		XLabel: "bins", YLabel: "time (µs)", XLog: true,
		Lines: []plot.Line{
			{Name: "simulated", X: []float64{64, 256, 1024}, Y: []float64{41, 22, 17}},
			{Name: "measured", X: []float64{64, 256, 1024}, Y: []float64{44, 21, 18}, Style: plot.Markers},
		},
	}}})
	if err != nil {
		fmt.Println(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	for _, f := range files {
		fmt.Println(filepath.Base(f))
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// time.png
	// time.svg
}

func BenchmarkPage(b *testing.B) {
	for name, page := range map[string]plot.Page{"lines": lineSample(), "grid": gridSample()} {
		for format, draw := range map[string]func() ([]byte, error){"svg": page.SVG, "png": page.PNG} {
			b.Run("page="+name+"/format="+format, func(b *testing.B) {
				for b.Loop() {
					if _, err := draw(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
