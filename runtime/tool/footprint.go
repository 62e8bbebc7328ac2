package tool

// Footprint is the measured size of what a host advertises, against its budgets (R-FOOT-3).
type Footprint struct {
	Tools []FootprintRow `json:"tools"` // in the order of the specs
	Total FootprintRow   `json:"total"` // of the whole tools/list result

	InstructionsCharacters       int `json:"instructions_characters"` // runes
	BudgetInstructionsCharacters int `json:"budget_instructions_characters"`
	BudgetTokens                 int `json:"budget_tokens"` // of Total
}

// FootprintRow is the size of one entry.
type FootprintRow struct {
	Name        string `json:"name"`
	Bytes       int    `json:"bytes"`  // of the entry as it is served, in JSON
	Tokens      int    `json:"tokens"` // counted as o200k
	BudgetBytes int    `json:"budget_bytes"`
}
