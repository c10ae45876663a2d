package grok

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzUpdates(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzSummary(f *testing.F) { parsertest.Documents(f, Harness()) }
