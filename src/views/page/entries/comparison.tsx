import { ComparisonView } from '../components/comparison.tsx';
import { show } from '../show.tsx';

show('comparison', ComparisonView);
