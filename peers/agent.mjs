// The agent's side of the scenarios in sdk.mjs and sdk2.mjs: an agent on stdio or
// a server, and the conversation with the test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

// The packages may be outside the clone, where a plain import would not look.
export const { resolve } = createRequire(process.env.BELLCORD_PEERS + "/package.json");
export const load = (name) => import(pathToFileURL(resolve("@agentclientprotocol/sdk" + name)));
const acp = await load("");

export const say = (what) => console.log(JSON.stringify(what));
const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
export const goAhead = async (what) => {
  say({ waits: what });
  if ((await orders.next()).done) throw new Error("the test has gone");
};

// pipe is the agent's stdin. While writes are held, they gather; release sends
// them in one write, once there are as many as were expected.
function pipe(stdin) {
  let held, all;
  return {
    hold: (count) => ({ done: new Promise((ok) => ((held = []), (all = { count, ok }))) }),
    stream: new WritableStream({
      write(bytes) {
        if (!held) return void stdin.write(bytes);
        held.push(bytes);
        if (held.length < all.count) return;
        stdin.write(Buffer.concat(held));
        held = undefined;
        all.ok();
      },
    }),
  };
}

// started starts an agent on stdio.
function started() {
  const [command, ...args] = JSON.parse(process.env.BELLCORD_SERVED);
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(agent, "exit");
  const to = pipe(agent.stdin);
  return {
    to,
    stream: acp.ndJsonStream(to.stream, Readable.toWeb(agent.stdout)),
    end: async () => (agent.stdin.end(), (await exited)[0]),
  };
}

// dialed connects to a server over BELLCORD_TRANSPORT, ws or http. It records
// every message as the wiretap does on stdio.
let connections = 0;
async function dialed() {
  const url = process.env.BELLCORD_URL;
  const headers = { Authorization: "Bearer " + process.env.BELLCORD_TOKEN };
  // Node's own WebSocket takes its headers in another place than the SDK puts them.
  class Socket extends WebSocket {
    constructor(url, protocols, options) {
      super(url, { protocols, ...options });
    }
  }
  const stream =
    process.env.BELLCORD_TRANSPORT === "ws"
      ? (await load("/experimental/ws-client")).createWebSocketStream(url.replace(/^http/, "ws"), { headers, WebSocket: Socket })
      : (await load("/experimental/http-client")).createHttpStream(url, { headers });
  const file = `${process.env.BELLCORD_WIRE}/${Date.now()}-${++connections}.jsonl`;
  const record = (from, text) => appendFileSync(file, JSON.stringify({ at: new Date(), from, write: 0, text }) + "\n");
  const tap = (from) =>
    new TransformStream({
      transform(message, to) {
        record(from, JSON.stringify(message));
        to.enqueue(message);
      },
    });
  const out = tap("client");
  const sent = out.readable.pipeTo(stream.writable).catch(() => {});
  return {
    stream: { readable: stream.readable.pipeThrough(tap("agent")), writable: out.writable },
    end: async () => {
      await out.writable.close().catch(() => {}); // the SDK may have closed it
      await sent;
      record("exit", "0");
      return 0;
    },
  };
}

// reached returns the agent that the scenario talks to.
export const reached = async () => (process.env.BELLCORD_URL ? await dialed() : started());

// refused tells the code of the error that a request comes to.
export const refused = async (what, request) => say({ refused: what, code: await request.then(() => 0, (e) => e.code) });
