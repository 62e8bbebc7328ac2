package exam_test

import "github.com/pdppmcp/pdpp-mcp/e2e/exam/candidate"

// aboutDocuments are the questions that only documents answer. The answers are those of sandbox/sample/FACTS.md: SQL
// cannot read the files.
var aboutDocuments = []question{
	{
		name: "cell", text: "How many euros did the rope cost, by the table of my travel costs?",
		answered: candidate.InDocument("travel costs xlsx", "rope", `(?mi)\brope.*,(\S+ €)$`),
		truths:   `SELECT '25.23 €'`,
	},
	{
		name: "tracked change", text: "Who changed the number of the cellar compartment in the amendment to my lease, when, and from what to what?",
		answered: candidate.InDocument("lease amendment docx", "cellar compartment number", `\[deleted by ([^,]+), (\d{4}-\d\d-\d\d)[^:]*:\d\d:\S+ ([^\]]+)\]\[inserted by [^:]*:\d\d:\S+ ([^\]]+)\]`),
		truths:   `SELECT 'Tomasz Wilk', '2025-12-18', 'forty', 'twenty-three'`,
	},
	{
		name: "slide", text: "How far apart are the dashes on the path, by slide 4 of my talk about fog, and why?",
		answered: candidate.InDocument("fog talk pptx", "slide 4 of", `(?s)paces, in fog, (.*?)\.\n(.*?)\.\nSo the dashes on the path are (\d+ metres) apart`),
		truths:   `SELECT 'eleven times', 'Jonas heard it nine times', '31 metres'`,
	},
	{
		name: "booklet", text: "Which code do I quote at the lost property office for my train to Lyon, and in which town is it?",
		answered: candidate.InDocument("ticket booklet epub", "lost property office", `is in (\w+),.*Quote the code (\S+)\.`),
		truths:   `SELECT 'Wuppertal', 'PINE-4402'`,
	},
	{
		name: "deposit", text: "At which bank, on which account and at what interest is my deposit kept, by my lease?",
		answered: candidate.InDocument("mietvertrag pdf", "Die Kaution beträgt", `bei der (\S+ \S+)\nauf dem Konto (\d+ \d+) an, zu (\S+ %) Zinsen`),
		truths:   `SELECT 'Havelbank Köpenick', '4418 207', '1,35 %'`,
	},
	{
		name: "newest PDF", text: "What did the locksmith charge for the cylinder, by the table of the newest PDF in my private mail?",
		answered: candidate.NewestDocument("application/pdf", `Schlüsseldienst Bärwald, Rechnung R-2291: Zylinder","-(\d+,\d+)"`),
		truths:   `SELECT '58,30'`,
	},
	{
		name: "scanned letter", text: "What does the letter look like with which my old lease was ended?",
		answered: candidate.Scan("kuendigung pdf"),
		truths: `SELECT content_type, size FROM file JOIN mail ON mail.account = file.account AND mail.key = file.mail
			WHERE subject LIKE 'Ankündigung: Eigenbedarf%' AND name = 'kuendigung.pdf'`,
	},
}
