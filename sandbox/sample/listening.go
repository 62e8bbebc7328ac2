package sample

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
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

	liked int
}

type play struct {
	ID         string       `json:"id"`
	TrackID    string       `json:"track_id"`
	TrackName  string       `json:"track_name"`
	ArtistName string       `json:"artist_name"`
	AlbumName  *string      `json:"album_name"`
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

// neverSkipped is the track that Juno forbade Nora to skip.
const neverSkipped = "Nine (Do Not Skip)"

// The days of a story.
var (
	firstDay = time.Date(2025, time.May, 1, 0, 0, 0, 0, berlin)
	lastDay  = time.Date(2026, time.April, 30, 0, 0, 0, 0, berlin)
)

// listening makes the records of the music account, oldest first in every stream.
func listening(s story, r *rand.Rand) []catalog.Record {
	tracks := library(s, r)
	var records []catalog.Record
	for _, t := range tracks {
		records = append(records, record(Music, "saved_tracks", t.ID, t))
	}
	plays := history(s, r, tracks)
	for _, p := range plays {
		records = append(records, record(Music, "play_history", p.ID, p))
	}
	return append(records, tops(s.family, r, plays)...)
}

func library(s story, r *rand.Rand) []savedTrack {
	var tracks []savedTrack
	start := time.Date(2023, time.January, 5, 7, 30, 0, 0, time.UTC)
	for _, row := range s.rows("music") {
		liked := must(strconv.Atoi(row[2]))
		if s.person != 0 {
			liked = between(r, 1, 9)
		}
		for _, name := range strings.Split(row[3], "; ") {
			n := len(tracks)
			t := savedTrack{
				ID: fmt.Sprintf("spotify:track:%04d", n+1), Name: name, AlbumName: &row[1], ArtistNames: []string{row[0]},
				AddedAt: timestamp(start.Add(time.Duration(n) * 119 * time.Hour)), DurationMS: between(r, 110_000, 380_000),
				Popularity: r.IntN(101), Tempo: pointer(float64(between(r, 600, 1800)) / 10), Explicit: r.IntN(12) == 0,
				ISRC: pointer(fmt.Sprintf("XX-S26-26-%05d", n+1)), liked: liked,
			}
			if row[1] == "bedroom tapes" { // local files have no catalogue entry
				t.AlbumName, t.Tempo, t.ISRC = nil, nil, nil
			}
			tracks = append(tracks, t)
		}
	}
	return tracks
}

// history returns the songs that Nora played before work and in the evening, in the time zone of each place.
func history(s story, r *rand.Rand, tracks []savedTrack) []play {
	var chosen []savedTrack // the more liked, the more often
	for _, t := range tracks {
		chosen = append(chosen, slices.Repeat([]savedTrack{t}, t.liked)...)
	}
	var plays []play
	for day := firstDay; !day.After(lastDay); day = day.AddDate(0, 0, 1) {
		zone := berlin
		if s.trip.includes(day) {
			zone = s.trip.zone
		}
		for _, hour := range []int{7, 19} {
			at := time.Date(day.Year(), day.Month(), day.Day(), hour, r.IntN(60), r.IntN(60), 0, zone)
			for range between(r, 2, 5) {
				p := played(r, pick(r, chosen), at)
				p.ID = fmt.Sprintf("play_%05d", len(plays)+1)
				plays = append(plays, p)
				at = at.Add(time.Duration(p.MSPlayed)*time.Millisecond + 2*time.Second)
			}
		}
	}
	return plays
}

func played(r *rand.Rand, t savedTrack, at time.Time) play {
	listened := t.DurationMS
	skipped := t.Name != neverSkipped && r.IntN(6) == 0
	if skipped {
		listened = r.IntN(t.DurationMS)
	}
	p := play{
		TrackID: t.ID, TrackName: t.Name, ArtistName: t.ArtistNames[0], AlbumName: t.AlbumName,
		PlayedAt: timestamp(at), LocalTime: at.Format(time.RFC3339), MSPlayed: listened,
		Completion: float64(listened*1000/t.DurationMS) / 1000, Skipped: skipped,
		Device: pick(r, []*string{pointer("phone"), pointer("kitchen speaker"), pointer("Büro"), nil}),
	}
	if r.IntN(3) == 0 {
		p.Context = &playContext{Type: "playlist", URI: fmt.Sprintf("spotify:playlist:%02d", r.IntN(20))}
	}
	return p
}

// tops has one record for each member of the family and month. Nora's are counted from her history.
func tops(family []string, r *rand.Rand, plays []play) []catalog.Record {
	var records []catalog.Record
	for month := firstDay; !month.After(lastDay); month = month.AddDate(0, 1, 0) {
		prefix := month.Format("2006-01")
		for _, listener := range family {
			counts, all := map[string]int{}, 0
			for _, p := range plays {
				if strings.HasPrefix(p.PlayedAt, prefix) && (listener == family[0] || r.IntN(3) == 0) {
					counts[p.ArtistName]++
					all++
				}
			}
			ranking := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
				return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
			})
			top := topArtist{
				UserID: listener, Month: month.Format(time.DateOnly), ComputedAt: timestamp(month.AddDate(0, 1, 0)),
				ArtistName: ranking[0], RunnersUp: ranking[1:4], PlayCount: counts[ranking[0]],
				Share: float64(counts[ranking[0]]*1000/all) / 1000,
			}
			records = append(records, record(Music, "top_artists", compoundKey(top.UserID, top.Month), top))
		}
	}
	return records
}
