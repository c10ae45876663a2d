package scanner

import "meterbridge"

// dropText removes what people and agents wrote; numbers, names and times stay.
func dropText(b *meterbridge.Batch) {
	for i := range b.Sessions {
		s := &b.Sessions[i]
		s.Title, s.TitleRank, s.LastReply = "", meterbridge.NoTitle, ""
	}
	for i := range b.Prompts {
		b.Prompts[i].Preview = ""
	}
}
