package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What stands in backticks in a flag's text becomes the name of its value, so a
// command that is quoted there would turn `--harness ID` into nonsense.
func TestFlags_NameTheirValueInOneWord(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); strings.ContainsAny(name, " `") {
				t.Errorf("%s: --%s %s: the value's name is more than one word", cmd.CommandPath(), f.Name, name)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRoot(&app{}))
}
