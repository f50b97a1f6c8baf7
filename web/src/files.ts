// Files attached to a prompt: images unchanged, text files as text.
import { bytes } from './figures'
import type { Image } from './words'

/** Attached is a file in the composer. A refused file has a reason and is not sent. */
export type Attached =
  | { kind: 'image'; name: string; size: number; image: Image }
  | { kind: 'text'; name: string; size: number; text: string }
  | { kind: 'refused'; name: string; why: string }

// A prompt with its images has at most 32 MiB on the wire.
const mostImage = 20 << 20
const mostText = 200 << 10

// Files of these types are never treated as text.
const binary = /^(audio|video|font)\/|^application\/(pdf|zip|gzip|x-tar|x-7z|x-rar|vnd\.|msword|octet-stream|wasm|x-sqlite)/

/** attach reads a file. */
export async function attach(file: File): Promise<Attached> {
  const { name, size } = file
  const isImage = file.type.startsWith('image/') && file.type !== 'image/svg+xml'
  const most = isImage ? mostImage : mostText
  if (size > most) return { kind: 'refused', name, why: `too large: ${bytes(size)}, limit ${bytes(most)}` }
  if (isImage) return { kind: 'image', name, size, image: { type: file.type, data: await encoded(file) } }
  const text = binary.test(file.type) ? undefined : decoded(await file.arrayBuffer())
  return text === undefined ? { kind: 'refused', name, why: 'not an image or UTF-8 text' } : { kind: 'text', name, size, text }
}

/** decoded returns the text of a file, or undefined if its bytes are not text. */
function decoded(data: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data)
    return text.includes('\0') || text.startsWith('%PDF-') ? undefined : text
  } catch {
    return undefined
  }
}

function encoded(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}

/** withFiles returns a prompt's text followed by its text files, each in a fence that its content cannot close. */
export function withFiles(text: string, files: Attached[]): string {
  const parts = files.flatMap((f) => {
    if (f.kind !== 'text') return []
    const fence = '`'.repeat(Math.max(4, ...[...f.text.matchAll(/`+/g)].map((run) => run[0].length + 1)))
    return [`${f.name}:\n${fence}\n${f.text}${f.text.endsWith('\n') ? '' : '\n'}${fence}`]
  })
  return [text, ...parts].filter(Boolean).join('\n\n')
}
