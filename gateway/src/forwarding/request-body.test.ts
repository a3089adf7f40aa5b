import { expect, test } from "@jest/globals";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { bodyReceiver } from "./request-body.ts";

const KIB = 1_024;

/** Returns a request whose body announces a length, as its stream. */
const post = (length: number) => Object.assign(new PassThrough(), { method: "POST", headers: { "content-length": String(length) } });

test("a short body is received while many networks fill the memory with long ones that they do not complete", async () => {
  const withBody = bodyReceiver({ perMember: 64 * KIB, perGroup: 64 * KIB, total: 256 * KIB });
  const receive = (req: PassThrough, member: string) =>
    withBody(req as unknown as IncomingMessage, { holder: { group: "anonymous", member }, maxBytes: 1_048_576 }, (body) => Promise.resolve(body!.toString()));
  const refused: string[] = [];
  for (const member of ["a", "b", "c", "d"]) {
    const incomplete = post(100_000);
    receive(incomplete, member).catch(() => refused.push(member));
    incomplete.write("x");
  }
  const short = post(2);
  short.end("{}");
  expect(await receive(short, "honest")).toBe("{}");
  expect(refused).toHaveLength(1);
});
