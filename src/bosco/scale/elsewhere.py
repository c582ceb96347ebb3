"""What estimators for rows elsewhere share, whatever carries their requests."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

__all__ = ["Elsewhere"]


class Elsewhere:
    """An estimator with the settings of a local one (`bosco.estimators.parameters.beside`)."""

    _local: type

    def to_local(self) -> Any:
        """The fitted estimator of the local class, which needs no cluster."""
        params = self.get_params()  # type: ignore[attr-defined]
        made = self._local()
        made.set_params(**{name: params[name] for name in made.get_params()})
        check_is_fitted(self)
        made.__dict__ |= {name: value for name, value in vars(self).items() if name not in params}
        return made
