package errorcode

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// warningSection is what an answer lacks although the call went well.
var warningSection = Section{
	Title: "An answer with warnings",
	Keyed: "code or reason",
	Intro: "The call succeeded, but something is missing. Text has a line `warning:`, the structured output `meta.warnings`.\n" +
		"Providers also send their own warnings. A missing source has a `reason`: one of the codes above, or the last of\n" +
		"this table.",
	Entries: []Entry{
		{
			Code:    string(tool.SourceUnavailable),
			Meaning: "One source of the package did not answer; the others did.",
			Next:    "The answer is not complete: say so, or ask the source alone as the warning shows.",
		},
		{
			Code:    fanout.WarnSourceTruncated,
			Meaning: "A source has more hits than it returns.",
			Next:    "Narrow the search.",
		},
		{
			Code:    fanout.WarnStreamUngranted,
			Meaning: "No active source grants one of the streams.",
			Next:    "Take the streams that `schema` lists.",
		},
		{
			Code:    fanout.WarnHitsDropped,
			Meaning: "A source sent hits of another source of the package; they are left out.",
			Next:    "Tell the provider's operator. Ask the other source by `connection_id` for its own.",
		},
		{
			Code:    fanout.WarnCursorTooLarge,
			Meaning: "Too many sources have more hits for one cursor.",
			Next:    "Search fewer streams, or one source by `connection_id`.",
		},
		{
			Code:    fanout.ReasonInactive,
			Meaning: "The grant of this source was revoked or has ended.",
			Next:    "The owner approves the source again.",
		},
	},
}
