/** DNS server for tests: answers TXT and CNAME queries over UDP from a table of records. */
import { createSocket, type RemoteInfo } from "node:dgram";
import type { AddressInfo } from "node:net";

const TYPES = { TXT: 16, CNAME: 5 } as const;
const NAME_ERROR = 3;

/** Records by type and name, such as `TXT elm.example`. */
export type DnsTable = Map<string, string[]>;

export interface DnsServer {
  /** Address and port. */
  address: string;
  records: DnsTable;
  /** Lets queries go unanswered until it is called with false. */
  goSilent(isSilent: boolean): void;
  close(): Promise<void>;
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.from([0])]);

/** Encodes a text as strings of at most 255 bytes, as long DKIM keys are published. */
function encodeText(text: string): Buffer {
  const chunks = text.match(/[^]{1,255}/g) ?? [""];
  return Buffer.concat(chunks.map((chunk) => Buffer.from([chunk.length, ...Buffer.from(chunk)])));
}

/** Reads the question of a query: its name, type and end. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset]!; length > 0; length = query[offset]!) {
    labels.push(query.toString("latin1", offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(offset + 1), end: offset + 5 };
}

function responseTo(query: Buffer, records: DnsTable): Buffer {
  const { name, type, end } = readQuestion(query);
  const [typeName] = Object.entries(TYPES).find(([, code]) => code === type) ?? ["other"];
  const values = records.get(`${typeName} ${name}`) ?? [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (values.length === 0 ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(values.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const answers = values.map((value) => {
    const data = type === TYPES.TXT ? encodeText(value) : encodeName(value);
    const fixed = Buffer.alloc(12);
    // The name of the question, by a pointer to it.
    fixed.writeUInt16BE(0xc00c, 0);
    fixed.writeUInt16BE(type, 2);
    fixed.writeUInt16BE(1, 4);
    fixed.writeUInt32BE(60, 6);
    fixed.writeUInt16BE(data.length, 10);
    return Buffer.concat([fixed, data]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...answers]);
}

export async function startDnsServer(): Promise<DnsServer> {
  const records: DnsTable = new Map();
  let isSilent = false;
  const socket = createSocket("udp4");
  socket.on("message", (query: Buffer, { port, address }: RemoteInfo) => {
    if (!isSilent) socket.send(responseTo(query, records), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    records,
    goSilent: (silent) => {
      isSilent = silent;
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
