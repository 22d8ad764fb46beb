package egielski14

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// suffixes are those of the files that an application runs on, which .gz may follow.
var suffixes = map[apps.Application][]string{
	apps.SpMV:      {".mtx"},
	apps.Histogram: {".png", ".jpg", ".jpeg", ".pgm", ".tif", ".tiff"},
}

// data simulates the matrices and images of a folder in all forms, and chooses among them as for
// the drawn inputs, each file by what the others teach. No statement is judged by them.
func (c *simulations) data(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	files, list, err := filesOf(o.Data)
	if err != nil {
		return papers.Outcome{}, err
	}
	o.Scale = 1 // files are taken whole
	var used []benchmark
	for _, b := range append(imageHistograms(), matrixProduct()) {
		if own := files[b.application]; len(own) > 0 {
			b.inputs = func(papers.Options) []input { return own }
			used = append(used, b)
		}
	}
	all, err := c.measure(ctx, o, on(used...)...)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.Table(list)
	f.Table(choiceTable("data", "Speedups of the chosen forms on the files of "+o.Data, all))
	for i := range all {
		m := &all[i]
		f.Table(m.table(fmt.Sprintf("data-%s-%s", m.gpu, m.name),
			fmt.Sprintf("Times of %s on %s, files of %s", m.name, generationOf[m.gpu], o.Data), "file"))
	}
	return f.Outcome, nil
}

// filesOf returns the files of a folder, and of those in it, that an application runs on, by their
// names, and a table of them. It names those that cannot be read, too, which are left out.
func filesOf(folder string) (map[apps.Application][]input, papers.Table, error) {
	found := map[apps.Application][]input{}
	list := papers.NewTable("data-files", "Files of "+folder, "file|updates|targets|left out because")
	if _, err := os.ReadDir(folder); err != nil {
		return nil, list, err
	}
	var faults []error
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		for application, ends := range suffixes {
			whole := strings.TrimSuffix(strings.ToLower(name), ".gz")
			if !slices.Contains(ends, filepath.Ext(whole)) {
				continue
			}
			path := filepath.Join(folder, filepath.FromSlash(name))
			in := input{name: name, draw: func() (apps.AppInput, error) { return fromFile(application, path) }}
			content, fault := in.draw()
			if fault != nil {
				faults = append(faults, fault)
				list.Add(name, "", "", fault.Error())
				continue
			}
			if in.drawnAs, err = sumOf(path); err != nil {
				return err
			}
			list.Add(name, len(content.Keys), content.Bins, "")
			found[application] = append(found[application], in)
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = errors.Join(append(faults, fmt.Errorf("%w: %s holds no matrix (%s) and no image (%s) that can be read",
			papers.ErrOptions, folder, strings.Join(suffixes[apps.SpMV], ", "),
			strings.Join(suffixes[apps.Histogram], ", ")))...)
	}
	return found, list, err
}

// sumOf is what a file's checksum adds to the names of its runs: those of another content have
// another name.
func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return fmt.Sprintf(" %x", sum.Sum(nil)[:8]), errors.Join(err, file.Close())
}

// fromFile reads a matrix, sorted by row, or the grey levels of an image.
func fromFile(application apps.Application, path string) (in apps.AppInput, err error) {
	if application == apps.Histogram {
		in.Keys, in.Bins, err = datasets.ReadAll(path, datasets.Options{Quantize: grey})
		return in, err
	}
	o := datasets.Options{Order: datasets.OrderRow}
	if in.Keys, in.Bins, err = datasets.ReadAll(path, o); err != nil {
		return in, err
	}
	o.Axis = datasets.AxisCol
	in.Others, in.Width, err = datasets.ReadAll(path, o)
	return in, err
}
