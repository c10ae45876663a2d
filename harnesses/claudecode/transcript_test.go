package claudecode

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// moment is seconds after the start of the day of these conversations.
func moment(s float64) time.Time {
	return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(s * float64(time.Second)))
}

// row writes a line whose rest begins with the members after its time.
func rowAt(kind string, s float64, rest string) string {
	return fmt.Sprintf(`{"type":%q,"timestamp":%q,%s}`, kind, moment(s).Format("2006-01-02T15:04:05.000Z"), rest)
}

func promptRow(s float64, text string) string {
	return rowAt("user", s, fmt.Sprintf(`"promptId":"p","message":{"role":"user","content":%q}`, text))
}

func answerRow(s float64, stop string) string {
	return rowAt("assistant", s, fmt.Sprintf(`"message":{"stop_reason":%s,"content":[{"type":"text","text":"Hi"}]}`, stop))
}

func toolRow(s float64) string {
	return rowAt("assistant", s, `"message":{"stop_reason":"tool_use","content":[{"type":"tool_use","name":"Bash"}]}`)
}

func resultRow(s float64, text string) string {
	return rowAt("user", s, fmt.Sprintf(`"message":{"content":[{"type":"tool_result","content":%q}]}`, text))
}

func textBlockRow(s float64, text string) string {
	return rowAt("user", s, fmt.Sprintf(`"message":{"content":[{"type":"text","text":%q}]}`, text))
}

func systemRow(s float64, subtype string) string {
	return rowAt("system", s, fmt.Sprintf(`"subtype":%q`, subtype))
}

func queueRow(s float64, op string) string {
	return rowAt("queue-operation", s, fmt.Sprintf(`"operation":%q`, op))
}

const endTurn = `"end_turn"`

