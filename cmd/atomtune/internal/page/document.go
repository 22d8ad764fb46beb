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
	"github.com/atomtune/atomtune/tuner/boundary"
	"github.com/atomtune/atomtune/tuner/model"
)

// Report is what report prints with --json, and what its page shows.
type Report struct {
	Command string      `json:"command"` // the line that makes it again
	File    string      `json:"file,omitempty"`
	Files   []*Document `json:"files"`
}

// Document is what a report says of one stream. The decision is that of choose: of its fields,
// device, type, operation and stream stand before the others and say more.
type Document struct {
	Device string `json:"device"`
	choice.Call
	Constraints choice.Constraints   `json:"constraints"`
	Stream      input.StreamDocument `json:"stream"`
	answer
	Code     []string          `json:"code"`   // none where there is no kernel for the choice
	Legend   map[string]string `json:"legend"` // what bindings of the ranking mean
	Pictures pictures          `json:"pictures"`
	// Sweeps are empty for a stream of fewer than boundary.Shortest updates, and for one with positions
	// without an update.
	Sweeps []sweep `json:"sweeps"`

	call    device.Call
	profile *device.Profile
	excerpt *boundary.Excerpt
}

// answer lies a level deeper than choice.Call, whose fields go before those of its own.
type answer struct{ tuner.Decision }

// examine reads one input and finds out what its report says.
func (s *subject) examine(e *command.Env, path string) (*Document, error) {
	c := s.options.Call
	doc := &Document{Device: s.profile.Name, call: c, profile: s.profile, Call: choice.NewCall(c),
		Constraints: choice.NewConstraints(s.options)}
	along := course.New(s.measure.Options.WarpSize, s.options.Padded)
	doc.excerpt = boundary.NewExcerpt(blockSize(s.measure.Options.WarpSize))
	seen, err := input.Observe(e, path, s.stream, s.measure.Options, func(chunk []uint32) error {
		along.Add(chunk)
		if !s.options.Padded {
			doc.excerpt.Add(chunk)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	doc.Stream = seen.StreamDocument
	if err := s.decide(doc, along, seen.Accumulator.Frequencies()); err != nil {
		return nil, fmt.Errorf("%s: %w", doc.Stream.File, err)
	}
	return doc, nil
}

// decide fills in what is said of a measured stream.
func (s *subject) decide(doc *Document, along *course.Course, counts []collision.Frequency) (err error) {
	stats := &doc.Stream.Stats
	if doc.Decision, err = tuner.Choose(stats, s.profile, s.options); err != nil {
		return err
	}
	if doc.Code, err = choice.Complete(&doc.Decision, &doc.Stream, s.options, s.profile); err != nil {
		return err
	}
	doc.Legend = map[string]string{}
	for _, r := range doc.Ranking {
		doc.Legend[r.Binding] = speedup.Meaning(r.Binding)
	}
	doc.Pictures = picturesOf(stats, counts, along)
	doc.Sweeps = []sweep{}
	if s.options.Padded {
		return nil
	}
	sweeps, err := s.sweeps(doc, counts)
	for i := range sweeps {
		doc.Sweeps = append(doc.Sweeps, sweep{sweeps[i], inWords(&sweeps[i])})
	}
	return err
}

// found is a place of a sweep, as the journal keeps it: reading the stream again takes less.
type found struct {
	Of string `json:"of"` // a hash of all that the place follows from
	boundary.Place
}

// sweeps returns those around the stream of a document that lacks them.
func (s *subject) sweeps(doc *Document, counts []collision.Frequency) ([]boundary.Sweep, error) {
	hash := sha256.New()
	err := json.NewEncoder(hash).Encode([]any{doc.Decision, doc.Call, doc.Constraints})
	if err == nil {
		err = binary.Write(hash, binary.LittleEndian, doc.excerpt.Keys())
	}
	if err != nil {
		return nil, err
	}
	of := model.ProfileHash(s.profile) + hex.EncodeToString(hash.Sum(nil)[:8])
	around := boundary.Stream{Stats: &doc.Stream.Stats, Frequencies: counts, Excerpt: doc.excerpt}
	for _, f := range s.known.Done {
		if f.Of == of {
			around.Known = append(around.Known, f.Place)
		}
	}
	around.Keep = func(p boundary.Place) error { return s.known.Keep(found{of, p}) }
	return boundary.Around(around, s.chooser, doc.Ranking[0].Implementation)
}

// blockSize is that of collision where none is asked for.
func blockSize(warp int) int {
	const usual = 256
	if usual%warp != 0 {
		return warp
	}
	return usual
}
