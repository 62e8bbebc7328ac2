package sample

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

const (
	trackCount   = 240
	playCount    = 5200
	monthsOfTops = 36
)

type savedTrack struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	AlbumName   *string  `json:"album_name"`
	ArtistNames []string `json:"artist_names"`
	AddedAt     string   `json:"added_at"`
	DurationMS  int      `json:"duration_ms"`
	Popularity  int      `json:"popularity"`
	Tempo       *float64 `json:"tempo"`
	Explicit    bool     `json:"explicit"`
	ISRC        *string  `json:"isrc"`
}

type play struct {
	ID         string       `json:"id"`
	TrackID    string       `json:"track_id"`
	TrackName  string       `json:"track_name"`
	ArtistName string       `json:"artist_name"`
	PlayedAt   string       `json:"played_at"`
	LocalTime  string       `json:"local_time"`
	MSPlayed   int          `json:"ms_played"`
	Completion float64      `json:"completion"`
	Skipped    bool         `json:"skipped"`
	Device     *string      `json:"device"`
	Context    *playContext `json:"context"`
}

type playContext struct {
	Type string `json:"type"`
	URI  string `json:"uri"`
}

type topArtist struct {
	UserID     string   `json:"user_id"`
	Month      string   `json:"month"`
	ComputedAt string   `json:"computed_at"`
	ArtistName string   `json:"artist_name"`
	RunnersUp  []string `json:"runners_up"`
	PlayCount  int      `json:"play_count"`
	Share      float64  `json:"share"`
}

var artists = []string{
	"The Lanterns", "Mónica & die Gärtner", "Harbor Lights", "石川さゆり子", "Nord–Süd Express", "Ledger Brothers",
	"Ωκεανός", "DJ \"Quote\" Unquote", "फूल बैंड", "Los Pasaportes", "أصوات الليل", "Mountain Radio",
}

// listeners are the user ids of the compound keys: plain, with a quote, and with spaces and letters
// outside ASCII.
var listeners = []string{"user_123", `user_"dj"`, "Zoë und Jörg"}

// listening makes the records of the music account, oldest first in every stream.
func listening(r *rand.Rand) []catalog.Record {
	tracks := library(r)
	records := make([]catalog.Record, 0, len(tracks)+playCount+monthsOfTops*len(listeners))
	for _, t := range tracks {
		records = append(records, record(Music, "saved_tracks", t.ID, t))
	}
	records = append(records, history(r, tracks)...)
	return append(records, tops(r)...)
}

func library(r *rand.Rand) []savedTrack {
	tracks := make([]savedTrack, trackCount)
	start := time.Date(2023, time.January, 5, 7, 30, 0, 0, time.UTC)
	for n := range tracks {
		t := savedTrack{
			ID:          fmt.Sprintf("spotify:track:%04d", n+1),
			Name:        words(r, 1+r.IntN(3)),
			AlbumName:   pointer("Songs of the " + words(r, 1)),
			ArtistNames: []string{artists[r.IntN(len(artists))]},
			AddedAt:     timestamp(start.Add(time.Duration(n) * 119 * time.Hour)),
			DurationMS:  90000 + r.IntN(300000),
			Popularity:  r.IntN(101),
			Tempo:       pointer(float64(600+r.IntN(1200)) / 10),
			Explicit:    r.IntN(12) == 0,
			ISRC:        pointer(fmt.Sprintf("XX-S26-26-%05d", n+1)),
		}
		if n%40 == 7 { // local files have no catalogue entry
			t.AlbumName, t.Tempo, t.ISRC = nil, nil, nil
		}
		tracks[n] = t
	}
	return tracks
}

// history covers about sixteen months to the end of April 2026, with the listener's local time in
// the zone of the month.
func history(r *rand.Rand, tracks []savedTrack) []catalog.Record {
	zones := []*time.Location{
		time.FixedZone("CET", 3600), time.FixedZone("JST", 9*3600), time.FixedZone("NST", -(3*3600 + 1800)), time.UTC,
	}
	devices := []*string{pointer("phone"), pointer("kitchen speaker"), pointer("Büro"), nil}
	at := time.Date(2025, time.January, 1, 6, 0, 0, 0, time.UTC)
	records := make([]catalog.Record, playCount)
	for n := range records {
		at = at.Add(time.Duration(10+r.IntN(240)) * time.Minute)
		t := tracks[min(r.IntN(trackCount), r.IntN(trackCount))] // some tracks are favourites
		listened := t.DurationMS
		skipped := r.IntN(6) == 0
		if skipped {
			listened = r.IntN(t.DurationMS)
		}
		p := play{
			ID: fmt.Sprintf("play_%05d", n+1), TrackID: t.ID, TrackName: t.Name, ArtistName: t.ArtistNames[0],
			PlayedAt: timestamp(at), LocalTime: at.In(zones[int(at.Month())%len(zones)]).Format(time.RFC3339),
			MSPlayed: listened, Completion: float64(listened*1000/t.DurationMS) / 1000, Skipped: skipped,
			Device: devices[r.IntN(len(devices))],
		}
		if r.IntN(3) == 0 {
			p.Context = &playContext{Type: "playlist", URI: fmt.Sprintf("spotify:playlist:%02d", r.IntN(20))}
		}
		records[n] = record(Music, "play_history", p.ID, p)
	}
	return records
}

// tops has one record for each listener and month, the last being April 2026.
func tops(r *rand.Rand) []catalog.Record {
	var records []catalog.Record
	first := time.Date(2023, time.May, 1, 0, 0, 0, 0, time.UTC)
	for n := range monthsOfTops {
		month := first.AddDate(0, n, 0)
		for _, listener := range listeners {
			ranking := slices.Clone(artists)
			r.Shuffle(len(ranking), func(i, j int) { ranking[i], ranking[j] = ranking[j], ranking[i] })
			top := topArtist{
				UserID: listener, Month: month.Format(time.DateOnly), ComputedAt: timestamp(month.AddDate(0, 1, 0)),
				ArtistName: ranking[0], RunnersUp: ranking[1:4], PlayCount: 20 + r.IntN(180), Share: float64(100+r.IntN(600)) / 1000,
			}
			records = append(records, record(Music, "top_artists", compoundKey(top.UserID, top.Month), top))
		}
	}
	return records
}
