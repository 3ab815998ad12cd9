package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.workload.LoadTestException;

class ScenarioTest {
  @Test
  void shouldFindRegimesByNameInTheirOwnOrder() throws LoadTestException {
    assertThat(Scenario.of(List.of("writes", "cheap-16")))
        .containsExactly(Scenario.CHEAP_16, Scenario.WRITES);
    assertThat(Scenario.of(List.of())).containsExactly(Scenario.values());
  }

  @Test
  void shouldNameTheRegimesThatThereAreNot() {
    assertThatThrownBy(() -> Scenario.of(List.of("cheap-16", "cheap-17")))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining("[cheap-17]")
        .hasMessageContaining("slow-hashes");
  }

  @Test
  void shouldDescribeItsClients() {
    assertThat(Scenario.SCANS.description()).isEqualTo("64 search + 2 scan");
    assertThat(Scenario.PAGES.description()).isEqualTo("64 paged");
  }
}
