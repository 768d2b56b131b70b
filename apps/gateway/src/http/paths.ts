import type { Method, Route } from '@holdfast/api';

/** Methods that routes of the table have at a path. */
export const methodsAt = (routes: readonly Route[], path: string): readonly Method[] => [
  ...new Set(routes.filter((route) => patternOf(route).test(path)).map(({ method }) => method)),
];

const patternOf = ({ path }: Route): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
