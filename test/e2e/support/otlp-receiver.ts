import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean };
type Attributes = readonly { readonly key: string; readonly value: Value }[];
type Wire = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
};
type WireSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
};

export type Received = Pick<WireSpan, 'traceId' | 'spanId' | 'name'> & {
  readonly service: string;
  readonly parent: string | undefined;
  readonly said: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
};

const said = (attributes: Attributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]));

/** Takes spans as a collector does, over OTLP/HTTP in JSON. */
export class OtlpReceiver {
  readonly spans: Received[] = [];
  private readonly server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      this.take(JSON.parse(body) as Wire);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return undefined;
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/traces`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take({ resourceSpans }: Wire): void {
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          traceId: span.traceId,
          spanId: span.spanId,
          name: span.name,
          service: String(said(resource.attributes)['service.name']),
          parent: span.parentSpanId,
          said: said(span.attributes),
          links: (span.links ?? []).map(({ spanId }) => spanId),
        });
  }
}
