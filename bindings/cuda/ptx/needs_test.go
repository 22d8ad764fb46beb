package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// The oldest header that script/ptx writes.
var (
	oldestVersion = Version{6, 0}
	oldestTarget  = 60
)

// need is what an opcode asks of the header, from "PTX ISA Notes" and "Target
// ISA Notes" of each instruction in NVIDIA's document on the PTX ISA.
type need struct {
	family   string
	modifier string // one that the opcode must have, or empty
	version  Version
	target   int
}

var needs = []need{
	{"atom", ".add.f64", Version{5, 0}, 60},
	{"red", ".add.f64", Version{5, 0}, 60},
	{"atom", ".relaxed", Version{6, 0}, 70},
	{"atom", ".acquire", Version{6, 0}, 70},
	{"atom", ".release", Version{6, 0}, 70},
	{"atom", ".acq_rel", Version{6, 0}, 70},
	{"red", ".relaxed", Version{6, 0}, 70},
	{"red", ".release", Version{6, 0}, 70},
	{"atom", ".noftz.f16", Version{6, 2}, 70},
	{"atom", ".noftz.f16x2", Version{6, 2}, 60},
	{"red", ".noftz.f16", Version{6, 2}, 70},
	{"red", ".noftz.f16x2", Version{6, 2}, 60},
	{"atom", ".cas.b16", Version{6, 3}, 70},
	{"atom", ".bf16", Version{7, 8}, 90},
	{"red", ".bf16", Version{7, 8}, 90},
	{"red", ".v2", Version{8, 1}, 90},
	{"atom", ".b128", Version{8, 3}, 90},
	{"ld", ".relaxed", Version{6, 0}, 70},
	{"ld", ".acquire", Version{6, 0}, 70},
	{"st", ".relaxed", Version{6, 0}, 70},
	{"st", ".release", Version{6, 0}, 70},
	{"ld", ".L1::no_allocate", Version{7, 4}, 70},
	{"ld", ".L2::128B", Version{7, 4}, 75},
	{"fence", "", Version{6, 0}, 70},
	{"shfl", ".sync", Version{6, 0}, 30},
	{"vote", ".sync", Version{6, 0}, 30},
	{"bar", ".warp.sync", Version{6, 0}, 30},
	{"barrier", ".sync", Version{6, 0}, 30},
	{"match", ".sync", Version{6, 0}, 70},
	{"activemask", "", Version{6, 2}, 30},
	{"nanosleep", "", Version{6, 3}, 70},
	{"redux", ".sync", Version{7, 0}, 80},
	{"cp", ".async", Version{7, 0}, 80},
	{"bmsk", "", Version{7, 6}, 70},
	{"szext", "", Version{7, 6}, 70},
}

// old lists what every header from oldestVersion and oldestTarget on has, unless
// needs says otherwise of a modifier.
var old = strings.Fields(`
	abs add addc and atom bar bfe bfi bfind bra brev brx call clz cnot copysign cvt cvta div dp4a ex2 exit
	fma fns isspacep ld ldu lg2 lop3 mad mad24 madc max membar min mov mul mul24 neg not or pmevent popc
	prefetch prmt rcp red rem ret rsqrt sad selp set setp shf shl shr slct sqrt st sub subc testp trap xor`)

// wanted returns the oldest header with which the module's opcodes are right, and
// the opcodes of which the tables know nothing.
func wanted(m *Module) (v Version, target int, unknown []string) {
	v, target = oldestVersion, oldestTarget
	for _, k := range m.Kernels {
		for _, i := range k.Instructions {
			known := slices.Contains(old, family(i.Opcode))
			for _, n := range needs {
				if family(i.Opcode) != n.family || !strings.Contains(i.Opcode+".", n.modifier+".") &&
					n.modifier != "" {
					continue
				}
				known = true
				if v.Major < n.version.Major || v.Major == n.version.Major && v.Minor < n.version.Minor {
					v = n.version
				}
				target = max(target, n.target)
			}
			if !known {
				unknown = append(unknown, i.Opcode)
			}
		}
	}
	return v, target, unknown
}

// headerFault says what is wrong with the module's header, or nothing.
func headerFault(m *Module) string {
	v, target, unknown := wanted(m)
	switch {
	case len(unknown) > 0:
		return fmt.Sprintf("the tables say nothing of %s", strings.Join(unknown, ", "))
	case m.Version != v:
		return fmt.Sprintf(".version is %s, the instructions need %s", m.Version, v)
	case m.Target != target:
		return fmt.Sprintf(".target is sm_%d, the instructions need sm_%d", m.Target, target)
	}
	return ""
}
