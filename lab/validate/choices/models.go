package choices

import (
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner"
)

// ModelLoss is what an embedded model's choices lose on the points of its own
// sweep, in simulated time.
type ModelLoss struct {
	Device     string           `json:"device"`
	Points     int              `json:"points"`
	Evaluation tuner.Evaluation `json:"evaluation"`
}

// trainedDevices have an embedded model.
var trainedDevices = []string{"h200", "gtx680", "c2075"}

// simulatedLoss is the limit of a model's mean loss on points that its trees
// had not seen.
const simulatedLoss = 1.15

// modelLosses takes from each embedded model what its training found.
func modelLosses() ([]ModelLoss, error) {
	var all []ModelLoss
	for _, name := range trainedDevices {
		m, err := tuner.EmbeddedModel(name)
		if err != nil {
			return nil, err
		}
		all = append(all, ModelLoss{name, m.Rows, m.Evaluation})
	}
	return all, nil
}

func (m ModelLoss) checks() []validate.Check {
	held := m.Evaluation.HeldOut
	return []validate.Check{{Item: "model of " + m.Device + ": simulated time of the choice over the best on points not seen, geometric mean",
		Value: held.GeometricMean, Limit: simulatedLoss, Unit: validate.UnitTimes, Rows: held.Points, Status: validate.Enforced}}
}
