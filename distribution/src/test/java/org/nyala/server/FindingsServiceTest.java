package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.bean.FindingsMXBean.Weight;

class FindingsServiceTest {
  private static final long MEBIBYTE = 1 << 20;

  private static StoreStatus.Space space(long used, long free) {
    return new StoreStatus.Space(
        1 << 30, 1 << 30, used * MEBIBYTE, 4096, 1L << 40, free < 0 ? -1 : free * MEBIBYTE);
  }

  @Test
  void shouldTellOfGrowthOnlyWhereItIsKnown() {
    Duration days = Duration.ofDays(2);
    assertThat(FindingsService.growth(space(10, 9), space(30, 100), days).orElseThrow())
        .satisfies(
            found -> {
              assertThat(found.weight()).isEqualTo(Weight.WARNING);
              assertThat(found.sentence())
                  .isEqualTo(
                      "the data file has grown by 20 MiB in 2.0 days, since the server was started:"
                          + " at that rate the free space lasts for 10 days");
            });
    assertThat(FindingsService.growth(space(10, 9), space(30, 1000), days).orElseThrow().weight())
        .isEqualTo(Weight.OK);
    assertThat(FindingsService.growth(space(10, 9), space(10, 100), days)).isEmpty();
    assertThat(FindingsService.growth(space(10, 9), space(30, -1), days)).isEmpty();
    assertThat(FindingsService.growth(space(10, 9), space(30, 100), Duration.ofHours(23)))
        .isEmpty();
  }
}
