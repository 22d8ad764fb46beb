package estimate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/device"
)

// making is a profile that is being made.
type making struct {
	file     *File
	of, from *Device // the device, and its base
	base, p  *device.Profile
}

// Profile makes the profile of a device from its figures, those of a base and the base's profile.
// Errors wrap device.ErrUnknown, ErrFigures, and device.ErrProfile where the result is none.
func (f *File) Profile(name string, base *device.Profile) (*device.Profile, error) {
	of, err := f.Device(name)
	if err != nil {
		return nil, err
	}
	from, err := f.Device(base.Name)
	if err != nil {
		return nil, err
	}
	p, err := clone(base)
	if err != nil {
		return nil, err
	}
	m := &making{f, of, from, base, p}
	p.Name, p.Title, p.Vendor, p.Architecture = of.Name, of.Title, of.Vendor, of.Architecture
	p.Estimate = &device.Estimate{Base: base.Name, BaseVendor: base.Vendor}
	m.takeOver()
	if err := m.state(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFigures, name, err)
	}
	m.scale()
	m.exchange()
	m.native()
	m.drop()
	return p, p.Validate()
}

func clone(p *device.Profile) (*device.Profile, error) {
	data, err := p.Encode()
	if err != nil {
		return nil, err
	}
	return device.Decode(data)
}

// takeOver marks all that the base says as an estimate.
func (m *making) takeOver() {
	m.p.Global.Hash, m.p.Paths = nil, nil
	m.p.Facts(func(f device.Fact) {
		f.Say(device.SourceEstimate, "as on the "+m.base.Name)
	})
}

// state sets what documents state.
func (m *making) state() (err error) {
	left := merged(m.of.Facts, nil)
	m.p.Facts(func(f device.Fact) {
		figure, ok := left[f.Place]
		if !ok {
			return
		}
		delete(left, f.Place)
		var wrong error
		if f.Quantity != nil {
			f.Quantity.Value, wrong = figure.number()
		} else {
			f.Capability.Value, wrong = strconv.ParseBool(string(figure.Value))
		}
		if wrong != nil {
			err = fmt.Errorf("%s is %s", f.Place, figure.Value)
		}
		f.Say(m.file.source(figure.Document, figure.Where), figure.Rationale)
	})
	if err != nil || len(left) == 0 {
		return err
	}
	return fmt.Errorf("a profile has no %s", strings.Join(slices.Sorted(maps.Keys(left)), ", "))
}

// set changes what no document states.
func set(q *device.Quantity, value float64, format string, args ...any) {
	if q.Source == device.SourceEstimate {
		q.Value, q.Rationale = value, fmt.Sprintf(format, args...)
	}
}

// scale sets what goes with counts, clocks and rates.
func (m *making) scale() {
	p, b, name := m.p, m.base, m.base.Name
	ratio := func(of, from device.Quantity) float64 { return of.Value / from.Value }
	clock := ratio(p.Core.Clock, b.Core.Clock)
	by, why := ratio(p.Core.SMs, b.Core.SMs), "SMs"
	if m.of.L2PerTurn != nil && m.from.L2PerTurn != nil {
		own, _ := m.of.L2PerTurn.number()
		other, _ := m.from.L2PerTurn.number()
		by, why = own/other, "bytes that L2 reads in a cycle"
	}
	each := p.Global.RegionSlices.Value
	set(&p.Global.Slices, max(1, math.Round(b.Global.Slices.Value*by/each))*each,
		"%v of the %s, with the %s, to whole region_slices", b.Global.Slices.Value, name, why)
	set(&p.Memory.L2Rate, rounded(b.Memory.L2Rate.Value*ratio(p.Global.Slices, b.Global.Slices)*clock),
		"%.4g of the %s, with slices and clock", b.Memory.L2Rate.Value, name)
	own, _ := m.of.DRAMRate.number()
	other, _ := m.from.DRAMRate.number()
	for _, q := range []struct {
		of   *device.Quantity
		from float64
	}{
		{&p.Memory.DRAMRate, b.Memory.DRAMRate.Value}, {&p.Memory.AtomicRate, b.Memory.AtomicRate.Value},
	} {
		set(q.of, rounded(q.from*own/other), "%.4g of the %s, with the published bandwidth: %.4g (%s) "+
			"against %.4g", q.from, name, own,
			m.file.source(m.of.DRAMRate.Document, m.of.DRAMRate.Where), other)
	}
	set(&p.Memory.L2AtomicBytes,
		math.Round(b.Memory.L2AtomicBytes.Value*ratio(p.Memory.L2Bytes, b.Memory.L2Bytes)),
		"%.4g of the %s, with l2_bytes", b.Memory.L2AtomicBytes.Value, name)
	set(&p.Global.MissLatency, rounded(b.Global.MissLatency.Value*clock),
		"%v of the %s, with the clock", b.Global.MissLatency.Value, name)
}

