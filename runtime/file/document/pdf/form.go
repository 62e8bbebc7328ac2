package pdf

import (
	"cmp"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

// hasForm reports whether a document has fields to fill in.
func (r *Reader) hasForm(opened references.FPDF_DOCUMENT) bool {
	form, err := r.pdfium.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: opened})
	return err == nil && form.FormType != enums.FPDF_FORMTYPE_NONE
}

// formText returns a line for each filled field of a page, and for each check box and group of radio buttons. It
// returns nothing if the fields cannot be read.
func (r *Reader) formText(page requests.Page) (text string) {
	defer func() {
		if recover() != nil { // go-pdfium does not check the number of a radio button
			text = ""
		}
	}()
	form, err := r.pdfium.GetForm(&requests.GetForm{Page: page})
	if err != nil {
		return ""
	}
	for _, field := range form.Fields {
		if value := valueOf(field); value != "" {
			text += oneLine(cmp.Or(field.ToolTip, field.Name)) + ": " + value + "\n"
		}
	}
	return text
}

const (
	checked   = "☑"
	unchecked = "☐"
)

func valueOf(field responses.FormField) string {
	switch field.Type {
	case enums.FPDF_FORMFIELD_TYPE_CHECKBOX:
		if *field.IsChecked {
			return checked
		}
		return unchecked
	case enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
		if field.Value == nil {
			return unchecked
		}
	case enums.FPDF_FORMFIELD_TYPE_COMBOBOX, enums.FPDF_FORMFIELD_TYPE_LISTBOX:
		return oneLine(strings.Join(field.Values, "; "))
	case enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON:
		return ""
	}
	if field.Value == nil {
		return ""
	}
	return oneLine(*field.Value)
}

// oneLine replaces white space with single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
