package host

import (
	"errors"
	"fmt"

	"meterbridge/bridge"
)

// The codes that extensions may meet besides those that agents do.
const (
	codeBadRequest       = "BAD_REQUEST"
	codeMethodNotFound   = "METHOD_NOT_FOUND"
	codeProtocolMismatch = "PROTOCOL_MISMATCH"
	codeNotReady         = "NOT_READY"
	codeQuota            = "QUOTA_EXCEEDED"
	codeHandlerMissing   = "HANDLER_MISSING"
)

// fault is an error that an extension is told.
type fault struct {
	code, message string
	// data goes beside the code; nil for nothing.
	data any
}

// Error implements error.
func (f *fault) Error() string { return f.code + ": " + f.message }

func faulty(code, format string, args ...any) *fault {
	return &fault{code: code, message: fmt.Sprintf(format, args...)}
}

// asFault is an error as a fault: that of the ports keeps its code.
func asFault(err error) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	var coded *bridge.ToolError
	if errors.As(err, &coded) {
		return &fault{code: coded.Code, message: coded.Message}
	}
	return faulty(bridge.CodeInternal, "%v", err)
}

// unavailable says that an extension cannot answer a call.
func unavailable(format string, args ...any) error {
	return bridge.Refuse(bridge.CodeUnavailable, format, args...)
}
