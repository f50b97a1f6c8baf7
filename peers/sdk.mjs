// Plays one scenario with the official TypeScript SDK as the client:
//
//	node sdk.mjs SCENARIO [ARGUMENT...]
//
// What happened is printed as lines of JSON. Where the test has to look at
// something first, a line says {"waits": …} and a line on stdin lets the
// scenario go on.
import { goAhead, load, reached, refused, say } from "./agent.mjs";

const acp = await load("");

// connected connects to an agent, says hello, plays the scenario and sees the agent off.
async function connected(play) {
  const agent = await reached();
  const c = { to: agent.to, permission: () => "allow", cwd: process.env.BELLCORD_CWD };
  const app = acp
    .client({ name: "peers" })
    .onNotification("session/update", () => {})
    .onRequest("session/request_permission", async ({ params, signal }) => {
      const choice = await c.permission(params, signal);
      const option = params.options.find((o) => o.optionId === choice);
      return { outcome: option ? { outcome: "selected", optionId: choice } : { outcome: "cancelled" } };
    });
  await app.connectWith(agent.stream, async (agent) => {
    Object.assign(c, {
      call: (method, params, options) => agent.request(method, params, options),
      start: async () => (await c.call("session/new", { cwd: c.cwd, mcpServers: [] })).sessionId,
      prompt: async (sessionId, text, options) => {
        const answer = await c.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, options);
        say({ prompt: text, stopReason: answer.stopReason });
      },
      cancel: (sessionId) => agent.notify("session/cancel", { sessionId }),
    });
    const clientInfo = { name: "peers", version: "1" };
    await c.call("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {}, clientInfo });
    await play(c);
  });
  say({ exited: await agent.end() });
}

// stopped plays a prompt that the test wants cancelled at the right moment,
// and a plain one to see that the session is none the worse.
async function stopped(c, text, stop) {
  const session = await c.start();
  const answer = c.prompt(session, text);
  await goAhead("stop");
  await stop(session);
  await answer;
  await goAhead("next");
  await c.prompt(session, "and now");
}

const scenarios = {
  plain: (text) => connected(async (c) => c.prompt(await c.start(), text)),

  cancel: (text) => connected((c) => stopped(c, text, c.cancel)),

  twice: (text) => connected((c) => stopped(c, text, (s) => Promise.all([c.cancel(s), c.cancel(s)]))),

  sameWrite: (text) =>
    connected(async (c) => {
      const session = await c.start();
      const { done } = c.to.hold(2);
      const answer = c.prompt(session, text);
      await c.cancel(session);
      await done;
      await answer;
      await c.prompt(session, "and now");
    }),

  // The client never answers, which is its fault and must not be our trouble.
  unanswered: (text) =>
    connected((c) => {
      c.permission = (_, signal) => {
        signal.addEventListener("abort", () => say({ permission: "withdrawn" }));
        say({ permission: "open" });
        return new Promise(() => {});
      };
      return stopped(c, text, c.cancel);
    }),

  // The client does what the contract wants of it.
  permissionCancelled: (text) =>
    connected((c) => {
      let close;
      c.permission = () => (say({ permission: "open" }), new Promise((ok) => (close = ok)));
      return stopped(c, text, (s) => (c.cancel(s), close("none")));
    }),

  idle: () =>
    connected(async (c) => {
      const session = await c.start();
      await c.cancel(session);
      await c.prompt(session, "first");
      await c.cancel(session);
      await c.cancel(session);
      await c.prompt(session, "second");
    }),

  overlap: (slow, queued) =>
    connected(async (c) => {
      const session = await c.start();
      await Promise.all([c.prompt(session, "[slow 20 5ms]"), c.prompt(session, "queued and run")]);
      const both = [c.prompt(session, slow), c.prompt(session, queued)];
      await goAhead("stop");
      await c.cancel(session);
      await Promise.all(both);
      await c.prompt(session, "and now");
    }),

  cancelRequest: (slow, queued) =>
    connected(async (c) => {
      const session = await c.start();
      const stop = new AbortController();
      const both = [c.prompt(session, slow, { cancellationSignal: stop.signal }), c.prompt(session, queued)];
      await goAhead("stop");
      stop.abort();
      await Promise.all(both);
    }),

  close: (text) =>
    connected(async (c) => {
      const session = await c.start();
      const answer = c.prompt(session, text);
      await goAhead("stop");
      await Promise.all([answer, c.call("session/close", { sessionId: session }).then(() => say({ closed: session }))]);
      await refused("prompt", c.prompt(session, "too late"));
    }),

  load: async (...texts) => {
    let sessionId;
    await connected(async (c) => {
      sessionId = await c.start();
      for (const text of texts) await c.prompt(sessionId, text);
      const answer = c.prompt(sessionId, "[think 3 1ms] [slow 500 20ms]");
      await goAhead("stop");
      await c.cancel(sessionId);
      await answer;
    });
    await connected(async (c) => {
      await c.call("session/load", { sessionId, cwd: c.cwd, mcpServers: [] });
      await c.prompt(sessionId, "and now");
    });
  },

  settings: (model) =>
    connected(async (c) => {
      const sessionId = await c.start();
      const set = await c.call("session/set_config_option", { sessionId, configId: "model", value: model });
      say({ options: Object.fromEntries(set.configOptions.map((o) => [o.id, o.currentValue])) });
      await c.prompt(sessionId, "which model");
      await c.call("session/set_mode", { sessionId, modeId: "full" });
      c.permission = () => (say({ permission: "open" }), "allow");
      await c.prompt(sessionId, '[tool shell {"command":"echo unasked"}]');
      await refused("mode", c.call("session/set_mode", { sessionId, modeId: "none" }));
      await refused("model", c.call("session/set_config_option", { sessionId, configId: "model", value: "none" }));
    }),

  shelf: async () => {
    let sessionId;
    const list = async (c) => say({ listed: (await c.call("session/list", { cwd: c.cwd })).sessions });
    await connected(async (c) => {
      sessionId = await c.start();
      await c.prompt(sessionId, "remember this");
      await list(c);
    });
    await connected(async (c) => {
      await c.call("session/resume", { sessionId, cwd: c.cwd, mcpServers: [] });
      await c.prompt(sessionId, "go on");
      await c.call("session/delete", { sessionId });
      await c.call("session/delete", { sessionId });
      await list(c);
      await refused("load", c.call("session/load", { sessionId, cwd: c.cwd, mcpServers: [] }));
    });
  },
};

const [name, ...args] = process.argv.slice(2);
await scenarios[name](...args);
process.exit(0); // a permission nobody answers must not keep us
