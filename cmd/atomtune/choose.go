package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/variant"
)

const chooseLong = `choose ranks the implementations that the device can run for an index stream,
the fastest first, and says why the first is. Times are those of one call on
the device: clearing the targets, launches, kernels and flush.

Without FILE it reads the default stream, %s.
With --json, one FILE gives one document, several give one document
{"files": [...]}.`

// chooseFlags are the flags of choose alone.
type chooseFlags struct {
	model         string
	relaid        bool
	deterministic bool
	only, exclude []string
}

func (f *chooseFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "`file` of a trained model (default: the built-in model of the device)")
	flags.BoolVar(&f.relaid, "relaid", false, "updates arrive re-laid already, so that ss costs no host time")
	flags.BoolVar(&f.deterministic, "deterministic", false, "repeated calls must agree in every bit")
	flags.StringArrayVar(&f.only, "only", nil, "rank this `implementation` (repeat for several) and no others")
	flags.StringArrayVar(&f.exclude, "exclude", nil, "do not rank this `implementation` (repeat for several)")
}

// options returns what the flags mean to the tuner.
func (f *chooseFlags) options(call device.Call) (tuner.Options, error) {
	o := tuner.Options{Call: call, Relaid: f.relaid, Deterministic: f.deterministic}
	var err error
	if o.Only, err = parseVariants(f.only); err != nil {
		return o, err
	}
	if o.Exclude, err = parseVariants(f.exclude); err != nil {
		return o, err
	}
	if f.model != "" {
		if o.Model, err = tuner.LoadModel(f.model); err != nil {
			return o, err
		}
	}
	return o, o.Validate()
}

func parseVariants(names []string) ([]variant.Variant, error) {
	var list []variant.Variant
	for _, n := range names {
		v, err := variant.Parse(n)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func newChoose(e *env) *cobra.Command {
	var (
		stream  streamFlags
		measure measureFlags
		call    callFlags
		choose  chooseFlags
	)
	cmd := &cobra.Command{
		Use:   "choose [FILE...]",
		Short: "Rank the implementations for an index stream and say why",
		Long:  fmt.Sprintf(chooseLong, defaultStream) + "\n\n" + families(),
		Example: `  atomtune choose
  atomtune choose --device gtx680 --type f32 indices.npy
  atomtune choose --value one --bins 256 image.png
  atomtune choose --json --axis col matrix.mtx
  atomtune choose --deterministic --type f64 indices.npy`,
		Args: func(_ *cobra.Command, args []string) error { return stdinOnce(args) },
	}
	call.register(cmd)
	stream.register(cmd, e)
	measure.register(cmd)
	choose.register(cmd)
	cmd.RunE = action(func(_ *cobra.Command, args []string) error {
		return e.choose(args, &call, stream, measure.options, &choose)
	})
	return cmd
}

func (e *env) choose(args []string, call *callFlags, stream streamFlags, how collision.Options, f *chooseFlags) error {
	d, err := device.Load(call.device)
	if err != nil {
		return err
	}
	options, err := f.options(call.call)
	if err != nil {
		return err
	}
	how.WarpSize = int(d.Core.WarpLanes.Value)
	if len(args) == 0 {
		args = []string{defaultStream}
	}
	measured, err := e.measureAll(args, stream, how)
	if err != nil {
		return err
	}
	docs := make([]chooseDocument, len(measured))
	for i, m := range measured {
		decision, err := tuner.Choose(&m.Stats, d, options)
		if err != nil {
			return fmt.Errorf("%s: %w", m.File, err)
		}
		docs[i] = newChooseDocument(m, decision, call.call, d)
	}
	return emitAll(e, docs, printChoice)
}
