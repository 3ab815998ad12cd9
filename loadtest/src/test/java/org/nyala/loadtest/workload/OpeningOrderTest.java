package org.nyala.loadtest.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OpeningOrderTest {
  @Test
  void shouldTakeTheClientsOfOneJobAsTheyAre() {
    assertThat(OpeningOrder.of(List.of(3))).containsExactly(0, 0, 0);
  }

  @Test
  void shouldSpreadTheFewAmongTheMany() {
    assertThat(OpeningOrder.of(List.of(8, 2))).containsExactly(0, 0, 1, 0, 0, 0, 0, 1, 0, 0);
  }

  @Test
  void shouldTakeAsManyOfEachJobAsThereAre() {
    List<Integer> clients = List.of(16, 0, 8, 5);
    int[] order = OpeningOrder.of(clients);
    assertThat(order).hasSize(29);
    for (int job = 0; job < 4; job++) {
      int wanted = job;
      assertThat(Arrays.stream(order).filter(each -> each == wanted).count())
          .isEqualTo(clients.get(job).longValue());
    }
  }
}
