import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as never);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;

/** A certificate and its key, PEM. */
export type Certified = { readonly cert: string; readonly key: string };
export type CertificateOptions = {
  /** Names and addresses that it is for; those of this machine where absent. */
  readonly names?: readonly x509.JsonGeneralName[];
  /** It was valid until an hour ago. */
  readonly expired?: boolean;
};

const LOOPBACK: readonly x509.JsonGeneralName[] = [
  { type: 'dns', value: 'localhost' },
  { type: 'ip', value: '127.0.0.1' },
];

/** An authority that lives for an hour in this process, and what it has signed. */
export class Authority {
  private constructor(
    readonly cert: string,
    private readonly keys: webcrypto.CryptoKeyPair,
    private readonly name: string,
  ) {}

  static async make(name: string): Promise<Authority> {
    const keys = await newKeys();
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      ...validity(false),
      extensions: [
        new x509.BasicConstraintsExtension(true, 1, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
    return new Authority(made.toString('pem'), keys, name);
  }

  async sign(commonName: string, { names = LOOPBACK, expired = false }: CertificateOptions = {}): Promise<Certified> {
    const keys = await newKeys();
    const made = await x509.X509CertificateGenerator.create({
      subject: `CN=${commonName}`,
      issuer: `CN=${this.name}`,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      ...validity(expired),
      extensions: [new x509.SubjectAlternativeNameExtension([...names])],
    });
    const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    return { cert: made.toString('pem'), key: pem('PRIVATE KEY', key) };
  }
}

const newKeys = async (): Promise<webcrypto.CryptoKeyPair> =>
  (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;

const validity = (expired: boolean): { readonly notBefore: Date; readonly notAfter: Date } => ({
  notBefore: new Date(Date.now() - 2 * HOUR_MS),
  notAfter: new Date(Date.now() + (expired ? -HOUR_MS : HOUR_MS)),
});

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd()}\n-----END ${label}-----\n`;
