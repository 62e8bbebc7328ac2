package scalar_test

import (
	"encoding/json"
	"math/big"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
)

// numbers are JSON numbers of every form and many sizes.
var numbers = rapid.OneOf(
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,4})(\.[0-9]{1,3})?`),
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?`),
)

func decimal(t *rapid.T, text string) (scalar.Decimal, *big.Rat) {
	d, ok := scalar.ParseDecimal([]byte(text))
	exact, isNumber := new(big.Rat).SetString(text)
	if !ok || !isNumber {
		t.Fatalf("%s is no number", text)
	}
	return d, exact
}

// Sums and orders are those of exact fractions, and sums are written as JSON that means the same (R-SCAN-3).
func TestDecimalsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, exactA := decimal(t, numbers.Draw(t, "a"))
		b, exactB := decimal(t, numbers.Draw(t, "b"))
		if a.Compare(b) != exactA.Cmp(exactB) {
			t.Fatalf("compares as %d", a.Compare(b))
		}
		if a.Magnitude().Compare(b.Magnitude()) != new(big.Rat).Abs(exactA).Cmp(new(big.Rat).Abs(exactB)) {
			t.Fatal("magnitudes compare otherwise")
		}
		written := a.Add(b).Append(nil)
		sum, ok := new(big.Rat).SetString(string(written))
		if !ok || !json.Valid(written) || sum.Cmp(exactA.Add(exactA, exactB)) != 0 {
			t.Fatalf("the sum is written %s", written)
		}
	})
}

func TestDecimalsAreWrittenShort(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"1.50", "1.5", "3"},
		{"0.1", "0.2", "0.3"},
		{"-0.05", "0", "-0.05"},
		{"1e21", "0", "1e+21"},
		{"12e20", "0", "1.2e+21"},
		{"100", "0", "100"},
		{"9223372036854775807", "1", "9223372036854775808"},
		{"1e400", "-1e400", "0"},
	} {
		a, _ := scalar.ParseDecimal([]byte(test.a))
		b, _ := scalar.ParseDecimal([]byte(test.b))
		if got := string(a.Add(b).Append(nil)); got != test.want {
			t.Errorf("%s + %s is %s, want %s", test.a, test.b, got, test.want)
		}
	}
}

func TestInvalidNumbers(t *testing.T) {
	for _, text := range []string{
		"", "-", ".5", "5.", "1e", "1e401", "1e-401", "1e99999999999999999999", "0x10", "+1",
		"1 ", "NaN", "1.2.3", "--1",
	} {
		if d, ok := scalar.ParseDecimal([]byte(text)); ok {
			t.Errorf("%q is %s", text, d.Append(nil))
		}
	}
}

// Numbers are printed as JavaScript prints them, whose rules for doubles ECMAScript gives (Number::toString).
func TestNumbersAsJavaScriptPrintsThem(t *testing.T) {
	for number, want := range map[string]string{
		"2.0": "2", "1.50": "1.5", "1e21": "1e+21", "1E20": "100000000000000000000", "123456789.5e3": "123456789500",
		"1e-6": "0.000001",
		"1e-7": "1e-7", "-1.5e-10": "-1.5e-10", "1.7976931348623157e308": "1.7976931348623157e+308", "-0": "0",
		"-0.0": "0", "0.1": "0.1",
		"9007199254740993": "9007199254740993", "9007199254740993.0": "9007199254740992", "1e999": "1e999",
	} {
		if got := string(scalar.AppendNumber(nil, []byte(number))); got != want {
			t.Errorf("%s is printed %s, want %s", number, got, want)
		}
	}
}

// What package time reads as RFC 3339 is the same instant here, in every zone.
func TestInstantsAreThoseOfRFC3339(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-60_000_000_000, 200_000_000_000).Draw(t, "seconds"),
			rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "minutes"))
		text := at.In(zone).Format(
			rapid.SampledFrom([]string{time.RFC3339, time.RFC3339Nano, "2006-01-02T15:04:05.000Z07:00", time.DateOnly}).Draw(t,
				"form"))
		want, err := time.Parse(time.RFC3339, text)
		if err != nil {
			want, err = time.Parse(time.DateOnly, text)
		}
		if got, ok := scalar.Instant([]byte(text)); err != nil || !ok || !got.Equal(want) {
			t.Fatalf("%s is %v, want %v (%v)", text, got, want, err)
		}
	})
}

