/** Pictures of text messages: where they are fetched from, and how much of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { ServerResponse } from "node:http";
import tls from "node:tls";
import { startCloudServer, type CloudServer } from "../../../../../test/support/providers/cloud-notifications.ts";
import { mediaFetcher } from "./fetch-media.ts";
import { MAX_FILE_BYTES } from "./inbound-file.rules.ts";

let [server, other]: CloudServer[] = [];

beforeAll(async () => {
  [server, other] = [await startCloudServer(), await startCloudServer()];
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), server.certificate.pem, other.certificate.pem]);
});
beforeEach(() => {
  server!.requests.length = 0;
});
afterAll(async () => {
  await server!.close();
  await other!.close();
});

const settings = () => ({ url: `https://${server!.host}`, accountId: "AC1", authToken: "secret" });
const pictureUrl = () => `https://${server!.host}/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1`;
const fetchPicture = (respond: (response: ServerResponse) => void, { url = pictureUrl(), timeoutMs = 10_000, hosts = [server!.host] } = {}) => {
  server!.respondWith(respond);
  return mediaFetcher(settings(), hosts, timeoutMs)(url);
};

describe("a picture of a text message", () => {
  test("is fetched from the provider with the credentials of the account", async () => {
    let authorization: string | undefined;
    const fetched = await fetchPicture((response) => {
      authorization = response.req.headers.authorization;
      response.end("A photo.");
    });
    expect(fetched).toEqual({ content: Buffer.from("A photo.") });
    expect(authorization).toBe(`Basic ${Buffer.from("AC1:secret").toString("base64")}`);
  });

  test("is requested from no other host, port or scheme", async () => {
    const { host } = server!;
    const addresses = [
      `http://${host}/x`,
      `https://${other!.host}/x`,
      `https://localhost/x`,
      `https://${host}@${other!.host}/x`,
      `https://AC1:secret@${host}/x`,
      `https://${host}.example/x`,
      "https://169.254.169.254/latest/meta-data",
      "file:///etc/passwd",
      "data:image/png;base64,QQ==",
      `//${host}/x`,
      "",
    ];
    for (const url of addresses) expect([url, await fetchPicture((response) => void response.end("x"), { url })]).toEqual([url, { dropped: "not_available" }]);
    expect([server!.requests, other!.requests]).toEqual([[], []]);
  });

  test("is followed through one redirect to a host of the provider's pictures, without the credentials", async () => {
    const authorizations: (string | undefined)[] = [];
    const redirect = (status: number, location: string) => (response: ServerResponse) => {
      authorizations.push(response.req.headers.authorization);
      if (response.req.url === "/kept?key=1") response.end("A photo.");
      else response.writeHead(status, { Location: location }).end();
    };
    for (const status of [301, 302, 303, 307, 308]) {
      authorizations.length = 0;
      expect(await fetchPicture(redirect(status, `https://${server!.host}/kept?key=1`))).toEqual({ content: Buffer.from("A photo.") });
      expect(authorizations).toEqual([expect.stringContaining("Basic "), undefined]);
    }
    expect(await fetchPicture(redirect(307, "/kept?key=1"))).toEqual({ content: Buffer.from("A photo.") });
    expect(await fetchPicture(redirect(307, "/again"))).toEqual({ dropped: "not_available" });
    expect(server!.requests.slice(-2)).toEqual([new URL(pictureUrl()).pathname, "/again"]);
  });

  test("is not requested from another host, and is fetched again once the operator has added it", async () => {
    const redirect = (location: string) => (response: ServerResponse) => void response.writeHead(307, { Location: location }).end();
    await expect(fetchPicture(redirect(`https://${other!.host}/x`))).rejects.toThrow(`${other!.host}, which is not one of SMS_MEDIA_HOSTS`);
    await expect(fetchPicture(redirect("https://169.254.169.254/latest"))).rejects.toThrow("SMS_MEDIA_HOSTS");
    await expect(fetchPicture(redirect(`https://${server!.host}/kept`), { hosts: [] })).rejects.toThrow("SMS_MEDIA_HOSTS");
    for (const location of [`http://${server!.host}/x`, `https://a:b@${server!.host}/x`, "file:///etc/passwd"])
      expect(await fetchPicture(redirect(location))).toEqual({ dropped: "not_available" });
    expect([server!.requests.length, other!.requests]).toEqual([6, []]);
  });

  test("is dropped when the provider no longer has it", async () => {
    for (const status of [204, 400, 404, 410])
      expect(await fetchPicture((response) => void response.writeHead(status).end())).toEqual({ dropped: "not_available" });
  });

  test("of more than 3 MiB is dropped without being read to its end, whatever its Content-Length", async () => {
    const chunk = Buffer.alloc(65_536, 1);
    let sent = 0;
    const endless = (response: ServerResponse) => {
      const write = () => {
        sent += chunk.length;
        if (!response.destroyed) response.write(chunk, () => setImmediate(write));
      };
      write();
    };
    expect(await fetchPicture(endless)).toEqual({ dropped: "file_too_large" });
    expect(sent).toBeLessThan(40 * MAX_FILE_BYTES);
    const exact = await fetchPicture((response) => void response.end(Buffer.alloc(MAX_FILE_BYTES, 1)));
    expect("content" in exact && exact.content.length).toBe(MAX_FILE_BYTES);
  });

  test("is tried again later while the provider fails, refuses the credentials, limits requests, is silent or sends half", async () => {
    for (const status of [401, 403, 429, 500, 503])
      await expect(fetchPicture((response) => void response.writeHead(status).end())).rejects.toThrow(String(status));
    await expect(fetchPicture(() => undefined, { timeoutMs: 200 })).rejects.toThrow();
    const silentAfterRedirect = (response: ServerResponse) => {
      if (response.req.url !== "/kept") response.writeHead(307, { Location: "/kept" }).end();
    };
    await expect(fetchPicture(silentAfterRedirect, { timeoutMs: 500 })).rejects.toThrow();
    const half = (response: ServerResponse) => {
      response.writeHead(200, { "Content-Length": "1000" });
      response.write("half", () => response.destroy());
    };
    await expect(fetchPicture(half)).rejects.toThrow();
    await expect(mediaFetcher(undefined, [])(pictureUrl())).rejects.toThrow("not configured");
  });
});
