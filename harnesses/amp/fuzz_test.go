package amp

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzThread(f *testing.F) { parsertest.Documents(f, Harness()) }