// exchange sets what goes with the number of lanes of a warp, and a match that one of both has.
func (m *making) exchange() {
	x, name := &m.p.Exchange, m.base.Name
	lanes := m.p.Core.WarpLanes.Value / m.base.Core.WarpLanes.Value
	for _, q := range []*device.Quantity{&m.p.Core.IssueCycles, &x.ShufflePort, &x.BallotPort} {
		if lanes != 1 {
			set(q, rounded(q.Value*lanes), "%v of the %s, with warp_lanes", q.Value, name)
		}
	}
	if warps := &m.p.Core.MaxWarps; lanes != 1 {
		set(warps, math.Floor(warps.Value/lanes), "as many threads as the %v warps of the %s", warps.Value,
			name)
	}
	match := []*device.Quantity{&x.MatchLatency, &x.MatchKey, &x.MatchPort, &x.MatchKeyPort}
	switch had := m.base.Exchange.HasMatch.Value; {
	case had && !x.HasMatch.Value:
		for _, q := range match {
			set(q, 0, "the device has no match")
		}
	case !had && x.HasMatch.Value:
		for i, of := range []device.Quantity{x.BallotLatency, x.BallotLatency, {}, x.BallotPort} {
			set(match[i], of.Value, "the %s has no match: taken for a ballot of each key", name)
		}
	}
}

// native sets what documents say is added natively, and the base adds otherwise.
func (m *making) native() {
	p := m.p
	shared, global := p.SharedAtomic(device.U32), p.GlobalAtomic(device.U32)
	foreign := m.of.Vendor != m.base.Vendor
	for _, t := range device.Types() {
		use, key := p.Types[t], t.String()+"_native"
		if i, ok := m.of.NativeShared[t]; ok && (foreign || p.SharedAtomic(t).Mechanism != device.Native) {
			own := shared
			own.Instruction, use.Shared, use.SharedOne = i.Instruction, key, key
			p.SharedAtomics[key] = own
		}
		if i, ok := m.of.NativeGlobal[t]; ok && (foreign || p.GlobalAtomic(t).Mechanism != device.Native) {
			own := global
			own.Instruction, use.Global = i.Instruction, key
			p.GlobalAtomics[key] = own
		}
		p.Types[t] = use
	}
}

// kept are the operations on shared memory of which updates are made.
var kept = []device.Operation{device.OpMin, device.OpExchange, device.OpCASLoop, device.OpLoad}

// drop leaves out what no type uses any more, and of another vendor's base what depends on warps.
func (m *making) drop() {
	p, foreign := m.p, m.of.Vendor != m.base.Vendor
	shared, global := map[string]bool{}, map[string]bool{}
	for t, use := range p.Types {
		operations := map[device.Operation]string{}
		for o, key := range use.SharedOperations {
			if slices.Contains(kept, o) && !foreign {
				operations[o], shared[key] = key, true
			}
		}
		if use.SharedOperations = operations; len(operations) == 0 {
			use.SharedOperations = nil
		}
		p.Types[t] = use
		shared[use.Shared], shared[use.SharedOne] = true, true
		global[use.Global], global[use.GlobalExtreme] = true, true
	}
	for key, a := range p.SharedAtomics {
		if !shared[key] {
			delete(p.SharedAtomics, key)
		} else if foreign {
			a.Warp = nil
			p.SharedAtomics[key] = a
		}
	}
	for key := range p.GlobalAtomics {
		if !global[key] {
			delete(p.GlobalAtomics, key)
		}
	}
}

// rounded keeps four significant digits.
func rounded(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return r
}

// Nearest returns the base of a device among profiles of readings. Errors wrap device.ErrUnknown, or
// ErrFigures where no other of these devices has figures.
func (f *File) Nearest(name string, among []*device.Profile) (*device.Profile, error) {
	of, err := f.Device(name)
	if err != nil {
		return nil, err
	}
	own, _ := of.DRAMRate.number()
	var nearest *device.Profile
	var least [3]float64 // another vendor, compute capability, ln of the bandwidth
	var names []string
	for _, p := range among {
		names = append(names, p.Name)
		from, err := f.Device(p.Name)
		if err != nil || p.Name == name {
			continue
		}
		other, _ := from.DRAMRate.number()
		far := [3]float64{0, math.Abs(capability(of.Architecture) - capability(from.Architecture)),
			math.Abs(math.Log(own / other))}
		if from.Vendor != of.Vendor {
			far[0], far[1] = 1, 0
		}
		if nearest == nil || slices.CompareFunc(far[:], least[:], cmp.Compare[float64]) < 0 {
			nearest, least = p, far
		}
	}
	if nearest == nil {
		return nil, fmt.Errorf("%w: %s is estimated from another device with public figures, which "+
			"%s is not", ErrFigures, name, strings.Join(names, " or "))
	}
	return nearest, nil
}

// capability is an architecture's compute capability as one number, 0 of another vendor's.
func capability(architecture string) float64 {
	major, minor, err := (&device.Profile{Architecture: architecture}).ComputeCapability()
	if err != nil {
		return 0
	}
	return float64(10*major + minor)
}

// Measured returns the built-in profiles that are made of readings.
func Measured() (list []*device.Profile, err error) {
	for _, name := range device.Names() {
		p, err := device.Builtin(name)
		if err != nil {
			return nil, err
		}
		if p.Origin() == device.OfReadings {
			list = append(list, p)
		}
	}
	return list, nil
}

// Builtin returns the names of the devices that have figures and no built-in profile, or one that is
// an estimate.
func (f *File) Builtin() (names []string) {
	for _, d := range f.Devices {
		if p, err := device.Builtin(d.Name); err != nil || p.Estimate != nil {
			names = append(names, d.Name)
		}
	}
	return names
}
