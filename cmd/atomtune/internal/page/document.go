package page

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/collision"
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
func (s *subject) examine(e *command.Env, path string) (doc *Document, err error) {
	src, err := input.Open(e, path, s.stream)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(src.Named(err), src.Close()) }()
	warp := s.measure.Options.WarpSize
	doc = &Document{Document: choice.Document{Profile: s.profile}, excerpt: sensitivity.NewExcerpt(blockSize(warp))}
	along := collision.NewCourse(warp, s.options.Padded)
	see := []func([]uint32){along.Add}
	if !s.options.Padded {
		see = append(see, doc.excerpt.Add)
	}
	m, acc, err := src.Count(s.measure.Options, see...)
	if err != nil {
		return nil, err
	}
	of := *s
	if of.chooser, err = s.chooser.For(src.Of(s.options.Call)); err == nil {
		err = of.decide(doc, src, m, along, acc.Frequencies())
	}
	return doc, choice.Instead(err, s.options, s.profile)
}

// decide fills in what is said of a measured stream.
func (s *subject) decide(doc *Document, src *input.Source, m *tuner.Measured, along *collision.Course,
	counts []collision.Frequency) (err error) {
	if doc.Decision, err = s.chooser.Choose(m); err != nil {
		return err
	}
	doc.Legend = map[string]string{}
	for _, r := range doc.Ranking {
		doc.Legend[r.Binding] = speedup.Meaning(r.Binding)
	}
	if err = doc.Complete(s.chooser, src, s.stream.Options); err != nil {
		return err
	}
	doc.Pictures = picturesOf(m.Stats, counts, along)
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
	hash, of := sha256.New(), doc.Decision
	of.Stream.ElapsedS, of.Stream.BytesPerSecond = 0, 0
	err := json.NewEncoder(hash).Encode(of)
	if err == nil {
		err = binary.Write(hash, binary.LittleEndian, doc.excerpt.Keys())
	}
	if err != nil {
		return nil, err
	}
	key := model.ProfileHash(s.profile) + hex.EncodeToString(hash.Sum(nil)[:8])
	around := sensitivity.Stream{Stats: doc.Stream.Stats, Frequencies: counts, Excerpt: doc.excerpt,
		Keep: func(p sensitivity.Place) error { return s.known.Keep(found{key, p}) }}
	for _, f := range s.known.Done {
		if f.Of == key {
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
