package model

// Calibration says what measured points were worth to a model, by cross-validation over whole
// families of streams, or over whole streams where the points have few families.
type Calibration struct {
	Streams int    `json:"streams"`
	Hash    string `json:"hash"` // SHA-256 of the points
	// Trees is the number of the correction's trees, 0 for none, and Leaves the most that one has: a
	// single one has offsets alone. Apart is set where implementations are corrected apart.
	Trees  int  `json:"trees"`
	Leaves int  `json:"leaves"`
	Apart  bool `json:"apart"`
	// Before and After judge the base and the corrected model, each by the choices that it makes
	// and the times that it predicts. A correction is kept where it lowers the RMSE.
	Before Fidelity `json:"before"`
	After  Fidelity `json:"after"`
	// Ranked is what choices by the corrected times lose. Ranks is set where neither its geometric
	// mean nor its 90th percentile nor its maximum is greater than Before: choices go by the corrected
	// times then. Otherwise they go by those of the base, and corrected times keep their order.
	Ranked Loss `json:"ranked"`
	Ranks  bool `json:"ranks"`
	// Renewed is set where the 90 % intervals are those of measured points, exp(Low) to exp(High)
	// around a time; the shares of all measured times and of those of the choices that they hold
	// are Coverage and ChoiceCoverage.
	Renewed        bool    `json:"renewed"`
	Low            float64 `json:"low"`
	High           float64 `json:"high"`
	Coverage       float64 `json:"coverage"`
	ChoiceCoverage float64 `json:"choice_coverage"`
}

// Fidelity judges predicted times of the measured implementations of points, and choices by them.
type Fidelity struct {
	RMSE float64 `json:"rmse"` // root mean square of ln(measured/predicted)
	Loss Loss    `json:"loss"` // measured time of the choice over the best measured one
	// MeanError is exp(mean |ln(measured/predicted)|) - 1 of the choices.
	MeanError float64 `json:"mean_error"`
}

// NoWorse reports whether no figure of the loss is greater than another's.
func (l Loss) NoWorse(than Loss) bool {
	return l.GeometricMean <= than.GeometricMean && l.P90 <= than.P90 && l.Max <= than.Max
}
