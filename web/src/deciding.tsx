import { useEffect, useRef } from 'preact/hooks'
import { CallDetails } from './call'
import { shortPath } from './paths'
import { visible } from './visible'
import type { Question } from './words'

interface Props { question: Question; kind: 'always' | 'reason'; name: string; args: any; dir: string; owner: string; onAnswer: (reason?: string) => void; onClose: () => void }

// The maximum length of a reason: bellcord.MaxReason.
const longest = 2000

/** Deciding is the dialog of the answers that need one: it shows the rule that Always allow adds, or takes the reason of a rejection. */
export default function Deciding({ question, kind, name, args, dir, owner, onAnswer, onClose }: Props) {
  const box = useRef<HTMLDialogElement>(null)
  const reason = useRef<HTMLTextAreaElement>(null)
  useEffect(() => { box.current!.showModal() }, [])
  const send = (e: Event) => { e.preventDefault(); onAnswer(reason.current?.value.trim() || undefined) }
  return (
    <dialog ref={box} class="deciding" aria-labelledby="deciding-title" onClose={onClose}>
      <form onSubmit={send}>
        <h2 id="deciding-title">{kind === 'always' ? 'Always allow this?' : 'Reject with a reason'}</h2>
        {kind === 'always'
          ? <>
              <p>This rule is added. Calls that match it run without a question, now and after a restart.</p>
              <dl class="rule">
                <div><dt>Tool</dt><dd><code>{visible(name)}</code></dd></div>
                <div><dt>Call</dt><dd>exactly this one:<CallDetails name={name} args={args} changes={question.changes} dir={dir} /></dd></div>
                <div><dt>Where</dt><dd>sessions {owner && <>of {visible(owner)} </>}in <code>{shortPath(dir)}</code></dd></div>
              </dl>
            </>
          : <label class="reason">The agent gets the reason and can act on it.<textarea ref={reason} rows={3} maxLength={longest} autofocus aria-label="Reason" onKeyDown={(e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) send(e) }} /></label>}
        <div class="actions">
          <button type="button" autofocus={kind === 'always'} onClick={() => box.current!.close()}>Cancel</button>
          <button type="submit">{kind === 'always' ? 'Always allow' : 'Reject'}</button>
        </div>
      </form>
    </dialog>
  )
}
