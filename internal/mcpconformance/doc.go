// Package mcpconformance runs the conformance suites of the MCP project, both that
// of its earlier revisions and that of 2026-07-28, against the edge of the bridge
// behind the daemon's guard, with fixture tools of the names that the suites want.
// It is a test alone (`make test-clients`) and imports bridge and dashboard/guard;
// nobody imports it.
package mcpconformance
