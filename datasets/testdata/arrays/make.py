"""Writes the arrays of this folder with NumPy and PyTorch: python3 make.py

The README beside it names the versions. Values are chosen so that rows, columns and orders differ.
"""
import datetime
import json
import pathlib
import struct

import numpy as np
import torch

here = pathlib.Path(__file__).parent
edges = np.array([[0, 0, 1, 2, 4], [3, 1, 1, 0, 9]], dtype=np.int64)
image = np.arange(12, dtype=np.uint8).reshape(3, 4)
cube = np.arange(24, dtype=np.uint16).reshape(2, 3, 4)

np.save(here / "edge_index.npy", edges)
np.save(here / "edge_index_fortran.npy", np.asfortranarray(edges))
np.save(here / "edge_pairs.npy", np.ascontiguousarray(edges.T).astype(">i4"))
np.save(here / "image.npy", image)
np.save(here / "image_fortran.npy", np.asfortranarray(image))
np.save(here / "cube_fortran.npy", np.asfortranarray(cube))
np.save(here / "whole_f2.npy", np.array([3, 0, 2048], dtype=np.float16))
np.save(here / "whole_f8.npy", np.array([3, 0, 4294967295], dtype=np.float64))
np.save(here / "fraction_f4.npy", np.array([3, 0, 1.5, 2.5], dtype=np.float32))
np.savez(here / "graph.npz", edge_index=edges, batch=np.array([0, 0, 1], dtype=np.int32))
np.savez_compressed(here / "deflated.npz", keys=np.array([7, 7, 7, 5], dtype=np.uint32))

tensor = torch.from_numpy
torch.save(torch.tensor([5, 3, 5]), here / "tensor.pt")
torch.save(
    {
        "edge_index": tensor(edges),
        "transposed": tensor(edges).t(),
        "steps": torch.arange(10, dtype=torch.int32)[1::3],
        "expanded": torch.tensor([[6], [8]], dtype=torch.uint8).expand(2, 3),
        "nested": {"half": torch.tensor([4, 2]).half(), "list": [torch.tensor([1.0, 0.0]), 0.1]},
        "brain": torch.tensor([256, 3]).bfloat16(),
        "fraction": torch.tensor([1.0, 0.25]),
        "flags": torch.tensor([True]),
        3: (torch.tensor([9], dtype=torch.int16), torch.tensor([8], dtype=torch.int8)),
        "note": None,
    },
    here / "graph.pt",
)
torch.save(torch.nn.Embedding.from_pretrained(torch.ones(2, 3)).state_dict(), here / "module.pt")
torch.save(torch.tensor([5, 3, 5]), here / "legacy.pt", _use_new_zipfile_serialization=False)
torch.save({"x": datetime.timedelta(1)}, here / "object.pt")


def safetensors(path, arrays):
    """Writes a file by the text of the format, as the library was not at hand: a length of 8
    bytes, JSON that is padded by blanks to whole 8 bytes, then the bytes of the arrays.

    https://github.com/huggingface/safetensors#format
    """
    header, data = {"__metadata__": {"format": "np"}}, b""
    for name, (dtype, array) in arrays.items():
        raw = array.tobytes()
        header[name] = {
            "dtype": dtype,
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


safetensors(
    here / "graph.safetensors",
    {
        "edge_index": ("I64", edges),
        "batch": ("I32", np.array([0, 0, 1], dtype=np.int32)),
        "whole": ("F16", np.array([2, 7], dtype=np.float16)),
        "flags": ("BOOL", np.array([True])),
    },
)
