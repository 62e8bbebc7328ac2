package sample

import (
	"math/rand/v2"
	"strings"
	"time"
)

// language is how one group of correspondents writes.
type language struct {
	tag       string
	zone      *time.Location
	name      string
	email     string
	subjects  []string
	sentences []string
}

// combining writes "café" and "Zürich" with combining marks instead of single letters, so that
// characters, code points and bytes differ.
const combining = "Treffen im cafe\u0301 in Zu\u0308rich, bitte Ausweis mitbringen."

func languages() []language {
	zone := func(name string, hours float64) *time.Location {
		return time.FixedZone(name, int(hours*3600))
	}
	return []language{
		{
			"en", zone("EST", -5), "Alan Turing", "alan@example.com",
			[]string{"Lease renewal for the flat", "Notes from Tuesday's budget meeting", "Your library books are due"},
			[]string{
				"The landlord agreed to keep the rent unchanged for another year.",
				"Please check the ledger before the meeting and bring the passport copies.",
				"The railway tickets are booked, and the garden needs water while we travel.",
			},
		},
		{
			"de", zone("CET", 1), "Jürgen Weiß", "juergen@example.de",
			[]string{"Überziehung Ihres Kontos", "Nebenkostenabrechnung für die Wohnung", "Grüße aus Köln"},
			[]string{
				"Ihr Konto weist eine Überziehung auf; der eingeräumte Dispositionskredit ist ausgeschöpft.",
				"Die Straßenbahn fährt am Sonntag nur stündlich, wir größten Frühaufsteher laufen also.",
				combining,
			},
		},
		{
			"fr", zone("CET", 1), "Zoé Lefèvre", "zoe@example.fr",
			[]string{"Découvert autorisé : votre relevé", "Où fêter Noël cette année ?", "Facture d’électricité"},
			[]string{
				"Votre découvert a été régularisé ; aucune pénalité ne sera prélevée.",
				"Le cœur du marché ouvre à huit heures, garçon, et ferme à midi.",
				"N’oublie pas d’envoyer la pièce jointe à l’hôtel avant l’été.",
			},
		},
		{
			"ja", zone("JST", 9), "佐藤 花子", "hanako@example.jp",
			[]string{"ご利用明細のお知らせ", "来週の旅行について", "図書館からのお知らせ"},
			[]string{
				"口座の残高が不足しています。お早めにご確認ください。",
				"新幹線の切符は予約しました。駅で十時に会いましょう。",
				"庭の紅葉がとてもきれいなので、写真を送ります。",
			},
		},
		{
			"ar", zone("GST", 4), "ليلى حداد", "layla@example.ae",
			[]string{"إشعار بكشف الحساب", "موعد الاجتماع القادم", "صور من الرحلة"},
			[]string{
				"تم السحب على المكشوف من حسابك، يرجى مراجعة الرصيد.",
				"سنلتقي في المحطة الساعة العاشرة صباحًا قبل السفر.",
				"وصلت الفاتورة رقم ٤٢ وسأدفعها غدًا.",
			},
		},
		{
			"hi", zone("IST", 5.5), "प्रिया शर्मा", "priya@example.in",
			[]string{"आपके खाते का विवरण", "यात्रा की योजना", "बगीचे की तस्वीरें"},
			[]string{
				"आपके खाते में ओवरड्राफ्ट हुआ है, कृपया शेष राशि देखें।",
				"रेलगाड़ी सुबह दस बजे चलेगी, स्टेशन पर मिलते हैं।",
				"किताबें पुस्तकालय में लौटानी हैं।",
			},
		},
		{
			"el", zone("EET", 2), "Ελένη Παπαδοπούλου", "eleni@example.gr",
			[]string{"Υπερανάληψη λογαριασμού", "Το ταξίδι στη Θεσσαλονίκη", "Λογαριασμός ρεύματος"},
			[]string{
				"Ο λογαριασμός σας έχει υπερανάληψη, παρακαλούμε ελέγξτε το υπόλοιπο.",
				"Το τρένο φεύγει στις δέκα, θα σε περιμένω στον σταθμό.",
				"Ο κήπος χρειάζεται νερό όσο λείπουμε.",
			},
		},
		{
			"und", zone("NPT", 5.75), "Team 🎉", "party@example.com",
			[]string{"🎂 Party on Friday 🎈", "👩‍🚀🚀 Launch day", "Flags 🇳🇵🇨🇭 and families 👨‍👩‍👧‍👦"},
			[]string{
				"See you there 🥳👍🏽 and bring a 🎁.",
				"👨‍👩‍👧‍👦 are all invited, rain ☔️ or shine ☀️.",
				"🇳🇵 → 🇨🇭 in nine hours ✈️.",
			},
		},
	}
}

// prose joins sentences until they reach size bytes.
func (l language) prose(r *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		if b.Len() > 0 {
			b.WriteString([]string{" ", " ", " ", "\n\n"}[r.IntN(4)])
		}
		b.WriteString(l.sentences[r.IntN(len(l.sentences))])
	}
	return b.String()
}

var nouns = []string{
	"budget", "coffee", "garden", "harbor", "invoice", "lantern", "ledger", "meeting", "mountain",
	"notebook", "passport", "protocol", "railway", "recipe", "travel",
}

// words makes count plain words; recorded bodies and snippets look like this.
func words(r *rand.Rand, count int) string {
	chosen := make([]string, count)
	for i := range chosen {
		chosen[i] = nouns[r.IntN(len(nouns))]
	}
	return strings.Join(chosen, " ")
}
