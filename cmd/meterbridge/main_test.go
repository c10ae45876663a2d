package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// asProgram makes the test binary behave as the program itself, so that cases
// run real processes without building another binary.
const asProgram = "METERBRIDGE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}
