import Glibc

/// What this process took of the processors so far, in microseconds.
package enum ProcessorTime {
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000_000 + Double(time.tv_nsec) / 1000
    }
}
