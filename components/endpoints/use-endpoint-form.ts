'use client';

import { type UseFormReturnType, useForm } from '@mantine/form';
import { checkValues, type EndpointFormValues, refusedFields } from './form-values';

export type EndpointForm = UseFormReturnType<EndpointFormValues>;

/** The form's state: judged by the server's own schema before it is sent, and kept whatever the answer is. */
export function useEndpointForm(initialValues: EndpointFormValues) {
  const form = useForm<EndpointFormValues>({ initialValues, validate: checkValues });
  const focusFirst = (errors: Record<string, unknown>) => {
    const [path] = Object.keys(errors);
    if (path) form.getInputNode(path.startsWith('headers.') ? `${path}.name` : path)?.focus();
  };
  return {
    form,
    /** Hands the values on only when nothing is wrong with them. */
    submit: (send: (values: EndpointFormValues) => void) => form.onSubmit(send, focusFirst),
    /** Puts the server's refusal where it belongs. */
    showRefusal: (error: unknown) => {
      const errors = refusedFields(error);
      form.setErrors(errors);
      focusFirst(errors);
    },
  };
}
