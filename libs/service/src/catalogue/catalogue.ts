import { decode, toolsKind, type CatalogueEntry } from '@holdfast/contracts';
import { toolRef } from '@holdfast/events';
import type { LogRecord } from '@holdfast/log';

/** What one record of the tools topic changed. */
export type CatalogueChange =
  | { readonly change: 'offered'; readonly tool: CatalogueEntry }
  | { readonly change: 'withdrawn'; readonly ref: string }
  /** The same version with other contents: the first one counts. */
  | { readonly change: 'conflict'; readonly known: CatalogueEntry; readonly offered: CatalogueEntry }
  | { readonly change: 'unreadable'; readonly offset: number; readonly problem: string }
  | { readonly change: 'none' };

/** The tools by `name@version`, folded from the tools topic: of one version the first record in log order counts. */
export class Catalogue {
  private readonly tools = new Map<string, CatalogueEntry>();

  get(ref: string): CatalogueEntry | undefined {
    return this.tools.get(ref);
  }

  all(): readonly CatalogueEntry[] {
    return [...this.tools.values()];
  }

  take({ key, value, headers, offset }: LogRecord): CatalogueChange {
    if (value === null) return this.withdraw(key ?? '');
    const decoded = decode(toolsKind, value, headers);
    if (!decoded.ok) return { change: 'unreadable', offset, problem: decoded.problem };
    const tool = decoded.message.data;
    const ref = toolRef(tool);
    const known = this.tools.get(ref);
    if (known === undefined) {
      this.tools.set(ref, tool);
      return { change: 'offered', tool };
    }
    return known.hash === tool.hash ? { change: 'none' } : { change: 'conflict', known, offered: tool };
  }

  private withdraw(ref: string): CatalogueChange {
    return this.tools.delete(ref) ? { change: 'withdrawn', ref } : { change: 'none' };
  }
}
