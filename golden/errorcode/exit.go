package errorcode

// exitSection is the exit codes of pdpp-mcp (docs/interfaces.md). The constants are of the program, so a test holds the two
// together.
var exitSection = Section{
	Title: "A command ends with an exit code",
	Keyed: "exit code",
	Intro: "The last line on standard error says what happened and the command that fixes it, if there is one.",
	Entries: []Entry{
		{
			Code:    "0",
			Meaning: "Success.",
		},
		{
			Code:    "1",
			Meaning: "The provider or the tool refused, or a check failed.",
			Next:    "Standard error has the code; look it up above.",
		},
		{
			Code:    "64",
			Meaning: "The command line, a variable or an argument is wrong.",
			Next:    "Read the line, or `--help` of the command.",
		},
		{
			Code:    "69",
			Meaning: "The provider or its authorization server did not answer.",
			Next:    "Run `pdpp-mcp doctor`; try again later.",
		},
		{
			Code:    "70",
			Meaning: "The program failed.",
			Next:    "Report it, with the line and `pdpp-mcp version`.",
		},
		{
			Code:    "77",
			Meaning: "An owner credential or a token of the wrong kind was found, or the owner denied.",
			Next:    "Remove the owner credential; run `pdpp-mcp connect` for a scoped one.",
		},
		{
			Code:    "78",
			Meaning: "A credential or a setting is missing, expired, malformed or open to others.",
			Next:    "Run the command that the line names, mostly `pdpp-mcp connect`.",
		},
		{
			Code:    "130",
			Meaning: "Ctrl-C, or SIGINT.",
			Next:    "Run the command of the line to continue.",
		},
	},
}
