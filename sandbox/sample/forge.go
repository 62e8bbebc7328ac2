package sample

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

type repository struct {
	FullName    string `json:"full_name"`
	Description string `json:"description"`
	Language    string `json:"language"`
	Visibility  string `json:"visibility"`
	CreatedAt   string `json:"created_at"`
}

type issue struct {
	Repository string   `json:"repository"`
	Number     int      `json:"number"`
	Title      string   `json:"title"`
	Body       string   `json:"body"`
	Author     string   `json:"author"`
	State      string   `json:"state"`
	Labels     []string `json:"labels"`
	Comments   int      `json:"comments"`
	CreatedAt  string   `json:"created_at"`
	ClosedAt   *string  `json:"closed_at"`
}

type pullRequest struct {
	issue
	MergedAt  *string `json:"merged_at"`
	Additions int     `json:"additions"`
	Deletions int     `json:"deletions"`
}

type commit struct {
	Repository  string `json:"repository"`
	SHA         string `json:"sha"`
	Message     string `json:"message"`
	Author      string `json:"author"`
	CommittedAt string `json:"committed_at"`
}

// forge makes the records of the code forge, oldest first in every stream.
func forge(s story, r *rand.Rand, people cast) []catalog.Record {
	var records []catalog.Record
	var commits []commit
	for _, row := range s.rows("forge") {
		switch row[0] {
		case "repository":
			made := repository{FullName: row[1], Description: row[2], Language: row[3], CreatedAt: timestamp(instant(row[4])), Visibility: row[5]}
			records = append(records, record(Forge, "repositories", made.FullName, made))
		case "commit":
			commits = append(commits, committed(row[1], instant(row[2]), row[3], row[4]))
		}
	}
	records = append(records, discussions(s.pieces("forge"))...)
	for _, again := range s.seriesOf("commit") {
		openings, _ := again.lines()
		for n := range again.times {
			author := people.named(pick(r, strings.Split(again.head[3], ", ")))
			at := again.at(n).Add(time.Duration(r.IntN(36_000)) * time.Second)
			commits = append(commits, committed(again.head[2], at, author.login, vary(r, pick(r, openings), n+1)))
		}
	}
	slices.SortStableFunc(commits, func(a, b commit) int { return strings.Compare(a.CommittedAt, b.CommittedAt) })
	for _, c := range commits {
		records = append(records, record(Forge, "commits", compoundKey(c.Repository, c.SHA), c))
	}
	return records
}

func committed(repository string, at time.Time, author, message string) commit {
	c := commit{Repository: repository, Message: message, Author: author, CommittedAt: timestamp(at)}
	sum := sha1.Sum(encode(c)) // as Git names its commits
	c.SHA = hex.EncodeToString(sum[:])
	return c
}

// discussions returns the issues and pull requests.
func discussions(pieces []piece) []catalog.Record {
	slices.SortStableFunc(pieces, func(a, b piece) int { return strings.Compare(a.head[4], b.head[4]) })
	var records []catalog.Record
	for _, p := range pieces {
		i := issue{
			Repository: p.head[1], Number: must(strconv.Atoi(p.head[0])), Title: p.headers["title"], Body: p.text,
			Author: p.head[3], State: p.head[5], Labels: p.list("labels"), Comments: must(strconv.Atoi(p.headers["comments"])),
			CreatedAt: timestamp(instant(p.head[4])),
		}
		if p.head[6] != "" {
			i.ClosedAt = pointer(timestamp(instant(p.head[6])))
		}
		key := compoundKey(i.Repository, i.Number)
		if p.head[2] == "issue" {
			records = append(records, record(Forge, "issues", key, i))
			continue
		}
		request := pullRequest{issue: i}
		must(fmt.Sscanf(p.headers["changes"], "+%d -%d", &request.Additions, &request.Deletions))
		if i.State == "merged" {
			request.MergedAt = i.ClosedAt
		}
		records = append(records, record(Forge, "pull_requests", key, request))
	}
	return records
}
