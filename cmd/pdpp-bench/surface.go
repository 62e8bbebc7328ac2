package main

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// surface measures the size of the tools/list result.
func (s *suite) surface() error {
	session, err := s.startStdio(clientToken + "0")
	if err != nil {
		return err
	}
	greeting, err := session.greet()
	if err != nil {
		return err
	}
	listed, err := session.ask("tools/list", "{}")
	if err != nil {
		return err
	}
	var initialize struct{ Result struct{ Instructions string } }
	var list struct {
		Result struct{ Tools json.RawMessage }
	}
	if err := errors.Join(json.Unmarshal(greeting, &initialize), json.Unmarshal(listed, &list)); err != nil {
		return err
	}
	var payload bytes.Buffer
	if err := json.Compact(&payload, fmt.Appendf(nil, `{"tools":%s}`, list.Result.Tools)); err != nil {
		return err
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	tokens, err := codec.Count(payload.String())
	if err != nil {
		return err
	}
	s.report.add(
		atMost("tools/list result", 12_000, float64(payload.Len()), "bytes", ""),
		atMost("tools/list result", 2_900, float64(tokens), "tokens", "o200k"),
		atMost("instructions", 1_800, float64(utf8.RuneCountInString(initialize.Result.Instructions)), "characters", ""),
	)
	return session.end()
}

// binarySize measures the size of the binary, and notes if it is not static or not stripped.
func (s *suite) binarySize() error {
	info, err := os.Stat(s.binary)
	if err != nil {
		return err
	}
	related := "not an ELF file"
	if file, err := elf.Open(s.binary); err == nil {
		related = "static, stripped"
		for _, program := range file.Progs {
			if program.Type == elf.PT_INTERP {
				related = "needs an interpreter"
			}
		}
		if file.Section(".symtab") != nil {
			related = "not stripped"
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	s.report.add(atMost("pdpp-mcp binary", 28, float64(info.Size())/1e6, "MB", related))
	return nil
}

// resultSizes compares the size of each channel of a result with the size of the body. Both channels have all
// rows, and a host shows a model one of them. If fewer rows fit into the result, it is compared with a body of as many.
func (s *suite) resultSizes() error {
	session, err := s.local(clientToken + "0")
	if err != nil {
		return err
	}
	for _, result := range []struct {
		what, tool, arguments, path string
		structured, text            float64 // bars
	}{
		{"query_records 25 × 1 kB", queryTool, queryArguments, "/v1/streams/records_1000/records?limit=%d", 1.15, 0.9},
		{"search 25 hits", "search", `{"q":"overdraft","limit":25}`, "/v1/search?q=overdraft&limit=%d", 1.5, 0.4},
	} {
		answer, err := session.call(result.tool, result.arguments)
		if err != nil {
			return err
		}
		text, structured, rows, err := channels(answer)
		if err != nil {
			return err
		}
		sent, err := s.fetched(fmt.Sprintf(result.path, rows), clientToken+"0")
		if err != nil {
			return err
		}
		body := float64(len(sent))
		s.report.add(
			atMost("size of "+result.what+", structured output", result.structured, float64(structured)/body, "×",
				fmt.Sprintf("%s for %s bytes, %d rows fit", grouped(int64(structured)), grouped(int64(len(sent))), rows)),
			atMost("size of "+result.what+", text", result.text, float64(text)/body, "×", ""),
		)
	}
	return session.end()
}

// channels returns the bytes of text and of structured output in an answer, and the number of rows in it.
func channels(answer []byte) (text, structured, rows int, err error) {
	shown, content, err := channelTexts(answer)
	if err != nil {
		return 0, 0, 0, err
	}
	var envelope struct {
		Data    struct{ Data []json.RawMessage }
		Results []json.RawMessage // of a search
	}
	if err := json.Unmarshal([]byte(content), &envelope); err != nil {
		return 0, 0, 0, err
	}
	return len(shown), len(content), len(envelope.Data.Data) + len(envelope.Results), nil
}

// channelTexts returns the text and the structured output of an answer.
func channelTexts(answer []byte) (text, structured string, err error) {
	var shown struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal(answer, &shown); err != nil {
		return "", "", err
	}
	for _, content := range shown.Result.Content {
		text += content.Text
	}
	return text, string(shown.Result.StructuredContent), nil
}
