"""One page for people: `bosco.report` and `Model.report`."""
