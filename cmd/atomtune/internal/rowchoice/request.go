package rowchoice

import (
	"fmt"
	"strconv"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/ordering"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/rows"
)

// Request is what choose is asked about rows.
type Request struct {
	Device  string
	Call    rows.Call
	Stream  input.StreamFlags
	Measure input.MeasureFlags
	Explain bool // what the bounds mean
}

// Answer chooses for the streams of the paths and prints the choices.
func (r Request) Answer(e *command.Env, paths []string) error {
	d, err := device.Load(r.Device)
	if err == nil {
		err = rows.Check(d, r.Call)
	}
	if err != nil {
		return err
	}
	r.Measure.Options.WarpSize = int(d.Core.WarpLanes.Value)
	return input.Each(e, paths, func(path string) (Document, error) { return r.choose(e, d, path) }, Print)
}

// choose chooses for one stream.
func (r Request) choose(e *command.Env, d *device.Profile, path string) (Document, error) {
	stream, s, err := input.MeasureRows(e, path, r.Stream, r.Measure.Options, r.Call.Width)
	if err != nil {
		return Document{}, err
	}
	doc, err := New(d, r.Call, stream)
	if err != nil {
		return doc, fmt.Errorf("%s: %w", stream.File, err)
	}
	if r.Explain {
		doc.Explain()
	}
	doc.Warnings = ordering.Against(doc.Warnings, doc.Choice.Implementation, s.Sorted(), doc.Sorted)
	r.paste(&doc)
	return doc, nil
}

// paste adds the code, unless the index to leave out is none that code can name.
func (r Request) paste(doc *Document) {
	if doc.Stream.Ignored == 0 {
		doc.Paste(nil)
		return
	}
	o := r.Stream.Options
	if ignore, err := strconv.ParseInt(o.Ignore, 10, 64); err == nil && !o.Keys {
		doc.Paste(&ignore)
	}
}
