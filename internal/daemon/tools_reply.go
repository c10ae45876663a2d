package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"meterbridge/bridge"
)

// largestAnswer is how large an answer may be as JSON. It is sent twice, once
// quoted, and the whole may have 1 MiB.
const largestAnswer = 400 << 10

// leftOut are sentences on what an answer does not list.
type leftOut []string

// newest keeps the last entries of a list that is oldest first.
func newest[T any](left *leftOut, what string, list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	left.note(what, most, len(list))
	return list[len(list)-most:]
}

// first keeps the first entries of a list that is newest, or greatest, first.
func first[T any](left *leftOut, what string, list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	left.note(what, most, len(list))
	return list[:most]
}

func (l *leftOut) note(what string, most, all int) {
	*l = append(*l, fmt.Sprintf("%d of %d %s are listed", most, all, what))
}

// result cuts an answer to size and says what is missing.
func (r toolReply) result(stale string) (bridge.Result, error) {
	for most := r.most; ; most /= 2 {
		answer, left := r.build(most)
		var notes []string
		if stale != "" {
			notes = append(notes, stale)
		}
		if len(left) > 0 {
			notes = append(notes, strings.Join(left, ", ")+"; ask with a larger last, or for a shorter time")
		}
		n := noted{answer, strings.Join(notes, ". ")}
		text, err := json.Marshal(n)
		if err != nil {
			return bridge.Result{}, err
		}
		if len(text) > largestAnswer && most > 1 {
			continue
		}
		sentence := r.text
		if n.note != "" {
			sentence += " Note: " + n.note + "."
		}
		return bridge.Result{Text: sentence, Structured: json.RawMessage(text)}, nil
	}
}

// noted is an answer with a note beside its own fields.
type noted struct {
	answer any
	note   string
}

// MarshalJSON implements json.Marshaler.
func (n noted) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(n.answer)
	if err != nil || n.note == "" {
		return text, err
	}
	note, err := json.Marshal(n.note)
	if err != nil {
		return nil, err
	}
	text = append(bytes.TrimSuffix(text, []byte("}")), `,"note":`...)
	return append(append(text, note...), '}'), nil
}

// usd is an amount for people; nil is one that is not known.
func usd(micro *int64, partial bool) string {
	switch {
	case micro == nil:
		return "cost not known"
	case partial:
		return fmt.Sprintf("$%.2f (partial: some requests have no price)", float64(*micro)/1e6)
	}
	return fmt.Sprintf("$%.2f", float64(*micro)/1e6)
}

// tokens is a number of tokens for people; nil is one that is not reported.
func tokens(n *int64) string {
	if n == nil {
		return "tokens not reported"
	}
	return fmt.Sprintf("%d tokens", *n)
}
