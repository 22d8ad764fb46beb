package main

import (
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
)

// launchFlag is the value of --launch: one launch.
type launchFlag struct{ device.Launch }

// launchForms says how a launch is written.
const launchForms = "`BLOCKSxTHREADS`, or BLOCKSxTHREADSxUNROLL where a thread loads for 1, 2, 4 or " +
	"8 turns at once"

// register adds the flag, which says what it is for.
func (f *launchFlag) register(flags *pflag.FlagSet, usage string) {
	flags.Var(f, "launch", usage+": "+launchForms)
}

func (f *launchFlag) String() string {
	if f.Launch == (device.Launch{}) {
		return ""
	}
	return f.Launch.String()
}

func (f *launchFlag) Set(text string) (err error) {
	f.Launch, err = device.ParseLaunch(text)
	return err
}

func (f *launchFlag) Type() string { return "launch" }

// launchesFlag is the value of --launch where ranges may be given.
type launchesFlag struct {
	text string
	list []device.Launch
}

func (f *launchesFlag) register(flags *pflag.FlagSet, usage string) {
	flags.Var(f, "launch", usage+": "+launchForms+"; of ranges such as 132-1056x256-1024 the best")
}

func (f *launchesFlag) String() string { return f.text }
func (f *launchesFlag) Type() string   { return "launch" }

func (f *launchesFlag) Set(text string) (err error) {
	f.text = text
	f.list, err = device.ParseLaunches(text)
	return err
}
