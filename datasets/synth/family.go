package synth

// A Family is a way of making streams.
type Family struct {
	Name    string
	Summary string
	Params  []Param
	// generate fills dst; s is complete and valid.
	generate func(dst []uint32, s Spec, r *Rand)
}

// A Param is one parameter of a family.
type Param struct {
	Name      string
	Summary   string
	Default   float64
	Min, Max  float64 // valid values, both ends included
	Low, High float64 // Sample draws from Low to High
	Integer   bool
	Log       bool // Sample draws log-uniformly
	PerTarget bool // an integer with no more values than there are targets
}

// limit returns high, or what k allows where that is less.
func (p Param) limit(high float64, k uint32) float64 {
	if p.PerTarget {
		return min(high, p.Min+float64(k)-1)
	}
	return high
}

const maxTargets = 1<<32 - 1

func flag(name, summary string) Param {
	return Param{Name: name, Summary: summary, Max: 1, High: 1, Integer: true}
}

func share(name, summary string, value float64) Param {
	return Param{Name: name, Summary: summary, Default: value, Max: 1, High: 1}
}

func count(name, summary string, value, high float64) Param {
	return Param{Name: name, Summary: summary, Default: value, Min: 1, Max: maxTargets,
		Low: 1, High: high, Integer: true, Log: true}
}

func countOf(name, summary string, value, high float64) Param {
	p := count(name, summary, value, high)
	p.PerTarget = true
	return p
}

const mixtureName = "mixture"

// Families lists all families by name.
func Families() []Family {
	return []Family{
		{"cells", "particles sorted by cell, then shifted to neighbours [westphal15]", []Param{
			count("ppc", "particles per cell", 10, 64),
			share("shift", "probability of a shift in each of 3 directions", 0.5),
		}, cells},
		{"constant", "every update on one target", []Param{{Name: "at", Summary: "the target",
			Max: maxTargets, High: maxTargets, Integer: true, PerTarget: true}}, constant},
		{"hotspot", "few hot targets take a share of the updates, the rest is uniform",
			[]Param{
				countOf("h", "hot targets", 4, 1024),
				share("p", "share of updates on hot targets", 0.9),
				flag("shuffle", "1 scatters the hot targets, 0 leaves them at 0 to h-1"),
			}, hotspot},
		{"image", "rows of a smooth random square image, quantized to k levels",
			[]Param{
				count("scale", "pixels over which the field changes", 16, 256),
				share("noise", "amplitude of uniform noise, relative to that of the field", 0),
			}, picture},
		{"markov", "a random walk over the targets that stays, steps or jumps", []Param{
			share("stay", "probability of staying on the target", 0.5),
			share("jump", "probability of a uniform target, if it does not stay", 0.1),
			countOf("w", "longest step otherwise", 4, 1024),
		}, markov},
		{mixtureName, "parts of other families, mixed by update or by block", []Param{{
			Name:    "block",
			Summary: "updates in a row from one part; 0 draws a part for each update",
			Max:     maxTargets, High: 4096, Integer: true}}, mixture},
		{"permuted", "random permutations of all targets, one after another", nil, permuted},
		{"runs", "runs of equal updates, each on a uniformly drawn target", []Param{
			count("len", "mean length of a run", 8, 256),
			flag("fixed", "1 gives every run this length, 0 draws geometric lengths"),
		}, runs},
		{"sequential", "targets 0, 1, 2, ..., wrapping around", nil, stride},
		{"sorted", "uniform targets in ascending order", nil, sorted},
		{"stride", "targets 0, step, 2·step, ..., wrapping around", []Param{
			countOf("step", "distance between successive targets", 32, 65536),
		}, stride},
		{"uniform", "independent uniform targets", nil, uniform},
		{"window", "uniform in a window that advances by one target at a time", []Param{
			countOf("w", "width of the window", 64, 4096),
			count("hold", "updates between moves", 32, 4096),
		}, window},
		{"zipf", "target of rank i with probability proportional to i^-s [hormann96]", []Param{
			{Name: "s", Summary: "exponent", Default: 1, Max: 3, High: 3},
			flag("shuffle", "1 scatters the ranks, 0 puts rank i at target i-1"),
		}, zipfian},
	}
}

func family(name string) (Family, bool) {
	for _, f := range Families() {
		if f.Name == name {
			return f, true
		}
	}
	return Family{}, false
}

func (f Family) param(name string) (Param, bool) {
	for _, p := range f.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}
