package org.nyala.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceUseTest {
  @Test
  void shouldReadWhatAProcessUses() {
    ResourceUse use = new ProcessUse(ProcessHandle.current().pid()).now();

    assertThat(use.cpuNanos()).isPositive();
    assertThat(use.rssBytes()).isBetween(1L << 20, 1L << 40);
    assertThat(use.voluntarySwitches()).isPositive();
    assertThat(use.involuntarySwitches()).isNotNegative();
    assertThat(new ProcessUse(0).now()).isEqualTo(ResourceUse.NONE);
  }

  @Test
  void shouldTellDifferencesOnlyOfWhatIsKnown() {
    ResourceUse before = new ResourceUse(100, 7, 5, -1);
    ResourceUse after = new ResourceUse(150, 9, 11, 3);

    assertThat(after.since(before)).isEqualTo(new ResourceUse(50, 9, 6, -1));
    assertThat(ResourceUse.NONE.since(before).cpuNanos()).isEqualTo(-1);
  }

  @Test
  void shouldReadNumbersBehindLabels() {
    List<String> status = List.of("VmRSS:\t    1234 kB", "voluntary_ctxt_switches:\t17");
    assertThat(ProcessUse.field(status, "VmRSS:")).isEqualTo(1234);
    assertThat(ProcessUse.field(status, "voluntary_ctxt_switches:")).isEqualTo(17);
    assertThat(ProcessUse.field(status, "VmSwap:")).isEqualTo(-1);
  }

  @Test
  void shouldCountPausesSinceAnEarlierMoment() {
    assertThat(new GcPauses(5, 70).since(new GcPauses(3, 50))).isEqualTo(new GcPauses(2, 20));
    assertThat(GcPauses.now().count()).isNotNegative();
  }
}
