// Files attached to a prompt: images unchanged, text files as text with their names.
import { bytes } from './figures'
import type { Image, TextFile } from './words'

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
  const { size } = file
  const name = [...file.name.replace(/\p{Cc}/gu, '')].slice(0, 200).join('') || 'file'
  const isImage = file.type.startsWith('image/') && file.type !== 'image/svg+xml'
  const most = isImage ? mostImage : mostText
  if (size > most) return { kind: 'refused', name, why: `too large: ${bytes(size)}, limit ${bytes(most)}` }
  if (isImage) return { kind: 'image', name, size, image: { type: file.type, data: await encoded(file) } }
  const text = binary.test(file.type) ? undefined : decoded(await file.arrayBuffer())
  return text === undefined ? { kind: 'refused', name, why: 'not text or an image' } : { kind: 'text', name, size, text }
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

/** Attachments are the files of a prompt, as the API takes them. */
export interface Attachments { images: Image[]; files: TextFile[] }

export const noFiles: Attachments = { images: [], files: [] }

/** attachments returns files of the composer for the API. */
export function attachments(all: Attached[]): Attachments {
  return {
    images: all.flatMap((f) => (f.kind === 'image' ? [f.image] : [])),
    files: all.flatMap((f) => (f.kind === 'text' ? [{ name: f.name, text: f.text }] : [])),
  }
}

/** attached returns the files of a sent prompt for the composer. */
export function attached({ images, files }: Attachments): Attached[] {
  return [
    ...files.map((f): Attached => ({ kind: 'text', name: f.name, size: sizeOf(f), text: f.text })),
    ...images.map((image, i): Attached => ({ kind: 'image', name: `Image ${i + 1}`, size: Math.floor(image.data.length * 3 / 4), image })),
  ]
}

/** sizeOf returns the size of a text file in bytes. */
export const sizeOf = (f: TextFile) => new Blob([f.text]).size
