export { maskShapes } from './forms.ts';
export { nameTells, valueTells } from './tells.ts';
