import { useEffect, useRef } from 'preact/hooks'
import { say } from './announce'
import { CallDetails } from './call'
import { changesOf, edits, fromResult } from './edits'
import { span } from './figures'
import { counts } from './lines'
import { Long } from './long'
import { titleOf, type Call } from './record'
import { printed, visible } from './visible'

const outcomes: { [state: string]: string } = {
  asked: 'waiting', running: 'running', finished: 'finished', failed: 'failed', stopped: 'stopped', not_started: 'not run', unknown: 'outcome unknown',
}

// The built-in tools. The tools of other agents are shown with their own names.
const names: { [tool: string]: string } = {
  shell: 'Command', edit_file: 'Edit', write_file: 'Write', apply_patch: 'Patch', read_file: 'Read', list_dir: 'List', grep: 'Search', glob: 'Find', fetch: 'Fetch',
}

// A longer diff is shown when the card is opened.
const mostShown = 60

/** ToolCard shows a call with its live output and its outcome. The question about a call shows the call instead, while it is open. */
export function ToolCard({ call, dir }: { call: Call; dir?: string }) {
  const isEdit = edits.has(call.name)
  const result = isEdit && call.state === 'finished' ? fromResult(call.result ?? '').rest : call.result ?? ''
  const output = printed(call.output || result)
  const took = call.from && call.to ? span(call.to - call.from) : ''
  const lines = isEdit ? changesOf(call.name, call.args, call.changes, call.result, dir)?.flatMap((f) => f.lines) : undefined
  const isOpen = !call.asking && (call.state === 'running' || call.state === 'stopped' || call.state === 'failed' || (call.state === 'finished' && !!lines && lines.length <= mostShown))
  const title = titleOf(call).replace(new RegExp(`^${call.name.replace(/\W/g, '\\$&')} `), '')
  return (
    <details class={'tool ' + call.state} open={isOpen}>
      <summary>
        <span class="name">{names[call.name] ?? visible(call.name)}</span>
        <code class="title">{title}</code>
        <span class="outcome">{call.state === 'running' && <i class="pulse" aria-hidden="true" />}{outcomes[call.state]}{took && <span class="faint"> {took}</span>}{lines && <span class="faint figures"> {counts(lines)}</span>}</span>
      </summary>
      {!call.asking && (
        <div class="inside">
          <CallDetails name={call.name} args={call.args} changes={call.changes} result={call.state === 'finished' ? call.result : undefined} dir={dir} long />
          {call.problem && <p class="plain">{visible(call.problem)}</p>}
          {output && (isEdit && !call.output && call.state === 'finished' ? <p class="faint plain">{output}</p> : <Output text={output} live={call.state === 'running'} label={call.state === 'stopped' ? 'Last output' : 'Output'} />)}
          {call.state === 'stopped' && call.output && call.result && call.result !== call.output && <p class="faint plain">{visible(lastLine(call.result))}</p>}
        </div>
      )}
    </details>
  )
}

const lastLine = (text: string) => text.trim().split('\n').pop() ?? ''

/** Output stays at its end while it grows, unless the user has scrolled up. */
function Output({ text, live, label }: { text: string; live: boolean; label: string }) {
  const box = useRef<HTMLPreElement>(null)
  const atEnd = useRef(true)
  useEffect(() => { if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight }, [text, live])
  const look = (e: Event) => { const b = e.currentTarget as HTMLElement; atEnd.current = b.scrollHeight - b.scrollTop - b.clientHeight < 24 }
  return (
    <>
      <p class="label"><span aria-hidden="true">{label}</span>{!live && <button type="button" class="quiet" onClick={() => void navigator.clipboard?.writeText(text).then(() => say('Copied.'))}>Copy<span class="hidden"> output</span></button>}</p>
      <Long lines={text.replace(/\n$/, '').split('\n').length} live={live}><pre ref={box} class="output" tabIndex={0} role="region" aria-label={label} onScroll={look}>{text}</pre></Long>
    </>
  )
}
