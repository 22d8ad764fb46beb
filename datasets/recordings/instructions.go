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
	p, t, err := decodeTable(name, data, instructionColumns)
	if err == nil {
		err = t.some()
	}
	if err != nil {
		return Provenance{}, nil, err
	}
	all := make([]Instruction, len(t.rows))
	seen := map[[3]string]int{}
	for i, row := range t.rows {
		c := cells{row: row}
		all[i] = Instruction{c.name("module"), c.name("kernel"), c.name("instruction"), c.count("count", 1)}
		key := [3]string{row[0], row[1], row[2]}
		if before := seen[key]; c.err == nil && before > 0 {
			c.fail("%s of %s stands on line %d too", row[2], row[1], before)
		}
		if c.err != nil {
			return Provenance{}, nil, broken(name, t.lines[i], "%v", c.err)
		}
		seen[key] = t.lines[i]
	}
	return p, all, nil
}
