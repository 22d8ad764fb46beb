package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

const chooseLong = `choose ranks the implementations that the device can run for an index stream,
the fastest first, and says why the first is. Times are those of one call on
the device: clearing the targets, launches, kernels and flush.

With --launches the stream is held in memory and looked at only as far as that
pays over so many launches: not at all where no answer would gain what a look
costs, else in samples, each larger than the last, until a larger one would cost
more than it may gain, or all together more than --look-most.

--only and --exclude take names as the ranking shows them: private is the form
with one copy per block alone, private:* that and all private:r=COPIES,pad=PAD.

Without FILE it reads the default stream, %s.
With --json, one FILE gives one document, several give one document
{"files": [...]}.`

type chooseFlags struct {
	model         string
	relaid        bool
	deterministic bool
	memory        input.ByteSize
	noSort        bool
	cautious      bool
	look          tuner.SamplingBudget
	only, exclude []string
}

func (f *chooseFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "`file` of a trained model (default: the built-in model of the device)")
	flags.BoolVar(&f.relaid, "relaid", false, "updates arrive re-laid already, so that ss costs no host time")
	flags.BoolVar(&f.deterministic, "deterministic", false, "repeated calls must agree in every bit")
	flags.Var(&f.memory, "memory", "device memory that may be taken beside stream and targets: a `size` such as 64MiB")
	flags.BoolVar(&f.noSort, "no-sort", false, "do not sort the stream nor bring it into another order")
	flags.BoolVar(&f.cautious, "cautious", false, "choose by the upper end of the interval in place of the predicted time")
	flags.IntVar(&f.look.Launches, "launches", 0, "look only as far as that pays over this many `launches` (0: at the whole stream)")
	flags.Float64Var(&f.look.CostUS, "look-cost", 0, "what each look costs besides, in `microseconds`: of the copy from the device, for instance")
	flags.Float64Var(&f.look.MostUS, "look-most", 0, fmt.Sprintf("what all looks together may cost, in `microseconds` (0: %d, or the first alone)", tuner.DefaultSamplingUS))
	flags.StringArrayVar(&f.only, "only", nil, "rank this `implementation` (repeat for several) and no others")
	flags.StringArrayVar(&f.exclude, "exclude", nil, "do not rank this `implementation` (repeat for several)")
}

// options returns what the flags mean to the tuner.
func (f *chooseFlags) options(call device.Call) (tuner.Options, error) {
	o := tuner.Options{Call: call, Relaid: f.relaid, Deterministic: f.deterministic, NoSort: f.noSort, Cautious: f.cautious}
	if f.memory.Given {
		o.MemoryBytes = max(1, f.memory.Bytes)
	}
	if err := f.checkLook(); err != nil {
		return o, err
	}
	var err error
	if o.Only, err = parseVariants("--only", f.only); err != nil {
		return o, err
	}
	if o.Exclude, err = parseVariants("--exclude", f.exclude); err != nil {
		return o, err
	}
	if f.model != "" {
		if o.Model, err = model.Load(f.model); err != nil {
			return o, fmt.Errorf("--model: %w", err)
		}
	}
	return o, o.Validate()
}

// checkLook names the flag that asks for a look that cannot be.
func (f *chooseFlags) checkLook() error {
	switch l := f.look; {
	case l.Launches < 0:
		return command.Usagef("--launches %d: want 0 or more", l.Launches)
	case (tuner.SamplingBudget{CostUS: l.CostUS}).Validate() != nil:
		return command.Usagef("--look-cost %v: want 0 or more microseconds", l.CostUS)
	case (tuner.SamplingBudget{MostUS: l.MostUS}).Validate() != nil:
		return command.Usagef("--look-most %v: want 0 or more microseconds", l.MostUS)
	}
	return nil
}

// named puts the model's file before what is wrong with it.
func (f *chooseFlags) named(err error) error {
	if f.model != "" && errors.Is(err, model.ErrModel) {
		return fmt.Errorf("--model: %s: %w", f.model, err)
	}
	return err
}

