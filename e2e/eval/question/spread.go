package question

// Spread returns a number of questions, evenly spaced over all. It returns all questions for 0.
func Spread(all []Question, number int) []Question {
	if number <= 0 || number >= len(all) {
		return all
	}
	spread := make([]Question, number)
	for i := range spread {
		spread[i] = all[i*len(all)/number]
	}
	return spread
}
