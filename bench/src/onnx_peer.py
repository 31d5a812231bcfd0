"""Evaluations a second of ONNX files in onnxruntime, one thread. Each line in: a file, a batch, seconds. Each line out: the rate."""
import sys
import time

import numpy
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
sessions = {}
for line in sys.stdin:
    file, batch, seconds = line.rstrip("\n").split("\t")
    if file not in sessions:
        sessions[file] = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    session = sessions[file]
    shape = session.get_inputs()[0].shape[1:]
    planes = numpy.random.default_rng(1).integers(0, 2, (int(batch), *shape)).astype(numpy.float32)
    done, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < float(seconds):
        for _ in range(4):
            session.run(None, {"planes": planes})
        done += 4 * int(batch)
    print(done / (time.perf_counter() - begin), flush=True)
