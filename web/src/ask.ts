// Requests go only to the server that served the page.
import { forget, newKey, pageKey, renew, signature } from './key'

/** Problem is an error response, or a request without a response (status 0). */
export class Problem extends Error {
  constructor(readonly status: number, readonly type: string, detail: string) { super(detail) }
}

let loggedOut = () => {}

/** whenLoggedOut sets the function to call when the server no longer accepts this browser's login. */
export function whenLoggedOut(tell: () => void) { loggedOut = tell }

/**
 * send makes one request with this browser's login. If another tab logged in
 * during the request, it is sent again with the new key, because the cookie
 * was already the new one. If the server was restarted, it is sent again with
 * another signature.
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  for (let signedAgain = false; ;) {
    const name = pageKey()
    const signing = signature()
    const shown = await signing
    const headers = new Headers(init.headers)
    if (shown) headers.set('Bellcord-Page', shown)
    const response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', redirect: 'error', ...init, headers })
    if (response.status !== 401) return response
    if (name === pageKey()) {
      const why = await response.clone().json().catch(() => ({}))
      if (signedAgain || why.type !== 'urn:bellcord:page-signature-old') return response
      signedAgain = true
      renew(signing)
    }
  }
}

/** ask makes one request and returns the decoded response body. */
export async function ask<T = any>(method: string, path: string, body?: unknown, more: RequestInit = {}): Promise<T> {
  let response: Response
  try {
    response = await send(path, {
      method,
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

/** refusal reads the reason from an error response. */
export async function refusal(response: Response): Promise<Problem> {
  if (response.status === 401 && !new URL(response.url).pathname.endsWith('/login')) loggedOut()
  const said = await response.json().catch(() => ({}))
  const detail = [said.detail, ...(said.errors ?? []).map((e: any) => e.message)].filter(Boolean).join('; ')
  return new Problem(response.status, String(said.type ?? '').replace('urn:bellcord:', ''), detail || response.statusText)
}

/** logIn exchanges a code for a login: the cookie, which the browser stores, for a new key of the page. */
export async function logIn(code: string): Promise<void> {
  if (!globalThis.crypto?.subtle) throw new Problem(0, 'insecure', 'The page can log in only over https, or over http at localhost or 127.0.0.1: the browser keeps no key for other addresses.')
  const key = await newKey()
  await ask('POST', '/v1/login', { code, key: key.name })
  key.keep()
}

/** logOut ends this browser's login, even if the server cannot be reached. */
export async function logOut(): Promise<void> {
  try { await ask('POST', '/v1/logout') } catch { /* without the key the cookie is useless */ } finally { forget() }
}

/** download saves a response as a file. A plain link would send the cookie without a signature. */
export async function download(path: string, name: string): Promise<void> {
  const text = await ask<string>('GET', path)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** newID returns a client-generated id, so that a turn can be stopped before its prompt has a response. */
export function newID(): string {
  const b = crypto.getRandomValues(new Uint8Array(16))
  const now = Date.now()
  for (let i = 0; i < 6; i++) b[i] = Math.floor(now / 2 ** (8 * (5 - i))) & 255
  b[6] = (b[6]! & 15) | 0x70
  b[8] = (b[8]! & 63) | 0x80
  const hex = [...b].map((x) => x.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** pause waits for the given time, or until the network is back. */
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

/** Watch observes the attempts to deliver a stop: failed is called after each failed attempt; over ends the retries. */
interface Watch { failed?: () => void; over?: () => boolean }

// A stop without a response is sent again after this time, in milliseconds.
const mostAnswer = 10_000

/**
 * stop sends a stop until the server has received it. It is idempotent and
 * needs no stream. It throws only if the server refuses the stop.
 */
export async function stop(path: string, body: { mode?: string; queue?: string; reason?: string }, watch: Watch = {}): Promise<any> {
  for (let wait = 250; ; wait = Math.min(wait * 2, 3000)) {
    try {
      return await ask('POST', path, { ...body, wait: '2s' }, { keepalive: true, signal: AbortSignal.timeout(mostAnswer) })
    } catch (err) {
      const refused = err instanceof Problem && err.status >= 400 && err.status < 500 && err.status !== 429
      if (refused) throw err
      watch.failed?.()
    }
    if (watch.over?.()) return undefined
    await pause(wait)
  }
}
