// The notifications in the settings. Loaded when the settings are first shown.
import { useEffect, useState } from 'preact/hooks'
import { say } from './announce'
import { Check, Group } from './group'
import { notify, permission } from './notify'
import { isOn, refresh, sendTest, turnOff, turnOn, unusable } from './push'
import { change, useSettings, type Settings } from './settings'

const reasons: { [permission: string]: string } = {
  denied: 'The browser blocks notifications of this site. Allow them in the settings of the browser.',
  unsupported: 'This browser cannot show notifications here. They need HTTPS, or the server’s own machine.',
}

/** Notifications asks for the permission when a user turns notifications on. */
export default function Notifications({ owner }: { owner?: string }) {
  const now = useSettings()
  const [may, setMay] = useState(permission)
  const [tested, setTested] = useState('')
  const [closed, setClosed] = useState(owner !== undefined && isOn(owner))
  const [failed, setFailed] = useState('')
  const [busy, setBusy] = useState(false)
  const attempt = async (f: () => Promise<void>) => {
    setBusy(true)
    setFailed('')
    try { await f() } catch (e: any) { setFailed(String(e?.message ?? e)) }
    setBusy(false)
    setClosed(owner !== undefined && isOn(owner))
  }
  useEffect(() => { if (owner !== undefined) { setClosed(isOn(owner)); void attempt(() => refresh(owner)) } }, [owner])
  const allowed = async () => {
    if (permission() === 'default') await Notification.requestPermission()
    setMay(permission())
    return permission() === 'granted'
  }
  const set = async (some: Partial<Settings>) => {
    if (Object.values(some)[0] && !await allowed()) return change({})
    change(some)
    if (owner !== undefined) await attempt(() => refresh(owner)) // the server sends the kinds that are chosen
  }
  const setPush = async (on: boolean) => {
    if (owner === undefined) return
    setClosed(on) // until the result is known
    await attempt(async () => { if (!on) await turnOff(owner); else if (await allowed()) await turnOn(owner) })
  }
  const test = async () => {
    let sent = await allowed()
    if (sent && closed) await attempt(() => sendTest(owner!).catch((e) => { sent = false; throw e }))
    else if (sent) sent = await notify('Bellcord', 'Notifications work.', '/settings', 'test')
    setTested(sent ? 'Sent.' : 'Not sent.')
    say(sent ? 'Sent.' : 'Not sent.')
  }
  const useless = may === 'unsupported' ? '' : unusable()
  return (
    <Group title="Notifications">
      <p class="faint">Shown while the page is open in a tab, or as an app, that you are not looking at.</p>
      <Check label="A turn waits for me" on={now.waiting && may === 'granted'} disabled={may === 'unsupported'} set={(waiting) => void set({ waiting })} />
      <Check label="A turn ended" on={now.ended && may === 'granted'} disabled={may === 'unsupported'} set={(ended) => void set({ ended })} />
      <Check label="Also while the page is closed" on={closed} disabled={busy || owner === undefined || may === 'unsupported' || useless !== ''} set={(on) => void setPush(on)} />
      <p class="faint">For a closed page, the server sends the title of the session through the push service of your browser’s maker. It is encrypted: the service sees that and when a message was sent, and not its text. Logging out ends it.</p>
      {(reasons[may] || useless) && <p class="plain">{reasons[may] || useless}</p>}
      {failed && <p class="plain" role="alert">Push does not work: {failed}</p>}
      <p><button type="button" disabled={may === 'unsupported' || busy} onClick={() => void test()}>Send a test</button> <span class="faint">{tested}</span></p>
    </Group>
  )
}