// The transcript vectors of the specification, times in seconds.
func TestTranscript_VectorsOfTheSpecification(t *testing.T) {
	type look = meterbridge.TranscriptView
	busy, answered, ended, interrupted, failed := meterbridge.PhaseBusy, meterbridge.PhaseAnswered, meterbridge.PhaseEnded, meterbridge.PhaseInterrupted, meterbridge.PhaseFailed
	apiError := func(s float64, rest string) string {
		return rowAt("assistant", s, `"isApiErrorMessage":true,`+rest+`,"message":{"model":"<synthetic>","stop_reason":"stop_sequence","content":[]}`)
	}
	for _, c := range []struct {
		name  string
		lines []string
		want  look
	}{
		{
			"a turn that ended",
			[]string{promptRow(1, "hi"), answerRow(2, endTurn), systemRow(2.1, "stop_hook_summary"), systemRow(2.1, "turn_duration")},
			look{Phase: ended, At: moment(2.1), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(2)},
		},
		{"an answer", []string{promptRow(1, "hi"), answerRow(2, endTurn)}, look{Phase: answered, At: moment(2), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(2)}},
		{"a tool", []string{promptRow(1, "hi"), toolRow(1.5)}, look{Phase: busy, At: moment(1.5), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(1.5)}},
		{"its result", []string{promptRow(1, "hi"), toolRow(1.5), resultRow(21, "ok")}, look{Phase: busy, At: moment(21), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(1.5)}},
		{"an empty result", []string{promptRow(1, "hi"), toolRow(1.5), resultRow(21, "")}, look{Phase: busy, At: moment(21), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(1.5)}},
		{"the answer after it", []string{promptRow(1, "hi"), toolRow(1.5), resultRow(21, "ok"), answerRow(22, endTurn)}, look{Phase: answered, At: moment(22), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(22)}},
		{
			"an interrupted answer",
			[]string{promptRow(1, "hi"), answerRow(6, "null"), textBlockRow(6, "[Request interrupted by user]")},
			look{Phase: interrupted, At: moment(6), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(6)},
		},
		{
			"a refused tool, and a turn_duration after it",
			[]string{promptRow(1, "hi"), toolRow(2), resultRow(7, "rejected"), textBlockRow(7, "[Request interrupted by user for tool use]"), systemRow(7.5, "turn_duration")},
			look{Phase: interrupted, At: moment(7), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(2)},
		},
		{
			"the mark in a result alone",
			[]string{promptRow(1, "hi"), toolRow(2), resultRow(7, "[Request interrupted by user for tool use]")},
			look{Phase: interrupted, At: moment(7), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(2)},
		},
		{
			"an API error, and a turn_duration after it",
			[]string{promptRow(1, "hi"), apiError(2, `"error":"rate_limit"`), systemRow(2.5, "turn_duration")},
			look{Phase: failed, At: moment(2), TurnAt: moment(1), TurnID: "p", Error: "rate_limit", ErrorText: "Claude stopped: API error (rate_limit)"},
		},
		{
			"an API error with a status alone",
			[]string{promptRow(1, "hi"), apiError(2, `"apiErrorStatus":529`)},
			look{Phase: failed, At: moment(2), TurnAt: moment(1), TurnID: "p", Error: "529", ErrorText: "Claude stopped: API error (529)"},
		},
		{"a queued prompt", []string{promptRow(1, "hi"), queueRow(4, "enqueue")}, look{Phase: busy, At: moment(1), TurnAt: moment(1), TurnID: "p", Queued: 1}},
		{
			"a queued prompt that began",
			[]string{promptRow(1, "hi"), queueRow(4, "enqueue"), answerRow(9, endTurn), systemRow(9.1, "turn_duration"), queueRow(9.12, "dequeue"), promptRow(9.13, "next")},
			look{Phase: busy, At: moment(9.13), TurnAt: moment(9.13), TurnID: "p", AssistantAt: moment(9)},
		},
		{"a queued prompt that was removed", []string{promptRow(1, "hi"), queueRow(4, "enqueue"), queueRow(5, "remove")}, look{Phase: busy, At: moment(1), TurnAt: moment(1), TurnID: "p"}},
		{"a removal alone", []string{promptRow(1, "hi"), queueRow(5, "remove")}, look{Phase: busy, At: moment(1), TurnAt: moment(1), TurnID: "p"}},
		{
			"a sub-agent's end",
			[]string{promptRow(1, "hi"), answerRow(2, endTurn), systemRow(2.1, "turn_duration"), queueRow(18, "enqueue"), queueRow(18, "dequeue"), promptRow(18.01, "<task-notification>done</task-notification>")},
			look{Phase: busy, At: moment(18.01), TurnAt: moment(18.01), TurnID: "p", AssistantAt: moment(2), Automatic: true},
		},
		{"a side chain", []string{promptRow(1, "hi"), rowAt("assistant", 3, `"isSidechain":true,"message":{"stop_reason":"end_turn","content":[]}`)}, look{Phase: busy, At: moment(1), TurnAt: moment(1), TurnID: "p"}},
		{
			"what commands leave behind",
			[]string{
				promptRow(1, "/compact"), systemRow(1, "compact_boundary"), rowAt("user", 2, `"isCompactSummary":true,"message":{"content":"This session is being continued"}`),
				rowAt("user", 2, `"isMeta":true,"message":{"content":"<local-command-caveat>x"}`), promptRow(3, "<command-name>/clear</command-name>"),
				promptRow(3, "<local-command-stdout>ok"), promptRow(3, "<bash-input>ls"), promptRow(3, "<bash-stdout>x"),
			},
			look{},
		},
		{"a command that is a turn", []string{promptRow(5, "<command-message>review is running</command-message>")}, look{Phase: busy, At: moment(5), TurnAt: moment(5), TurnID: "p"}},
		{
			"a compaction in a turn",
			[]string{promptRow(1, "hi"), toolRow(2), systemRow(3, "compact_boundary"), rowAt("user", 3, `"isCompactSummary":true,"message":{"content":"continued"}`), resultRow(4, "ok")},
			look{Phase: busy, At: moment(4), TurnAt: moment(1), TurnID: "p", AssistantAt: moment(2)},
		},
		{"what cannot be read", []string{promptRow(1, "hi"), `{"type":"user"`, "", `{"type":"unheard-of","timestamp":"2026-11-30T00:00:09Z"}`, "[1]"}, look{Phase: busy, At: moment(1), TurnAt: moment(1), TurnID: "p"}},
		{"a path as a prompt", []string{promptRow(1, "/etc/hosts")}, look{Phase: busy, At: moment(1), TurnAt: moment(1), TurnID: "p"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r transcript
			for _, line := range c.lines {
				r.Line([]byte(line))
			}
			if diff := cmp.Diff(c.want, r.View()); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", strings.Join(c.lines, "\n"), diff)
			}
		})
	}
}
