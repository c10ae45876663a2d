package continuecli

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzSession(f *testing.F) { parsertest.Documents(f, Harness()) }
