package candidate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// agentHome is the folder of one attempt, which is the agent's home, and the command of the server.
type agentHome struct {
	folder string
	server []string // may be empty
}

func (h agentHome) path(name string) string { return filepath.Join(h.folder, filepath.FromSlash(name)) }

// write writes a file as JSON, or as it is if it is a text.
func (h agentHome) write(name string, content any) error {
	text, isText := content.(string)
	if !isText {
		encoded, err := json.Marshal(content)
		if err != nil {
			return fmt.Errorf("encode %s: %w", name, err)
		}
		text = string(encoded)
	}
	err := os.MkdirAll(filepath.Dir(h.path(name)), 0o700)
	if err == nil {
		err = os.WriteFile(h.path(name), []byte(text), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the configuration of the agent: %w", err)
	}
	return nil
}

// servers returns the servers in the form that Claude Code and Gemini CLI read.
func (h agentHome) servers() map[string]any {
	if len(h.server) == 0 {
		return map[string]any{}
	}
	return map[string]any{serverName: map[string]any{"command": h.server[0], "args": h.server[1:], "trust": true}}
}

// claude is Claude Code, without its own tools.
var claude = agentKind{
	name: "claude", install: "@anthropic-ai/claude-code", keyVariable: "ANTHROPIC_API_KEY",
	write: func(home agentHome, a Agent, prompt string) (arguments, environment []string, err error) {
		err = home.write("mcp.json", map[string]any{"mcpServers": home.servers()})
		arguments = []string{
			"-p", prompt, "--mcp-config", home.path("mcp.json"), "--strict-mcp-config", "--setting-sources", "", "--tools", "",
			"--allowedTools", "mcp__" + serverName + "__*", "--output-format", "json", "--no-session-persistence",
		}
		if a.Model != "" {
			arguments = append(arguments, "--model", a.Model)
		}
		environment = []string{
			"HOME=" + home.folder, "CLAUDE_CONFIG_DIR=" + home.path("claude"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"DISABLE_AUTOUPDATER=1", "ENABLE_TOOL_SEARCH=false",
		}
		if a.BaseURL != "" {
			environment = append(environment, "ANTHROPIC_BASE_URL="+a.BaseURL)
		}
		return arguments, environment, err
	},
	read: func(_ agentHome, _ Agent, printed string) (string, transcript.Usage, error) {
		var output struct {
			Result  string
			IsError bool    `json:"is_error"`
			Cost    float64 `json:"total_cost_usd"`
			Usage   struct {
				Input   int64 `json:"input_tokens"`
				Written int64 `json:"cache_creation_input_tokens"`
				Cached  int64 `json:"cache_read_input_tokens"`
				Output  int64 `json:"output_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(printed), &output); err != nil {
			return "", transcript.Usage{}, fmt.Errorf("read what claude prints: %w", err)
		}
		used := output.Usage
		usage := transcript.Usage{
			InputTokens: used.Input + used.Written + used.Cached, OutputTokens: used.Output,
			Dollars: output.Cost,
		}
		if output.IsError {
			return output.Result, usage, fmt.Errorf("%w: %s", ErrFailed, output.Result)
		}
		return output.Result, usage, nil
	},
}

// codex is Codex, without its shell.
var codex = agentKind{
	name: "codex", install: "@openai/codex", keyVariable: "OPENAI_API_KEY",
	write: func(home agentHome, a Agent, prompt string) (arguments, environment []string, err error) {
		address := a.BaseURL
		if address == "" {
			address = "https://api.openai.com"
		}
		var config strings.Builder
		fmt.Fprintf(&config, "model_provider = \"eval\"\napproval_policy = \"never\"\nweb_search = \"disabled\"\n")
		if a.Model != "" {
			fmt.Fprintf(&config, "model = %s\n", quoted(a.Model))
		}
		fmt.Fprintf(&config, "[features]\nshell_tool = false\n")
		fmt.Fprintf(&config,
			"[model_providers.eval]\nname = \"eval\"\nbase_url = %s\nwire_api = \"responses\"\nenv_key = %s\n",
			quoted(strings.TrimSuffix(address, "/")+"/v1"), quoted(a.kind.keyVariable))
		if len(home.server) > 0 {
			var words []string
			for _, word := range home.server[1:] {
				words = append(words, quoted(word))
			}
			fmt.Fprintf(&config, "[mcp_servers.%s]\ncommand = %s\nargs = [%s]\ndefault_tools_approval_mode = \"approve\"\n",
				serverName, quoted(home.server[0]), strings.Join(words, ", "))
		}
		err = home.write("codex/config.toml", config.String())
		arguments = []string{
			"exec", "--skip-git-repo-check", "-s", "read-only", "--json", "-o",
			home.path("last.txt"), prompt,
		}
		return arguments, []string{"HOME=" + home.folder, "CODEX_HOME=" + home.path("codex")}, err
	},
	read: func(home agentHome, a Agent, printed string) (string, transcript.Usage, error) {
		var input, output int64
		for line := range strings.Lines(printed) {
			var event struct {
				Type  string
				Usage struct {
					Input  int64 `json:"input_tokens"`
					Output int64 `json:"output_tokens"`
				}
			}
			if json.Unmarshal([]byte(line), &event) == nil && event.Type == "turn.completed" {
				input += event.Usage.Input
				output += event.Usage.Output
			}
		}
		text, err := os.ReadFile(home.path("last.txt"))
		if err != nil {
			err = fmt.Errorf("read the answer of codex: %w", err)
		}
		return string(text), a.Price.of(input, output), err
	},
}

// quoted returns a text as a string of TOML, whose escapes are those of JSON.
func quoted(text string) string {
	encoded, _ := json.Marshal(text) // a text always encodes
	return string(encoded)
}

// gemini is Gemini CLI, without its own tools.
var gemini = agentKind{
	name: "gemini", install: "@google/gemini-cli", keyVariable: "GEMINI_API_KEY",
	write: func(home agentHome, a Agent, prompt string) (arguments, environment []string, err error) {
		err = errors.Join(
			home.write(".gemini/trustedFolders.json", map[string]string{home.folder: "TRUST_FOLDER"}),
			home.write(".gemini/settings.json", map[string]any{
				"security": map[string]any{"auth": map[string]string{"selectedType": "gemini-api-key"}},
				"privacy":  map[string]bool{"usageStatisticsEnabled": false}, "general": map[string]bool{"enableAutoUpdate": false},
				"tools": map[string]any{"core": []string{}}, "mcpServers": home.servers(),
			}))
		arguments = []string{"--approval-mode", "yolo", "-o", "json", "-p", prompt}
		if a.Model != "" {
			arguments = append(arguments, "-m", a.Model)
		}
		environment = []string{"HOME=" + home.folder, "GEMINI_CLI_HOME=" + home.folder, "GEMINI_CLI_DISABLE_AUTO_UPDATE=1"}
		if a.BaseURL != "" {
			environment = append(environment, "GOOGLE_GEMINI_BASE_URL="+a.BaseURL)
		}
		return arguments, environment, err
	},
	read: func(_ agentHome, a Agent, printed string) (string, transcript.Usage, error) {
		var output struct {
			Response string
			Stats    struct {
				Models map[string]struct {
					Tokens struct{ Prompt, Candidates, Thoughts int64 }
				}
			}
		}
		_, after, _ := strings.Cut(printed, "{") // it may print lines before
		if err := json.Unmarshal([]byte("{"+after), &output); err != nil {
			return "", transcript.Usage{}, fmt.Errorf("read what gemini prints: %w", err)
		}
		var input, written int64
		for _, model := range output.Stats.Models {
			input += model.Tokens.Prompt
			written += model.Tokens.Candidates + model.Tokens.Thoughts
		}
		return output.Response, a.Price.of(input, written), nil
	},
}
