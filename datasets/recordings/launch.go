package recordings

import (
	"fmt"
	"regexp"
)

var launchForm = regexp.MustCompile(`^[1-9][0-9]*x[1-9][0-9]*\+(0|[1-9][0-9]*)$`)

// validLaunch reports a text that is neither empty nor the shape of a launch.
func validLaunch(text string) error {
	if text != "" && !launchForm.MatchString(text) {
		return fmt.Errorf("launch %q is not BLOCKSxTHREADS+SHAREDBYTES", text)
	}
	return nil
}
