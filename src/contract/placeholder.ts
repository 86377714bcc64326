/** What is wrong with a value that someone else should have filled in, and what to do. */
export interface ValueFault {
  /** Continues a sentence that begins with the source of the value. Never shows a value that may be real. */
  readonly what: string;
  readonly next: string;
}

/** Forms of placeholders, wherever they are in a value. */
const within = /\$\{[^{}]*\}|\{\{[^{}]*\}\}/;

/** Forms that count only as the whole value: a real one may have their signs in it. */
const whole = /^(?:<[^<>]*>|\$(?:env:)?[A-Za-z_]\w*|%[A-Za-z_]\w*%)$/;

/** Forms that count in the host of a URL, where no real value has their signs. */
const inHost =
  /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#]*@)?(?![^/?#]*@)[^/?#]*?(?<placeholder><[^<>]*>|\$[a-z_]\w*|%[a-z_]\w*%)/i;

/** Placeholders that can't be real values in brackets, or have real ones as defaults. */
const isShowable =
  /^(?:\$\{[A-Za-z_][\w.]*(?::[A-Za-z_][\w.-]*)?\}|\{\{ *[A-Za-z_$][\w.]* *\}\}|<[A-Za-z _-]*(?:your|token|key|secret|url|host|address|domain|platform|server)[A-Za-z _-]*>|\$(?:env:)?[A-Z_][A-Z0-9_]*|%[A-Z_][A-Z0-9_]*%)$/i;

/** Variables in lower case could be the start of a real value. */
const lowerCaseVariable = /^[$%](?!env:)[^{]*[a-z]/;

const shown = (placeholder: string): string =>
  placeholder.length <= 60 && isShowable.test(placeholder) && !lowerCaseVariable.test(placeholder)
    ? `the placeholder ${placeholder}`
    : 'a placeholder';

/** The fault of a value with a placeholder that nothing has replaced; undefined if it has none. */
export function placeholderIn(text: string): ValueFault | undefined {
  const value = text.trim();
  const placeholder = (within.exec(value) ?? whole.exec(value))?.[0] ?? inHost.exec(value)?.groups?.['placeholder'];
  return placeholder === undefined
    ? undefined
    : {
        what: `${placeholder === value ? 'is' : 'contains'} ${shown(placeholder)}, which the program that starts this one did not replace`,
        next: 'Write the value itself there, or set what the placeholder names where that program reads it, and start it again.',
      };
}

const quoted = /^(["'`]).*\1$/s;
const assigned = /^(?:export\s+)?[A-Z0-9_]*(?:TOKEN|KEY|SECRET|PASSWORD|URL)[A-Z0-9_]*=[^=]/;

/**
 * The fault of a token, secret or address that is no value by itself; undefined if there is none. A token may have its
 * scheme before it.
 */
export function valueFault(text: string): ValueFault | undefined {
  const value = text.trim().replace(/^(?:token|bearer)\s+/i, '');
  if (quoted.test(value)) return { what: 'has quotes around its value', next: 'Remove them.' };
  if (assigned.test(value))
    return { what: 'has the form NAME=value', next: 'Give only the value, without the name and the equals sign.' };
  return placeholderIn(value);
}
