package screen

import (
	"fmt"

	"meterbridge/agents/terminal/vt"
)

// maxReplies bounds what one Write is answered, in bytes; further questions of
// the same chunk stay unanswered.
const maxReplies = 4 << 10

func (s *Screen) reply(text string) {
	if s.opts.Reply != nil && len(s.replies)+len(text) <= maxReplies {
		s.replies = append(s.replies, text...)
	}
}

// report answers DSR.
func (s *Screen) report(q *vt.Sequence) {
	switch q.Param(0, 0) {
	case 5:
		s.reply("\x1b[0n")
	case 6:
		s.reportCursor("\x1b[")
	}
}

func (s *Screen) reportCursor(start string) {
	y := s.y
	if s.origin {
		y -= s.top
	}
	s.reply(fmt.Sprintf("%s%d;%dR", start, y+1, s.x+1))
}

// reportMode answers DECRQM: 1 set, 2 reset, 0 not known.
func (s *Screen) reportMode(q *vt.Sequence) {
	mode, state := q.Param(0, 0), 0
	modes := s.Modes()
	flag := modes.flag(mode)
	switch {
	case q.Prefix != '?':
	case mode == 6:
		flag = &modes.Origin
	case mode == 47 || mode == 1047 || mode == 1049:
		flag = &modes.Alternate
	}
	if q.Prefix == '?' && flag != nil {
		state = 2
		if *flag {
			state = 1
		}
	}
	prefix := ""
	if q.Prefix != 0 {
		prefix = string(rune(q.Prefix))
	}
	s.reply(fmt.Sprintf("\x1b[%s%d;%d$y", prefix, mode, state))
}

// window answers for the size in characters and keeps the stack of titles.
func (s *Screen) window(q *vt.Sequence) {
	switch q.Param(0, 0) {
	case 18:
		s.reply(fmt.Sprintf("\x1b[8;%d;%dt", s.rows, s.cols))
	case 22:
		if len(s.titles) < 16 {
			s.titles = append(s.titles, s.title)
		}
	case 23:
		if n := len(s.titles); n > 0 {
			s.setTitle(s.titles[n-1])
			s.titles = s.titles[:n-1]
		}
	}
}
