package tables

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
)

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
