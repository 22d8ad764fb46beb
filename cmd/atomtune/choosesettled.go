package main

import (
	"math"

	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/tuner"
)

// settlingFlags say from which length choose samples a stream until its choice is settled.
type settlingFlags struct {
	exact bool
	from  uint64
}

func (f *settlingFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.exact, "exact", false, "read all of a stream, however long")
	flags.Uint64Var(&f.from, "sample-from", input.SampledFrom,
		"`updates` from which a stream is sampled until the choice is settled, where it can be read at any place")
	flags.Lookup("sample").Usage = "measure a random sample of this many `blocks` (0: all of a short stream, " +
		"of a long one what settles the choice)"
}

// check refuses flags that read streams in another way.
func (f *settlingFlags) check(given func(flag string) bool) error {
	for _, pair := range [][2]string{{"exact", "sample"}, {"exact", "launches"}, {"sample-from", "sample"},
		{"sample-from", "launches"}, {"sample-from", "exact"}, {"sample-from", "simulate"},
		{"sample-from", "save-plan"}} {
		if given(pair[0]) && given(pair[1]) {
			return command.Usagef("--%s does not go with --%s, which says what is read of a stream", pair[0], pair[1])
		}
	}
	return nil
}

// long returns the length from which choose samples.
func (f *chooseFlags) long() uint64 {
	if f.settling.exact || f.measure.Options.Sample != 0 {
		return math.MaxUint64
	}
	return f.settling.from
}

// settle measures a stream, or of a long one samples until they settle the choice, which goes into the
// document. The result is the stream sorted, nil where that is no other.
func (f *chooseFlags) settle(e *env, doc *choice.Document, path string) (*input.Sorted, error) {
	stream, sorted, settled, err := input.MeasureShort(e, path, f.stream, f.measure.Options, true,
		input.Long{From: f.long(), Use: func(s *input.Anywhere) (err error) {
			c, err := tuner.NewChooser(doc.Profile, f.options)
			if err != nil {
				return err
			}
			doc.Decision, err = c.ChooseSettled(s.Stream, s.Bins, tuner.SettlingOptions{
				Seed: f.measure.Options.Seed, Workers: f.measure.Options.Workers})
			if err == nil {
				n := doc.Settling.Positions
				doc.Read = &choice.Read{Percent: 100 * float64(n) / float64(s.Len()), Bytes: n * s.Bytes,
					TotalBytes: uint64(s.Len()) * s.Bytes}
			}
			return err
		}})
	if settled {
		stream.Stats = doc.Decision.Stream
	}
	doc.Stream = stream
	return sorted, err
}
