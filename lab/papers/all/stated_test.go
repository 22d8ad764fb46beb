package all

import "slices"

// stated reports whether a paper gives the value, or numbers of which it is made.
func stated(paper string, value float64) bool {
	for _, p := range Papers() {
		if p.Key != paper || p.Published == nil {
			continue
		}
		for _, n := range p.Published.All() {
			if n.Value == value {
				return true
			}
		}
		return slices.Contains(derived(paper, p.Published.Number), value)
	}
	return false
}

// derived are the values that rows make of a paper's numbers.
func derived(paper string, n func(key string) float64) []float64 {
	switch paper {
	case "gomezluna13":
		position, short, long, extra := n("t_position"), 2*n("t_bank"), n("t_bank-long"), n("t_extra")
		return []float64{31 * position, short, 2*long + extra, 2*long + extra + short,
			2*long + 2*extra + 2*short, short + extra, long + extra}
	case "elteir11":
		lanes, groups, x, xl := 64.0, 128.0,
			n("copy through the FastPath")/n("copy through the CompletePath"),
			1/n("bandwidth of local memory")
		const linear = (128 - 64) / (64 - 32)
		const quarter, same = 1.0 / 4, 1
		return []float64{linear, quarter, same, x, lanes * groups * x / ((2*lanes+1.5*groups)*xl + 9),
			n("figure 13 system FastPath") + n("figure 13 system CompletePath")}
	}
	return nil
}
