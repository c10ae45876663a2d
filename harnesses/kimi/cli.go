package kimi

import (
	"crypto/md5" //nolint:gosec // the harness names folders so; nothing is kept secret by it
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// old handles a message of Kimi CLI. wrapped: a sub-agent's, which its own file
// tells too.
func (w *wire) old(kind string, p jsonvalue.Object, wrapped bool) {
	w.place()
	switch {
	case kind == "StatusUpdate":
		w.status(p, wrapped)
	case kind == "SubagentEvent":
		e := p["event"].Object()
		w.old(e["type"].Text(), e["payload"].Object(), true)
	case wrapped:
	case kind == "TurnBegin" || kind == "SteerInput":
		w.prompt(texts(p["user_input"]))
	case kind == "StepBegin":
		w.begin("step")
	case kind == "StepInterrupted":
		w.event("interrupted")
	case kind == "CompactionBegin":
		w.event("compaction")
	case kind == "ContentPart" && p["type"].Text() == "text":
		w.reply(p["text"].Text())
	case kind == "ToolCall":
		w.call(p["id"].Text(), p.At("function", "name").Text())
	case kind == "ToolResult":
		w.result(firstText(p["tool_call_id"], p["id"]), p["is_error"].True() || p.At("return_value", "is_error").True())
	}
}

func firstText(list ...jsonvalue.Value) string {
	for _, v := range list {
		if t := v.Text(); t != "" {
			return t
		}
	}
	return ""
}

// status counts a status with usage, under the provider's id of the response.
// One without usage only says how things stand.
func (w *wire) status(p jsonvalue.Object, wrapped bool) {
	u := p["token_usage"].Object()
	if u == nil {
		return
	}
	var c jsonvalue.Counts
	k := meterbridge.Tokens{Input: c.Of(u["input_other"]), Output: c.Of(u["output"]), CacheRead: c.Of(u["input_cache_read"]), CacheWrite5m: c.Of(u["input_cache_creation"])}
	r := meterbridge.Request{NativeID: p["message_id"].Text(), ResponseID: p["message_id"].Text(), Model: w.m.Model, Side: wrapped, Rule: "status-update"}
	if w.m.Model != "" {
		r.Rule = "model-of-configuration"
	}
	if r.NativeID == "" {
		r.NativeID = w.session + "#" + strconv.FormatInt(w.at.Line, 10)
	}
	if !wrapped {
		r.StartedAt, r.Tools = w.started(), slices.Clone(w.m.Tools)
	}
	w.count(r, k, c.Wrong)
}

// place learns once what the log leaves to the configuration: the folder and the
// model.
func (w *wire) place() {
	if w.m.Placed {
		return
	}
	w.m.Placed = true
	root := strings.TrimSuffix(filepath.ToSlash(w.opt.Path), w.opt.Rel)
	w.m.Project, w.m.Model = folderOf(root, w.opt.Rel), modelOf(root)
	if w.m.Project != "" {
		w.Session(meterbridge.Session{ID: w.session, Project: w.m.Project})
	}
}

// folderOf finds the folder whose MD5 the folder of sessions is named after.
func folderOf(root, rel string) string {
	content, err := os.ReadFile(filepath.Join(filepath.FromSlash(root), "kimi.json"))
	if err != nil {
		return ""
	}
	o, _ := jsonvalue.Parse(content)
	for _, v := range o["work_dirs"].Elements() {
		dir := v.Object()["path"].Text()
		sum := md5.Sum([]byte(dir)) //nolint:gosec // see above
		if p := strings.Split(rel, "/"); len(p) > 1 && strings.HasSuffix(p[1], hex.EncodeToString(sum[:])) {
			return dir
		}
	}
	return ""
}

// modelOf is the model that the configuration names: default_model, and the
// "model" of the table of that name.
func modelOf(root string) string {
	content, err := os.ReadFile(filepath.Join(filepath.FromSlash(root), "config.toml"))
	if err != nil {
		return ""
	}
	table, chosen := "", ""
	models := map[string]string{}
	for _, line := range strings.Split(string(content), "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "[models."); ok {
			table = strings.Trim(strings.TrimSuffix(name, "]"), `"'`)
			continue
		}
		if strings.HasPrefix(line, "[") {
			table = "["
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch key = strings.TrimSpace(key); {
		case !ok:
		case key == "default_model" && table == "":
			chosen = value
		case key == "model" && table != "" && table != "[":
			models[table] = value
		}
	}
	return models[chosen]
}
