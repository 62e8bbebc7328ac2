//go:build !race

package finding_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// question is worded as people ask, and has one record that answers it.
type question struct {
	q       string
	kind    string
	record  string // connection/id of the record; a mail and its body share it
	hasTypo bool
}

// text is a text of a record in the sample.
type text struct {
	record string
	words  []string // distinct, in lower case
}

// synonyms are words that people use for a word of the data, in the same language; translations in the other one.
var (
	synonyms = map[string]string{
		"parcel": "package", "flat": "apartment", "mail": "message", "letter": "note", "mountain": "summit", "photo": "image",
		"photos": "images",
		"wind":   "breeze", "launch": "release", "fee": "charge", "contract": "agreement", "notice": "warning",
		"phone": "handset", "map": "chart", "maps": "charts",
		"street": "road", "landlord": "owner", "concert": "gig", "lunch": "meal", "dinner": "supper", "money": "cash",
		"update": "upgrade", "broken": "damaged",
		"wohnung": "bude", "brief": "schreiben", "karte": "plan", "wetter": "klima", "paket": "sendung", "miete": "mietzins",
	}
	translations = map[string]string{
		"parcel": "paket", "flat": "wohnung", "letter": "brief", "mountain": "berg", "photo": "foto", "wind": "sturm",
		"fee":      "gebühr",
		"contract": "vertrag", "notice": "mahnung", "phone": "telefon", "map": "karte", "maps": "karten", "street": "straße",
		"lunch":  "mittagessen",
		"dinner": "abendessen", "money": "geld", "rain": "regen", "snow": "schnee", "path": "pfad", "tea": "tee",
		"grandfather": "großvater", "mother": "mutter",
		"wohnung": "flat", "brief": "letter", "karte": "map", "wetter": "weather", "paket": "parcel", "miete": "rent",
		"schlüssel": "key", "haus": "house",
	}
	frames = map[string][]string{
		"en": {
			"who said something about %", "when was the %", "what did they write about the %", "which one had the %",
			"where does it say %",
		},
		"de": {"wer hat über % geschrieben", "wann war das mit %", "was ist aus % geworden", "wo steht das über %"},
	}
	bare = []string{"%"}
)

// texts returns what the live records of the sample say, and in how many of them each word occurs.
func texts() ([]text, map[string]int) {
	dataset := sample.Shared()
	searched := map[string][]string{}
	for _, connector := range dataset.Connectors {
		for _, stream := range connector.Streams {
			for _, field := range stream.Fields {
				if field.Lexical {
					searched[stream.Name] = append(searched[stream.Name], field.Name)
				}
			}
		}
	}
	byRecord := map[string]*text{}
	var order []string
	for _, record := range dataset.Records {
		if !record.DeletedAt.IsZero() || record.Key == sample.LongLetter {
			continue
		}
		name := record.ConnectionID + "/" + record.Key
		if byRecord[name] == nil {
			byRecord[name] = &text{record: name}
			order = append(order, name)
		}
		for _, word := range wordsOf(record, searched[record.Stream]) {
			if !slices.Contains(byRecord[name].words, word) {
				byRecord[name].words = append(byRecord[name].words, word)
			}
		}
	}
	count := map[string]int{}
	all := make([]text, 0, len(order))
	for _, name := range order {
		all = append(all, *byRecord[name])
		for _, word := range byRecord[name].words {
			count[word]++
		}
	}
	return all, count
}

