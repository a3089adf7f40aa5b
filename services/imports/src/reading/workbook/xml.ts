/** Streaming parser for the XML parts of untrusted workbooks. The memory it needs does not depend on the size of the part. */
import { SaxesParser } from "saxes";
import { UnreadableFileError } from "../unreadable-file.ts";

export interface XmlHandlers {
  /** Called with the name of an element without its prefix, and its attributes. */
  open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
}

const MAX_DEPTH = 64;
/** Maximum length of one text, tag or comment in characters. A cell has at most 32,767. */
const MAX_TOKEN_CHARACTERS = 1_048_576;

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);
const unreadable = () => new UnreadableFileError("The workbook is damaged. Open it in a spreadsheet program and save it again.");

/** Parses an XML document and yields after each chunk. Throws `UnreadableFileError` for a document that is not well-formed, too deep, or has a DTD. */
export async function* parseXml(chunks: AsyncIterable<Buffer>, { open, close, text }: XmlHandlers): AsyncGenerator<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parser = new SaxesParser();
  let [depth, pendingCharacters] = [0, 0];
  const complete = () => (pendingCharacters = 0);
  parser.on("doctype", () => {
    throw new UnreadableFileError("The workbook contains a document type declaration, which spreadsheet programs do not write.");
  });
  parser.on("opentag", ({ name, attributes }) => {
    complete();
    if (++depth > MAX_DEPTH) throw unreadable();
    open?.(localName(name), attributes as Record<string, string>);
  });
  parser.on("closetag", ({ name }) => {
    complete();
    depth -= 1;
    close?.(localName(name));
  });
  for (const event of ["text", "cdata"] as const)
    parser.on(event, (content) => {
      complete();
      text?.(content);
    });
  parser.on("comment", complete);
  parser.on("error", () => {
    throw unreadable();
  });
  for await (const chunk of chunks) {
    pendingCharacters += chunk.length;
    parser.write(decode(decoder, chunk));
    if (pendingCharacters > MAX_TOKEN_CHARACTERS) throw unreadable();
    yield;
  }
  parser.close();
}

function decode(decoder: TextDecoder, chunk: Buffer): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw unreadable();
  }
}

/** Parses an XML document at once. */
export async function readXml(chunks: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  for await (const _ of parseXml(chunks, handlers));
}
