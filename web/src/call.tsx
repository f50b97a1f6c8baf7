import { Diff } from './diff'
import { changesOf, edits, type FileChange } from './edits'
import { counts } from './lines'
import { Long } from './long'
import { languageOf } from './scanner'
import { visible } from './visible'
import { Coloured } from './coloured'
import type { Change } from './words'

interface Props { name: string; args: any; changes?: Change[]; result?: string; dir?: string; /** long diffs are shown in part, with a button */ long?: boolean }

const text = (value: unknown) => visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '')

/** CallDetails shows the complete call: everything that an approval allows is visible. */
export function CallDetails({ name, args, changes, result, dir, long }: Props) {
  const files = changesOf(name, args, changes, result, dir)
  if (!files) return <Arguments of={args} />
  if (!edits.has(name)) return <>{files.map((f) => <FileDiff key={f.path} file={f} long={long} />)}<Arguments of={args} /></> // the arguments of other agents may contain more
  const { path: _path, content: _content, old: _old, new: _new, edits: _edits, patch: _patch, all, ...rest } = args ?? {}
  return (
    <>
      {files.map((f) => <FileDiff key={f.path} file={f} long={long} note={all === true ? ', all occurrences' : ''} />)}
      <Arguments of={rest} />
    </>
  )
}

/** FileDiff shows the changes of one file. */
function FileDiff({ file, note = '', long }: { file: FileChange; note?: string; long?: boolean }) {
  const diff = <Diff of={file.lines} label={file.path ? `Changes to ${text(file.path)}` : 'Changes'} language={languageOf(file.path)} />
  return (
    <>
      {file.path !== '' && <p class="file"><code>{text(file.path)}</code> <span class="faint figures">{counts(file.lines)}{note}</span></p>}
      {file.lines.length > 0 ? (long ? <Long lines={file.lines.length}>{diff}</Long> : diff) : <p class="faint">The file is empty.</p>}
    </>
  )
}

/** Arguments lists a call's arguments. A command is shown without a name. */
function Arguments({ of }: { of: any }) {
  const entries = of && typeof of === 'object' ? Object.entries(of) : []
  if (entries.length === 0) return null
  return (
    <dl class="arguments">
      {entries.map(([key, value]) => (
        <div key={key}><dt class={key === 'command' ? 'hidden' : undefined}>{visible(key)}</dt><dd><pre tabIndex={0} aria-label={visible(key)}>{key === 'command' ? <Coloured text={text(value)} language="sh" /> : text(value)}</pre></dd></div>
      ))}
    </dl>
  )
}
