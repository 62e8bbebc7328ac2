// Opens sessions with the clients of the TypeScript SDK: version 1, and version 2 before and after the
// revision of 2026-07-28.

import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const identity = { name: "typescript-walk", version: "0" };

/** @type {Record<string, (endpoint: string, token: string) => Promise<{client: object, revision: () => string, tamper: (change: (result: object) => object) => void}>>} */
export const connectors = {
  "sdk 1": (endpoint, token) => connect(new ClientV1(identity), TransportV1, endpoint, token),
  "client 2, legacy": (endpoint, token) => connect(new ClientV2(identity), TransportV2, endpoint, token),
  "client 2, modern": (endpoint, token) =>
    connect(new ClientV2(identity, { versionNegotiation: { mode: "auto" } }), TransportV2, endpoint, token),
};

async function connect(client, Transport, endpoint, token) {
  let change;
  let revision;
  // Notes the revision that is spoken. Once tamper was called, it changes the results of tools on their way.
  const watching = async (url, init) => {
    revision = new Headers(init?.headers).get("mcp-protocol-version") ?? revision;
    const response = await fetch(url, init);
    if (!change || response.status !== 200) return response;
    const message = await response.json();
    return Response.json({ ...message, result: change(message.result) }, { headers: response.headers });
  };
  const transport = new Transport(new URL(endpoint), {
    fetch: watching,
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return { client, revision: () => revision, tamper: (how) => (change = how) };
}
