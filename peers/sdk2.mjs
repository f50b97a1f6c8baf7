// Plays one scenario with the official TypeScript SDK as a client of version 2,
// which is a draft:
//
//	node sdk2.mjs SCENARIO [ARGUMENT...]
//
// What happened is printed as in sdk.mjs. A prompt's line comes at the end of its
// turn, which is the state idle.
import { goAhead, load, reached, refused, say } from "./agent.mjs";

const acp = await load("/experimental/v2");

// ends are the ends of turns so far, and those who wait for one.
function turns() {
  const ended = new Map();
  const waiting = new Map();
  return {
    see(update) {
      const turn = update._meta?.["bellcord/receipt"]?.turn;
      if (update.sessionUpdate !== "state_update" || update.state !== "idle" || !turn) return;
      ended.set(turn, update.stopReason);
      waiting.get(turn)?.(update.stopReason);
    },
    end: (turn) => new Promise((ok) => (ended.has(turn) ? ok(ended.get(turn)) : waiting.set(turn, ok))),
  };
}

// connected connects to an agent, says hello, plays the scenario and sees the agent off.
async function connected(play) {
  const agent = await reached();
  const all = turns();
  const c = { to: agent.to, permission: () => "allow", update: () => {}, cwd: process.env.BELLCORD_CWD };
  const app = acp
    .client({ name: "peers" })
    .onNotification("session/update", ({ params }) => {
      all.see(params.update);
      c.update(params.update);
    })
    .onRequest("session/request_permission", async ({ params, signal }) => {
      const choice = await c.permission(params, signal);
      const option = params.options.find((o) => o.optionId === choice || (choice === "allow" && o.kind === "allow_once"));
      return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
    });
  await app.connectWith(agent.stream, async (agent) => {
    Object.assign(c, {
      call: (method, params, options) => agent.request(method, params, options),
      start: async () => (await c.call("session/new", { cwd: c.cwd })).sessionId,
      // insert sends a prompt and returns its message id, or undefined if the prompt was cancelled before.
      insert: async (sessionId, text, options) => {
        try {
          return (await c.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, options)).messageId;
        } catch (e) {
          if (e.code !== -32800) throw e;
        }
      },
      prompt: async (sessionId, text, options) => {
        const messageId = await c.insert(sessionId, text, options);
        if (!messageId) return say({ prompt: text, stopReason: "never inserted" });
        say({ inserted: text });
        say({ prompt: text, stopReason: await all.end(messageId) });
      },
      cancel: (sessionId) => agent.notify("session/cancel", { sessionId }),
    });
    const hello = await c.call("initialize", { protocolVersion: acp.PROTOCOL_VERSION, info: { name: "peers", version: "1" }, capabilities: {} });
    if (hello.protocolVersion !== 2) throw new Error("negotiated " + hello.protocolVersion);
    await play(c);
  });
  say({ exited: await agent.end() });
}

// stopped plays a prompt that the test wants cancelled at the right moment,
// and a plain one to see that the session is none the worse.
async function stopped(c, text, stop, next = "and now") {
  const session = await c.start();
  const answer = c.prompt(session, text);
  await goAhead("stop");
  await stop(session);
  await answer;
  await goAhead("next");
  await c.prompt(session, next);
}

const scenarios = {
  plain: (text) => connected(async (c) => c.prompt(await c.start(), text)),

  cancel: (text, next) => connected((c) => stopped(c, text, c.cancel, next)),

  sameWrite: (text, count) =>
    connected(async (c) => {
      const session = await c.start();
      for (let i = 0; i < Number(count); i++) {
        const { done } = c.to.hold(2);
        const answer = c.prompt(session, text);
        await c.cancel(session);
        await done;
        await answer;
      }
      await c.prompt(session, "and now");
    }),

  unanswered: (text) =>
    connected((c) => {
      c.permission = (_, signal) => {
        signal.addEventListener("abort", () => say({ permission: "withdrawn" }));
        say({ permission: "open" });
        return new Promise(() => {});
      };
      return stopped(c, text, c.cancel);
    }),

  dismissed: (text) =>
    connected(async (c) => {
      c.permission = () => "none";
      await c.prompt(await c.start(), text);
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

  close: (text) =>
    connected(async (c) => {
      const session = await c.start();
      const answer = c.prompt(session, text);
      await goAhead("stop");
      await Promise.all([answer, c.call("session/close", { sessionId: session }).then(() => say({ closed: session }))]);
      await refused("prompt", c.prompt(session, "too late"));
    }),

  resume: async (...texts) => {
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
      await c.call("session/resume", { sessionId, cwd: c.cwd, replayFrom: { type: "start" } });
      await c.prompt(sessionId, "and now");
    });
    await connected(async (c) => {
      await c.call("session/resume", { sessionId, cwd: c.cwd });
      await c.prompt(sessionId, "and then");
    });
  },

  settings: (model) =>
    connected(async (c) => {
      const sessionId = await c.start();
      const set = await c.call("session/set_config_option", { sessionId, configId: "model", type: "id", value: model });
      say({ options: Object.fromEntries(set.configOptions.map((o) => [o.configId, o.currentValue])) });
      await c.prompt(sessionId, "which model");
      await refused("model", c.call("session/set_config_option", { sessionId, configId: "model", type: "id", value: "none" }));
    }),

  cancelCall: (text) =>
    connected(async (c) => {
      const session = await c.start();
      let call;
      const started = new Promise((ok) => {
        c.update = (u) => {
          if (u.sessionUpdate === "tool_call_update" && u.capabilities?.cancel) ok((call = u.toolCallId));
        };
      });
      const answer = c.prompt(session, text);
      await started;
      await goAhead("stop");
      await c.call("tool_call/cancel", { sessionId: session, toolCallId: call });
      await answer;
      await refused("call", c.call("tool_call/cancel", { sessionId: session, toolCallId: call }));
    }),
};

const [name, ...args] = process.argv.slice(2);
await scenarios[name](...args);
process.exit(0); // a permission nobody answers must not keep us
