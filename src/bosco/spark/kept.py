"""Estimators and models in files, as pyspark.ml keeps them; a model's own file is inside.

Nothing that is read is executed: settings are plain values, the model is read by `bosco.load`.
"""

import io
from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter

from bosco.errors import ModelError
from bosco.models.loading import load
from bosco.spark.params import read_back, written


class Writer(MLWriter):
    """Writes an estimator or a model into a folder, of any file system that Spark knows."""

    def __init__(self, instance: Any):
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:  # noqa: N802
        """Write it."""
        given = {p.name: written(p.name, v) for p, v in self.instance._paramMap.items()}
        model = getattr(self.instance, "model_", None)
        text = io.BytesIO()
        if model is not None:
            model.save(text, form="json")
        bare = self.instance.copy()
        bare._defaultParamMap = {}  # they are the class's own
        DefaultParamsWriter.saveMetadata(bare, path, self.sparkSession, paramMap=given)
        if model is not None:
            rows = self.sparkSession.createDataFrame([(text.getvalue().decode(),)], "value string")
            rows.coalesce(1).write.text(f"{path}/model")


class Reader(MLReader[Any]):
    """Reads what `Writer` wrote for a class."""

    def __init__(self, cls: Any):
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> Any:
        """Read it."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        name = f"{self.cls.__module__}.{self.cls.__name__}"
        if metadata["class"] != name:
            raise ModelError(f"{path} holds a {metadata['class']}, which is no {name}.")
        made = self.cls()
        made._resetUid(metadata["uid"])
        for param, value in metadata["paramMap"].items():
            if not made.hasParam(param):
                raise ModelError(f"{path} has a parameter {param!r}, which no {name} has.")
            made._set(**{param: read_back(value)})
        if hasattr(made, "model_"):
            rows = self.sparkSession.read.text(f"{path}/model", wholetext=True).collect()
            made.model_ = load(io.BytesIO("".join(row[0] for row in rows).encode()))
        return made
