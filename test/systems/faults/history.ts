/** What was asked and what was answered, appended line by line: the checker believes nothing else. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Operation } from "./operations.ts";

export type HistoryEntry =
  | { what: "asked"; operation: Operation }
  | { what: "ambiguous"; key: string; why: string }
  | { what: "acknowledged"; key: string; id: string; digest: string }
  | { what: "refused"; key: string; why: string };

/** All that is known of one operation at the end. */
export interface OperationResult {
  operation: Operation;
  /** It was once unknown whether it had happened. */
  isAmbiguous: boolean;
  /** The id that was acknowledged, and the digest of the bytes. */
  acknowledged?: { id: string; digest: string };
  refused?: string;
}

export const digest = (bytes: string): string => createHash("sha256").update(bytes).digest("base64url");

export interface History {
  readonly file: string;
  write(line: HistoryEntry): void;
  /** Resolves when everything is in the file. */
  close(): Promise<void>;
}

export function startHistory(file: string): History {
  const out = createWriteStream(file, { flags: "a" });
  return {
    file,
    write: (line) => void out.write(`${JSON.stringify(line)}\n`),
    close: async () => {
      out.end();
      await once(out, "close");
    },
  };
}

/** The fates of all operations of a history, by their keys. */
export async function readHistory(file: string): Promise<Map<string, OperationResult>> {
  const fates = new Map<string, OperationResult>();
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const line = JSON.parse(text) as HistoryEntry;
    if (line.what === "asked") {
      fates.set(line.operation.key, { operation: line.operation, isAmbiguous: false });
      continue;
    }
    const fate = fates.get(line.key)!;
    if (line.what === "ambiguous") fate.isAmbiguous = true;
    else if (line.what === "acknowledged") fate.acknowledged = { id: line.id, digest: line.digest };
    else fate.refused = line.why;
  }
  return fates;
}
