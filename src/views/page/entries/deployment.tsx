import { DeploymentView } from '../components/deployment.tsx';
import { show } from '../show.tsx';

show('deployment', DeploymentView);
