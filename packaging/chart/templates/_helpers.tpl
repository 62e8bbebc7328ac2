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

{{- /* The image. Variables of OpenTelemetry are refused where the program would not read them. */ -}}
{{- define "image" -}}
{{- with .Values.telemetry }}
{{- if .endpoint -}}
{{- .image | default (printf "pdpp-mcp-otel:%s" $.Chart.AppVersion) -}}
{{- else -}}
{{- range $.Values.env }}
{{- if hasPrefix "OTEL_" .name }}{{ fail (printf "env sets %s, and telemetry.endpoint is not set" .name) }}{{ end }}
{{- end -}}
{{- $.Values.image | default (printf "pdpp-mcp:%s" $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Objects that a Prometheus of the operator selects by labels of the operator's choice. */ -}}
{{- define "monitoring.metadata" -}}
{{ include "metadata" . }}
{{- with .Values.monitoring.labels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
