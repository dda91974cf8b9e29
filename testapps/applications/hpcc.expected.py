"""The HPC Challenge, as small as it gets."""
import os


def expect(e):
    e.others_allowed = True
    e.repeatable = False  # displacements between what malloc gave
    e.counted = True
    e.verify = False
    e.copies = [os.path.join(os.path.dirname(__file__), "hpccinf.txt")]
    e.output_files = ["hpccoutf.txt"]
    e.unstable_numbers = True
    # Beside the measured figures: messages about the clock, and benchmarks whose iteration counts depend on it.
    e.unstable_lines = [r"(?i)time|clock|iter|latency|bandwidth|second|GB/s|Gflop|WALL|CPU|MHz|microsec|tick|updates"
                        r"|LatencyBandwidth|=\d|#|rate|Max|Min|Avg|msg|Date|Node selected|[Cc]urrent"]
