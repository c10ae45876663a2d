package vscodecopilot

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzSession(f *testing.F) { parsertest.Documents(f, Harness()) }

func FuzzChanges(f *testing.F) { parsertest.Lines(f, Harness()) }
