"""A `bin/hadoop` that does with a folder of this machine what `hadoop fs` does with HDFS, as far as clients ask."""

import stat
import sys

SCRIPT = r'''#!{python}
import json, os, shutil, sys
root, words = {root!r}, sys.argv[2:]
assert sys.argv[1] == "fs"
while words[0].startswith("-D"): words.pop(0)
with open(os.path.join(root, "..", "calls"), "a") as calls: calls.write(json.dumps(words) + "\n")
print("2026-01-01 WARN util.NativeCodeLoader: Unable to load native-hadoop library", file=sys.stderr)
option, words = words[0], words[1:]
flags = [w for w in words if w in ("-R", "-r", "-f", "-p", "-e", "-d")]
paths = [w for w in words if w not in flags]
at = lambda path: os.path.join(root, path.lstrip("/"))
def fail(text): print(f"{{option[1:]}}: {{text}}", file=sys.stderr); sys.exit(1)
failures = os.path.join(root, "..", "failures")
if os.path.exists(failures):
    left = int(open(failures).read())
    if left:
        open(failures, "w").write(str(left - 1))
        fail("Call From here to namenode failed on connection exception")
if option == "-test":
    tests = {{"-e": os.path.exists, "-d": os.path.isdir, "-f": os.path.isfile}}
    sys.exit(0 if tests[flags[0]](at(paths[0])) else 1)
if option == "-ls":
    line_of = lambda path: print(("d" if os.path.isdir(at(path)) else "-") + "rwxr-xr-x   - me us",
                                 os.path.getsize(at(path)), "2026-01-01 10:00", path)
    if not os.path.exists(at(paths[0])): fail(f"`{{paths[0]}}': No such file or directory")
    print("Found some items")
    def walk(path):
        for name in sorted(os.listdir(at(path))):
            line_of(path.rstrip("/") + "/" + name)
            if "-R" in flags and os.path.isdir(at(path + "/" + name)): walk(path.rstrip("/") + "/" + name)
    walk(paths[0]) if os.path.isdir(at(paths[0])) else line_of(paths[0])
elif option == "-rm":
    shutil.rmtree(at(paths[0])) if os.path.isdir(at(paths[0])) else os.remove(at(paths[0]))
elif option == "-mkdir": os.makedirs(at(paths[0]), exist_ok=True)
elif option == "-touchz": open(at(paths[0]), "w").close()
elif option == "-cat": sys.stdout.write(open(at(paths[0])).read())
elif option == "-mv": os.rename(at(paths[0]), at(paths[1]))
elif option in ("-get", "-put"):
    here, there = (at(paths[0]), paths[1]) if option == "-get" else (paths[0], at(paths[1]))
    if os.path.isdir(there): there = os.path.join(there, os.path.basename(here))
    if os.path.exists(there) and "-f" not in flags: fail(f"`{{there}}': File exists")
    shutil.copytree(here, there) if os.path.isdir(here) else shutil.copy(here, there)
else: fail("Unknown command")
'''


def install(folder):
    """Makes `folder/home/bin/hadoop`, whose files are in `folder/hdfs`; the home."""
    program = folder / "home" / "bin" / "hadoop"
    program.parent.mkdir(parents=True)
    (folder / "hdfs").mkdir()
    program.write_text(SCRIPT.format(python=sys.executable, root=str(folder / "hdfs")))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(folder / "home")
