package tables

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
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

// JSON returns the document as JSON, one stream, cell or break-even point a
// line.
func (doc *Document) JSON() ([]byte, error) {
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	// A quotation mark inside a string is escaped, so that these begin objects.
	for _, key := range []string{"arrangement", "device", "column", "stream"} {
		for _, before := range []string{"[", ","} {
			begin := `{"` + key + `":`
			data = bytes.ReplaceAll(data, []byte(before+begin), []byte(before+"\n"+begin))
		}
	}
	return append(data, '\n'), nil
}

//go:embed page.html
var page string

var pageTemplate = template.Must(template.New("page").Parse(page))

// HTML returns one page that needs nothing else: it shows the table of a device
// and a type as a map coloured by kind.
func (doc *Document) HTML() ([]byte, error) {
	data, err := doc.JSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	// The encoder of JSON escapes <, > and &, so that the data cannot end its
	// element.
	if err := pageTemplate.Execute(&b, struct{ Data template.JS }{template.JS(data)}); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return b.Bytes(), nil
}
