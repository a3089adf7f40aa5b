import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAX_CHUNK = 65_536;

/** Starts work, at once or when a limit allows it. */
type Schedule = (work: () => Promise<void>) => Promise<void>;

/**
 * Passes on bytes through a temporary file without a name. Once `schedule` starts it, the source is read as fast as it yields, so that a
 * slow reader does not hold up the source and what it uses, such as a database connection, and the memory stays bounded.
 */
export async function* spool(source: AsyncIterable<Uint8Array>, schedule: Schedule = (work) => work()): AsyncGenerator<Uint8Array, void> {
  const path = join(tmpdir(), `freehold-spool-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  let [written, hasEnded, isAbandoned] = [0, false, false];
  let failure: unknown;
  let wake: () => void = () => undefined;
  const writing = schedule(async () => {
    for await (const chunk of source) {
      if (isAbandoned) return;
      await file.appendFile(chunk);
      written += chunk.length;
      wake();
    }
  })
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      hasEnded = true;
      wake();
    });
  try {
    for (let position = 0; position < written || !hasEnded;) {
      if (position === written) await new Promise<void>((resolve) => (wake = resolve));
      const length = Math.min(written - position, MAX_CHUNK);
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position);
      position += bytesRead;
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    }
    if (failure) throw failure;
  } finally {
    isAbandoned = true;
    await writing;
    await file.close();
  }
}
