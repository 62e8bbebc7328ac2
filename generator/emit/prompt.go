package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

func prompts(surface *toolspec.Surface) jen.Code {
	items := make([]jen.Code, 0, len(surface.Prompts))
	for _, prompt := range surface.Prompts {
		items = append(items, structLiteral([]member{
			{"Name", jen.Lit(prompt.Name)},
			{"Title", jen.Lit(prompt.Title)},
			{"Description", jen.Lit(prompt.Description)},
			{"Arguments", promptArguments(prompt)},
			{"Parts", promptParts(prompt)},
		}))
	}
	return jen.Index().Add(runtime("tool", "Prompt")).Add(braces(items, len(items) > 0))
}

func promptArguments(prompt toolspec.Prompt) jen.Code {
	items := make([]jen.Code, 0, len(prompt.Arguments))
	for _, argument := range prompt.Arguments {
		members := []member{{"Name", jen.Lit(argument.Name)}, {"Description", jen.Lit(argument.Description)}}
		members = optional(members, argument.Required, "Required", jen.True())
		members = withConstant(members, "Form", toolspec.PromptForms.Get(argument.Form))
		items = append(items,
			onOneLine(withConstant(members, "Complete", toolspec.Completions.On(argument.Complete, "string"))))
	}
	return jen.Index().Add(runtime("tool", "PromptArgument")).Add(braces(items, len(items) > 0))
}

func promptParts(prompt toolspec.Prompt) jen.Code {
	parts := prompt.Parts()
	items := make([]jen.Code, 0, len(parts))
	for _, part := range parts {
		members := optional(nil, part.Before != "", "Before", jen.Lit(part.Before))
		members = optional(members, part.Argument != "", "Argument", jen.Lit(part.Argument))
		members = optional(members, part.After != "", "After", jen.Lit(part.After))
		items = append(items, onOneLine(withConstant(members, "Moment", toolspec.PromptMoments.Get(part.Moment))))
	}
	return jen.Index().Add(runtime("tool", "PromptPart")).Add(braces(items, true))
}

// withConstant adds a member that is a constant of package tool, unless the word is empty.
func withConstant(members []member, name string, word toolspec.Word) []member {
	return optional(members, word.Function != "", name, runtime("tool", word.Function))
}
