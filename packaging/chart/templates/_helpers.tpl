{{- /* The name of every object: the release's, with the chart's if it is not in there. */ -}}
{{- define "name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* What selects the pods. It never changes, since a Deployment refuses that. */ -}}
{{- define "selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "metadata" -}}
name: {{ include "name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "selector" . | nindent 2 }}
{{- end -}}

{{- /* Objects that a Prometheus of the operator selects by labels of the operator's choice. */ -}}
{{- define "monitoring.metadata" -}}
{{ include "metadata" . }}
{{- with .Values.monitoring.labels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
