package device

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestBuiltinsArePlausible(t *testing.T) {
	asked := map[int]int{}
	for _, name := range Names() {
		p := changeable(t, name)
		for _, line := range p.Doubts() {
			t.Error(line)
		}
		known := p.known()
		for i, r := range relations() {
			for _, atomic := range r.atomics(p) {
				if new(side).evaluate(r.Less, atomic, known) && new(side).evaluate(r.More, atomic, known) {
					asked[i]++
				}
			}
		}
	}
	for i, r := range relations() {
		if asked[i] == 0 {
			t.Errorf("no built-in profile knows %s and %s", r.Less, r.More)
		}
	}
}

// changeable returns a copy of a built-in profile.
func changeable(t *testing.T, name string) *Profile {
	t.Helper()
	p, err := Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = Decode(data); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEachRelationIsAsked breaks each relation in a profile, and wants one warning that names both
// sides with their values.
func TestEachRelationIsAsked(t *testing.T) {
	for _, r := range relations() {
		t.Run(strings.ReplaceAll(r.Of+r.Less+" to "+r.More, " ", "_"), func(t *testing.T) {
			for _, name := range []string{"h200", "gtx980", "hd5870", "gtx580"} {
				if p := changeable(t, name); plant(p, r) {
					holdsOnce(t, p, r)
					return
				}
			}
			t.Error("it could not be broken")
		})
	}
}

// plant breaks a relation in the profile; false if the profile does not know both sides.
func plant(p *Profile, r relation) bool {
	known := p.known()
	for _, atomic := range r.atomics(p) {
		var less, more side
		if !less.evaluate(r.Less, atomic, known) || !more.evaluate(r.More, atomic, known) {
			continue
		}
		place, to := "", 0.0
		for _, word := range strings.Fields(less.text) {
			if _, err := strconv.ParseFloat(word, 64); err != nil && operators[word] == nil && place == "" {
				place = word
			}
		}
		if place == "" { // the number one
			place, to = more.text, 0.5
		}
		p.Facts(func(f Fact) {
			switch {
			case f.Place != place:
			case to > 0:
				f.Quantity.Value = to
			case less.value == 0:
				f.Quantity.Value = 2*more.value + 1
			default:
				f.Quantity.Value *= (2*more.value + 1) / less.value
			}
		})
		// Both sides of ".slice.word min .slice.sector" and of what they are means must move.
		if strings.Contains(r.Less, " min ") {
			p.Facts(func(f Fact) {
				if f.Place == atomic+".slice.sector" {
					f.Quantity.Value = 2*more.value + 1
				}
			})
		}
		return true
	}
	return false
}

func holdsOnce(t *testing.T, p *Profile, r relation) {
	t.Helper()
	found := 0
	for _, b := range p.breaches() {
		if b.because != r.Because || !sameSide(b.less.text, r.Less) || !sameSide(b.more.text, r.More) {
			continue
		}
		found++
		if !(b.less.value > b.more.value) || b.less.unit == "" {
			t.Errorf("%+v", b)
		}
	}
	if found != 1 {
		t.Errorf("%d warnings of it among %q", found, p.Doubts())
	}
}

// sameSide reports whether a breach names the places of a relation's side.
func sameSide(text, of string) bool {
	words, wants := strings.Fields(text), strings.Fields(of)
	if len(words) != len(wants) {
		return false
	}
	for i, word := range words {
		if word != wants[i] && !(wants[i][0] == '.' && strings.HasSuffix(word, wants[i])) {
			return false
		}
	}
	return true
}

func TestBreachesOfAtomicsAreOne(t *testing.T) {
	p := changeable(t, "h200")
	p.Shared.LoadLatency.Value = 50
	if list := p.breaches(); len(list) != 1 || list[0].less.value != 50 || list[0].further != 4 {
		t.Errorf("%+v", list)
	}
}

func TestUnknownQuantitiesBreakNothing(t *testing.T) {
	p := changeable(t, "h200")
	p.Exchange.HasMatch.Value = false
	p.Exchange.MatchLatency.Value, p.Exchange.MatchKey.Value = 0, 0
	p.Memory.FillBytes.Value = 0
	p.Global.Answers = nil
	if lines := p.Doubts(); len(lines) > 0 {
		t.Errorf("%q", lines)
	}
}

// TestAlterations changes each time and rate of a profile by itself. What no relation notices is
// another device that can exist. Times of rows are those of whole calls, which no relation asks for.
func TestAlterations(t *testing.T) {
	p, values := changeable(t, "h200"), map[string]float64{}
	p.Facts(func(f Fact) {
		if f.Quantity != nil && f.Quantity.Value != 0 && !strings.HasPrefix(f.Place, "rows.") &&
			slices.Contains([]string{"cycle", "cycle/key", "us", "byte/s", "MHz"}, f.Quantity.Unit) {
			values[f.Place] = f.Quantity.Value
		}
	})
	noticed := func(factor float64) (share float64) {
		for place, value := range values {
			to := func(value float64) {
				p.Facts(func(f Fact) {
					if f.Place == place {
						f.Quantity.Value = value
					}
				})
			}
			if to(factor * value); len(p.breaches()) > 0 {
				share += 1 / float64(len(values))
			}
			to(value)
		}
		return share
	}
	for factor, want := range map[float64]float64{0.1: 0.61, 0.3: 0.465, 3: 0.22, 10: 0.366} {
		if share := noticed(factor); share < want || len(values) < 100 {
			t.Errorf("times %v: %.3f of %d are noticed, want %v", factor, share, len(values), want)
		}
	}
}
