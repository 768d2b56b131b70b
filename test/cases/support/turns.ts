import type { Onlooker } from './onlooker.js';

type Story = (onlooker: Onlooker) => Promise<void>;

/** Stories of one world, played one after the other beside those of other worlds; a test only awaits its own. */
export class Turns {
  private readonly plays: Story[] = [];

  /** The test of a story that is played when its turn comes, whatever became of those before it. */
  play(story: Story): () => Promise<void> {
    let tell: { readonly resolve: () => void; readonly reject: (error: unknown) => void };
    const over = new Promise<void>((resolve, reject) => (tell = { resolve, reject }));
    over.catch(() => undefined);
    this.plays.push((onlooker) =>
      story(onlooker).then(
        () => tell.resolve(),
        (error: unknown) => tell.reject(error),
      ),
    );
    return () => over;
  }

  async begin(onlooker: Onlooker): Promise<void> {
    for (const play of this.plays) await play(onlooker);
  }
}
