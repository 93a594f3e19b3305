#!/usr/bin/env python3
"""`tern codegen`: C++ out of XML, errors with file and line."""
import tempfile
from pathlib import Path

from harness import check, output_of, tern_path

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schemas" / "tern-store.xml"


def codegen(*words):
    code, stdout, stderr = output_of([tern_path(), "codegen", *map(str, words)])
    return code, stdout.decode(), stderr.decode()


def main():
    listed = output_of([tern_path(), "help"])[1].decode()
    for name in ("serve", "cli", "lab", "codegen", "help", "version"):
        check(f"\n  {name} " in listed, f"tern help lists {name}", listed)
    check("--check-against" in output_of([tern_path(), "help", "codegen"])[1].decode(),
          "tern help codegen explains its options")

    with tempfile.TemporaryDirectory(prefix="tern-codegen-") as name:
        folder = Path(name)
        code, _, err = codegen(SCHEMA, "-o", folder / "out", "--namespace", "a::b")
        check(code == 0, "a good schema", code, err)
        check("namespace a::b" in "".join(p.read_text() for p in (folder / "out").glob("*.hpp")),
              "headers in that namespace")

        code, _, err = codegen(SCHEMA, "--check-against", SCHEMA)
        check(code == 0, "a schema is compatible with itself", err)

        changed = folder / "changed.xml"
        text = SCHEMA.read_text()
        line = next(i for i, row in enumerate(text.splitlines(), 1) if 'name="PingRequest"' in row)
        changed.write_text(text.replace('name="PingRequest" id="', 'name="PingRequest" id="9'))
        code, _, err = codegen(changed, "--check-against", SCHEMA)
        check(code == 1 and str(changed) in err, "a message that changed its id breaks peers", err)

        broken = folder / "broken.xml"
        broken.write_text(text.replace('name="PingRequest"', 'nam="PingRequest"'))
        code, _, err = codegen(broken)
        check(code == 1 and f"{broken}:{line}" in err, "an error has its file and line", line, err)

        code, _, err = codegen(folder / "none.xml")
        check(code == 1 and "none.xml" in err, "a missing file is named", err)
    code, _, err = codegen()
    check(code == 2 and "schema" in err, "no schema is a usage error", code, err)
    print("ok")


if __name__ == "__main__":
    main()
