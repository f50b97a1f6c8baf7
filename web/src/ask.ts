// Requests to the server that served the page, and to no other.

/** Problem is an answer that is none, or no answer at all (status 0). */
export class Problem extends Error {
  constructor(readonly status: number, readonly type: string, detail: string) { super(detail) }
}

let loggedOut = () => {}

/** whenLoggedOut is told when the server no longer knows this browser. */
export function whenLoggedOut(tell: () => void) { loggedOut = tell }

/** ask makes one request and returns what the answer holds. */
export async function ask<T = any>(method: string, path: string, body?: unknown, more: RequestInit = {}): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, {
      method, credentials: 'same-origin', cache: 'no-store', redirect: 'error',
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      ...more,
    })
  } catch {
    throw new Problem(0, 'unreachable', 'the server cannot be reached')
  }
  if (!response.ok) throw await refusal(response)
  if (response.status === 204) return undefined as T
  const isJSON = response.headers.get('Content-Type')?.includes('json')
  return (isJSON ? response.json() : response.text()) as Promise<T>
}

/** refusal reads why a request was refused. */
export async function refusal(response: Response): Promise<Problem> {
  if (response.status === 401 && !new URL(response.url).pathname.endsWith('/login')) loggedOut()
  const said = await response.json().catch(() => ({}))
  const detail = [said.detail, ...(said.errors ?? []).map((e: any) => e.message)].filter(Boolean).join('; ')
  return new Problem(response.status, String(said.type ?? '').replace('urn:bellcord:', ''), detail || response.statusText)
}

/** newID makes an id of our own, so that a turn can be stopped before its prompt is answered. */
export function newID(): string {
  const b = crypto.getRandomValues(new Uint8Array(16))
  const now = Date.now()
  for (let i = 0; i < 6; i++) b[i] = Math.floor(now / 2 ** (8 * (5 - i))) & 255
  b[6] = (b[6]! & 15) | 0x70
  b[8] = (b[8]! & 63) | 0x80
  const hex = [...b].map((x) => x.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** pause waits, or less where the network comes back meanwhile. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      removeEventListener('online', over)
      signal?.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    addEventListener('online', over)
    signal?.addEventListener('abort', over)
  })
}

/**
 * stop sends a stop until the server has it. It means the same however often
 * it is said, and it needs no stream. Gives up only where the server refuses.
 */
export async function stop(path: string, body: { mode?: string; queue?: string; why?: string }): Promise<any> {
  for (let wait = 250; ; wait = Math.min(wait * 2, 3000)) {
    try {
      return await ask('POST', path, { ...body, wait: '2s' }, { keepalive: true })
    } catch (err) {
      const refused = err instanceof Problem && err.status >= 400 && err.status < 500 && err.status !== 429
      if (refused) throw err
    }
    await pause(wait)
  }
}
