import { NumberInput, SegmentedControl, Select, Textarea, TextInput, Input } from '@mantine/core';
import type { Field } from './form-model.js';
import { draftKey, type Draft } from './form-value.js';

type Props = {
  readonly fields: readonly Field[];
  readonly draft: Draft;
  readonly problems: Readonly<Record<string, string>>;
  readonly change: (draft: Draft) => void;
};

export const FormFields = ({ fields, draft, problems, change }: Props) => (
  <>
    {fields.map((field) => {
      const key = draftKey(field);
      return (
        <OneField
          key={key}
          field={field}
          typed={draft[key] ?? ''}
          problem={problems[key]}
          type={(value) => change({ ...draft, [key]: value })}
        />
      );
    })}
  </>
);

type OneProps = {
  readonly field: Field;
  readonly typed: string;
  readonly problem: string | undefined;
  readonly type: (value: string) => void;
};
const OneField = ({ field, typed, problem, type }: OneProps) => {
  const { label, description, required } = field;
  const common = { label, description, error: problem, withAsterisk: required };
  switch (field.kind) {
    case 'text':
      return field.long ? (
        <Textarea
          {...common}
          autosize
          minRows={1}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
        />
      ) : (
        <TextInput {...common} value={typed} onChange={(event) => type(event.currentTarget.value)} />
      );
    case 'number':
      return (
        <NumberInput {...common} value={typed} allowDecimal={!field.whole} onChange={(value) => type(String(value))} />
      );
    case 'choice':
      return (
        <Select
          {...common}
          data={field.options.map(({ key, label: name }) => ({ value: key, label: name }))}
          value={typed === '' ? null : typed}
          onChange={(value) => type(value ?? '')}
          clearable={!required}
        />
      );
    case 'yes_no':
      return (
        <Input.Wrapper {...common}>
          <SegmentedControl
            aria-label={label}
            data={[
              { value: '', label: 'not said' },
              { value: 'true', label: 'yes' },
              { value: 'false', label: 'no' },
            ]}
            value={typed}
            onChange={type}
          />
        </Input.Wrapper>
      );
    case 'json':
      return (
        <Textarea
          {...common}
          placeholder="JSON"
          autosize
          minRows={2}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          classNames={{ input: 'mono' }}
        />
      );
  }
};
