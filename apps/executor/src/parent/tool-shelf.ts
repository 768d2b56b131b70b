import type { CatalogueEntry } from '@holdfast/contracts';
import { toolRef } from '@holdfast/events';
import type { Logger, Timer, ToolSet } from '@holdfast/sdk';
import { ToolsRefused } from '@holdfast/service';

const AGAIN_MS = 500;

/** What the workers of this executor serve, once it is in the catalogue. */
export class ToolShelf {
  private published = '';
  tools: readonly string[] = [];

  constructor(
    private readonly ports: { readonly timer: Timer; readonly logger: Logger },
    private readonly publish: (tools: ToolSet) => Promise<void>,
  ) {}

  /** Resolves when the entries are in the catalogue; rejects with `ToolsRefused` when they must not be. */
  async put(catalogue: readonly CatalogueEntry[]): Promise<void> {
    const wanted = JSON.stringify(catalogue.map(({ hash }) => hash));
    // A worker that comes back with the same tools need not wait.
    while (this.published !== wanted) {
      try {
        await this.publish({ get: () => undefined, all: [], catalogue: () => catalogue });
        this.published = wanted;
      } catch (error) {
        if (error instanceof ToolsRefused) throw error;
        this.ports.logger.warn({ err: error }, 'the tools cannot be made known yet');
        await new Promise<void>((resolve) => void this.ports.timer.after(AGAIN_MS, resolve));
      }
    }
    this.tools = catalogue.map(toolRef);
  }
}
