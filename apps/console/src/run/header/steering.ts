export type LimitsRead = { readonly limits: Readonly<Record<string, unknown>> | null; readonly problem: string | null };

/** A budget that was typed as JSON; empty says nothing. What it may hold is checked by the gateway. */
export const limitsFrom = (text: string): LimitsRead => {
  if (text.trim() === '') return { limits: null, problem: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { limits: value as Readonly<Record<string, unknown>>, problem: null };
    }
    return { limits: null, problem: 'A budget is an object: { "effects": 200 }' };
  } catch (error) {
    return { limits: null, problem: `This is no JSON: ${(error as Error).message}` };
  }
};

/** With the new window of one `forEach`, or without any where the field is empty. */
export const withWindow = (
  windows: Readonly<Record<string, number>>,
  name: string,
  value: number | string,
): Readonly<Record<string, number>> => {
  const others = Object.entries(windows).filter(([other]) => other !== name);
  return Object.fromEntries(typeof value === 'number' ? [...others, [name, value]] : others);
};
