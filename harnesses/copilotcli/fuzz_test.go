package copilotcli

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzEvents(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzWorkspace(f *testing.F) { parsertest.Documents(f, Harness()) }
