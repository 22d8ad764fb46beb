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
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/online"
)

// busy makes launches whose times are off the model's by factors that hang on
// the implementation's name.
func busy(t testing.TB, on *online.Online, key string, s *collision.Stats,
	launches int) (chosen []impl.Spec) {
	t.Helper()
	for i := range launches {
		l := next(t, on, key, s)
		us := modelUS(t, s, l.Implementation) * (1 + 0.1*float64(len(l.Implementation.String())%5) + 0.01*float64(i%3))
		observe(t, on, l, us)
		chosen = append(chosen, l.Implementation)
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
	busy(t, on, "", s, 3)
	path := filepath.Join(t.TempDir(), "state.json")
	if err := on.Save(path); err != nil {
		t.Fatal(err)
	}
	back := newOnline(t, o)
	if err := back.Load(path); err != nil {
		t.Fatal(err)
	}
	if saved, err := os.ReadFile(path); err != nil || !bytes.Equal(encode(t, back), saved) {
		t.Errorf("loading and encoding changes the state: %v", err)
	}
	if a, b := busy(t, on, "a", s, 200), busy(t, back, "a", s, 200); !slices.Equal(a, b) {
		t.Error("a loaded state chooses otherwise")
	}
}

// TestOnlineStateErrors: a state that cannot be is refused with what is wrong in it, and changes nothing.
func TestOnlineStateErrors(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	on := newOnline(t, online.Options{})
	busy(t, on, "a", s, 20)
	good := encode(t, on)
	set := func(key, value string) []byte {
		number := regexp.MustCompile(`"` + key + `":[-+.e0-9]+`)
		return bytes.Replace(good, number.Find(good), []byte(`"`+key+`":`+value), 1)
	}
	other, err := online.New(tunertest.Profile(t, "gtx680"), online.Options{})
	tunertest.Must(t, err)
	bad := map[string][]byte{
		"": nil, "EOF": good[:len(good)/2], "byte": append(slices.Clone(good), "{}"...), "learned on gtx680": encode(t, other),
		"noise 1001": set("noise", "1001"), "half 1001": set("half", "1001"), "count -1": set("count", "-1"),
		"count 9": set("count", "9000000000000000000"), "101": set("center", "101"),
	}
	for want, c := range map[string][2]string{
		"atomtune-model": {"atomtune-online", "atomtune-model"},
		"version 2":      {`"version":1`, `"version":2`},
		"colour":         {`"device":`, `"colour":1,"device":`},
		"missing":        {`"launches":20,`, ``},
		"repeated":       {`"launches":20,`, `"launches":20,"launches":20,`},
		"predictions":    {`"forecasts":"`, `"forecasts":"0`},
		"noise -":        {`"noise":`, `"noise":-`},
		"step_count":     {`"step_count":`, `"step_count":9`},
		"lost_us -":      {`"lost_us":`, `"lost_us":-`},
		"match":          {`"implementation":"naive"`, `"implementation":"match"`},
		"fast":           {`"implementation":"naive"`, `"implementation":"fast"`},
		"negative":       {`"saved_us":`, `"saved_us":-1`},
	} {
		if bad[want] = bytes.Replace(good, []byte(c[0]), []byte(c[1]), 1); bytes.Equal(bad[want], good) {
			t.Fatalf("no %s in %s", c[0], good)
		}
	}
	for want, data := range bad {
		if err := on.Decode(data); !errors.Is(err, online.ErrState) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if !bytes.Equal(encode(t, on), good) {
		t.Error("a state that could not be read has changed what is known")
	}
	missing := filepath.Join(t.TempDir(), "none.json")
	if err := on.Load(missing); !errors.Is(err, online.ErrState) || !strings.Contains(err.Error(), missing) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzOnlineDecode: whatever the bytes, an error or a state that can be used
// and encodes to them.
func FuzzOnlineDecode(f *testing.F) {
	s := tunertest.Analyze(f, "uniform:n=1000,k=256")
	on := newOnline(f, online.Options{})
	busy(f, on, "a", s, 12)
	good := encode(f, on)
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
		if again := encode(t, on); !bytes.Equal(again, data) {
			t.Fatalf("%q encodes to %q", data, again)
		}
		for _, key := range append(on.Keys(), "new") {
			observe(t, on, next(t, on, key, s), 5)
		}
	})
}
