import { pause, refusal, send } from './ask'
import type { Event } from './words'

export type Link = 'connecting' | 'live' | 'lost' | 'gone'

interface Listener {
  events(events: Event[]): void
  link(state: Link): void
  /** the log differs from the one read so far; it is read again from the start. */
  restarted(): void
  /** the server reports why it cannot send further events; the request is retried. */
  problem(why: string): void
}

// The server sends a keep-alive every 15 seconds.
const silence = 40_000
// A hidden tab closes its stream, so that connections remain available for
// stops from other tabs.
const hiddenFor = 10_000

/**
 * follow reads a session's events from the start until the returned function
 * is called. It reconnects automatically; no event is repeated or left out. It
 * does not use EventSource, which cannot send the signature of the page and gives
 * up if a connection ends within the headers of a response.
 */
export function follow(session: string, listener: Listener): () => void {
  const life = new AbortController()
  let after = 0
  let current: AbortController | undefined
  let hiding: ReturnType<typeof setTimeout> | undefined

  async function once(signal: AbortSignal): Promise<boolean> {
    const response = await send(`/v1/sessions/${session}/events?after=${after}`, { signal })
    if (!response.ok || !response.body) {
      const why = await refusal(response)
      if (why.status === 422 && after > 0) {
        after = 0
        listener.restarted()
        return true
      }
      if (why.status === 401 || why.status === 404) {
        listener.link('gone')
        life.abort()
      } else if (why.type && why.type !== 'shutting-down') listener.problem(why.message)
      return false
    }
    listener.link('live')
    return read(response.body, signal)
  }

  /** read returns false if the server ended the stream with a problem. */
  async function read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<boolean> {
    const reader = body.pipeThrough(new TextDecoderStream() as any).getReader() as ReadableStreamDefaultReader<string>
    let rest = ''
    let deaf = setTimeout(() => current?.abort(), silence)
    try {
      while (!signal.aborted) {
        const { value, done } = await reader.read()
        if (done) break
        clearTimeout(deaf)
        deaf = setTimeout(() => current?.abort(), silence)
        const frames = (rest + value).split('\n\n')
        rest = frames.pop()!
        const messages = frames.map(parse)
        const events = messages.filter((m) => m.kind === 'message' && m.data).map((m) => JSON.parse(m.data) as Event).filter((e) => e.seq > after)
        if (events.length > 0) {
          after = events[events.length - 1]!.seq
          listener.events(events)
        }
        const problem = messages.find((m) => m.kind === 'problem')
        if (problem) {
          listener.problem(JSON.parse(problem.data).detail)
          return false
        }
      }
      return true
    } finally {
      clearTimeout(deaf)
      void reader.cancel().catch(() => {})
    }
  }

  async function live() {
    let wait = 0
    while (!life.signal.aborted) {
      if (document.hidden && hiding === undefined && current?.signal.aborted) await shown()
      current = new AbortController()
      const worked = await once(current.signal).catch(() => false)
      if (life.signal.aborted) return
      if (document.hidden && current.signal.aborted) continue
      listener.link('lost')
      wait = worked ? 100 : Math.min(Math.max(wait * 2, 250), 3000)
      await pause(wait, life.signal)
    }
  }

  function shown(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (document.hidden && !life.signal.aborted) return
        document.removeEventListener('visibilitychange', look)
        resolve()
      }
      document.addEventListener('visibilitychange', look)
      life.signal.addEventListener('abort', look, { once: true })
    })
  }

  function look() {
    clearTimeout(hiding)
    hiding = document.hidden ? setTimeout(() => { hiding = undefined; current?.abort() }, hiddenFor) : undefined
  }
  document.addEventListener('visibilitychange', look)
  // When the network goes down, its connections are not closed.
  const offline = () => current?.abort()
  addEventListener('offline', offline)
  listener.link('connecting')
  void live()
  return () => {
    life.abort()
    current?.abort()
    clearTimeout(hiding)
    document.removeEventListener('visibilitychange', look)
    removeEventListener('offline', offline)
  }
}

/** parse parses a message of the stream; a keep-alive has no data. The server writes data on one line. */
function parse(frame: string): { kind: string; data: string } {
  const lines = frame.split('\n')
  const field = (name: string) => lines.find((line) => line.startsWith(name + ': '))?.slice(name.length + 2)
  return { kind: field('event') ?? 'message', data: field('data') ?? '' }
}
