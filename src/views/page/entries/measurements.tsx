import { MeasurementsView } from '../components/measurements.tsx';
import { show } from '../show.tsx';

show('measurements', MeasurementsView);
