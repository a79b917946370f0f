# SPDX-License-Identifier: MIT
"""gpu_share.py [ROUNDS]: fields shared with torch and CuPy, on a machine with an NVIDIA GPU.

Run by hand: docs/testing.md. TAP output.
"""

import gc
import os
import re
import subprocess
import sys
import time

import cupy
import numpy as np
import torch

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402
import vksim  # noqa: E402
from vksim._lib import ffi, lib  # noqa: E402

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
SHARE = "import vksim; vksim.Simulation('physarum', size=(64, 64), agents=10).share('trail')"

AT_EXIT = """
import cupy, sys, torch, vksim
sim = vksim.Simulation('physarum', size=(64, 64), agents=10)
shared = sim.share('trail')
tensor, array = torch.from_dlpack(shared), cupy.asarray(shared)
sys.friend = cupy.from_dlpack(shared)
"""


def host(tensor):
    return tensor.cpu().numpy()


def refused(words, function, *arguments):
    """Whether the call raises UsageError with all the words."""
    try:
        function(*arguments)
    except vksim.UsageError as error:
        text = str(error)
        return all(word in text for word in words) or print(f"# {text}")
    return print("# no error")


# --- values --------------------------------------------------------------------------------------


def test_bytes():
    """Tensors have the bytes of .numpy(), and new ones after update()."""
    cases = {
        ("physarum", "trail", 7): {"agents": 3000, "variant": "unsorted"},
        ("physarum", "position", 16): {"agents": 3000, "variant": "sorted-2-bytes"},
        ("gray-scott", "v", 5): {"preset": "mazes"},
        ("gray-scott", "u", 4): {"preset": "mazes", "precision": "float16"},
    }
    for (model, name, steps), options in cases.items():
        sim = vksim.Simulation(model, size=(96, 64), seed=3, **options)
        if name not in sim.fields:
            name = next(field for field in sim if sim[field].dtype.kind == "u")
        shared = sim.share(name)
        array = cupy.asarray(shared)
        same = []
        for _ in range(3):
            same.append(np.array_equal(cupy.asnumpy(array), sim[name].numpy()))
            sim.run(steps)
            shared.update()
        tensor = cupy.from_dlpack(shared)
        same.append(tensor.data.ptr == array.data.ptr)
        if sim[name].dtype.kind == "f":
            tensor = torch.from_dlpack(shared)
            same.append(tensor.is_cuda and tensor.data_ptr() == array.data.ptr)
            same.append(np.array_equal(host(tensor), sim[name].numpy()))
        check(all(same), f"{model}: {name}, {sim[name].dtype} {sim[name].shape}", same)
    other = vksim.Simulation(model, size=(96, 64), seed=3, **options)
    other.run(3 * steps)
    check(other.digest() == sim.digest(), "sharing changes no state")


def test_write_back():
    """What torch writes is the state, checked like an array."""
    sim = vksim.Simulation("physarum", size=(80, 48), agents=2000, seed=2)
    sim.run(5)
    shared = sim.share("trail", write=True)
    tensor = torch.from_dlpack(shared)
    tensor.mul_(0.5).add_(1e-30)
    wanted = host(tensor)
    shared.write_back()
    wanted[np.abs(wanted) < 2.0**-60] = 0
    check(np.array_equal(sim["trail"].numpy(), wanted) and np.array_equal(host(tensor), wanted),
          "write_back() writes, and flushes tiny values")
    other = vksim.Simulation("physarum", size=(80, 48), agents=2000, seed=2)
    other.run(5)
    other["trail"][:] = wanted
    sim.run(9)
    other.run(9)
    check(sim.digest() == other.digest(), "the steps that follow are those after a write")
    shared.update()
    digest = sim.digest()
    tensor[7, 3] = float("inf")
    tensor[20, 0] = float("nan")
    check(refused(["'trail'", f"element {7 * 80 + 3} "], shared.write_back) and
          sim.digest() == digest, "the first bad value is named, and the state stays as it was")
    shared.update()
    check(np.array_equal(host(tensor), sim["trail"].numpy()), "update() works after that")
    check(refused(["write=True"], sim.share("trail").write_back), "write_back() needs write=True")
    gray = vksim.Simulation("gray-scott", size=(64, 64), seed=2)
    shared = gray.share("v", write=True)
    tensor = torch.from_dlpack(shared)
    tensor.fill_(0.25)
    shared.write_back()
    check(np.all(gray["v"].numpy() == 0.25), "a field whose model checks its values is written")
    tensor[1, 1] = 2
    check(refused(["'v'", "element 65 "], shared.write_back) and
          np.all(gray["v"].numpy() == 0.25), "and refuses those out of its range")


