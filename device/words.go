package device

// Words says what each update does, for example "u32 targets, adding loaded values".
func (c Call) Words() string {
	verb, value := c.Op.String()+" by ", "loaded values"
	if c.Op == Add {
		verb = "adding "
	}
	if c.Operand != Loaded {
		value = "1"
	}
	text := c.Type.String() + " targets, " + verb + value
	if c.Returns {
		text += ", old values needed"
	}
	if c.Keeps {
		text += ", to an array that is there"
	}
	return text
}
