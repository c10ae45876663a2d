package mux

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzMessages(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzConfig(f *testing.F) { parsertest.Documents(f, Harness()) }
