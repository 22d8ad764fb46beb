"""The sources that the extension of PyTorch is built of; building them needs a GPU."""

import os
import pathlib
import tempfile
import unittest

from atomtune import _extension


class Instances(unittest.TestCase):
    def test_what_another_process_compiles_stays_whole(self):
        with tempfile.TemporaryDirectory() as name:
            folder, read = pathlib.Path(name), pathlib.Path(name) / "read"
            paths = _extension.write_instances(folder)
            self.assertGreater(len(paths), 10)
            text = paths[0].read_text()
            paths[0].write_text("of another version")
            os.link(paths[0], read)  # as who has it open sees it
            unchanged = paths[1].stat().st_mtime_ns
            self.assertEqual(_extension.write_instances(folder), paths)
            self.assertEqual(read.read_text(), "of another version")
            self.assertEqual(paths[0].read_text(), text)
            self.assertEqual(paths[1].stat().st_mtime_ns, unchanged)
            self.assertEqual(set(folder.iterdir()), {*paths, read})


if __name__ == "__main__":
    unittest.main()
