package kimi

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzWire(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzState(f *testing.F) { parsertest.Documents(f, Harness()) }
