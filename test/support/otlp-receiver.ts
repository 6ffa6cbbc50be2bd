import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number;
}

/** A span as it was exported. */
export interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** 2 server, 3 client, 1 internal. */
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: OtlpValue }[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ExportedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** A collector of traces over OTLP/HTTP. */
export class OtlpReceiver {
  /** The bodies received, as they came. */
  readonly bodies: Buffer[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param answers `false`: it accepts exports and never responds */
  static async start(answers = true): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.requests.push({ path: request.url ?? '', headers: request.headers });
        receiver.bodies.push(Buffer.concat(chunks));
        if (answers) response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const receiver = new OtlpReceiver(server, `http://127.0.0.1:${port}`);
    return receiver;
  }

  /** What was received over `http/json`. */
  get exports(): readonly Export[] {
    return this.bodies.map((body) => JSON.parse(body.toString()) as Export);
  }

  get spans(): readonly ExportedSpan[] {
    return this.exports.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  /** Attributes of the resource that the spans are of. */
  get resource(): Readonly<Record<string, unknown>> {
    const attributes = this.exports[0]?.resourceSpans[0]?.resource.attributes ?? [];
    return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
