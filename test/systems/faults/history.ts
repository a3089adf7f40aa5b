/** History of the requests and responses of a run, as JSON lines. The checker compares it with the database. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Operation } from "./operations.ts";

export type HistoryEntry =
  | { type: "requested"; operation: Operation }
  | { type: "ambiguous"; key: string; reason: string }
  | { type: "acknowledged"; key: string; id: string; digest: string }
  | { type: "refused"; key: string; reason: string };

/** Final result of an operation, as seen by its client. */
export interface OperationResult {
  operation: Operation;
  /** Set if the outcome of an attempt was unknown. */
  isAmbiguous: boolean;
  /** Acknowledged id and digest of the response body. */
  acknowledged?: { id: string; digest: string };
  refused?: string;
}

export const digest = (bytes: string): string => createHash("sha256").update(bytes).digest("base64url");

export interface History {
  readonly file: string;
  write(line: HistoryEntry): void;
  /** Resolves when all entries are in the file. */
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

/** Returns the results of all operations of a history by key. */
export async function readHistory(file: string): Promise<Map<string, OperationResult>> {
  const results = new Map<string, OperationResult>();
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const line = JSON.parse(text) as HistoryEntry;
    if (line.type === "requested") {
      results.set(line.operation.key, { operation: line.operation, isAmbiguous: false });
      continue;
    }
    const result = results.get(line.key)!;
    if (line.type === "ambiguous") result.isAmbiguous = true;
    else if (line.type === "acknowledged") result.acknowledged = { id: line.id, digest: line.digest };
    else result.refused = line.reason;
  }
  return results;
}
