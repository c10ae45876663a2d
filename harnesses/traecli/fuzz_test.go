package traecli

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzLines(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzSession(f *testing.F) { parsertest.Documents(f, Harness()) }
