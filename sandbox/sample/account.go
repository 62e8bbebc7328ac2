package sample

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

type account struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Currency string `json:"currency"`
	Opened   string `json:"opened_at"`
	Balance  int    `json:"balance_cents"`
}

type transaction struct {
	AccountID    string `json:"account_id"`
	Number       int    `json:"number"`
	BookedAt     string `json:"booked_at"`
	BookedOn     string `json:"booked_on"`
	Amount       string `json:"amount"`
	AmountCents  int    `json:"amount_cents"`
	Currency     string `json:"currency"`
	Counterparty string `json:"counterparty"`
	Description  string `json:"description"`
	Category     string `json:"category"`
	BalanceCents int    `json:"balance_after_cents"`
}

type notice struct {
	ID        string `json:"id"`
	AccountID string `json:"account_id"`
	Kind      string `json:"kind"`
	Title     string `json:"title"`
	Text      string `json:"text"`
	SentAt    string `json:"sent_at"`
}

// Accounts of the bank: of the salary, and of the card for the household.
const (
	MainAccount = "FJ-2204"
	CardAccount = "FJ-7790"
)

// bank has the transactions of both accounts, oldest first. Those of the main account do not depend on the seed.
type bank struct {
	story        story
	balances     map[string]int // in cents
	transactions []transaction
}

func openBank(s story, r *rand.Rand) *bank {
	b := &bank{story: s, balances: map[string]int{}}
	for _, row := range s.rows("bank") {
		switch {
		case row[0] == "opening":
			b.balances[row[1]] = cents(row[2])
		case strings.HasPrefix(row[0], "monthly "):
			for _, day := range monthly(row[0]) {
				b.plan(day, row)
			}
		default:
			b.plan(row[0], row)
		}
	}
	b.spend(r)
	slices.SortStableFunc(b.transactions, func(x, y transaction) int { return strings.Compare(x.BookedAt, y.BookedAt) })
	b.book()
	return b
}

// monthly returns the days of "monthly 5, 2025-06..2025-12".
func monthly(text string) []string {
	day, months, _ := strings.Cut(strings.TrimPrefix(text, "monthly "), ", ")
	from, to, _ := strings.Cut(months, "..")
	last, after := instant(to+"-01"), must(strconv.Atoi(day))-1
	var days []string
	for month := instant(from + "-01"); !month.After(last); month = month.AddDate(0, 1, 0) {
		days = append(days, month.AddDate(0, 0, after).Format(time.DateOnly))
	}
	return days
}

// plan adds what a row says, on its day at noon.
func (b *bank) plan(day string, row []string) {
	b.transactions = append(b.transactions, transaction{
		AccountID: row[1], BookedAt: day + "T12:00:00.000Z", BookedOn: day, AmountCents: cents(row[2]), Currency: "EUR",
		Counterparty: row[3], Description: row[4], Category: row[5],
	})
}

// spend adds what the card pays on any day in Berlin.
func (b *bank) spend(r *rand.Rand) {
	for _, s := range b.story.seriesOf("card") {
		openings, _ := s.lines()
		for n := range s.times {
			row, at := columns(pick(r, openings)), s.at(n)
			if b.story.trip.includes(at) {
				continue
			}
			low, high, _ := strings.Cut(row[2], "..")
			amount := -100*between(r, must(strconv.Atoi(low)), must(strconv.Atoi(high))) - r.IntN(100)
			b.plan(at.Format(time.DateOnly), []string{"", CardAccount, euros(amount), row[0], row[1], row[3]})
		}
	}
}

// book numbers the transactions of each account and counts the balance. The card refuses what it does not hold.
func (b *bank) book() {
	numbers := map[string]int{}
	var booked []transaction
	for _, t := range b.transactions {
		balance := b.balances[t.AccountID] + t.AmountCents
		if t.AccountID == CardAccount && balance < 0 {
			continue
		}
		b.balances[t.AccountID] = balance
		numbers[t.AccountID]++
		t.Number, t.BalanceCents, t.Amount = numbers[t.AccountID], balance, euros(t.AmountCents)
		booked = append(booked, t)
	}
	b.transactions = booked
}

// cents reads an amount in euros.
func cents(text string) int {
	return must(strconv.Atoi(strings.Replace(strings.TrimPrefix(text, "+"), ".", "", 1)))
}

// euros writes an amount: -1204 is -12.04.
func euros(cents int) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

var (
	balanceOf   = regexp.MustCompile(`(-?)\{balance (\d{4}-\d\d-\d\d)\}`)
	statementOf = regexp.MustCompile(`\{statement (\d{4}-\d\d)\}`)
)

// fillIn puts balances and statements of the main account into a text of the story.
func (b *bank) fillIn(text string) string {
	text = balanceOf.ReplaceAllStringFunc(text, func(match string) string {
		return b.balance(balanceOf.FindStringSubmatch(match)[2])
	})
	return statementOf.ReplaceAllStringFunc(text, func(match string) string {
		return b.statement(statementOf.FindStringSubmatch(match)[1])
	})
}

// balance is that of the main account on the evening of a day.
func (b *bank) balance(day string) string {
	last := ""
	for _, t := range b.transactions {
		if t.AccountID == MainAccount && t.BookedOn <= day {
			last = euros(t.BalanceCents)
		}
	}
	return last
}

// statement returns the transactions of the main account in a month as CSV (RFC 4180, but with plain line ends).
func (b *bank) statement(month string) string {
	var text strings.Builder
	rows := csv.NewWriter(&text)
	write := func(row ...string) {
		if err := rows.Write(row); err != nil {
			panic(fmt.Errorf("write sample statement: %w", err))
		}
	}
	write("date", "counterparty", "description", "amount", "balance")
	for _, t := range b.transactions {
		if t.AccountID == MainAccount && strings.HasPrefix(t.BookedOn, month) {
			write(t.BookedOn, t.Counterparty, t.Description, t.Amount, euros(t.BalanceCents))
		}
	}
	rows.Flush()
	return strings.TrimSuffix(text.String(), "\n")
}

// records are those of the bank, oldest first in every stream.
func (b *bank) records() []catalog.Record {
	var records []catalog.Record
	for _, a := range []account{
		{ID: MainAccount, Name: "Current account", Kind: "checking", Opened: "2017-09-01"},
		{ID: CardAccount, Name: "Household card", Kind: "prepaid", Opened: "2021-03-15"},
	} {
		a.Currency, a.Balance = "EUR", b.balances[a.ID]
		records = append(records, record(Bank, "accounts", a.ID, a))
	}
	for _, t := range b.transactions {
		records = append(records, record(Bank, "transactions", compoundKey(t.AccountID, t.Number), t))
	}
	for _, p := range b.story.pieces("bank") {
		n := notice{
			ID: p.head[0], SentAt: timestamp(instant(p.head[1])), AccountID: p.head[2], Kind: p.head[3], Title: p.head[4],
			Text: b.fillIn(p.text),
		}
		records = append(records, record(Bank, "notices", n.ID, n))
	}
	return records
}
