package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

class DataGrowthTest {
  private static final long MEBIBYTE = 1 << 20;

  private static Optional<Finding> growth(long grown, long free, Duration time) {
    return new DataGrowth(grown * MEBIBYTE, time, free < 0 ? -1 : free * MEBIBYTE)
        .finding("the data file has grown", "since the server was started");
  }

  @Test
  void shouldTellOfGrowthOnlyWhereItIsKnown() {
    Duration days = Duration.ofDays(2);
    assertThat(growth(20, 100, days))
        .contains(
            new Finding(
                Weight.WARNING,
                "disk",
                "the data file has grown by 20 MiB in 2.0 days, since the server was started:"
                    + " at that rate the free space lasts for 10 days",
                "df -h"));
    assertThat(growth(20, 1000, days).orElseThrow().weight()).isEqualTo(Weight.OK);
    assertThat(growth(0, 100, days)).isEmpty();
    assertThat(growth(20, -1, days)).isEmpty();
    assertThat(growth(20, 100, Duration.ofHours(23))).isEmpty();
  }
}
