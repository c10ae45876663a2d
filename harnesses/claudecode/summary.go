package claudecode

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// namedAfterFile stands in the state for a session that the file is named after.
const namedAfterFile = "="

// summary keeps a title that old builds wrote without a session: it is taken for
// that of the file's first row, which may come later. A file that holds nothing
// but summaries tells of sessions in other files, and makes none.
func (p *parser) summary() {
	if p.fileAgent != "" {
		return
	}
	text := walk.Unquote(p.row.title, longestTitle)
	if session := p.fileOwner(); session != "" {
		p.sessions.title(session, text, meterbridge.TitleFromSummary)
		return
	}
	p.state.Summary = text
}

// settle notes the session of the file's first row, and gives it the summary
// that waited for it.
func (p *parser) settle() {
	if p.state.File != "" || len(p.row.session) == 0 || p.fileAgent != "" {
		return
	}
	session := p.names.session.of(p.row.session)
	p.state.File = session
	if session == p.fileSession {
		p.state.File = namedAfterFile
	}
	if p.state.Summary != "" {
		p.sessions.title(session, p.state.Summary, meterbridge.TitleFromSummary)
		p.state.Summary = ""
	}
}

// fileOwner is the session of the file's first row; empty before it.
func (p *parser) fileOwner() string {
	if p.state.File == namedAfterFile {
		return p.fileSession
	}
	return p.state.File
}
