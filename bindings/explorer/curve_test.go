package explorer

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// asked is a question about every device and axis.
func asked(device, axis string) CallQuestion {
	return CallQuestion{Device: device, Axis: axis, Stream: Stream{1 << 19, 1 << 11, 1, 1}}
}

// TestCurve: the fastest at a place of the curve is the one that Call ranks first there, but for
// ties, and each change of the fastest lies between the two places that show it.
func TestCurve(t *testing.T) {
	checked := 0
	for _, axis := range Axes() {
		for _, name := range []string{"h200", "gtx680", "hd5870"} {
			q := asked(name, axis.Name)
			c, err := new(Explorer).Curve(q)
			must(t, err)
			for _, line := range c.Lines {
				if len(line.US) != len(c.At) {
					t.Errorf("%s, %s: %s has %d times at %d places", name, axis.Name, line.Name, len(line.US),
						len(c.At))
				}
			}
			if !slices.Contains(c.At, axis.of(q.Stream)) {
				t.Errorf("%s: the curve %v leaves out the stream", axis.Name, c.At)
			}
			for i, at := range c.At {
				q.Stream = axis.move(asked(name, axis.Name).Stream, at)
				if i%3 == 0 {
					leads(t, q, c, i)
					checked++
				}
			}
			ends(t, c)
			for i := range c.Wins {
				if i > 0 && !(c.Wins[i].From > c.Wins[i-1].From && c.Wins[i].From <= axis.Most) {
					t.Errorf("%s, %s: stretches %v", name, axis.Name, c.Wins)
				}
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d places checked", checked)
	}
}

// ends holds that whatever wins has a time at both ends of each stretch on which it does.
func ends(t *testing.T, c Curve) {
	t.Helper()
	for i, w := range c.Wins {
		to := c.Axis.Most
		if i+1 < len(c.Wins) {
			to = c.Wins[i+1].From
		}
		line := c.Lines[slices.IndexFunc(c.Lines, func(l Line) bool { return l.Name == w.Name })]
		for place, at := range c.At {
			if at >= w.From && at <= to && line.US[place] == nil {
				t.Errorf("%s wins from %v to %v, and has no time at %v", w.Name, w.From, to, at)
			}
		}
	}
}

// leads compares the curve at a place with the ranking there.
func leads(t *testing.T, q CallQuestion, c Curve, place int) {
	t.Helper()
	a, err := new(Explorer).Call(q)
	must(t, err)
	at, led := c.At[place], false // at the end of a stretch by either
	for i, w := range c.Wins {
		line := c.Lines[slices.IndexFunc(c.Lines, func(l Line) bool { return l.Name == w.Name })]
		if us := line.US[place]; us != nil && w.From <= at && (i+1 == len(c.Wins) || at <= c.Wins[i+1].From) {
			led = led || *us <= a.Ranking[0].US*(1+tie)*1.0001
		}
	}
	if !led {
		t.Errorf("%+v: %v lead the curve, %s the ranking with %v", q, c.Wins, a.Ranking[0].Name, a.Ranking[0].US)
	}
	for _, line := range c.Lines {
		us := line.US[place]
		if line.Name == "naive" && (a.Naive < 0 || math.Abs(*us/a.Ranking[a.Naive].US-1) > 1e-9) {
			t.Errorf("%+v: naive takes %v on the curve, place %d of the ranking", q, *us, a.Naive)
		}
	}
}

// TestCrossing: times that go straight on logarithmic axes cross where they are equal.
func TestCrossing(t *testing.T) {
	line := func(name string, us ...float64) Line {
		l := Line{Name: name}
		for _, v := range us {
			l.US = append(l.US, known(v))
		}
		return l
	}
	axis := Axes()[0]
	for _, x := range []struct {
		lines []Line
		want  []Win
	}{
		{[]Line{line("a", 1, 1, 1), line("b", 4, 2, 0.5)},
			[]Win{{Name: "a", From: 1}, {Name: "b", From: 8}}},
		{[]Line{line("a", 1, 1, 1), line("b", 4, 1, 0.25)}, // equal before the place that shows it
			[]Win{{Name: "a", From: 1}, {Name: "b", From: 4}}},
		{[]Line{line("a", 2, 2, 2), line("b", 8, 4, 0.5)},
			[]Win{{Name: "a", From: 1}, {Name: "b", From: 4 * math.Pow(4, 1./3)}}},
		{[]Line{line("a", 1, 1.01, 1.01), line("b", 2, 1, 1)}, []Win{{Name: "a", From: 1}}}, // within a tie
		{[]Line{line("a", 1, 1, math.Inf(1)), line("b", 2, 2, 2)}, // which ends at the place before
			[]Win{{Name: "a", From: 1}, {Name: "b", From: 4}}},
		{[]Line{line("a", 2, 2, 2), line("b", math.Inf(1), 1, 1)},
			[]Win{{Name: "a", From: 1}, {Name: "b", From: 4}}},
		{[]Line{line("a", math.Inf(1), 3, 3), line("b", math.Inf(1), 2, 2)}, []Win{{Name: "b", From: 4}}},
	} {
		c := Curve{Axis: axis, At: []float64{1, 4, 16}}
		c.follow(x.lines)
		if len(c.Wins) != len(x.want) {
			t.Errorf("%v, want %v", c.Wins, x.want)
			continue
		}
		for i, w := range c.Wins {
			if w.Name != x.want[i].Name || math.Abs(w.From-x.want[i].From) > 1e-9 {
				t.Errorf("%v, want %v", c.Wins, x.want)
			}
		}
	}
}

// TestPlaces: places go from one end of an axis to the other.
func TestPlaces(t *testing.T) {
	for _, a := range Axes() {
		p := a.places(Stream{1 << 17, 1 << 5, 0.3, 3})
		last := p[len(p)-1]
		if !slices.IsSorted(p) || p[0] != a.Least || math.Abs(last-a.Most) > 1e-9 || len(p) < 5 ||
			len(p) > 15 {
			t.Errorf("%s: places %v", a.Name, p)
		}
	}
}

// TestSearchedLaunch: a question for the best launch takes another than the rule's, and less time.
func TestSearchedLaunch(t *testing.T) {
	q := asked("h200", "targets")
	rule, err := new(Explorer).Call(q)
	q.Launch = "search"
	searched, failed := new(Explorer).Call(q)
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	a, b := rule.Ranking[0], searched.Ranking[0]
	if a.Launch == b.Launch || b.US >= a.US {
		t.Errorf("%s takes %v us, searched %s %v us", a.Launch, a.US, b.Launch, b.US)
	}
}

// TestQuestions: what cannot be asked is refused with its value.
func TestQuestions(t *testing.T) {
	for _, x := range []struct {
		change func(*CallQuestion)
		want   error
	}{
		{func(q *CallQuestion) { q.Device = "h300" }, device.ErrUnknown},
		{func(q *CallQuestion) { q.Axis = "size" }, ErrQuestion},
		{func(q *CallQuestion) { q.Launch = "fast" }, device.ErrLaunch},
		{func(q *CallQuestion) { q.Stream.Updates = 7 }, ErrQuestion},
	} {
		q := asked("h200", "targets")
		x.change(&q)
		if _, err := new(Explorer).Curve(q); !errors.Is(err, x.want) {
			t.Errorf("%+v: %v, want %v", q, err, x.want)
		}
	}
}
