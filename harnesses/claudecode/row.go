package claudecode

import "meterbridge/harnesses/walk"

// row is one line, taken apart. Every slice points into the line (raw text
// between quotes, escapes not resolved) and is gone with it; nil means absent.
type row struct {
	kind, subtype                   []byte
	uuid, timestamp                 []byte
	session, requestSession         []byte
	forkedFrom                      []byte
	agent, agentType                []byte
	requestID, requestRef, id       []byte
	cwd, branch, version            []byte
	promptID, promptSource          []byte
	turnOrigin, originKind          []byte
	title, leaf, link               []byte
	errorText, errorStatus, trigger []byte
	cost                            []byte

	meta, summary, transcriptOnly bool
	side, apiError, aborted       bool
	toolUseResult, sourceTool     bool
	turnCompanion, costWrong      bool

	message message
	// result and progress hold other messages' usage; they are for traces only.
	result, progress []byte
}

func (r *row) reset() {
	blocks := r.message.blocks[:0]
	*r = row{}
	r.message.blocks = blocks
}

// read takes the line apart in one pass over its structure; the error is the
// walker's.
func (r *row) read(line []byte) error {
	r.reset()
	c := walk.Over(line)
	if !c.Object() {
		return walk.ErrSyntax
	}
	for first := true; c.Member(&first); {
		r.member(&c)
	}
	if c.Err() == nil && !c.End() {
		return walk.ErrSyntax
	}
	return c.Err()
}

// member reads one member of the line's object, whatever the type of the line
// is: the type may come last.
func (r *row) member(c *walk.Cursor) {
	switch string(c.Key()) {
	case "type":
		r.kind, _ = c.Text()
	case "message":
		r.message.read(c)
	case "timestamp":
		r.timestamp, _ = c.Text()
	case "uuid":
		r.uuid, _ = c.Text()
	case "sessionId":
		r.session, _ = c.Text()
	case "cwd":
		r.cwd, _ = c.Text()
	case "gitBranch":
		r.branch, _ = c.Text()
	case "version":
		r.version, _ = c.Text()
	case "isSidechain":
		r.side, _ = c.Bool()
	case "agentId":
		r.agent, _ = c.Text()
	case "requestId":
		r.requestID, _ = c.Text()
	case "requestRef":
		r.requestRef, _ = c.Text()
	case "promptId":
		r.promptID, _ = c.Text()
	case "parentUuid", "userType", "entrypoint", "slug":
		c.Skip()
	case "toolUseResult":
		r.toolUseResult = c.Peek() != 'n'
		r.result = c.Raw()
	case "data":
		r.progress = c.Raw()
	default:
		r.rare(c)
	}
}

// rare reads the members that few lines have.
func (r *row) rare(c *walk.Cursor) {
	switch string(c.Key()) {
	case "subtype":
		r.subtype, _ = c.Text()
	case "requestSessionId":
		r.requestSession, _ = c.Text()
	case "forkedFrom":
		r.forkedFrom = textIn(c, "sessionId")
	case "attributionAgent":
		r.agentType, _ = c.Text()
	case "id":
		r.id, _ = c.Text()
	case "promptSource":
		r.promptSource, _ = c.Text()
	case "turnOrigin":
		r.turnOrigin, _ = c.Text()
	case "origin":
		r.originKind = textIn(c, "kind")
	case "isMeta":
		r.meta, _ = c.Bool()
	case "isCompactSummary":
		r.summary, _ = c.Bool()
	case "isVisibleInTranscriptOnly":
		r.transcriptOnly, _ = c.Bool()
	case "sourceToolAssistantUUID", "sourceToolUseID":
		r.sourceTool = c.Peek() != 'n' || r.sourceTool
		c.Skip()
	case "turnCompanion":
		r.turnCompanion = truthy(c)
	case "isAbortedMidStream":
		r.aborted, _ = c.Bool()
	case "costUSD":
		r.readCost(c)
	default:
		r.rarer(c)
	}
}

// rarer reads what belongs to errors, titles and links between sessions.
func (r *row) rarer(c *walk.Cursor) {
	switch string(c.Key()) {
	case "isApiErrorMessage":
		r.apiError, _ = c.Bool()
	case "apiErrorStatus":
		r.errorStatus = scalar(c)
	case "error":
		r.readError(c)
	case "compactMetadata":
		r.trigger = textIn(c, "trigger")
	case "customTitle", "aiTitle":
		r.title, _ = c.Text()
	case "summary":
		r.title, _ = c.Text()
	case "leafUuid":
		r.leaf, _ = c.Text()
	case "continuedInSessionId", "derivedFromSessionId", "derivedFrom", "parentSessionId", "sourceSessionId":
		r.readLink(c)
	default:
		c.Skip()
	}
}

// readLink reads the other session of a derived-from or continued-in row: a
// text, or an object that holds a sessionId.
func (r *row) readLink(c *walk.Cursor) {
	if c.Peek() == '{' {
		r.link = textIn(c, "sessionId")
		return
	}
	r.link, _ = c.Text()
}

func (r *row) readCost(c *walk.Cursor) {
	switch b := c.Peek(); {
	case b == 'n':
		c.Skip()
	case b == '-' || b >= '0' && b <= '9':
		r.cost = c.Raw()
	default:
		c.Skip()
		r.costWrong = true
	}
}

// readError reads the error of an api_error row (an object with a status) or of
// an assistant row (a word).
func (r *row) readError(c *walk.Cursor) {
	if !c.Object() {
		r.errorText, _ = c.Text()
		return
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "status":
			r.errorStatus = scalar(c)
		case "type":
			r.errorText, _ = c.Text()
		default:
			c.Skip()
		}
	}
}

// textIn reads one text of an object; what is no object is skipped.
func textIn(c *walk.Cursor, name string) (text []byte) {
	if !c.Object() {
		c.Skip()
		return nil
	}
	for first := true; c.Member(&first); {
		if string(c.Key()) == name {
			text, _ = c.Text()
			continue
		}
		c.Skip()
	}
	return text
}

// scalar reads a text or a number as its raw text; nil for anything else.
func scalar(c *walk.Cursor) []byte {
	switch b := c.Peek(); {
	case b == '"':
		t, _ := c.Text()
		return t
	case b == '-' || b >= '0' && b <= '9':
		return c.Raw()
	}
	c.Skip()
	return nil
}

// truthy reports whether the next value is anything but null and false.
func truthy(c *walk.Cursor) bool {
	b := c.Peek()
	c.Skip()
	return b != 'n' && b != 'f'
}
