package tuner_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

func TestModelRoundTrip(t *testing.T) {
	_, m := tunertest.Trained()
	data := tunertest.MustEncode(t, m)
	packed, err := gzipped.Pack(data)
	if err != nil {
		t.Fatal(err)
	}
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
		checkSameChoices(t, m, back)
	}
	if again, err := gzipped.Pack(data); err != nil || !bytes.Equal(again, packed) {
		t.Error("compression is not stable")
	}
}

func checkSameChoices(t *testing.T, a, b *model.Model) {
	t.Helper()
	for _, s := range tunertest.Streams(t)[:20] {
		d := tunertest.Profile(t, "h200")
		x, err := tuner.Choose(s, d, tuner.Options{Model: a})
		if err != nil {
			t.Fatal(err)
		}
		y, err := tuner.Choose(s, d, tuner.Options{Model: b})
		if err != nil || tunertest.MustJSON(t, x) != tunertest.MustJSON(t, y) {
			t.Errorf("%s, then %s, %v", tunertest.MustJSON(t, x), tunertest.MustJSON(t, y), err)
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

func TestModelErrors(t *testing.T) {
	_, m := tunertest.Trained()
	good := tunertest.MustEncode(t, m)
	packed, err := gzipped.Pack(good)
	if err != nil {
		t.Fatal(err)
	}
	first := func(g map[string]any) map[string]any { return g["implementations"].([]any)[0].(map[string]any) }
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":         {nil, "unexpected end"},
		"half":          {good[:len(good)/2], "unexpected end"},
		"half packed":   {packed[:len(packed)/2], "unexpected EOF"},
		"not packed":    {[]byte{0x1f, 0x8b, 1, 2, 3}, "unexpected EOF"},
		"text":          {[]byte("model"), "byte 1: invalid character"},
		"other format":  {[]byte(`{"format":"regtree","version":1}`), `format "regtree"`},
		"other version": {edited(t, func(g map[string]any) { g["version"] = 1 }), "version 1, want"},
		"unknown key": {edited(t, func(g map[string]any) { g["colour"] = 1 }),
			`unknown field "colour"`},
		"missing key": {edited(t, func(g map[string]any) { delete(g, "evaluation") }),
			"evaluation held_out"},
		"hash": {edited(t, func(g map[string]any) { g["profile_hash"] = "12" }),
			"is no SHA-256"},
		"device":   {edited(t, func(g map[string]any) { g["device"] = "" }), "names no device"},
		"rows":     {edited(t, func(g map[string]any) { g["rows"] = 5 }), "5 rows"},
		"features": {edited(t, func(g map[string]any) { g["features"] = []any{} }), "0 features"},
		"implementation": {edited(t, func(g map[string]any) { first(g)["implementation"] = "fast" }),
			"unknown implementation"},
		"twice": {edited(t, func(g map[string]any) {
			list := g["implementations"].([]any)
			g["implementations"] = append(list, list[0])
		}), "stands twice"},
		"no tree": {edited(t, func(g map[string]any) { first(g)["tree"] = nil }), "it has no tree"},
		"quantiles": {edited(t, func(g map[string]any) { first(g)["low"] = 5 }),
			"residual quantiles 5"},
		"tree": {edited(t,
			func(g map[string]any) { first(g)["tree"].(map[string]any)["split"] = []any{0} }),
			"malformed tree"},
		"score": {edited(t,
			func(g map[string]any) { first(g)["k_fold"].(map[string]any)["rmse"] = -1 }), "score"},
		"sweep": {edited(t, func(g map[string]any) { g["sweep"].(map[string]any)["points"] = 0 }),
			"0 points"},
		"key order":   {edited(t, func(map[string]any) {}), "out of order"},
		"too large":   {append(bytes.Repeat([]byte(" "), model.MostBytes), good...), "more than 4194304 bytes"},
		"data behind": {append(bytes.Clone(good), '{'), "byte"},
		"repeated key": {bytes.Replace(good, []byte(`"rows":`), []byte(`"rows":1,"rows":`), 1),
			"repeated"},
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

// TestModelFits: a model serves the profile and the closed forms that it was
// trained on, and no other.
func TestModelFits(t *testing.T) {
	_, m := tunertest.Trained()
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	changed := *tunertest.Profile(t, "h200")
	changed.Memory.L2Rate.Value *= 2
	retitled := *tunertest.Profile(t, "h200")
	retitled.Title, retitled.Core.SMs.Source = "another box", "another source"
	older, err := model.Decode(tunertest.MustEncode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	older.Implementations[3].ClosedFormCheck += 0.01
	for name, c := range map[string]struct {
		d    *device.Profile
		m    *model.Model
		want string // "" for no error
	}{
		"same":           {tunertest.Profile(t, "h200"), m, ""},
		"other title":    {&retitled, m, ""},
		"other device":   {tunertest.Profile(t, "gtx680"), m, "it was trained for h200, not for gtx680"},
		"other profile":  {&changed, m, "is not the one that it was trained on"},
		"other formulas": {tunertest.Profile(t, "h200"), older, "has changed since it was trained"},
	} {
		_, err := tuner.Choose(s, c.d, tuner.Options{Model: c.m})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, model.ErrModel) ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestEmbeddedModels: what is embedded decodes, and fits the built-in profiles
// and the closed forms of this version.
func TestEmbeddedModels(t *testing.T) {
	for _, name := range device.Names() {
		m, err := model.Embedded(name)
		if errors.Is(err, model.ErrNoModel) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := tuner.NewChooser(tunertest.Profile(t, name), tuner.Options{Model: m}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"none", "../model", ""} {
		if _, err := model.Embedded(name); !errors.Is(err, model.ErrNoModel) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

func TestProfileHash(t *testing.T) {
	seen := map[string]string{}
	for _, name := range device.Names() {
		h := model.ProfileHash(tunertest.Profile(t, name))
		if other, ok := seen[h]; ok || len(h) != 64 {
			t.Errorf("%s and %s have the hash %s", name, other, h)
		}
		seen[h] = name
	}
	d := *tunertest.Profile(t, "h200")
	d.Exchange.HasMatch.Value = false
	if _, ok := seen[model.ProfileHash(&d)]; ok {
		t.Error("a capability does not change the hash")
	}
	d = *tunertest.Profile(t, "h200")
	d.Core.Clock.Value = math.Nextafter(d.Core.Clock.Value, 0)
	if _, ok := seen[model.ProfileHash(&d)]; ok {
		t.Error("a clock does not change the hash")
	}
	d = *tunertest.Profile(t, "h200")
	answers := *d.Global.Answers
	answers.Pass.Value = math.Nextafter(answers.Pass.Value, 0)
	d.Global.Answers = &answers
	if _, ok := seen[model.ProfileHash(&d)]; ok {
		t.Error("the way of old values does not change the hash")
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
