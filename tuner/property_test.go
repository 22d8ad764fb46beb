package tuner_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// drawStats draws statistics that pass every single check, though no stream
// may have them together.
func drawStats(t *rapid.T, lanes int) *collision.Stats {
	updates := rapid.Uint64Range(1, 1<<36).Draw(t, "updates")
	bins := rapid.Uint64Range(1, 1<<32).Draw(t, "bins")
	unique := rapid.Uint64Range(1, min(updates, bins)).Draw(t, "unique")
	hot := rapid.Uint64Range(1, updates).Draw(t, "hot")
	chunk := rapid.Uint64Range(hot, updates).Draw(t, "chunk")
	mean := func(name string) float64 { return rapid.Float64Range(1, float64(lanes)).Draw(t, name) }
	level := func(name string, of int) float64 {
		return rapid.Float64Range(1/float64(of), 1).Draw(t, name)
	}
	return &collision.Stats{
		Updates: updates, Bins: bins, Unique: unique, WarpSize: lanes, BlockSize: 256,
		WarpLevel: level("warp", lanes), BlockLevel: level("block", 256),
		AllLevel:        float64(updates) / float64(unique),
		DistinctPerWarp: mean("distinct"), DistinctPerBlock: min(256, 8*mean("block distinct")),
		ClusteredFraction: rapid.Float64Range(0, 1).Draw(t, "clustered"),
		Runs:              rapid.Uint64Range(unique, updates).Draw(t, "runs"),
		MaxFrequency:      hot, MaxChunkFrequency4: chunk, MaxChunkFrequency8: chunk,
		Sectors4: mean("sectors"), Sectors8: mean("sectors 8"),
		SectorPasses4: mean("passes"), SectorPasses8: mean("passes 8"),
		BankDegree: mean("degree"), BankLanes: mean("lanes"),
	}
}

// TestAnyStats: whatever the statistics, both forms give the same finite,
// ordered answer or the same kind of error.
func TestAnyStats(t *testing.T) {
	_, fitted := tunertest.Trained()
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom(device.Names()).Draw(r, "device")
		d := tunertest.Profile(t, name)
		o := tuner.Options{
			Call:          rapid.SampledFrom(tunertest.Calls()).Draw(r, "call"),
			Relaid:        rapid.Bool().Draw(r, "relaid"),
			Deterministic: rapid.Bool().Draw(r, "deterministic"),
		}
		o.Call.Returns = rapid.Bool().Draw(r, "returns")
		if name == "h200" {
			o.Model = fitted
		}
		s := drawStats(r, int(d.Core.WarpLanes.Value))
		full, err := tuner.Choose(s, d, o)
		chooser, fastErr := tuner.NewChooser(d, o)
		var pick tuner.Pick
		if fastErr == nil {
			pick, fastErr = chooser.Pick(s)
		}
		if err != nil || fastErr != nil {
			if !errors.Is(err, model.ErrNone) || !errors.Is(fastErr, model.ErrNone) {
				r.Fatalf("Choose: %v, Pick: %v", err, fastErr)
			}
			return
		}
		checkDecision(t, full)
		if pick.Variant != full.Choice.Implementation || pick.US != full.Choice.PredictedUS {
			r.Fatalf("Pick %+v, Choose %+v", pick, full.Choice)
		}
		if ratio := full.Choice.SpeedupOverNaive; ratio != nil && (!(*ratio > 0) ||
			math.IsInf(*ratio, 0)) {
			r.Fatalf("speedup %v", *ratio)
		}
	})
}
