package tuner_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestModelRoundTrip: a model is written and read as the same, compressed and not, and chooses as before.
func TestModelRoundTrip(t *testing.T) {
	_, m := tunertest.Trained()
	data := tunertest.MustEncode(t, m)
	packed, err := gzipped.Pack(data)
	tunertest.Must(t, err)
	for name, form := range map[string][]byte{"plain": data, "gzip": packed} {
		path := filepath.Join(t.TempDir(), "m.json")
		if err := os.WriteFile(path, form, 0o666); err != nil {
			t.Fatal(err)
		}
		back, err := model.Load(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(tunertest.MustEncode(t, back), data) {
			t.Errorf("%s: decoding and encoding changes the model", name)
		}
		for _, s := range tunertest.Streams(t)[:20] {
			x := choose(t, s, tunertest.Profile(t, "h200"), tuner.Options{Model: m})
			y := choose(t, s, tunertest.Profile(t, "h200"), tuner.Options{Model: back})
			if diff := cmp.Diff(x, y); diff != "" {
				t.Errorf("%s (-written +read):\n%s", name, diff)
			}
		}
	}
}

// edited returns the model's bytes after a change to its generic JSON.
func edited(t *testing.T, change func(map[string]any)) []byte {
	t.Helper()
	_, m := tunertest.Trained()
	dec := json.NewDecoder(bytes.NewReader(tunertest.MustEncode(t, m)))
	dec.UseNumber()
	var generic map[string]any
	if err := dec.Decode(&generic); err != nil {
		t.Fatal(err)
	}
	change(generic)
	return []byte(tunertest.MustJSON(t, generic) + "\n")
}

// TestModelErrors: a file that is not a model is an error with its name and what it is about.
func TestModelErrors(t *testing.T) {
	_, m := tunertest.Trained()
	good := tunertest.MustEncode(t, m)
	packed, err := gzipped.Pack(good)
	tunertest.Must(t, err)
	set := func(key string, value any) []byte {
		return edited(t, func(g map[string]any) { g[key] = value })
	}
	tree := func(change func(of map[string]any)) []byte {
		return edited(t, func(g map[string]any) { change(g["tree"].(map[string]any)) })
	}
	first := func(change func(of map[string]any)) []byte {
		return tree(func(of map[string]any) { change(of["leaves"].([]any)[0].(map[string]any)) })
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":           {nil, ""},
		"half packed":     {packed[:len(packed)/2], ""},
		"not packed":      {[]byte{0x1f, 0x8b, 1, 2, 3}, ""},
		"other format":    {[]byte(`{"format":"regtree","version":1}`), "regtree"},
		"other version":   {set("version", 1), "version 1"},
		"unknown key":     {set("colour", 1), "colour"},
		"missing key":     {edited(t, func(g map[string]any) { delete(g, "evaluation") }), ""},
		"hash":            {set("profile_hash", "12"), "12"},
		"no form":         {tree(func(of map[string]any) { of["forms"].([]any)[1] = "" }), "byte"},
		"form of another": {tree(func(of map[string]any) { of["forms"].([]any)[1] = "hot:s=64,r=4" }), "hot:s=64,r=4"},
		"form twice":      {tree(func(of map[string]any) { of["forms"].([]any)[1] = of["forms"].([]any)[0] }), "naive"},
		"no tree":         {set("tree", nil), ""},
		"comparisons":     {tree(func(of map[string]any) { of["features"] = []any{0} }), "tree"},
		"too few leaves":  {tree(func(of map[string]any) { of["features"] = append(of["features"].([]any), -1) }), "leaves"},
		"another feature": {tree(func(of map[string]any) { of["features"].([]any)[0] = 1000 }), "1000"},
		"streams":         {first(func(of map[string]any) { of["streams"] = []any{-1, 0, 0} }), "-1"},
		"corrections":     {first(func(of map[string]any) { of["corrections"] = []any{} }), "leaf"},
		"far off":         {first(func(of map[string]any) { of["corrections"].([]any)[0] = 1 << 30 }), "1073741824"},
		"intervals":       {set("intervals", map[string]any{}), "points"},
		"key order":       {edited(t, func(map[string]any) {}), ""},
		"too large":       {append(bytes.Repeat([]byte(" "), model.MostBytes), good...), strconv.Itoa(model.MostBytes)},
		"data behind":     {append(bytes.Clone(good), '{'), "byte"},
		"repeated key":    {bytes.Replace(good, []byte(`"simulations":`), []byte(`"simulations":1,"simulations":`), 1), ""},
	} {
		path := filepath.Join(t.TempDir(), "broken.json")
		if err := os.WriteFile(path, c.data, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(path)
		if m != nil || !errors.Is(err, model.ErrModel) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if _, err := model.Load(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err,
		model.ErrModel) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

// TestModelFits: a model serves the profile and the closed forms that it was trained on, and no other.
func TestModelFits(t *testing.T) {
	_, m := tunertest.Trained()
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	changed, retitled := *tunertest.Profile(t, "h200"), *tunertest.Profile(t, "h200")
	changed.Memory.L2Rate.Value *= 2
	retitled.Title, retitled.Core.SMs.Source = "another box", "another source"
	older, err := model.Decode(tunertest.MustEncode(t, m))
	tunertest.Must(t, err)
	older.ClosedForms = "another"
	for name, c := range map[string]struct {
		d    *device.Profile
		m    *model.Model
		want error
	}{
		"same":           {tunertest.Profile(t, "h200"), m, nil},
		"other title":    {&retitled, m, nil},
		"other device":   {tunertest.Profile(t, "gtx680"), m, model.ErrModel},
		"other profile":  {&changed, m, model.ErrModel},
		"other formulas": {tunertest.Profile(t, "h200"), older, model.ErrModel},
	} {
		if _, err := tuner.Choose(s, c.d, tuner.Options{Model: c.m}); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	if _, err := model.Embedded("../model"); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("an embedded model that is none: %v", err)
	}
}

// TestProfileHash: each profile has a hash of its own, and each number changes it.
func TestProfileHash(t *testing.T) {
	seen := map[string]string{}
	add := func(name string, d *device.Profile) {
		h := model.ProfileHash(d)
		if other, ok := seen[h]; ok || len(h) != 64 {
			t.Errorf("%s and %s have the hash %s", name, other, h)
		}
		seen[h] = name
	}
	for _, name := range device.Names() {
		add(name, tunertest.Profile(t, name))
	}
	for name, change := range map[string]func(d *device.Profile){
		"a capability": func(d *device.Profile) { d.Exchange.HasMatch.Value = false },
		"a clock":      func(d *device.Profile) { d.Core.Clock.Value = math.Nextafter(d.Core.Clock.Value, 0) },
		"the way of old values": func(d *device.Profile) {
			answers := *d.Global.Answers
			answers.Pass.Value = math.Nextafter(answers.Pass.Value, 0)
			d.Global.Answers = &answers
		},
	} {
		d := *tunertest.Profile(t, "h200")
		change(&d)
		add(name, &d)
	}
}

func FuzzDecodeModel(f *testing.F) {
	f.Add([]byte(`{"format":"atomtune-model","version":1}`))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, _, _ := gzipped.Unpack(data, 1<<20)
		var m *model.Model
		var err error
		allocation.Bound(t, max(len(data), len(plain)), func() { m, err = model.Decode(data) })
		if err != nil {
			if m != nil || !errors.Is(err, model.ErrModel) {
				t.Fatalf("model %v, error %v", m, err)
			}
			return
		}
		again, err := model.Decode(tunertest.MustEncode(t, m))
		if err != nil || !bytes.Equal(tunertest.MustEncode(t, again), tunertest.MustEncode(t, m)) {
			t.Fatalf("an accepted model does not decode again: %v", err)
		}
	})
}
