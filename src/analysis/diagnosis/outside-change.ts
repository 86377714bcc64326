/** How the platform says that somebody changed what runs without it. A deployment undoes it. */
export const outsideChange = /^(?<change>Somebody (?:changed|scaled) .+|Its service is not on the engine any more.*)\. Deploy it again/;
