package fit

import (
	"errors"
	"testing"
)

func TestSlug(t *testing.T) {
	for gpu, want := range map[string]string{
		"NVIDIA H200": "h200", "NVIDIA GeForce RTX 3090": "geforce-rtx-3090",
		"NVIDIA A100-SXM4-80GB": "a100-sxm4-80gb", "Tesla V100 (PCIe)": "tesla-v100-pcie",
	} {
		if got := Slug(gpu); got != want {
			t.Errorf("%s becomes %s, want %s", gpu, got, want)
		}
	}
}

func TestCapability(t *testing.T) {
	for text, want := range map[string]struct {
		name       string
		schedulers float64
	}{
		"6.0": {"Pascal", 2}, "6.1": {"Pascal", 4}, "7.0": {"Volta", 4}, "7.5": {"Turing", 4},
		"8.6": {"Ampere", 4},
		"8.9": {"Ada Lovelace", 4}, "9.0": {"Hopper", 4}, "12.0": {"Blackwell", 4},
		"14.0": {"compute capability 14.0", 4},
	} {
		c, err := parseCapability(text)
		if err != nil || c.architecture() != want.name || c.schedulers() != want.schedulers ||
			c.String() != text {
			t.Errorf("%s: %s, %v, %v", text, c.architecture(), c.schedulers(), err)
		}
	}
	for _, text := range []string{"", "9", "x.0", "9.x", "0.0", "9.10"} {
		if _, err := parseCapability(text); !errors.Is(err, ErrData) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
