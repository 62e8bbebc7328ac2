package sample

import "strings"

// person is somebody of the story under the names that each source has for them; empty where a source does
// not know them.
type person struct {
	short      string // in the files of the story
	name       string
	private    string // mail address
	work       string // mail address
	chat       string
	login      string // at the forge
	inCalendar string
	language   string
}

// cast is everybody of the story by short name.
type cast map[string]*person

func (s story) cast() cast {
	people := cast{}
	for _, row := range s.rows("people") {
		p := &person{
			short: row[0], name: row[1], private: row[2], work: row[3], chat: row[4], login: row[5],
			inCalendar: row[6], language: row[7],
		}
		people[p.short] = p
	}
	return people
}

// named returns a person that a file names.
func (c cast) named(short string) *person {
	p, known := c[short]
	if !known {
		panic("sample story: nobody is called " + short)
	}
	return p
}

// address returns the address of a person such as "nora", "nora/work" or "nora/personal".
func (c cast) address(who string, atWork bool) string {
	short, place, chosen := strings.Cut(who, "/")
	p := c.named(short)
	if chosen {
		atWork = place == "work"
	}
	if atWork && p.work != "" || p.private == "" {
		return p.work
	}
	return p.private
}
