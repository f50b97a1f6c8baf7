// Notifications while the page is closed: the browser's subscription at the push
// service of its maker, and the server's knowledge of it. Loaded when needed.
import { ask } from './client'
import { permission, pushKey, register } from './notify'
import { settings } from './settings'

interface Kept { owner: string; id: string }

/** kept returns the id of the subscription that the server has for this browser, if it belongs to this owner. */
function kept(owner: string): Kept | undefined {
  try {
    const had = JSON.parse(localStorage.getItem(pushKey) ?? 'null')
    return had?.owner === owner && typeof had.id === 'string' ? had : undefined
  } catch { return undefined }
}

/** isOn reports whether this owner turned on notifications for the closed page in this browser. */
export const isOn = (owner: string): boolean => permission() === 'granted' && kept(owner) !== undefined

/** unusable returns the reason why this browser cannot be notified while the page is closed, or ''. */
export function unusable(): string {
  if (navigator.serviceWorker && 'PushManager' in window) return ''
  return 'This browser cannot be notified while the page is closed. On an iPhone or iPad, first add the page to the home screen.'
}

/** turnOn subscribes this browser. If it is subscribed, turnOn sends the subscription and the chosen kinds to the server again. */
export async function turnOn(owner: string): Promise<void> {
  const worker = await register()
  if (!worker) throw new Error('the browser does not install the service worker of the page')
  const { key } = await ask<{ key: string }>('GET', '/v1/push')
  let subscription = await worker.pushManager.getSubscription()
  if (subscription && text(subscription.options.applicationServerKey) !== key) { // of an earlier server at this address
    await subscription.unsubscribe()
    subscription = null
  }
  subscription ??= await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint, keys } = subscription.toJSON()
  const { waiting, ended } = settings()
  const { id } = await ask<{ id: string }>('POST', '/v1/push/subscriptions', { endpoint, keys: { p256dh: keys?.p256dh, auth: keys?.auth }, questions: waiting, ends: ended })
  localStorage.setItem(pushKey, JSON.stringify({ owner, id }))
}

/** text encodes a key as the server sends it. */
function text(key: ArrayBuffer | null): string {
  return btoa(String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer(0)))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}

/** turnOff ends the subscription at the server and in the browser. */
export async function turnOff(owner: string): Promise<void> {
  const had = kept(owner)
  localStorage.removeItem(pushKey)
  if (had) await ask('DELETE', `/v1/push/subscriptions/${had.id}`).catch((e) => { if (e.status !== 404) throw e })
  const worker = await navigator.serviceWorker.getRegistration()
  await (await worker?.pushManager.getSubscription())?.unsubscribe()
}

/** refresh repeats the subscription after a new login, or after the browser replaced it. */
export async function refresh(owner: string): Promise<void> {
  if (isOn(owner)) await turnOn(owner)
}

/** sendTest sends a test through the push service. */
export async function sendTest(owner: string): Promise<void> {
  await ask('POST', `/v1/push/subscriptions/${kept(owner)?.id}/test`)
}
