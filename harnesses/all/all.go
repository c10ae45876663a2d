// Package all lists the harnesses that Meterbridge reads: one line each. It is
// the only production code that names them.
package all

import (
	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/aider"
	"meterbridge/harnesses/amp"
	"meterbridge/harnesses/antigravity"
	"meterbridge/harnesses/augment"
	"meterbridge/harnesses/claudecode"
	"meterbridge/harnesses/cline"
	"meterbridge/harnesses/codebuff"
	"meterbridge/harnesses/codexcli"
	continuecli "meterbridge/harnesses/continue"
	"meterbridge/harnesses/copilotcli"
	"meterbridge/harnesses/crush"
	"meterbridge/harnesses/cursor"
	"meterbridge/harnesses/devin"
	"meterbridge/harnesses/droid"
	"meterbridge/harnesses/geminicli"
	"meterbridge/harnesses/goose"
	"meterbridge/harnesses/grok"
	"meterbridge/harnesses/hermes"
	"meterbridge/harnesses/junie"
	"meterbridge/harnesses/kilocode"
	"meterbridge/harnesses/kimi"
	"meterbridge/harnesses/kiro"
	"meterbridge/harnesses/mux"
	"meterbridge/harnesses/openclaw"
	"meterbridge/harnesses/opencode"
	"meterbridge/harnesses/pi"
	"meterbridge/harnesses/qwencode"
	"meterbridge/harnesses/roocode"
	"meterbridge/harnesses/shells"
	"meterbridge/harnesses/traecli"
	"meterbridge/harnesses/vibe"
	"meterbridge/harnesses/vscodecopilot"
	"meterbridge/harnesses/warp"
	"meterbridge/harnesses/zed"
)

// Harnesses returns every known harness, in the order of reports.
func Harnesses() []harnesses.Harness {
	return []harnesses.Harness{
		claudecode.Harness(),
		codexcli.Harness(),
		geminicli.Harness(),
		qwencode.Harness(),
		opencode.Harness(),
		amp.Harness(),
		pi.Harness(),
		openclaw.Harness(),
		copilotcli.Harness(),
		cline.Harness(),
		roocode.Harness(),
		kilocode.Harness(),
		hermes.Harness(),
		augment.Harness(),
		goose.Harness(),
		droid.Harness(),
		grok.Harness(),
		kimi.Harness(),
		vscodecopilot.Harness(),
		vibe.Harness(),
		zed.Harness(),
		crush.Harness(),
		aider.Harness(),
		cursor.Harness(),
		kiro.Harness(),
		antigravity.Harness(),
		mux.Harness(),
		continuecli.Harness(),
		warp.Harness(),
		traecli.Harness(),
		junie.Harness(),
		codebuff.Harness(),
		devin.Harness(),
	}
}

// LaunchProfiles are the profiles of everything that can be started as an agent:
// the harnesses that declare one, the shells and any other program.
func LaunchProfiles() map[string]meterbridge.LaunchProfile {
	profiles := shells.Profiles()
	for _, h := range Harnesses() {
		if h.Launch != nil {
			profiles[h.ID] = *h.Launch
		}
	}
	return profiles
}