func newChoose(e *env) *cobra.Command {
	var (
		stream  input.StreamFlags
		measure input.MeasureFlags
		call    input.CallFlags
		choose  chooseFlags
	)
	cmd := &cobra.Command{
		Use:   "choose [FILE...]",
		Short: "Rank the implementations for an index stream and say why",
		Long:  fmt.Sprintf(chooseLong, input.DefaultStream) + "\n\n" + input.Families(),
		Example: `  atomtune choose
  atomtune choose --device gtx680 --type f32 indices.npy
  atomtune choose --value one --bins 256 image.png
  atomtune choose --json --axis col matrix.mtx
  atomtune choose --deterministic --type f64 indices.npy
  atomtune choose --memory 64KiB --no-sort indices.npy
  atomtune choose --launches 1000 indices.npy`,
		Args: func(_ *cobra.Command, args []string) error { return input.StdinOnce(args) },
	}
	call.Register(cmd)
	stream.Register(cmd, e.Stdin)
	measure.Register(cmd)
	choose.register(cmd)
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		for _, name := range []string{"look-cost", "look-most"} {
			if cmd.Flags().Changed(name) && choose.look.Launches == 0 {
				return command.Usagef("--%s goes with --launches", name)
			}
		}
		if choose.look.Launches != 0 && cmd.Flags().Changed("sample") {
			return command.Usagef("--launches takes samples by itself, so --sample does not go with it")
		}
		choose.look.Seed = measure.Options.Seed
		return e.choose(args, &call, stream, measure.Options, &choose)
	})
	return cmd
}

func (e *env) choose(args []string, call *input.CallFlags, stream input.StreamFlags, how collision.Options, f *chooseFlags) error {
	d, err := device.Load(call.Device)
	if err != nil {
		return err
	}
	options, err := f.options(call.Call)
	if err != nil {
		return err
	}
	how.WarpSize = int(d.Core.WarpLanes.Value)
	if len(args) == 0 {
		args = []string{input.DefaultStream}
	}
	if options.Model != nil { // before any stream is read
		if _, err := tuner.NewChooser(d, options); errors.Is(err, model.ErrModel) {
			return f.named(err)
		}
	}
	docs := make([]chooseDocument, len(args))
	for i, path := range args {
		doc := chooseDocument{Device: d.Name, callDocument: newCallDocument(options.Call),
			Constraints: newConstraints(options), profile: d}
		if f.look.Launches > 0 {
			s, err := input.Load(&e.Env, path, stream.Options, 0)
			if err != nil {
				return err
			}
			outside := func(x uint32) bool { return uint64(x) >= s.Bins }
			if i := slices.IndexFunc(s.Indices, outside); i >= 0 {
				return fmt.Errorf("%s: %w: update %d has index %d, the stream has %d bins",
					s.File, collision.ErrIndex, i, s.Indices[i], s.Bins)
			}
			doc.Stream = s.StreamDocument
			doc.Decision, err = tuner.ChooseSampled(s.Indices, s.Bins, d, options, f.look)
			if err != nil {
				return fmt.Errorf("%s: %w", s.File, err)
			}
			doc.Stream.Stats = doc.Decision.Stream
		} else {
			if doc.Stream, err = input.Measure(&e.Env, path, stream, how); err != nil {
				return err
			}
			doc.Decision, err = tuner.Choose(&doc.Stream.Stats, d, options)
			if err != nil {
				return fmt.Errorf("%s: %w", doc.Stream.File, err)
			}
		}
		docs[i] = doc
	}
	return input.EmitAll(&e.Env, docs, printChoice)
}

// parseVariants reads the implementations that a flag names. NAME:* stands for
// NAME and for the candidates NAME:PARAMETERS.
func parseVariants(flag string, names []string) ([]variant.Variant, error) {
	var list []variant.Variant
	for _, n := range names {
		if base, ok := strings.CutSuffix(n, ":*"); ok {
			all := withParameters(base)
			if len(all) == 0 {
				return nil, command.Usagef("%s %s: no candidate is called %s", flag, n, base)
			}
			for _, v := range all {
				if !slices.Contains(list, v) {
					list = append(list, v)
				}
			}
			continue
		}
		v, err := variant.Parse(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// withParameters returns the candidates of a name, whatever their parameters.
func withParameters(name string) []variant.Variant {
	return slices.DeleteFunc(variant.Candidates(), func(v variant.Variant) bool {
		text := v.String()
		return text != name && !strings.HasPrefix(text, name+":")
	})
}
