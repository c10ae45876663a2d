package aider

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzLog(f *testing.F) { parsertest.Lines(f, Harness()) }
