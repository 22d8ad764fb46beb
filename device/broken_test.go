package device

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBroken: a profile with anything that cannot be is refused, and its place named. A path leads to what
// is altered, nil takes it away.
func TestBroken(t *testing.T) {
	type list []any
	for _, c := range []struct {
		device, path string
		to           any
		names        string
	}{
		{"h200", "schema", 9, "9"},
		{"h200", "name", "a b", "a b"},
		{"h200", "colour", "green", "colour"},
		{"h200", "core.sms", nil, "core.sms"},
		{"h200", "core.clock.unit", "Hz", "core.clock"},
		{"h200", "core.sms.value", 0, "core.sms"},
		{"h200", "core.sms.source", "", "core.sms"},
		{"h200", "core.warp_lanes.value", 48, "core.warp_lanes"},
		{"h200", "core.barrier.value", 1e19, "core.barrier"},
		{"h200", "core.max_threads_per_block.value", 64, "core.max_threads_per_block"},
		{"h200", "shared.bytes_per_block.value", 4096, "shared.bytes_per_block"},
		{"h200", "shared_atomics.f32_add.hold.value", 1e5, "shared_atomics.f32_add"},
		{"h200", "global_atomics.u32.round", map[string]any{"value": 9, "unit": "cycle", "source": "a", "rationale": "b"},
			"global_atomics.u32.round"},
		{"h200", "types.u32.shared", "u32_add_one", "types.u32.shared"},
		{"h200", "types.f32.shared", "magic", "types.f32"},
		{"h200", "types.u64.global_extreme", "none such", "none such"},
		{"h200", "global.hash.modulus", 0, "modulus 0"},
		{"h200", "global.hash.modulus", 4097, "modulus 4097"},
		{"h200", "global.hash.low", make([]uint64, 13), "13 low"},
		{"h200", "global.hash.fold", make([]uint64, 13), "13 fold"},
		{"h200", "global.hash.modulus", 77, "slices"},
		{"h200", "global.hash.fold", list{0, 4}, "mask"},
		{"h200", "global.hash.small_base", 511, "511"},
		{"h200", "global.hash.page", 512, "512"},
		{"h200", "global.hash.page", 0, "0"},
		{"h200", "global.hash.page", 1<<30 + 256, "1073742080"},
		{"h200", "global.hash.page", 2<<20 + 1, "2097153"},
		{"h200", "global.hash.source", "", "global.hash"},
		{"h200", "global.hash.rationale", "", "global.hash"},
		{"hd5870", "paths.fence", nil, "paths.fence"},
		{"hd5870", "paths.copy_same.unit", "us", "paths.copy_same"},
		{"hd5870", "paths.segment.value", 2, "paths.segment"},
		{"hd5870", "paths.clause.value", 0, "paths.clause"},
		{"hd5870", "paths.turn.source", "", "paths.turn"},
		{"hd5870", "paths.fast_lane", 1, "fast_lane"},
		{"a100", "core.barrier.source", "measured on NVIDIA A100: readings.csv", "core.barrier"},
		{"a100", "core.barrier.source", recordedCalls, "core.barrier"},
		{"a100", "estimate", map[string]any{}, "estimate"},
	} {
		p, err := Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		data, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		of, words := all, strings.Split(c.path, ".")
		for _, word := range words[:len(words)-1] {
			of = of[word].(map[string]any)
		}
		if of[words[len(words)-1]] = c.to; c.to == nil {
			delete(of, words[len(words)-1])
		}
		if data, err = json.Marshal(all); err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(data); !errors.Is(err, ErrProfile) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s, %s = %v: %v", c.device, c.path, c.to, err)
		}
	}
}

// TestLoad: of a file that is not a profile the error has the path, and what is neither a name nor a path is
// unknown.
func TestLoad(t *testing.T) {
	p, err := Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "p.json")
	for text, want := range map[string]error{string(data): nil, string(data[:len(data)/2]): ErrProfile,
		string(data) + "{": ErrProfile, "[1]": ErrProfile} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); !errors.Is(err, want) || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%.20s of %d bytes: %v", text, len(text), err)
		}
	}
	if _, err := Load("rtx9999"); !errors.Is(err, ErrUnknown) {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := Load("./missing.json"); !errors.Is(err, ErrProfile) {
		t.Errorf("missing file: %v", err)
	}
}
