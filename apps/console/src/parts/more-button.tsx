import { Button } from '@mantine/core';
import type { Listed } from '../api/use-answer.js';

/** Asks for the next page of a list of cards; nothing where all of it is there. */
export const MoreButton = <T,>({ list: { query, more } }: { readonly list: Listed<T> }) =>
  query.hasNextPage && (
    <Button variant="default" mt={12} onClick={more} loading={query.isFetchingNextPage}>
      Load more
    </Button>
  );
