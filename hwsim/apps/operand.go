package apps

import "github.com/atomtune/atomtune/hwsim/internal/machine"

// operand is a register of a program, or an immediate.
type operand = machine.Operand

func imm(v uint64) operand { return machine.Imm(v) }
