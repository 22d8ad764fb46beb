"""What runs on a GPU: python3 tests/gpu_test.py [NAME...]. Needs PyTorch 2.9 or later and
libatomtune_cuda.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import gpu_calls  # noqa: F401  each module enters its tests in gpu_streams.TESTS
import gpu_pytorch  # noqa: F401
import gpu_streams
import gpu_training  # noqa: F401
import isolated

if __name__ == "__main__":
    sys.exit(isolated.main(gpu_streams.TESTS, __file__, sys.argv[1:]))
