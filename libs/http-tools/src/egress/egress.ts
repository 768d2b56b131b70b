import type { RefuseAddress } from '@holdfast/sdk';
import { z } from 'zod';
import { refuse, type Place } from '../place.js';
import { readRange, refusalOf } from './addresses.js';

/** Where requests may go. */
export const egressSchema = z.strictObject({
  /** `api.example`, `*.example` (anything below it), `api.example:8443`; without it: the hosts in the tools' own URLs. */
  hosts: z.array(z.string()).min(1).optional(),
  /** Ranges of addresses beside the public ones that may be connected to. */
  addresses: z.array(z.string()).default([]),
});

type Raw = z.infer<typeof egressSchema>;

export type Egress = {
  /** Refuses, when a file is loaded, a tool whose requests would go where they may not. */
  readonly checkOrigin: (origin: string, place: Place) => void;
  readonly refuseAddress: RefuseAddress;
};

const HOST = /^(\*\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

export const readEgress = (raw: Raw | undefined, place: Place): Egress => {
  const ranges = (raw?.addresses ?? []).map((text, index) => readRange(text, `${place}.addresses[${index}]`));
  const hosts = raw?.hosts?.map((text, index) => readHost(text, `${place}.hosts[${index}]`));
  return {
    checkOrigin: (origin, at) => {
      if (hosts === undefined || hosts.some((allowed) => allowed(new URL(origin)))) return;
      refuse(at, `${origin} is not one of the hosts that ${place}.hosts allows: ${raw?.hosts?.join(', ') ?? ''}`);
    },
    refuseAddress: (address) => refusalOf(address, ranges),
  };
};

type AllowsHost = (url: URL) => boolean;

/** A host without a port allows the port of its scheme. */
const readHost = (text: string, place: Place): AllowsHost => {
  const [, below, name = '', port] = HOST.exec(text) ?? [];
  if (name === '') return refuse(place, `${text} is no host: write it like api.example, *.example or api.example:8443`);
  const host = name.toLowerCase();
  return (url) => {
    if (url.port !== (port === undefined || isUsual(url.protocol, port) ? '' : port)) return false;
    return below === undefined ? url.hostname === host : url.hostname.endsWith(`.${host}`);
  };
};

const isUsual = (protocol: string, port: string): boolean => port === (protocol === 'https:' ? '443' : '80');
