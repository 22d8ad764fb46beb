package validate

import (
	"context"
	"sync"

	"github.com/atomtune/atomtune/tuner/model"
)

// curveDraws is how many draws each number of measured points has.
const curveDraws = 3

// learned is the learning curve of a model, nil for the embedded one.
func learned(m *model.Model) ([]CurvePoint, error) {
	if m == nil {
		return ownCurve()
	}
	return LearningCurve(context.Background(), CurveOptions{Base: m, Seeds: curveDraws})
}

// ownCurve is that of the embedded model, found once.
var ownCurve = sync.OnceValues(func() ([]CurvePoint, error) {
	return LearningCurve(context.Background(), CurveOptions{Seeds: curveDraws})
})

// replayEvery is of how many recorded questions one is replayed.
const replayEvery = 4

// replayed are the held-out questions replayed with a model, nil for the embedded
// one.
func replayed(m *model.Model) ([]OnlineRow, error) {
	if m == nil {
		return ownReplay()
	}
	return replayWith(m)
}

// ownReplay is that of the embedded model, found once.
var ownReplay = sync.OnceValues(func() ([]OnlineRow, error) { return replayWith(nil) })

func replayWith(m *model.Model) ([]OnlineRow, error) {
	o := OnlineOptions{Every: replayEvery, Seed: 1}
	o.Tuner.Model = m
	return ReplayOnline(context.Background(), o)
}
