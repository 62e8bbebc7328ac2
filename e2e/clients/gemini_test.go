//go:build clients

package clients_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// geminiSettings set a key, which the scripted model ignores, and turn off telemetry and updates.
const geminiSettings = `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},` +
	`"general":{"enableAutoUpdate":false}}`

// geminiSees is the part of a server that Gemini CLI shows its model.
type geminiSees struct {
	Instructions string             `json:"instructions"`
	Functions    []generateFunction `json:"functions"`
	Results      []json.RawMessage  `json:"results"` // of the calls of seenCalls
}

// TestGeminiCLI runs the documented commands and one conversation over both channels (R-BUD-1, R-INSTR-1). In a folder
// that is not trusted, Gemini CLI neither connects nor keeps what was added before.
func TestGeminiCLI(t *testing.T) {
	u := newUser(t)
	u.write(t, ".gemini/trustedFolders.json", `{"`+u.folder+`":"TRUST_FOLDER"}`)
	u.write(t, ".gemini/settings.json", geminiSettings)
	printed := u.runDocumented(t, "gemini")
	var calls []call
	for _, server := range servers {
		if !strings.Contains(printed, "✓ "+server.name+": ") {
			t.Errorf("%s is not connected:\n%s", server.name, printed)
		}
		for _, seen := range seenCalls {
			calls = append(calls, call{"mcp_" + server.name + "_" + seen.Tool, seen.Arguments})
		}
	}
	model := newGenerateModel(t, calls...)
	u.environment = append(u.environment, "GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL="+model.URL)
	u.run(t, `gemini --yolo -m gemini-2.5-flash -p "Look it up." </dev/null`)

	u.asked.compare(t, "gemini-cli")
	requests := model.requests()
	if len(requests) != len(calls)+1 {
		t.Fatalf("the model was asked %d times, want %d", len(requests), len(calls)+1)
	}
	results := geminiResults(t, requests[len(requests)-1])
	if len(results) != len(calls) {
		t.Fatalf("the model was given %d results, want %d", len(results), len(calls))
	}
	for i, server := range servers {
		compareGolden(t, "gemini-cli-"+server.channel, geminiSees{
			Instructions: geminiInstructions(t, requests[0], server.name),
			Functions:    geminiFunctions(requests[0], server.name),
			Results:      results[i*len(seenCalls) : (i+1)*len(seenCalls)],
		})
	}
}

func geminiInstructions(t *testing.T, request generateRequest, server string) string {
	t.Helper()
	for _, content := range request.Contents {
		for _, part := range content.Parts {
			_, after, found := strings.Cut(part.Text, "tool server '"+server+"':\n---[start of server instructions]---\n")
			if found {
				instructions, _, _ := strings.Cut(after, "\n---[end of")
				return instructions
			}
		}
	}
	t.Errorf("the model is not shown the instructions of %s", server)
	return ""
}

func geminiFunctions(request generateRequest, server string) []generateFunction {
	var functions []generateFunction
	for _, offered := range request.Tools {
		functions = append(functions, offered.Functions...)
	}
	return slices.DeleteFunc(functions, func(f generateFunction) bool { return !strings.HasPrefix(f.Name, "mcp_"+server+"_") })
}

// geminiResults returns the results of all calls of a conversation, in order.
func geminiResults(t *testing.T, request generateRequest) []json.RawMessage {
	t.Helper()
	var results []json.RawMessage
	for _, content := range request.Contents {
		for _, part := range content.Parts {
			if part.Response == nil {
				continue
			}
			var answered struct{ Response json.RawMessage }
			if err := json.Unmarshal(part.Response, &answered); err != nil {
				t.Fatal(err)
			}
			results = append(results, answered.Response)
		}
	}
	return results
}
