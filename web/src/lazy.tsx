import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Lazy shows a view whose code is loaded when it is first needed. A quiet one shows nothing until then. */
export function Lazy<P extends object>({ load, props, quiet }: { load: () => Promise<ComponentType<P>>; props: P; quiet?: boolean }) {
  const [View, set] = useState<ComponentType<P>>()
  const [failed, setFailed] = useState(false)
  useEffect(() => { load().then((v) => set(() => v), () => setFailed(true)) }, [])
  if (View) return <View {...props} />
  if (quiet && !failed) return null
  if (quiet) return <p role="alert">This dialog cannot be loaded. Reload the page.</p>
  return <main class="start"><p class="faint" role="status">{failed ? 'This view cannot be loaded. Reload the page.' : 'Loading…'}</p></main>
}
