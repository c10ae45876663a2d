package policy

import (
	"context"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func contextWithCause(t *testing.T, cause error) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(t.Context())
	return ctx, func() { cancel(cause) }
}

// treeOfTheTest was calculated by sha256sum.
const treeOfTheTest = "f85bfe336e4f68df792fef70b755fbca3d566b0f8e3ed34aa404bc648666c66d"
