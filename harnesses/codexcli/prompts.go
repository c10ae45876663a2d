package codexcli

import (
	"bytes"
	"hash/fnv"
	"strconv"
	"strings"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// held is a user item of the model's history in a log that has not shown yet
// whether it marks prompts as such. It is a prompt if the model answers first.
type held struct {
	At      int64             `json:"at"`
	Project string            `json:"project,omitempty"`
	Preview string            `json:"preview"`
	Place   meterbridge.Place `json:"place"`
}

// userMessage handles the event of a prompt in legacy logs.
func (r *rollout) userMessage(payload []byte) {
	r.afterCut()
	r.m.Began = r.ms
	c := walk.Over(payload)
	if !c.Object() {
		return
	}
	var sort, said []byte
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "kind":
			sort, _ = c.Text()
		case "message":
			said, _ = c.Text()
		default:
			c.Skip()
		}
	}
	if (len(sort) > 0 && string(sort) != "plain") || injected(said) {
		return
	}
	r.spoken(walk.Unquote(said, meterbridge.PreviewRunes))
}

// spoken counts a prompt that the log marks as one.
func (r *rollout) spoken(preview string) {
	r.m.Spoken, r.m.Held = true, nil
	r.prompt(preview, r.m.Project, r.ms, r.place)
}

// samePrompt is within how many ms two marks of one text are one prompt.
const samePrompt = 2000

func (r *rollout) prompt(preview, project string, ms int64, place meterbridge.Place) {
	sum := hash(preview)
	if sum == r.m.LastPrompt && ms-r.m.PromptAt <= samePrompt && r.m.PromptAt > 0 {
		return
	}
	r.m.LastPrompt, r.m.PromptAt = sum, ms
	if !r.m.Titled && strings.TrimSpace(preview) != "" {
		r.m.Titled = true
		r.emit(meterbridge.Session{Title: preview, TitleRank: meterbridge.TitleFromPrompt})
	}
	if r.m.Sub {
		return
	}
	r.m.Prompts++
	r.out.Prompts = append(r.out.Prompts, meterbridge.Prompt{
		Harness: id, NativeID: r.m.Thread + "/p" + strconv.FormatInt(r.m.Prompts, 10), Session: r.m.Thread, Project: project,
		At: at(ms), Preview: preview, Place: place,
	})
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// message handles a message of the model's history.
func (r *rollout) message(payload []byte) {
	switch string(quoted(member(payload, "role"))) {
	case "assistant":
		r.m.Answer = true
		r.releaseHeld()
		r.noteReply(payload, fromMessage)
	case "user":
		if !r.m.Spoken {
			r.hold(payload)
		}
	}
}

func (r *rollout) hold(payload []byte) {
	kinds := member(member(payload, "internal_chat_message_metadata_passthrough"), "content_item_kinds")
	preview := contents(member(payload, "content"), meterbridge.PreviewRunes)
	marked := bytes.Contains(kinds, []byte(`"user.text"`))
	if preview == "" || (!null(kinds) && !marked) || (!marked && injected([]byte(preview))) {
		return
	}
	r.m.Held = &held{At: r.ms, Project: r.m.Project, Preview: preview, Place: r.place}
}

// releaseHeld counts the held item: the model has answered it, and no mark came.
func (r *rollout) releaseHeld() {
	if h := r.m.Held; h != nil {
		r.m.Held = nil
		r.prompt(h.Preview, h.Project, h.At, h.Place)
	}
}

// injected reports whether a user text was written by Codex: context between
// tags, or the project's instructions.
func injected(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " ")
	if bytes.HasPrefix(raw, []byte("# AGENTS.md instructions")) {
		return true
	}
	if len(raw) < 2 || raw[0] != '<' {
		return false
	}
	tag, _, ok := bytes.Cut(raw[1:min(len(raw), 64)], []byte(">"))
	return ok && injectedTags(tag)
}

func injectedTags(tag []byte) bool {
	switch string(tag) {
	case "environment_context", "user_instructions", "turn_aborted", "subagent_notification", "user_shell_command",
		"INSTRUCTIONS", "permissions instructions", "collaboration_mode", "tools", "personality_spec", "model_switch":
		return true
	}
	return bytes.HasPrefix(tag, []byte("skill"))
}

// contents joins the texts of a content list; limit bounds its characters.
func contents(raw []byte, limit int) string {
	c := walk.Over(raw)
	if !c.Array() {
		return ""
	}
	var all []string
	for first := true; c.Element(&first); {
		part := c.Raw()
		if t := quoted(member(part, "text")); len(t) > 0 {
			all = append(all, walk.Unquote(t, limit))
		}
	}
	return clip(strings.Join(all, "\n"), limit)
}

func clip(s string, limit int) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}
