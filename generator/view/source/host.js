// The host's side of the extension (MCP Apps, 2026-01-26): JSON-RPC messages over postMessage. Only the parent window is heard.

const revision = "2026-01-26";
const waiting = new Map(); // the requests without an answer, by id
let lastID = 0;

export const host = { canCall: false, canOpen: false };

function post(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

export function request(method, params) {
  const id = ++lastID;
  post({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function notify(method, params = {}) {
  post({ method, params });
}

// callTool asks the host to call a tool, and returns its result. A result that is an error is returned like any other.
export function callTool(call) {
  return request("tools/call", { name: call.tool, arguments: call.arguments });
}

export function openLink(url) {
  return request("ui/open-link", { url });
}

function applyContext(context) {
  if (context.theme) document.documentElement.dataset.theme = context.theme;
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    if (value && name.startsWith("--")) document.documentElement.style.setProperty(name, value);
  }
  if (context.toolInfo?.tool?.name) host.tool = context.toolInfo.tool.name;
}

// connect greets the host. onResult is called with each result and the arguments of its call.
export async function connect(onResult, onCancelled) {
  let given = {};
  window.addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== window.parent || message?.jsonrpc !== "2.0") return;
    if (message.method === undefined) {
      const answered = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) answered?.reject(new Error(message.error.message));
      else answered?.resolve(message.result);
      return;
    }
    switch (message.method) {
      case "ui/notifications/tool-input":
        given = message.params?.arguments ?? {};
        break;
      case "ui/notifications/tool-result":
        onResult(message.params ?? {}, given);
        break;
      case "ui/notifications/tool-cancelled":
        onCancelled();
        break;
      case "ui/notifications/host-context-changed":
        applyContext(message.params ?? {});
        break;
      case "ui/resource-teardown":
      case "ping":
        post({ id: message.id, result: {} });
        break;
    }
  });
  const greeted = await request("ui/initialize", {
    appInfo: { name: "pdpp-view", version: "1" }, appCapabilities: { availableDisplayModes: ["inline"] }, protocolVersion: revision,
  });
  host.canCall = greeted.hostCapabilities?.serverTools !== undefined;
  host.canOpen = greeted.hostCapabilities?.openLinks !== undefined;
  applyContext(greeted.hostContext ?? {});
  notify("ui/notifications/initialized");
  new ResizeObserver(() => {
    notify("ui/notifications/size-changed", { width: document.documentElement.scrollWidth, height: document.body.offsetHeight });
  }).observe(document.body);
}
