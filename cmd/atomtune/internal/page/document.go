package page

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/course"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/sensitivity"
)

// Report is what report prints with --json, and what its page shows.
type Report struct {
	Command string      `json:"command"` // the line that makes it again
	File    string      `json:"file,omitempty"`
	Files   []*Document `json:"files"`
}

// Document is what a report says of one stream: what choose says, with a legend, and pictures.
type Document struct {
	choice.Document
	Pictures pictures `json:"pictures"`
	// Sweeps are empty for a stream of fewer than boundary.Shortest updates, and for one with positions
	// without an update.
	Sweeps  []sweep `json:"sweeps"`
	excerpt *sensitivity.Excerpt
}

// examine reads one input and finds out what its report says.
func (s *subject) examine(e *command.Env, path string) (*Document, error) {
	doc := &Document{Document: choice.NewDocument(s.profile, s.options)}
	warp := s.measure.Options.WarpSize
	along := course.New(warp, s.options.Padded)
	doc.excerpt = sensitivity.NewExcerpt(blockSize(warp))
	seen, err := input.Measuring{In: s.stream, How: s.measure.Options, Also: func(chunk []uint32) {
		along.Add(chunk)
		if !s.options.Padded {
			doc.excerpt.Add(chunk)
		}
	}}.Measure(e, path)
	if err != nil {
		return nil, err
	}
	doc.Stream = seen.StreamDocument
	if s, err = s.with(seen.Of(s.options.Call)); err != nil {
		return nil, err
	}
	doc.Call = choice.NewCall(s.options.Call)
	if err := s.decide(doc, along, seen.Counts.Frequencies()); err != nil {
		return nil, fmt.Errorf("%s: %w", doc.Stream.File, choice.Instead(err, s.options, s.profile))
	}
	return doc, nil
}

// with is the subject of another call.
func (s subject) with(c device.Call) (of *subject, err error) {
	s.options.Call = c
	s.chooser, err = tuner.NewChooser(s.profile, s.options)
	return &s, err
}

// decide fills in what is said of a measured stream.
func (s *subject) decide(doc *Document, along *course.Course, counts []collision.Frequency) (err error) {
	stats := &doc.Stream.Stats
	if doc.Decision, err = s.chooser.Choose(stats); err != nil {
		return err
	}
	doc.Legend = map[string]string{}
	for _, r := range doc.Ranking {
		doc.Legend[r.Binding] = speedup.Meaning(r.Binding)
	}
	if doc.Code, err = choice.Complete(&doc.Decision, &doc.Stream, s.options, s.profile, s.stream.Options); err != nil {
		return err
	}
	doc.Pictures = picturesOf(stats, counts, along)
	doc.Sweeps = []sweep{}
	if s.options.Padded || s.options.Call.Wide() {
		return nil
	}
	sweeps, err := s.sweeps(doc, counts)
	for i := range sweeps {
		doc.Sweeps = append(doc.Sweeps, sweep{sweeps[i], inWords(&sweeps[i])})
	}
	return err
}

// found is a place of a sweep, as the checkpoint keeps it: reading the stream again takes less.
type found struct {
	Of string `json:"of"` // a hash of all that the place follows from
	sensitivity.Place
}

// sweeps returns those around the stream of a document that lacks them.
func (s *subject) sweeps(doc *Document, counts []collision.Frequency) ([]sensitivity.Sweep, error) {
	hash := sha256.New()
	err := json.NewEncoder(hash).Encode([]any{doc.Decision, doc.Call, doc.Constraints})
	if err == nil {
		err = binary.Write(hash, binary.LittleEndian, doc.excerpt.Keys())
	}
	if err != nil {
		return nil, err
	}
	of := model.ProfileHash(s.profile) + hex.EncodeToString(hash.Sum(nil)[:8])
	around := sensitivity.Stream{Stats: &doc.Stream.Stats, Frequencies: counts, Excerpt: doc.excerpt,
		Keep: func(p sensitivity.Place) error { return s.known.Keep(found{of, p}) }}
	for _, f := range s.known.Done {
		if f.Of == of {
			around.Known = append(around.Known, f.Place)
		}
	}
	return sensitivity.Around(around, s.chooser, doc.Ranking[0].Implementation)
}

// blockSize is that of collision where none is asked for.
func blockSize(warp int) int {
	const usual = 256
	if usual%warp != 0 {
		return warp
	}
	return usual
}
