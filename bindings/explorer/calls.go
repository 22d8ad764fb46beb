package explorer

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
)

// CallQuestion asks for the times of a call on a synthetic stream.
type CallQuestion struct {
	Device string      `json:"device"`
	Call   device.Call `json:"call"`
	// Launch is "" for the rule's launch, "search" for a search among launches, or one of them.
	Launch string `json:"launch"`
	Stream Stream `json:"stream"`
	Axis   string `json:"axis"` // along which Curve goes: a name of Axes
}

// CallAnswer ranks the implementations.
type CallAnswer struct {
	Ranking  []Ranked `json:"ranking"` // the fastest first
	Naive    int      `json:"naive"`   // place of the plain atomics, -1 where they cannot run
	FloorUS  float64  `json:"floor_us"`
	Reason   string   `json:"reason"`
	Warnings []string `json:"warnings"`
	Stream   Collides `json:"stream"`
	Spec     string   `json:"spec"`    // of the stream, "" where atomtune has no name for it
	Command  string   `json:"command"` // that asks atomtune the same, "" without Spec
}

// Ranked is one implementation of a ranking.
type Ranked struct {
	Name       string   `json:"name"`
	Class      string   `json:"class"`
	US         float64  `json:"us"`
	LowUS      *float64 `json:"low_us"` // ends of the 90 % interval, nil unless calls were recorded
	HighUS     *float64 `json:"high_us"`
	Bottleneck string   `json:"binding"` // the part of the device that binds
	Launch     string   `json:"launch"`  // in words
}

// Collides says how the stream collides.
type Collides struct {
	WarpLevel       float64 `json:"warp_level"`
	DistinctPerWarp float64 `json:"distinct_per_warp"`
	AllLevel        float64 `json:"all_level"`
	MaxFrequency    uint64  `json:"max_frequency"`
	Unique          uint64  `json:"unique"`
}

// options are those of the choice that the question asks for. Errors wrap ErrQuestion and
// device.ErrLaunch.
func (q CallQuestion) options() (o tuner.Options, err error) {
	o.Call = q.Call
	switch q.Launch {
	case "":
	case "search":
		o.SearchLaunch = true
	default:
		l, err := device.ParseLaunch(q.Launch)
		if err != nil {
			return o, fmt.Errorf("%w: %w", ErrQuestion, err)
		}
		o.Launches = []device.Launch{l}
	}
	return o, nil
}

// Call answers which implementation is the fastest. Errors wrap ErrQuestion, or are those of
// devices and choices.
func (x *Explorer) Call(q CallQuestion) (CallAnswer, error) {
	d, err := device.Builtin(q.Device)
	if err != nil {
		return CallAnswer{}, err
	}
	o, err := q.options()
	if err != nil {
		return CallAnswer{}, err
	}
	stats, err := x.Stats(q.Stream, int(d.Core.WarpLanes.Value))
	if err != nil {
		return CallAnswer{}, err
	}
	decision, err := tuner.Choose(&stats, d, o)
	if err != nil {
		return CallAnswer{}, err
	}
	return q.answer(&decision, &stats), nil
}

func (q CallQuestion) answer(decision *tuner.Decision, stats *collision.Stats) CallAnswer {
	a := CallAnswer{Naive: -1, FloorUS: decision.Floor.US, Reason: decision.Reason,
		Warnings: decision.Warnings.Texts(), Spec: q.Stream.Spec(), Stream: Collides{stats.WarpLevel,
			stats.DistinctPerWarp, stats.AllLevel, stats.MaxFrequency, stats.Unique}}
	for i, r := range decision.Ranking {
		a.Ranking = append(a.Ranking, Ranked{r.Implementation.String(), r.Class, r.PredictedUS, r.LowUS,
			r.HighUS, r.Binding, r.Launch.Words()})
		if r.Implementation.IsNaive() {
			a.Naive = i
		}
	}
	if a.Spec != "" {
		a.Command = q.command(a.Spec)
	}
	return a
}

// command is what asks atomtune the same of the whole stream.
func (q CallQuestion) command(spec string) string {
	text := fmt.Sprintf("atomtune choose --device %s --type %s", q.Device, q.Call.Type)
	if q.Call.Operand == device.One {
		text += " --value one"
	}
	switch q.Launch {
	case "":
	case "search":
		text += " --search-launch"
	default:
		text += " --launch " + q.Launch
	}
	return text + " synth:" + spec
}
