import { startModelServer, type ModelServer, type Script } from '@holdfast/model-server';

const SAID = 'A log keeps what happened.';

/** A scripted endpoint for all tests of a file; what it says is the same again before each. */
export const scriptedEndpoint = (key: string) => {
  const scripted = {
    script: ((): ReturnType<Script> => ({ text: SAID })) as Script,
    server: null as unknown as ModelServer,
  };
  beforeAll(async () => {
    scripted.server = await startModelServer({ script: (request, n) => scripted.script(request, n), key });
  });
  afterAll(() => scripted.server.close());
  beforeEach(() => {
    scripted.script = () => ({ text: SAID });
  });
  return scripted;
};
