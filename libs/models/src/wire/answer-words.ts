import type { ModelRequest } from '@holdfast/programs';

/** The instructions, with the schema of the answer in words where the endpoint is not told of it otherwise. */
export const withAnswerWords = ({ instructions, answer }: ModelRequest): string => {
  if (answer === undefined) return instructions;
  const wanted = `Your final answer must be one JSON value that fits this JSON Schema, and nothing else, no Markdown around it:\n${JSON.stringify(answer)}`;
  return instructions === '' ? wanted : `${instructions}\n\n${wanted}`;
};
