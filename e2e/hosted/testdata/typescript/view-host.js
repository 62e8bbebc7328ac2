// A host of MCP Apps for tests: the reference AppBridge around the view, in a sandboxed frame. The page around it has the calls.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

window.show = async (html, theme, width, tool, args, result, canCall) => {
  document.body.replaceChildren();
  document.body.style.margin = "0";
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts allow-same-origin"; // same origin, so that the test can read the view
  Object.assign(frame.style, { width: width + "px", height: "900px", border: "0" });
  document.body.append(frame);
  window.calls = [];
  const bridge = new AppBridge(null, { name: "test-host", version: "1" }, { openLinks: {}, ...(canCall ? { serverTools: {} } : {}) }, {
    hostContext: { theme, toolInfo: { tool: { name: tool, inputSchema: { type: "object" } } } },
  });
  bridge.oncalltool = async (params) => {
    window.calls.push(params);
    return await (await fetch("/call", { method: "POST", body: JSON.stringify(params) })).json();
  };
  bridge.onsizechange = ({ height }) => { if (height) frame.style.height = height + "px"; };
  const initialized = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
  return true;
};
window.view = () => document.querySelector("iframe").contentDocument;
