package faulttest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
)

// Status answers with a status and nothing else; a Retry-After may be given.
func Status(status int, retryAfter ...string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for _, value := range retryAfter {
			w.Header().Set("Retry-After", value)
		}
		w.WriteHeader(status)
	}
}

// Redirect sends the client to the same path of another origin.
func Redirect(origin string) Fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		w.Header().Set("Location", origin+r.URL.RequestURI())
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
}

// Page answers with a page for people, as the sign-in page of a network does.
func Page(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<!doctype html><title>Sign in to this network</title>")
}

// Declared passes the body on as if it were of another media type.
func Declared(media string) Fault {
	return altered(func(header http.Header, body []byte) []byte {
		header.Set("Content-Type", media)
		return body
	})
}

// Under passes the body on under another status.
func Under(status int) Fault {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		answer := ask(r, server)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(status)
		_, _ = w.Write(answer.Body.Bytes())
	}
}

// Corrupted changes bytes in the middle of the body.
var Corrupted = altered(func(_ http.Header, body []byte) []byte {
	copy(body[len(body)/2:], "\x00\x01}{\x02")
	return body
})

// CorruptedGzip compresses the body and changes its checksum.
var CorruptedGzip = altered(func(header http.Header, body []byte) []byte {
	header.Set("Content-Encoding", "gzip")
	compressed := compress(bytes.NewReader(body))
	compressed[len(compressed)-6] ^= 0xff
	return compressed
})

// TruncatedGzip compresses the body and leaves out the second half.
var TruncatedGzip = altered(func(header http.Header, body []byte) []byte {
	header.Set("Content-Encoding", "gzip")
	compressed := compress(bytes.NewReader(body))
	return compressed[:len(compressed)/2]
})

// OtherEncoding declares an encoding that was not asked for.
var OtherEncoding = altered(func(header http.Header, body []byte) []byte {
	header.Set("Content-Encoding", "br")
	return body
})

// GzipBomb is so many bytes of white space after decompression, and about a thousandth of that before.
func GzipBomb(size int64) Fault {
	bomb := whiteSpace(size)
	return altered(func(header http.Header, _ []byte) []byte {
		header.Set("Content-Encoding", "gzip")
		return bomb
	})
}

// Endless sends more and more of a body.
func Endless(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	w.Header().Set("Content-Type", "application/json")
	block := bytes.Repeat([]byte(" "), 64<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// Replaced answers with another body.
func Replaced(body string) Fault {
	return altered(func(http.Header, []byte) []byte { return []byte(body) })
}

// Prefixed adds members, as they are spelled, before those of the body's object.
func Prefixed(members string) Fault {
	return altered(func(_ http.Header, body []byte) []byte {
		return []byte(strings.Replace(string(body), "{", "{"+members+",", 1))
	})
}

// InRecords adds members, as they are spelled, before those of each record's data.
func InRecords(members string) Fault {
	return altered(func(_ http.Header, body []byte) []byte {
		return []byte(strings.ReplaceAll(string(body), `"data":{`, `"data":{`+members+","))
	})
}

// Nested returns an array in an array and so on.
func Nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// altered passes on the server's answer with another body.
func altered(change func(http.Header, []byte) []byte) Fault {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		answer := ask(r, server)
		body := change(answer.Header(), answer.Body.Bytes())
		for name, values := range answer.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	}
}

func compress(source io.Reader) []byte {
	var compressed bytes.Buffer
	compressor := gzip.NewWriter(&compressed)
	_, _ = io.Copy(compressor, source) // a buffer takes everything
	_ = compressor.Close()
	return compressed.Bytes()
}

// whiteSpace returns size bytes of white space, in whole MiB, as one gzip stream. It compresses one MiB and repeats the
// compressed bytes.
func whiteSpace(size int64) []byte {
	const block = 1 << 20
	var stream bytes.Buffer
	plain := bytes.Repeat([]byte(" "), block)
	checksum := uint32(0)
	compressor, _ := flate.NewWriter(&stream, flate.DefaultCompression) // fails for unknown levels only
	stream.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff})         // RFC 1952, section 2.3: a header without a name
	var again []byte
	for i := range size / block {
		checksum = crc32.Update(checksum, crc32.IEEETable, plain)
		if i > 1 {
			stream.Write(again)
			continue
		}
		before := stream.Len()
		_, _ = compressor.Write(plain) // a buffer takes everything
		_ = compressor.Flush()
		again = bytes.Clone(stream.Bytes()[before:])
	}
	_ = compressor.Close()
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(stream.Bytes(), checksum), uint32(size))
}
