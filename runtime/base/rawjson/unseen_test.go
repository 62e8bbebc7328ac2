package rawjson_test

import (
	"encoding/json"
	"testing"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// R-HAND-2: every character that cannot be seen, and no other, is spelled as an escape, and the value stays the same.
func TestVisible(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if 0xD800 <= r && r <= 0xDFFF {
			continue
		}
		unseen := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		if rawjson.IsUnseen(r) != unseen {
			t.Fatalf("%U: IsUnseen is %t", r, !unseen)
		}
		quoted := rawjson.Quote("é" + string(r))
		visible := rawjson.Visible(quoted)
		if !unseen {
			if visible != string(quoted) {
				t.Fatalf("%U is shown as %s", r, visible)
			}
			continue
		}
		var read string
		if err := json.Unmarshal([]byte(visible), &read); err != nil || read != "é"+string(r) {
			t.Fatalf("%U is shown as %s, which says %q: %v", r, visible, read, err)
		}
		for _, shown := range visible {
			if rawjson.IsUnseen(shown) {
				t.Fatalf("%U is shown as %q", r, visible)
			}
		}
	}
	if got := rawjson.Visible([]byte("{\"é\":\t1,\r\n\"b\":2}")); got != `{"é": 1,  "b":2}` {
		t.Errorf("white space between tokens becomes %q", got)
	}
}
