package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// completions is a conversation over OpenAI's Chat Completions API, which compatible servers have too.
type completions struct {
	client openai.Client
	params openai.ChatCompletionNewParams
}

func newCompletions(task Task, key, instructions string, tools []*mcp.Tool) *completions {
	options := []option.RequestOption{option.WithAPIKey(key), option.WithMaxRetries(sdkRetries)}
	if task.BaseURL != "" {
		options = append(options, option.WithBaseURL(strings.TrimSuffix(task.BaseURL, "/")+"/"))
	}
	c := &completions{client: openai.NewClient(options...), params: openai.ChatCompletionNewParams{
		Model: task.Model, MaxCompletionTokens: openai.Int(task.MaxTokens),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}}
	if instructions != "" {
		c.params.Messages = append(c.params.Messages, openai.SystemMessage(instructions))
	}
	c.params.Messages = append(c.params.Messages, openai.UserMessage(task.Prompt))
	for _, each := range tools {
		c.params.Tools = append(c.params.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: each.Name, Description: openai.String(each.Description), Parameters: schemaOf(each),
		}))
	}
	return c
}

func (c *completions) next(ctx context.Context) (turn, error) {
	stream := c.client.Chat.Completions.NewStreaming(ctx, c.params)
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	for stream.Next() {
		if !whole.AddChunk(stream.Current()) {
			return turn{}, errTruncated
		}
	}
	answered := turn{inputTokens: whole.Usage.PromptTokens, outputTokens: whole.Usage.CompletionTokens}
	if err := stream.Err(); err != nil {
		if whole.ID != "" { // it had begun
			return answered, fmt.Errorf("%w: %w", errTruncated, err)
		}
		var refusal *openai.Error
		if errors.As(err, &refusal) { // its text lacks the reason
			err = fmt.Errorf("%w: %s", err, refusal.Message)
		}
		return answered, fmt.Errorf("ask the model: %w", err)
	}
	if len(whole.Choices) == 0 || whole.Choices[0].FinishReason == "" {
		return answered, errTruncated
	}
	message := whole.Choices[0].Message
	answered.text = message.Content
	for _, each := range message.ToolCalls {
		answered.calls = append(answered.calls, call{each.ID, each.Function.Name, each.Function.Arguments})
	}
	c.params.Messages = append(c.params.Messages, message.ToParam())
	return answered, nil
}

// results adds results. The API takes texts only, so a picture is named by its type.
func (c *completions) results(results []result) {
	for _, each := range results {
		var texts []string
		for _, content := range each.content {
			switch content := content.(type) {
			case *mcp.TextContent:
				texts = append(texts, content.Text)
			case *mcp.ImageContent:
				texts = append(texts, "["+content.MIMEType+"]")
			}
		}
		c.params.Messages = append(c.params.Messages, openai.ToolMessage(strings.Join(texts, "\n"), each.id))
	}
}
