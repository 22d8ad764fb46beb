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
	for text, schedulers := range map[string]float64{"6.0": 2, "6.1": 4, "7.0": 4, "8.6": 4, "9.0": 4, "14.0": 4} {
		c, err := parseCapability(text)
		if err != nil || c.schedulers() != schedulers || c.String() != text {
			t.Errorf("%s: %v of %v schedulers, %v", text, c, c.schedulers(), err)
		}
	}
	for _, text := range []string{"", "9", "x.0", "9.x", "0.0", "9.10"} {
		if _, err := parseCapability(text); !errors.Is(err, ErrData) {
			t.Errorf("%q: %v", text, err)
		}
	}
	names := map[string]bool{}
	for _, text := range []string{"6.1", "7.0", "7.5", "8.6", "8.9", "9.0", "12.0", "14.0"} {
		c, _ := parseCapability(text)
		names[c.architecture()] = true
	}
	if len(names) != 8 {
		t.Errorf("architectures %v", names)
	}
}