def test_rounds():
    """A wait that is missing anywhere leaves NaN, which write_back() finds, or a value that is too
    small: the memory is NaN between write_back() and update(), and torch is late."""
    sim = vksim.Simulation("physarum", size=(2048, 2048), agents=10)
    sim["trail"][:] = np.zeros((2048, 2048), np.float32)
    shared = sim.share("trail", write=True)
    streams = {torch.cuda.default_stream(): ROUNDS, torch.cuda.Stream(): ROUNDS // 10}
    for stream, rounds in streams.items():
        with torch.cuda.stream(stream):
            tensor = torch.from_dlpack(shared)
            begin, start = sim["trail"].numpy()[0, 0], time.perf_counter()
            failure = None
            try:
                for i in range(rounds):
                    shared.update()
                    if i % 8 == 0:
                        torch.cuda._sleep(400_000)
                    tensor.add_(1)
                    shared.write_back()
                    tensor.fill_(float("nan"))
            except vksim.Error as error:
                failure = str(error)
            seconds = time.perf_counter() - start
        trail = sim["trail"].numpy()
        check(not failure and np.all(trail == begin + rounds),
              f"{rounds} rounds of update, kernel and write_back miss no wait, on "
              f"{'the default' if stream == torch.cuda.default_stream() else 'another'} stream",
              failure, trail.min(), trail.max(), begin)
        print(f"# {1e6 * seconds / rounds:.0f} us per round")
        torch.cuda.synchronize()


# --- lifetimes -----------------------------------------------------------------------------------


def test_life():
    """Memory lives as long as the last tensor, whatever ends first."""
    def open_all():
        sim = vksim.Simulation("physarum", size=(1024, 1024), agents=10)
        shared = sim.share("trail")
        return sim, shared, torch.from_dlpack(shared), cupy.asarray(shared)

    def free_bytes():
        gc.collect()
        torch.cuda.synchronize()
        return torch.cuda.mem_get_info()[0]

    open_all()
    before, fds = free_bytes(), len(os.listdir("/proc/self/fd"))
    good = []
    for i in range(60):
        sim, shared, tensor, array = open_all()
        expected = sim["trail"].numpy()
        if i % 3 == 0:
            del sim, shared
            gc.collect()
            good.append(np.array_equal(host(tensor), expected))
        elif i % 3 == 1:
            sim.close()
            good.append(np.array_equal(cupy.asnumpy(array), expected) and shared.closed is False
                        and refused(["closed"], shared.update))
        else:
            shared.close()
            good.append(np.array_equal(host(tensor), expected) and shared.closed)
            tensor = array = None
            sim.run(1)
    sim = shared = tensor = array = None
    check(all(good), "tensors stay valid after the simulation and the shared field", good)
    lost = before - free_bytes()
    check(lost < 8 << 20 and len(os.listdir("/proc/self/fd")) <= fds + 1,
          "nothing is left of 60 shared fields", lost, fds, len(os.listdir("/proc/self/fd")))
    done = subprocess.run([sys.executable, "-c", AT_EXIT], text=True, capture_output=True,
                          check=False)
    check(done.returncode == 0 and "Traceback" not in done.stderr,
          "a process ends with arrays in use", done.returncode, done.stderr)
    capsule = vksim.Simulation("physarum", size=(64, 64), agents=10).share("trail").__dlpack__()
    del capsule
    check(free_bytes() >= before - (8 << 20), "a capsule that nobody takes is freed")


def test_document():
    """The example of docs/python.md runs."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/python.md")
    with open(page, encoding="utf-8") as file:
        (block,) = re.findall(r"```python\n(import torch\n.*?)```", file.read(), re.S)
    sim = vksim.Simulation("gray-scott", preset="mazes", size=(128, 128), seed=7)
    exec(block, {"sim": sim})  # pylint: disable=exec-used
    check(sim["v"].numpy().min() == np.float32(0.1), "the example of docs/python.md")


def test_devices():
    """Without CUDA, or with another GPU only, share() says so."""
    def run(visible):
        return subprocess.run([sys.executable, "-c", SHARE], text=True, capture_output=True,
                              check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": visible})

    done = run("")
    check("UsageError" in done.stderr and ".numpy() still works" in done.stderr,
          "without a device of CUDA", done.stderr)
    if torch.cuda.device_count() > 1:
        used = torch.from_dlpack(vksim.Simulation("physarum", size=(64, 64), agents=10)
                                 .share("trail")).device.index
        done = run(str(1 - used))
        check("UsageError" in done.stderr and "CUDA has" in done.stderr, "with another GPU only",
              done.stderr)
    else:
        print("# with another GPU only: not run, there is one GPU")


# --- speed ---------------------------------------------------------------------------------------


def fastest(action, wait=torch.cuda.synchronize, count=2000):
    """Seconds of an action, many of which are enqueued before the wait, at best of five: enough for
    the GPU to reach its clock rate."""
    best = 1e9
    for _ in range(5):
        wait()
        start = time.perf_counter()
        for _ in range(count):
            action()
        wait()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def enqueued(side):
    """Seconds of an update of a square field, of many that are enqueued."""
    sim = vksim.Simulation("physarum", size=(side, side), agents=10)
    shared, value = sim.share("trail"), ffi.new("uint64_t *")
    seconds = fastest(lambda: lib.vks_shared_update(shared._shared, 0, value),
                      lambda: lib.vks_simulation_wait(sim._simulation))
    shared._value = value[0]
    return seconds, shared


def test_bandwidth():
    """An update of 4096 x 4096 float32 is a copy, and a submission, as an update of few bytes."""
    submission, _ = enqueued(16)
    update, shared = enqueued(4096)
    tensor, other = torch.from_dlpack(shared), torch.empty(4096, 4096, device="cuda")
    gigabytes = 2 * tensor.numel() * 4 / 1e9
    copy = fastest(lambda: other.copy_(tensor))
    turns = fastest(shared.update)
    for name, seconds in {"torch's copy": copy, "updates": update,
                          "updates without the submission": update - submission,
                          "updates in turns with CUDA": turns}.items():
        print(f"# {name}: {1e6 * seconds:.1f} us, {gigabytes / seconds:.0f} GB/s, "
              f"{copy / seconds:.0%} of torch's copy")
    print(f"# submission: {1e6 * submission:.1f} us")
    check(copy / (update - submission) >= 0.8, "the copy has 80 % of the bandwidth of torch's")


def main():
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}", file=sys.stderr)
    for test in (test_bytes, test_write_back, test_rounds, test_life, test_document,
                 test_devices, test_bandwidth):
        try:
            test()
        except Exception as error:  # pylint: disable=broad-exception-caught
            check(False, test.__name__, repr(error))
    return end()


sys.exit(main())
