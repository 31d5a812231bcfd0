"""What onnxruntime makes of an ONNX file. One JSON in, one JSON out."""
import json
import sys

import numpy
import onnxruntime

job = json.load(sys.stdin)
session = onnxruntime.InferenceSession(job["file"], providers=["CPUExecutionProvider"])
planes = numpy.array(job["planes"], dtype=numpy.float32).reshape(-1, *session.get_inputs()[0].shape[1:])
names = [output.name for output in session.get_outputs()]
outputs = session.run(names, {"planes": planes})
print(json.dumps({"version": onnxruntime.__version__, "outputs": {n: o.tolist() for n, o in zip(names, outputs)}}))
