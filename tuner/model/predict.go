package model

import (
	"math"
	"slices"
	"sort"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// ClosedFormFactor is the factor on either side of a closed form's time that
// stands for its 90 % interval where no training has measured its error.
const ClosedFormFactor = 2

// A Prediction is the time of one implementation on one stream, in microseconds:
//
//	US = Kernels + Host
//	Kernels = Closed · exp(Tree(features) + Forest(features))
//
// Where measured points correct times alone and rank nothing, a time that the base puts behind
// that of a reference is not below it: see Calibration. All are +Inf where the implementation cannot
// run the stream.
//
// Trees and measured points are of the rule's launch. Under another their correction applies as it
// is: Kernels is what the rule's launch takes, times Closed over the closed form of the rule's.
type Prediction struct {
	US, Closed, Kernels float64
	Host                float64       // of the re-layout on the host
	Low, High           float64       // ends of the 90 % interval, once Intervals has been asked
	Launch              device.Launch // of the implementation; zero: device.Limits.Shape rules it
	leaf                int           // place of the tree's leaf among its nodes
}

// A Predictor predicts the times of several implementations on one device for
// one kind of call. It is safe for concurrent use.
type Predictor struct {
	List    []variant.Variant // the references, then the others
	Fixes   []*Implementation // corrections in the order of List; nil: the closed form alone
	Bundle  *speedup.Bundle   // closed forms in the order of List, of a device with free re-layout
	call    device.Call
	under   *speedup.Launches // of which each implementation takes the best; nil: the rule's
	hostUS  []float64         // of the host, per update
	factors [][]float64       // exp(Tree) by its nodes
	// What measured points correct: nil without a forest or calibration.
	forest      *Forest
	places      []int // of List in the forest's leaves
	references  int
	calibration *Calibration
	// Of the intervals, where the calibration renewed them or the profile is an estimate.
	low, high float64
}

// Predictions holds what a Predictor says of one stream. It may be used again.
type Predictions struct {
	List   []Prediction // in the order of Predictor.List
	x      Vector       // features of the stream
	closed []float64
	us     []float64       // corrected by measured points, or under launches
	launch []device.Launch // the best of them
	under  *speedup.LaunchBuffer
	order  []int // places of the references by the base's times
	behind []int // of each other, how many references the base puts before it
}

// KeepsOrder reports whether corrected times keep the order of the base's: see Calibration.
func (m *Model) KeepsOrder() bool {
	return m != nil && m.Forest != nil && !m.Calibration.Ranks
}

// NewPredictor prepares predictions by a model, or by the closed forms alone if that is nil. Where the
// model KeepsOrder, the times of the references depend on each other; those of the others depend on
// the references, and no time on the others. relaid says that the updates arrive re-laid. Each
// implementation takes the best of the launches; without any, that of the rule. Errors are those of
// speedup.CompileAll and speedup.Bundle.Under.
func NewPredictor(references, others []variant.Variant, d *device.Profile, c device.Call, relaid bool,
	launches []device.Launch, m *Model) (*Predictor, error) {
	list := slices.Concat(references, others)
	closed, err := speedup.CompileAll(list, WithoutHost(d), c)
	if err != nil {
		return nil, err
	}
	p := &Predictor{List: list, Bundle: closed, call: c, references: len(references)}
	if len(launches) > 0 {
		if p.under, err = closed.Under(launches); err != nil {
			return nil, err
		}
	}
	for _, v := range list {
		host := 0.0
		if v.OnHost() && !relaid {
			host = d.Host.Relayout.Value / 1e3
		}
		fix := m.Find(v)
		p.Fixes, p.factors = append(p.Fixes, fix), append(p.factors, fix.factors())
		p.hostUS = append(p.hostUS, host)
	}
	if m != nil {
		p.calibration = m.Calibration
	}
	p.low, p.high = widened(d)
	if c := p.calibration; c != nil && c.Renewed {
		p.low, p.high = portable.Exp(c.Low), portable.Exp(c.High)
	}
	if m != nil && m.Forest != nil {
		p.forest, p.places = m.Forest, m.Forest.Columns(list)
	}
	return p, nil
}

// BehindNaive reports whether an implementation updates the same global targets as naive with a
// closed form that is no cheaper. It is not ranked before naive then: their trees differ by noise.
func BehindNaive(v variant.Variant, closed, naiveClosed float64) bool {
	return v.AddsAtTargets() && closed >= naiveClosed
}

// WithoutHost returns the profile with free re-layout, on which trees are trained. The
// host's time is added to the corrected time of the kernels.
func WithoutHost(d *device.Profile) *device.Profile {
	bare := *d
	bare.Host.Relayout.Value = 0
	return &bare
}

// Buffer returns memory for the predictions of one stream.
func (p *Predictor) Buffer() *Predictions {
	n := len(p.List)
	of := &Predictions{List: make([]Prediction, n), closed: make([]float64, n),
		us: make([]float64, n), order: make([]int, p.references), behind: make([]int, n-p.references),
		launch: make([]device.Launch, n), under: speedup.NewLaunchBuffer(n)}
	for i := range of.order {
		of.order[i] = i
	}
	return of
}

// Predict writes the times of all implementations into a Buffer, without
// allocating. The statistics have passed CheckStats.
func (p *Predictor) Predict(s *collision.Stats, into *Predictions) {
	into.x.Fill(s, p.call)
	updates := float64(s.Updates)
	p.Bundle.US(s, into.closed)
	for i, closed := range into.closed {
		r := &into.List[i]
		r.Closed, r.Kernels, r.Host = closed, closed, float64(p.hostUS[i]*updates)
		if fix := p.Fixes[i]; fix != nil && !math.IsInf(closed, 1) {
			into.x.Price(closed, 1/updates)
			r.leaf = fix.Tree.Find(into.x[:])
			r.Kernels = float64(closed * p.factors[i][r.leaf])
		}
		r.US = r.Kernels + r.Host
	}
	if p.forest != nil {
		p.measured(into)
	}
	if p.under != nil {
		p.launched(s, into)
	}
}

// launched brings the predictions from the rule's launch to the best of others.
func (p *Predictor) launched(s *collision.Stats, of *Predictions) {
	p.under.US(s, of.us, of.launch, of.under)
	for i, closed := range of.us {
		r := &of.List[i]
		r.Launch = of.launch[i]
		if r.Kernels *= closed / r.Closed; math.IsInf(closed, 1) {
			r.Kernels = closed
		}
		r.Closed, r.US = closed, r.Kernels+r.Host
	}
}

// Explain returns the price of the implementation at that place of List, in the launch of its
// prediction, with its phases and bounds. Errors are those of speedup.Bundle.Explain.
func (p *Predictor) Explain(s *collision.Stats, place int, l device.Launch) (speedup.Cost, error) {
	if p.under == nil {
		return p.Bundle.Explain(s, place)
	}
	return p.under.Explain(s, place, l)
}

// measured corrects times by the forest. Where it ranks nothing, none falls below that of a
// reference that the base puts before it.
func (p *Predictor) measured(of *Predictions) {
	if !p.calibration.Ranks {
		of.sort()
	}
	p.forest.Corrections(of.x[:], p.places, of.us)
	for i, log := range of.us {
		r := &of.List[i]
		r.Kernels = float64(r.Kernels * portable.Exp(log))
		r.US = r.Kernels + r.Host
		of.us[i] = r.US
	}
	if p.calibration.Ranks {
		return
	}
	KeepOrder(of.us, of.order)
	for k, n := range of.behind {
		if n > 0 {
			KeepOrder(of.us, []int{of.order[n-1], p.references + k})
		}
	}
	for i, us := range of.us {
		if r := &of.List[i]; us > r.US {
			r.US, r.Kernels = us, us-r.Host
		}
	}
}

// KeepOrder raises each time that is not above the one before it in the order given. +Inf stays.
func KeepOrder(us []float64, order []int) {
	last := 0.0
	for _, i := range order {
		if us[i] <= last && !math.IsInf(us[i], 1) {
			us[i] = math.Nextafter(last, math.Inf(1))
		}
		last = us[i]
	}
}

// sort orders the references by time, equal ones by their place, and finds the place of each other
// among them: the references of the stream before are nearly in order.
func (of *Predictions) sort() {
	for k := 1; k < len(of.order); k++ {
		i, at := of.order[k], k
		us := of.List[i].US
		for ; at > 0; at-- {
			j := of.order[at-1]
			if before := of.List[j].US; before < us || before == us && j < i {
				break
			}
			of.order[at] = j
		}
		of.order[at] = i
	}
	for k := range of.behind {
		us := of.List[len(of.order)+k].US
		of.behind[k] = sort.Search(len(of.order), func(n int) bool { return of.List[of.order[n]].US > us })
	}
}

// Intervals completes predictions by their 90 % intervals.
func (p *Predictor) Intervals(of *Predictions) {
	for i := range of.List {
		r := &of.List[i]
		r.Low, r.High = r.Closed, r.Closed
		if !math.IsInf(r.Closed, 1) {
			low, high := p.low, p.high
			if high == 0 {
				low, high = p.Fixes[i].interval(r.leaf)
			}
			r.Low, r.High = Total(r.Kernels, low, r.Host), Total(r.Kernels, high, r.Host)
		}
	}
}

// factors returns exp(Tree) by its nodes.
func (m *Implementation) factors() (list []float64) {
	if m == nil {
		return nil
	}
	for i := range m.Tree.NumNodes() {
		list = append(list, portable.Exp(m.Tree.At(i).Value))
	}
	return list
}

// interval returns the factors of the prediction between which the central 90 %
// of times lie, for a stream that reaches that leaf:
//
//	exp(-sqrt((Low·s)² + e²)) and exp(sqrt((High·s)² + e²))
//
// with s as in Scale for the leaf's spread and e the SimulationError.
func (m *Implementation) interval(leaf int) (low, high float64) {
	if m == nil {
		return 1.0 / ClosedFormFactor, ClosedFormFactor
	}
	s := Scale(m.Tree.At(leaf).StdDev, m.FamilyOut.RMSE)
	return portable.Exp(-portable.Hypot(min(0, m.Low*s),
		SimulationError)), portable.Exp(portable.Hypot(max(0, m.High*s), SimulationError))
}

// Total keeps the product rounded before the sum, so that every compiler gives the same bits.
func Total(closed, factor, host float64) float64 { return float64(closed*factor) + host }