func TestInstantsAsJavaScriptReadsThem(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01":                     "2026-03-01T00:00:00Z",
		"2026-02-30":                     "2026-03-02T00:00:00Z",
		"2026-03-01t10:20:30z":           "2026-03-01T10:20:30Z",
		"2026-03-01 10:20:30":            "2026-03-01T10:20:30Z",
		"2026-03-01T10:20Z":              "2026-03-01T10:20:00Z",
		"2026-03-01T10:20:30.1234567891": "2026-03-01T10:20:30.123456789Z",
		"2026-03-01T00:30:00+01:00":      "2026-02-28T23:30:00Z",
		"2026-13-01":                     "", "2026-00-01": "", "2026-01-32": "", "2026-01-00": "", "2026-1-1": "",
		"2026-03-01T":          "",
		"2026-03-01T24:00:00Z": "", "2026-03-01T10:60:00Z": "", "2026-03-01T10:00:60Z": "", "2026-03-01T10:00:00.Z": "",
		"2026-03-01T10:00:00+0100": "", "2026-03-01T10:00:00+24:00": "", "2026-03-01T10:00:00Zx": "", "2026-03-01x": "",
		"1772409600000": "", "yesterday": "", "2026": "", "2026-03": "", "": "", "２026-03-01": "",
	} {
		got, ok := scalar.Instant([]byte(text))
		if ok != (want != "") || ok && got.Format(time.RFC3339Nano) != want {
			t.Errorf("%s is %v (%v), want %s", text, got, ok, want)
		}
	}
	for text, want := range map[string]string{
		"2026": "2026-01-01", "2026-03": "2026-03-01", "2026-03-04": "2026-03-04",
		"20x6": "", "2026-3": "",
	} {
		if got, ok := scalar.Period([]byte(text)); ok != (want != "") || ok && got.Format(time.DateOnly) != want {
			t.Errorf("%s begins %v (%v), want %s", text, got, ok, want)
		}
	}
}

// The order is total, and values that are written alike are equal in it.
func TestValuesAreInOneOrder(t *testing.T) {
	values := rapid.OneOf(
		rapid.SampledFrom([]string{
			`null`, `true`, `false`, `[]`, `{}`, `"2026-03-01"`, `"2026-03-01T01:00:00+01:00"`,
			`"2026-03-02T00:00:00Z"`, `""`, `"a"`, `"\u0061"`,
		}),
		numbers,
		rapid.Map(rapid.String(), strconv.Quote).Filter(func(quoted string) bool { return json.Valid([]byte(quoted)) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(values, 3, 3).Draw(t, "values")
		a, b, c := scalar.Of(rawjson.Value(texts[0])), scalar.Of(rawjson.Value(texts[1])), scalar.Of(rawjson.Value(texts[2]))
		if a.Compare(b) != -b.Compare(a) {
			t.Fatal("not the same the other way round")
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Fatal("not in one line")
		}
		written := func(text string) string { return string(scalar.AppendJSON(nil, rawjson.Value(text))) }
		// a double is near to many
		if written(texts[0]) == written(texts[1]) && a.Compare(b) != 0 && a.Kind != scalar.Number {
			t.Fatal("written alike and not equal")
		}
	})
}

// R-AGG-4: a call for later time groups begins with the period after the last one.
func TestPeriodsFollowEachOther(t *testing.T) {
	for _, test := range []struct{ key, granularity, zone, want string }{
		{"2026-01-31T23:59", "minute", "UTC", "2026-02-01T00:00:00Z"},
		{"2026-03-28T23:00", "hour", "Europe/Berlin", "2026-03-28T23:00:00Z"},
		{"2026-03-29", "day", "Europe/Berlin", "2026-03-29T22:00:00Z"},  // a day of 23 hours
		{"2026-04-23", "day", "Africa/Cairo", "2026-04-23T22:00:00Z"},   // midnight is skipped
		{"2026-03-08", "day", "America/Havana", "2026-03-09T04:00:00Z"}, // begins at 01:00
		{"2026-10-31", "day", "America/Havana", "2026-11-01T04:00:00Z"}, // midnight occurs twice
		{"2026-11-01T00:00", "hour", "America/Havana", "2026-11-01T06:00:00Z"},
		{"2026-02-23", "week", "UTC", "2026-03-02T00:00:00Z"},
		{"2026-12-01", "month", "America/New_York", "2027-01-01T05:00:00Z"},
		{"2026-10-01", "quarter", "UTC", "2027-01-01T00:00:00Z"},
		{"2026-01-01", "year", "UTC", "2027-01-01T00:00:00Z"},
		{"null", "day", "UTC", ""},
		{"", "day", "UTC", ""},
		{"2026-01-01", "second", "UTC", ""},
		{"2026-01-01", "day", "Mars/Olympus", ""},
	} {
		if got, ok := scalar.Following(test.key, test.granularity, test.zone); ok != (test.want != "") || ok &&
			got != test.want {
			t.Errorf("after the %s %s comes %s (%v), want %s", test.granularity, test.key, got, ok, test.want)
		}
	}
}