// wordsOf returns the words of the searched fields.
func wordsOf(record catalog.Record, fields []string) []string {
	var data map[string]json.RawMessage
	_ = json.Unmarshal(record.Data, &data)
	var words []string
	for _, field := range fields {
		var said string
		if json.Unmarshal(data[field], &said) == nil {
			words = append(words, strings.FieldsFunc(strings.ToLower(said),
				func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
		}
	}
	return words
}

// rare is in how many records the most telling word of a question occurs; known, the others.
const rare, known = 4, 60

// questionsOf makes questions from the templates. The seed chooses records, words, templates and misspellings.
func questionsOf(seed uint64, number int) []question {
	r := rand.New(rand.NewPCG(seed, 1))
	all, count := texts()
	kinds := []string{"inflection", "order", "synonym", "translation", "extra"}
	var made []question
	used := map[string]bool{}
	for len(made) < number {
		kind := kinds[len(made)%len(kinds)]
		chosen := all[r.IntN(len(all))]
		if used[chosen.record] {
			continue
		}
		q, ok := ask(r, kind, chosen, count, len(made)%3 == 0)
		if !ok {
			continue
		}
		used[chosen.record] = true
		made = append(made, q)
	}
	return made
}

// ask words one question about a record. It is false if the record has too few telling words.
func ask(r *rand.Rand, kind string, of text, count map[string]int, hasTypo bool) (question, bool) {
	var telling, usual, fit []string
	changes := map[string]string{}
	switch kind {
	case "synonym":
		changes = synonyms
	case "translation":
		changes = translations
	}
	for _, word := range of.words {
		switch long := len(word) > 4 && strings.IndexFunc(word, unicode.IsDigit) < 0; {
		case changes[word] != "":
			fit = append(fit, word)
		case long && count[word] <= rare:
			telling = append(telling, word)
		case long && count[word] <= known:
			usual = append(usual, word)
		}
	}
	need := 1 + r.IntN(2)
	if len(telling) < 1 || len(usual) < need || kind == "synonym" && fit == nil || kind == "translation" && fit == nil {
		return question{}, false
	}
	pick := func(words []string) string { return words[r.IntN(len(words))] }
	words := []string{pick(telling)}
	for _, at := range r.Perm(len(usual))[:need] {
		words = append(words, usual[at])
	}
	frame := pick(bare)
	language := []string{"en", "de"}[r.IntN(2)]
	switch kind {
	case "inflection":
		at := r.IntN(len(words))
		words[at] = inflected(r, words[at])
	case "synonym", "translation":
		words = append(words, changes[pick(fit)])
	case "extra":
		frame = pick(frames[language])
	}
	if kind == "translation" {
		frame = pick(frames[language])
	}
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	if kind == "order" {
		words = append(words, pick([]string{"again", "exactly", "nochmal", "recently"}))
	}
	if hasTypo {
		at := r.IntN(len(words))
		words[at] = misspelt(r, words[at])
	}
	return question{strings.Replace(frame, "%", strings.Join(words, " "), 1), kind, of.record, hasTypo}, true
}

// inflected returns another form of a word.
func inflected(r *rand.Rand, word string) string {
	for _, ending := range []string{"ing", "ed", "es", "en", "er", "s", "n", "e"} {
		if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) > 3 {
			return stem + []string{"", "s", "e"}[r.IntN(3)]
		}
	}
	return word + []string{"s", "e", "en", "ed"}[r.IntN(4)]
}

// misspelt changes, drops, doubles or swaps one letter after the first.
func misspelt(r *rand.Rand, word string) string {
	letters := []rune(word)
	at := 1 + r.IntN(len(letters)-1)
	switch r.IntN(4) {
	case 0:
		letters[at] = 'a' + rune(r.IntN(26))
	case 1:
		letters = slices.Delete(letters, at, at+1)
	case 2:
		letters = slices.Insert(letters, at, letters[at])
	default:
		letters[at-1], letters[at] = letters[at], letters[at-1]
	}
	return string(letters)
}

// absent are words that mostly do not occur in the sample.
var absent = strings.Fields(
	`sauna violin dentist tractor volcano submarine giraffe parliament orchestra avocado saxophone telescope pharmacy
	kindergarten zahnarzt traktor geige apotheke hubschrauber vulkan krokodil lottery insurance horoscope vaccination mortgage dishwasher`)

// unanswerable makes questions of two words that do not occur, in templates.
func unanswerable(seed uint64, number int) []string {
	r := rand.New(rand.NewPCG(seed, 2))
	_, count := texts()
	words := slices.DeleteFunc(slices.Clone(absent), func(word string) bool { return count[word] > 0 })
	var made []string
	for len(made) < number {
		at := r.Perm(len(words))
		language := []string{"en", "de"}[r.IntN(2)]
		frame := frames[language][r.IntN(len(frames[language]))]
		made = append(made, strings.Replace(frame, "%", words[at[0]]+" "+words[at[1]], 1))
	}
	return made
}

// isFrame reports whether a word is of a template, and not of what is asked for.
func isFrame(word string) bool { return !slices.Contains(absent, word) }
