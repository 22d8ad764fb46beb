package device

// Titled returns the built-in profile of a device by its title, which is the name that a driver gives
// an NVIDIA GPU, nil where there is none.
func Titled(title string) (*Profile, error) {
	for _, name := range Names() {
		if p, err := Builtin(name); err != nil || p.Title == title {
			return p, err
		}
	}
	return nil, nil
}
