package droid

import (
	"testing"

	"meterbridge/harnesses/parsertest"
)

func FuzzConversation(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzSettings(f *testing.F) { parsertest.Documents(f, Harness()) }
