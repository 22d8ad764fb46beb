package online_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/online"
	"github.com/atomtune/atomtune/variant"
)

// busy makes launches whose times are off the model's by factors that hang on
// the implementation's name.
func busy(t testing.TB, on *online.Online, key string, s *collision.Stats,
	launches int) (chosen []variant.Variant) {
	t.Helper()
	for i := range launches {
		l := next(t, on, key, s)
		us := modelUS(t, s, l.Variant) * (1 + 0.1*float64(len(l.Variant.String())%5) + 0.01*float64(i%3))
		observe(t, on, l, us)
		chosen = append(chosen, l.Variant)
	}
	return chosen
}

// TestOnlineState: what was saved goes on as if nothing had happened, and
// encodes to the same bytes.
func TestOnlineState(t *testing.T) {
	s := tunertest.Analyze(t, "zipf:n=100000,k=256,s=1")
	o := online.Options{Patience: 2}
	on := newOnline(t, o)
	busy(t, on, "a", s, 300)
	busy(t, on, "b", s, 3)
	path := filepath.Join(t.TempDir(), "state.json")
	if err := on.Save(path); err != nil {
		t.Fatal(err)
	}
	back := newOnline(t, o)
	if err := back.Load(path); err != nil {
		t.Fatal(err)
	}
	again, err := back.Encode()
	if saved, readErr := os.ReadFile(path); err != nil || readErr != nil ||
		!bytes.Equal(again, saved) {
		t.Errorf("loading and encoding changes the state: %v, %v", err, readErr)
	}
	if a, b := busy(t, on, "a", s, 200), busy(t, back, "a", s, 200); !slices.Equal(a, b) {
		t.Error("a loaded state chooses otherwise")
	}
}

func TestOnlineStateErrors(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	on := newOnline(t, online.Options{})
	busy(t, on, "a", s, 20)
	good, err := on.Encode()
	if err != nil {
		t.Fatal(err)
	}
	swap := func(old, now string) []byte {
		if !bytes.Contains(good, []byte(old)) {
			t.Fatalf("no %s in %s", old, good)
		}
		return bytes.Replace(good, []byte(old), []byte(now), 1)
	}
	set := func(key, value string) []byte {
		number := regexp.MustCompile(`"` + key + `":[-+.e0-9]+`)
		return bytes.Replace(good, number.Find(good), []byte(`"`+key+`":`+value), 1)
	}
	other, err := online.New(tunertest.Profile(t, "gtx680"), online.Options{})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":       {nil, "EOF"},
		"half":        {good[:len(good)/2], "unexpected"},
		"format":      {swap("atomtune-online", "atomtune-model"), `format "atomtune-model"`},
		"version":     {swap(`"version":1`, `"version":2`), "version 2, want"},
		"unknown key": {swap(`"device":`, `"colour":1,"device":`), `unknown field "colour"`},
		"missing key": {swap(`"launches":20,`, ``), "missing, repeated"},
		"repeated":    {swap(`"launches":20,`, `"launches":20,"launches":20,`), "missing, repeated"},
		"behind":      {append(slices.Clone(good), "{}"...), "stand behind byte"},
		"device":      {foreign, "learnt on gtx680"},
		"predictions": {swap(`"forecasts":"`, `"forecasts":"0`), "other predictions"},
		"noise":       {swap(`"noise":`, `"noise":-`), "noise -"},
		"much noise":  {set("noise", "1001"), "noise 1001"},
		"range":       {set("half", "1001"), "half 1001"},
		"steps":       {swap(`"step_count":`, `"step_count":9`), "steps of step_count"},
		"lost":        {swap(`"lost_us":`, `"lost_us":-`), "lost_us -"},
		"name": {swap(`"implementation":"naive"`, `"implementation":"match"`),
			"match in the place of naive"},
		"unknown name": {swap(`"implementation":"naive"`, `"implementation":"fast"`),
			"unknown implementation"},
		"count":    {swap(`"count":0`, `"count":-1`), "count -1"},
		"many":     {swap(`"count":0`, `"count":9000000000000000000`), "count 9000000000000000000"},
		"reading":  {swap(`"center":0`, `"center":101`), "reading 101"},
		"negative": {swap(`"saved_us":`, `"saved_us":-1`), "negative value"},
	} {
		if err := on.Decode(c.data); !errors.Is(err, online.ErrState) ||
			!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if now, err := on.Encode(); err != nil || !bytes.Equal(now, good) {
		t.Error("a state that could not be read has changed what is known")
	}
	missing := filepath.Join(t.TempDir(), "none.json")
	if err := on.Load(missing); !errors.Is(err, online.ErrState) ||
		!strings.Contains(err.Error(), missing) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzOnlineDecode: whatever the bytes, an error or a state that can be used
// and encodes to them.
func FuzzOnlineDecode(f *testing.F) {
	s := tunertest.Analyze(f, "uniform:n=1000,k=256")
	on := newOnline(f, online.Options{})
	busy(f, on, "a", s, 12)
	good, err := on.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(bytes.Replace(good, []byte(`"up":0`), []byte(`"up":1e308`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		var err error
		allocation.Bound(t, len(data), func() { err = on.Decode(data) })
		if err != nil {
			if !errors.Is(err, online.ErrState) {
				t.Fatal(err)
			}
			return
		}
		if again, err := on.Encode(); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%q encodes to %q, %v", data, again, err)
		}
		for _, key := range append(on.Keys(), "new") {
			observe(t, on, next(t, on, key, s), 5)
		}
	})
}
