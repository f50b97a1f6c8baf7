import { counts, differences, Diff, type Line } from './diff'
import { visible } from './visible'

interface Props { name: string; args: any }

const text = (value: unknown) => visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '')

/** CallDetails shows the complete call: everything that an approval allows is visible. */
export function CallDetails({ name, args }: Props) {
  const edit = edited(name, args)
  if (!edit) return <Arguments of={args} />
  const { path, content: _content, old: _old, new: _new, ...rest } = args ?? {}
  return (
    <>
      {path !== undefined && <p class="file"><code>{text(path)}</code> <span class="faint figures">{counts(edit)}</span>{rest.all === true && <span class="faint">, all occurrences</span>}</p>}
      {edit.length > 0 ? <Diff of={edit} label={`Changes to ${text(path)}`} /> : <p class="faint">The file is empty.</p>}
      <Arguments of={Object.fromEntries(Object.entries(rest).filter(([key]) => key !== 'all'))} />
    </>
  )
}

/** edited returns the lines that a call changes in a file, or undefined if it changes none. */
function edited(name: string, args: any): Line[] | undefined {
  if (name === 'write_file' && typeof args?.content === 'string') return differences('', args.content)
  if (name === 'edit_file' && typeof args?.old === 'string') return differences(args.old, typeof args.new === 'string' ? args.new : '')
  return undefined
}

/** Arguments lists a call's arguments. A command is shown without a name. */
function Arguments({ of }: { of: any }) {
  const entries = of && typeof of === 'object' ? Object.entries(of) : []
  if (entries.length === 0) return null
  return (
    <dl class="arguments">
      {entries.map(([key, value]) => (
        <div key={key}><dt class={key === 'command' ? 'hidden' : undefined}>{visible(key)}</dt><dd><pre tabIndex={0} aria-label={visible(key)}>{text(value)}</pre></dd></div>
      ))}
    </dl>
  )
}
