package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// messages is a conversation over Anthropic's Messages API.
type messages struct {
	client anthropic.Client
	params anthropic.MessageNewParams
}

func newMessages(task Task, key, instructions string, tools []*mcp.Tool) *messages {
	options := []option.RequestOption{option.WithoutEnvironmentDefaults(), option.WithAPIKey(key), option.WithMaxRetries(sdkRetries)}
	if task.BaseURL != "" {
		options = append(options, option.WithBaseURL(task.BaseURL))
	}
	m := &messages{client: anthropic.NewClient(options...), params: anthropic.MessageNewParams{
		Model: anthropic.Model(task.Model), MaxTokens: task.MaxTokens,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(task.Prompt))},
	}}
	if instructions != "" {
		m.params.System = []anthropic.TextBlockParam{{Text: instructions}}
	}
	for _, each := range tools {
		tool := anthropic.ToolParam{Name: each.Name, Description: anthropic.String(each.Description)}
		tool.InputSchema.ExtraFields = schemaOf(each) // the whole schema, with its type, which is always object
		delete(tool.InputSchema.ExtraFields, "type")
		m.params.Tools = append(m.params.Tools, anthropic.ToolUnionParam{OfTool: &tool})
	}
	return m
}

// schemaOf returns the input schema of a tool.
func schemaOf(tool *mcp.Tool) map[string]any {
	schema, ok := tool.InputSchema.(map[string]any)
	if !ok {
		encoded, err := json.Marshal(tool.InputSchema)
		if err == nil {
			_ = json.Unmarshal(encoded, &schema) // a schema is an object
		}
	}
	return schema
}

func (m *messages) next(ctx context.Context) (turn, error) {
	stream := m.client.Messages.NewStreaming(ctx, m.params)
	defer stream.Close()
	var message anthropic.Message
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			return turn{}, fmt.Errorf("%w: %w", errTruncated, err)
		}
	}
	answered := turn{inputTokens: message.Usage.InputTokens, outputTokens: message.Usage.OutputTokens}
	if err := stream.Err(); err != nil {
		if message.ID != "" { // it had begun
			return answered, fmt.Errorf("%w: %w", errTruncated, err)
		}
		return answered, fmt.Errorf("ask the model: %w", err)
	}
	if message.StopReason == "" {
		return answered, errTruncated
	}
	for _, block := range message.Content {
		switch block.Type {
		case "text":
			answered.text += block.Text
		case "tool_use":
			answered.calls = append(answered.calls, call{block.ID, block.Name, string(block.Input)})
		}
	}
	m.params.Messages = append(m.params.Messages, message.ToParam())
	return answered, nil
}

func (m *messages) results(results []result) {
	var blocks []anthropic.ContentBlockParamUnion
	for _, each := range results {
		block := anthropic.ToolResultBlockParam{ToolUseID: each.id, IsError: anthropic.Bool(each.failed)}
		for _, content := range each.content {
			switch content := content.(type) {
			case *mcp.TextContent:
				block.Content = append(block.Content, anthropic.ToolResultBlockParamContentUnion{OfText: &anthropic.TextBlockParam{Text: content.Text}})
			case *mcp.ImageContent:
				block.Content = append(block.Content, anthropic.ToolResultBlockParamContentUnion{OfImage: &anthropic.ImageBlockParam{
					Source: anthropic.ImageBlockParamSourceUnion{OfBase64: &anthropic.Base64ImageSourceParam{
						Data: base64.StdEncoding.EncodeToString(content.Data), MediaType: anthropic.Base64ImageSourceMediaType(content.MIMEType),
					}},
				}})
			}
		}
		blocks = append(blocks, anthropic.ContentBlockParamUnion{OfToolResult: &block})
	}
	m.params.Messages = append(m.params.Messages, anthropic.NewUserMessage(blocks...))
}
