package calls

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/kernels"
	"github.com/atomtune/atomtune/variant"
)

// TestKernelsHoldTheirInstructions: each updating kernel has the atomics of its
// memory and type, and the exchanges between lanes of its form, and no others.
func TestKernelsHoldTheirInstructions(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range callsOf(Options{Types: device.Types()}) {
		for _, v := range implementations(kind, false) {
			k, there := kernels.Update(v, kind, 1)
			kernel, module := k.Name, k.Module
			if !there || seen[kernel] { // TestUnmeasured says which have none
				continue
			}
			seen[kernel] = true
			list, err := ptx.Instructions(module, kernel)
			if err != nil {
				t.Error(err)
				continue
			}
			var opcodes []string
			for _, i := range list {
				opcodes = append(opcodes, i.Opcode)
			}
			text := " " + strings.Join(opcodes, " ") + " "
			add := ".add." + kernels.Type(kind.Type) + " "
			for part, want := range map[string]bool{
				".global" + add:     v.Base != variant.ThreadPrivate,
				"atom.shared" + add: v.Base == variant.Private || v.Base == variant.Hot,
				" match.any.":       v.Reduction == variant.Match,
				" vote.":            v.Reduction != variant.None,
				" bar.sync":         !v.AddsAtTargets(),
			} {
				// Ballots of match come with the sum of loaded values only.
				if part == " vote." && v.Reduction == variant.Match {
					want = kind.Operand == device.Loaded && v.G() == 1 || v.G() > 1
				}
				if strings.Contains(text, part) != want {
					t.Errorf("%s: %q is there: %v, want %v, in%s", kernel, part, !want, want, text)
				}
			}
		}
	}
	// types, operands of 16 forms, and seven with old values
	if want := 4 * (2*16 + 7); len(seen) != want {
		t.Errorf("%d kernels, want %d", len(seen), want)
	}
}
