# docker build -t pdpp-mcp .                     the hosted server
# docker build -t pdpp-sandbox --target sandbox . a provider with sample data, for trying it
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /out/ ./cmd/pdpp-mcp ./cmd/pdpp-sandbox && mkdir /out/run

FROM scratch AS sandbox
COPY --from=build /out/pdpp-sandbox /out/pdpp-mcp /
COPY --from=build --chown=65532:65532 /out/run /run/pdpp
USER 65532:65532
EXPOSE 8787
ENTRYPOINT ["/pdpp-sandbox"]
CMD ["--listen", "0.0.0.0:8787", "--public-url", "http://127.0.0.1:8787", "--cache-root", "/run/pdpp/cache", \
     "--introspection-secret-file", "/run/pdpp/secret", "--ready-file", "/run/pdpp/ready.json"]
HEALTHCHECK --interval=2s --timeout=3s --start-period=10s CMD ["/pdpp-mcp", "healthcheck", "--listen", "127.0.0.1:8787"]

# The server alone, as packaging/container/Containerfile makes it from a release.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY LICENSE /
COPY --from=build /out/pdpp-mcp /pdpp-mcp
USER 65532:65532
ENV PDPP_LISTEN=0.0.0.0:8788 PDPP_LOG_FORMAT=json
EXPOSE 8788
ENTRYPOINT ["/pdpp-mcp"]
CMD ["serve"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/pdpp-mcp", "healthcheck"]
