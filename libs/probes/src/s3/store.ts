import { sha256, type ToolFetch, type ToolRequest, type ToolResponse } from '@holdfast/sdk';
import { AwsV4Signer } from 'aws4fetch';
import { keyPath } from './object-key.js';

/** A bucket of S3, or of anything that speaks its protocol. */
export type Store = {
  /** Where it is, with its port; default `https://s3.<region>.amazonaws.com`. The bucket is a part of the path. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

type StoreRequest = Pick<ToolRequest, 'headers' | 'accept'> & {
  readonly method: 'PUT' | 'HEAD';
  readonly key: string;
  readonly body?: Uint8Array;
};

/** One signed request, sent once by the tool's own `fetch`: guard, deadline and errors are its. */
export const askStore = async (store: Store, fetch: ToolFetch, request: StoreRequest): Promise<ToolResponse> => {
  const { endpoint = `https://s3.${store.region}.amazonaws.com`, region, bucket } = store;
  const { method, key, body, accept = [] } = request;
  const { accessKeyId, secretAccessKey, sessionToken } = store;
  const signer = new AwsV4Signer({
    url: `${endpoint.replace(/\/+$/, '')}/${keyPath(bucket)}/${keyPath(key)}`,
    method,
    headers: { ...request.headers, 'x-amz-content-sha256': sha256(body ?? '') },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: 's3',
    region,
  });
  const { url, headers } = await signer.sign();
  return fetch(url, {
    method,
    headers: Object.fromEntries(headers.entries()),
    ...(body === undefined ? {} : { body }),
    accept,
    clientErrorsChangeNothing: true,
  });
};
