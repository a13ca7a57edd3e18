"""A short load again and again: the first time its first write does not fit on the disk, then its second, and so on to the last."""

import os
import signal
import time

from torture import Torture

from person import Difference, Lost, Person, Unavailable

# Writes of the server's own, by the clock and not by the load, may come after the last one of the load.
COMPLETE_RUNS = 3


class EveryWrite(Torture):
    """Each run kills the server after its disk is well again, and compares what was answered."""

    def run(self):
        begin, number, complete = time.monotonic(), 0, 0
        self.prepare()
        while complete < COMPLETE_RUNS and not self.faults:
            number += 1
            self.may_fail = True
            self.disk.fill(number)
            is_complete = self.play(number)
            self.disk.heal()
            complete = complete + 1 if is_complete else 0
            self.await_recovery()
            os.kill(self.world.process, signal.SIGKILL)
            self.world.server.wait()
            self.world.start()
            self.compare(number)
            if number % 10 == 0:
                print(f"{number} writes, {self.all} users, {time.monotonic() - begin:.0f} s", flush=True)
        if not self.faults:
            self.finish()
        self.world.stop()
        print(f"from each of the first {number - complete} writes on the disk was full once; then the load has no more of them")
        return self.tell(number, time.monotonic() - begin)

    def play(self, number):
        """One of everything. Returns whether all of it was answered as done."""
        person, guest = (Person(f"{name}{number}-{self.options.seed}") for name in ("person", "guest"))
        self.people[0] += [person, guest]
        client = self.client()
        try:
            for what in (person.log_in, person.change, person.upgrade, person.transfer, person.log_out, person.log_in):
                person.carry_out(client, what)
            guest.carry_out(client, guest.log_in)
            guest.keys, guest.is_held = guest.keys[-1:], True
            person.carry_out(client, person.take_over, guest)
            person.carry_out(client, person.delete)
            return True
        except Unavailable:
            self.counts["unavailable"] += 1
        except (Lost, Difference) as fault:
            self.faults.append(f"with a full disk from write {number} on: {fault}")
        finally:
            client.close()
        return False
