package calibration

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

// estimate is a quantity on its way into the profile.
type estimate struct {
	value     float64
	interval  Interval
	residuals *Residuals
	once      bool   // of a reading without repeats, whose noise the interval does not hold
	exact     bool   // not to be rounded
	assumed   bool   // not from a measurement: source says from where
	source    string // where not assumed: the suite of the readings
	rationale string
}

// exactly is what the driver says.
func exactly(value float64, rationale string) estimate {
	return estimate{value: value, interval: Interval{value, value}, exact: true, source: "device",
		rationale: rationale}
}

// assume is what the measurements could not determine.
func assume(value float64, source, rationale string) estimate {
	return estimate{value: value, exact: true, assumed: true, source: source, rationale: rationale}
}

// from names the suite of an estimate and says how it follows.
func (e estimate) from(suite, format string, args ...any) estimate {
	e.source, e.rationale = suite, fmt.Sprintf(format, args...)
	return e
}

func (e estimate) times(factor float64) estimate {
	return e.by(exactly(factor, ""))
}

func (e estimate) by(o estimate) estimate {
	return e.with(o, e.value*o.value, e.interval.Low*o.interval.Low, e.interval.High*o.interval.High)
}

// less is the estimate less another, 0 at least.
func (e estimate) less(o estimate) estimate {
	return e.with(o, max(0, e.value-o.value), max(0, e.interval.Low-o.interval.High),
		max(0, e.interval.High-o.interval.Low))
}

func (e estimate) plus(o estimate) estimate {
	return e.with(o, e.value+o.value, e.interval.Low+o.interval.Low, e.interval.High+o.interval.High)
}

func (e estimate) per(o estimate) estimate {
	return e.with(o, e.value/o.value, e.interval.Low/o.interval.High, e.interval.High/o.interval.Low)
}

// with has that value and interval, which hang on another estimate too.
func (e estimate) with(o estimate, value, low, high float64) estimate {
	e.value, e.interval, e.once = value, Interval{low, high}, e.once || o.once
	return e
}

// geometric is the geometric mean of estimates; its interval holds all of theirs.
func geometric(list []estimate) estimate {
	e, logs := estimate{interval: Interval{math.Inf(1), 0}}, 0.0
	for _, o := range list {
		logs += math.Log(o.value)
		e.interval.Low = min(e.interval.Low, o.interval.Low)
		e.interval.High = max(e.interval.High, o.interval.High)
		e.once = e.once || o.once
	}
	e.value = math.Exp(logs / float64(len(list)))
	return e
}

// significant rounds to four digits: more than any reading repeats.
func significant(v float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return rounded
}

// put sets a quantity by its place in the profile, such as core.clock.
func (b *builder) put(place string, e estimate) { b.setter(&b.p, "")(place, e) }

// setter sets the quantities of a part of the profile, which stands at that place, by their places in it.
func (b *builder) setter(part any, prefix string) func(place string, e estimate) {
	return func(place string, e estimate) {
		var q *device.Quantity
		device.FactsOf(part, func(f device.Fact) {
			if f.Place == place {
				q = f.Quantity
				*q = b.quantity(prefix+place, f.Unit(), e)
			}
		})
		if q == nil {
			panic("no quantity " + prefix + place)
		}
	}
}

// quantity notes an estimate in the report and returns it as a profile's.
func (b *builder) quantity(place, unit string, e estimate) device.Quantity {
	if math.IsNaN(e.value) || math.IsInf(e.value, 0) {
		e.value = 0 // readings are missing, which lacks says
	}
	if !e.exact {
		e.value = significant(e.value)
	}
	q := device.Quantity{Value: e.value, Unit: unit, Source: e.source, Rationale: e.rationale}
	if e.assumed {
		b.unidentified(place, fmt.Sprintf("%v: %s", e.value, e.rationale))
		return q
	}
	file, part := recordings.ReadingsFile, "suite "+e.source
	if strings.HasPrefix(e.source, columnSource) {
		file, part = recordings.ScratchpadFile, e.source
	}
	if q.Source = b.source(file, part); e.source == rowSource {
		q.Source = fmt.Sprintf("measured on %s (%s): row scatters", b.in.Provenance.GPU, rowSource)
	}
	switch {
	case e.once:
		b.unidentified(place, "one repeat: no interval")
		q.Rationale += "; one repeat: no interval"
	case !e.exact:
		q.Rationale += fmt.Sprintf("; 95 %% interval %.4g to %.4g", e.interval.Low, e.interval.High)
	}
	b.report.Quantities = append(b.report.Quantities, Estimate{Name: place, Value: q.Value, Unit: unit,
		Interval: e.interval, Residuals: e.residuals, Source: q.Source, Rationale: e.rationale})
	return q
}

// source names what was measured, never when or in which folder, so that equal
// measurements give equal profiles.
func (b *builder) source(file, part string) string {
	p := b.in.Provenance
	return fmt.Sprintf("measured on %s (driver %s, CUDA %s): %s, %s",
		p.GPU, p.Driver, p.CUDA, file, part)
}

func (b *builder) warn(format string, args ...any) {
	b.report.Warnings = append(b.report.Warnings, fmt.Sprintf(format, args...))
}

func (b *builder) unidentified(place, reason string) {
	b.report.Unidentified = append(b.report.Unidentified, Unidentified{place, reason})
}

// since is a capability that devices have from a major compute capability on.
func (b *builder) since(major int) device.Capability {
	word, has := "from", b.cc.major >= major
	if !has {
		word = "only from"
	}
	return device.Capability{Value: has, Source: guide,
		Rationale: fmt.Sprintf("%s compute capability %d.0 on; this one is %s", word, major, b.cc)}
}
