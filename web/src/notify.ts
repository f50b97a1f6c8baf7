// Shows notifications, if the user permits them.
import { go } from './route'

/** permission returns the answer of the user to this site's wish to notify, or unsupported. */
export const permission = (): NotificationPermission | 'unsupported' => ('Notification' in window && isSecureContext ? Notification.permission : 'unsupported')

/** pushKey is the place of the push subscription in the storage; push.ts reads and writes it. */
export const pushKey = 'bellcord.push'

/** register installs the service worker that shows notifications where a page cannot, as on phones. It caches nothing. */
export async function register(): Promise<ServiceWorkerRegistration | undefined> {
  if (!navigator.serviceWorker) return undefined
  try {
    await navigator.serviceWorker.register(address() as unknown as string)
    return await navigator.serviceWorker.ready
  } catch { return undefined }
}

// The worker names the view of a notification that was clicked.
navigator.serviceWorker?.addEventListener('message', (e) => { if (/^\/(s\/[0-9a-f-]{36}|settings)$/.test(e.data?.path)) go(e.data.path) })

let fixed: unknown

/** address returns the worker's address as a trusted one. The policy has this name only, and no other address. */
function address(): unknown {
  const types = (globalThis as any).trustedTypes
  if (!types) return '/worker.js'
  fixed ??= types.createPolicy('bellcord-worker', { createScriptURL: () => '/worker.js' }).createScriptURL('')
  return fixed
}

/** notify shows a notification. A later one with the same tag replaces it. */
export async function notify(title: string, body: string, path: string, tag: string): Promise<boolean> {
  if (permission() !== 'granted') return false
  const options = { body, tag, icon: '/icon-192.png', data: { path } }
  const worker = await register()
  if (worker) { await worker.showNotification(title, options); return true }
  try {
    new Notification(title, options).onclick = () => focus()
    return true
  } catch { return false }
}
