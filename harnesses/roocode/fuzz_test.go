package roocode

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzTask(f *testing.F) { parsertest.Documents(f, Harness()) }
