import { OrganizationView } from '../components/organization.tsx';
import { show } from '../show.tsx';

show('organization', OrganizationView);
