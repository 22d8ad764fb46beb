package tables

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// A File is one form of the tables.
type File struct {
	Name    string
	Content []byte
}

// Files returns the tables in all forms: JSON, CSV of the cells and of the
// break-even points, one HTML page, Markdown for each device, and a README that
// says how to read them.
func (doc *Document) Files() ([]File, error) {
	var files []File
	for _, form := range []struct {
		name string
		make func() ([]byte, error)
	}{
		{"tables.json", doc.JSON}, {"tables.csv", doc.CSV}, {"break-evens.csv", doc.BreakEvenCSV},
		{"tables.html", doc.HTML}, {"README.md", doc.Readme},
	} {
		content, err := form.make()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", form.name, err)
		}
		files = append(files, File{form.name, content})
	}
	for _, device := range doc.Devices() {
		files = append(files, File{device + ".md", doc.Markdown(device)})
	}
	return files, nil
}

// Devices lists the devices of the tables in their order.
func (doc *Document) Devices() []string {
	var names []string
	for i, t := range doc.Tables {
		if i == 0 || t.Device != doc.Tables[i-1].Device {
			names = append(names, t.Device)
		}
	}
	return names
}

// Write writes all files into a folder, which it makes where it does not exist,
// and returns their paths.
func (doc *Document) Write(folder string) ([]string, error) {
	files, err := doc.Files()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("writing %s: %w", folder, err)
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(folder, f.Name)
		if err := wholefile.Write(path, f.Content); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
