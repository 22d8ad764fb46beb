package recordings

// Instruction is how often a machine instruction stands in a kernel.
type Instruction struct {
	Module, Kernel string
	Opcode         string // such as ATOMS.ADD
	Count          int
}

var instructionColumns = []string{"module", "kernel", "instruction", "count"}

// DecodeInstructions reads a table of the machine instructions of each kernel,
// with the columns module, kernel, instruction and count. name stands in errors,
// which give line and value and wrap ErrRecording.
func DecodeInstructions(name string, data []byte) (Provenance, []Instruction, error) {
	return decodeEntries[[3]string](name, data, instructionColumns, func(c *cells) Instruction {
		return Instruction{c.name("module"), c.name("kernel"), c.name("instruction"),
			c.count("count", 1)}
	})
}

func (i Instruction) validate() error { return nil }
func (i Instruction) key() [3]string  { return [3]string{i.Module, i.Kernel, i.Opcode} }
func (i Instruction) title() string   { return i.Opcode + " of " + i.Kernel }
