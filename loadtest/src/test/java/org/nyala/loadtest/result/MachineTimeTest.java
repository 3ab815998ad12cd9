package org.nyala.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class MachineTimeTest {
  @Test
  void shouldTellWhatTheHostTook() {
    MachineTime before = MachineTime.parse("cpu  10 0 20 60 0 0 5 5 0 0\ncpu0 1 1 1 1\n");
    MachineTime after = MachineTime.parse("cpu  50 0 40 60 0 0 20 30 0 0\n");
    assertThat(before).isEqualTo(new MachineTime(100, 60, 5));
    assertThat(after.stolenSince(before)).isCloseTo(0.25, within(1e-9));
    assertThat(before.stolenSince(before)).isZero();
    assertThat(after.busySince(before)).isCloseTo(0.75, within(1e-9));
    assertThat(before.busySince(before)).isNaN();
  }

  @Test
  void shouldTakeKernelsThatDoNotCountItForUndisturbed() {
    assertThat(MachineTime.parse("cpu  1 2 3 4\n")).isEqualTo(new MachineTime(10, 4, 0));
  }

  @Test
  void shouldReadThisMachine() {
    assertThat(MachineTime.now().total()).isPositive();
  }
}
