package sample

import (
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Person returns the data of a generated person: other people, days, amounts and events than Nora's, in the same seven
// connections. Person 0 is Nora Weiss, as in Dataset(1). It is a pure function of person.
func Person(person uint64) catalog.Dataset {
	if person == 0 {
		return Dataset(1)
	}
	return generated(person).dataset()
}

// nora returns the story of Nora Weiss, who is in Japan in October.
func nora(seed uint64) story {
	return story{
		seed: seed,
		facts: map[string]string{
			"me": "Nora", "my_last": "Weiss", "company": "Kartenwerk", "project": "Nebel", "channel": "nebel",
			"partner_company": "Yamabiko", "partner_channel": "山彦", "partner_zone": "Asia/Tokyo",
			"repo": "kartenwerk/pfad", "format_repo": "kartenwerk/fog-format", "data_repo": "kartenwerk/hut-data",
			"engineer_login": "brandtj", "designer_login": "lhaddad", "tester_login": "sadeyemi", "tester": "Sam", "designer": "Leïla",
		},
		family: []string{"nora", `dj "juno"`, "Zoë und Jörg"}, // plain, with a quote, and with spaces and letters outside ASCII
		trip: trip{
			time.FixedZone("JST", 9*3600),
			time.Date(2025, time.October, 12, 0, 0, 0, 0, berlin), time.Date(2025, time.October, 27, 0, 0, 0, 0, berlin),
		},
	}
}

// generated draws the facts of a person from story/generated/facts.txt. Each fact has its own random numbers, so that a
// new one does not change the others.
func generated(person uint64) story {
	s := story{seed: person, person: person, facts: map[string]string{}}
	for _, line := range strings.Split(string(must(storyFiles.ReadFile("story/generated/facts.txt"))), "\n") {
		if name, alternatives, found := strings.Cut(line, " = "); found && !strings.HasPrefix(line, "#") {
			s.draw(name, strings.Split(alternatives, " | "))
		}
	}
	first := instant(s.facts["trip_day"]).In(berlin)
	s.trip = trip{must(time.LoadLocation(s.facts["place2"])), first, first.AddDate(0, 0, whole(s.facts["trip_days"]))}
	s.family = []string{strings.ToLower(s.facts["me"]), strings.ToLower(s.facts["sister"])}
	return s
}

// draw chooses one of the alternatives. The parts of one, between tildes, are the facts name, name2 and so on.
func (s story) draw(name string, alternatives []string) {
	r := source(s.person, "fact "+name)
	drawn := s.fill(pick(r, alternatives))
	if days, isDay := strings.CutPrefix(drawn, "day "); isDay {
		first, last, _ := strings.Cut(days, "..")
		drawn = after(first, between(r, 0, int(instant(last).Sub(instant(first)).Hours()/24)))
	}
	for i, part := range strings.Split(vary(r, drawn, 0), "~") {
		if i > 0 {
			s.facts[name+strconv.Itoa(i+1)] = part
		} else {
			s.facts[name] = part
		}
	}
}

// fill fills the templates of a file, which are between << and >>.
func (s story) fill(text string) string {
	if !strings.Contains(text, "<<") {
		return text
	}
	parsed := must(template.New("").Delims("<<", ">>").Option("missingkey=error").Funcs(template.FuncMap{
		"after": after, "at": at, "choice": choice, "date": date, "euros": func(cents any) string { return euros(whole(cents)) }, "in": inLanguage,
		"lower": strings.ToLower, "money": money, "month": month, "plus": plus, "stamp": stamp, "times": times, "upto": upto,
	}).Parse(text))
	var filled strings.Builder
	must(0, parsed.Execute(&filled, s.facts))
	return filled.String()
}

// whole returns the integer of a fact or a number in a template.
func whole(number any) int { return must(strconv.Atoi(fmt.Sprint(number))) }

func plus(numbers ...any) int {
	sum := 0
	for _, number := range numbers {
		sum += whole(number)
	}
	return sum
}

func times(a, b any) int { return whole(a) * whole(b) }

// upto returns the numbers from 1 to n.
func upto(n any) []int {
	all := make([]int, whole(n))
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// choice returns the nth text, from 1.
func choice(n any, texts ...string) string { return texts[whole(n)-1] }

// after returns a later day.
func after(day string, days ...any) string {
	return instant(day).AddDate(0, 0, plus(days...)).Format(time.DateOnly)
}

// month returns the month that is some months after the month of a day.
func month(day string, months int) string {
	return instant(day[:len("2006-01")]+"-01").AddDate(0, months, 0).Format("2006-01")
}

// at returns the instant of a day and a clock time in a zone.
func at(day, clock, zone string) string {
	place := must(time.LoadLocation(zone))
	return must(time.ParseInLocation("2006-01-02 15:04", day+" "+clock, place)).Format(time.RFC3339)
}

// stamp returns a time in the form of iCalendar (RFC 5545).
func stamp(at string) string { return instant(at).UTC().Format("20060102T150405Z") }

// months are the names of the months by language.
var months = map[string][]string{
	"en": {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	"de": {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	"fr": {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
}

// date returns a day in the form of a language, such as 12 March 2026 or 12. März 2026.
func date(language, day string) string {
	t, point := instant(day), ""
	if language == "de" {
		point = "."
	}
	return fmt.Sprintf("%d%s %s %d", t.Day(), point, months[language][t.Month()-1], t.Year())
}

// money returns an amount in cents in the form 1,204.50.
func money(cents any) string {
	text := euros(whole(cents))
	if point := len(text) - len(".00"); point > 3 {
		return text[:point-3] + "," + text[point-3:]
	}
	return text
}

// inLanguage returns the text after the name of a language.
func inLanguage(language string, texts ...string) string {
	for i := 0; i < len(texts); i += 2 {
		if texts[i] == language {
			return texts[i+1]
		}
	}
	panic("sample story: nothing in " + language)
}
