package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.workload.LoadTestException;

class RegimeTest {
  @Test
  void shouldFindRegimesByNameInTheirOwnOrder() throws LoadTestException {
    assertThat(Regime.of(List.of("writes", "cheap-16")))
        .containsExactly(Regime.CHEAP_16, Regime.WRITES);
    assertThat(Regime.of(List.of())).containsExactly(Regime.values());
  }

  @Test
  void shouldNameTheRegimesThatThereAreNot() {
    assertThatThrownBy(() -> Regime.of(List.of("cheap-16", "cheap-17")))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining("[cheap-17]")
        .hasMessageContaining("slow-hashes");
  }

  @Test
  void shouldDescribeItsClients() {
    assertThat(Regime.SCANS.description()).isEqualTo("64 search + 2 scan");
    assertThat(Regime.PAGES.description()).isEqualTo("64 paged");
  }
}
